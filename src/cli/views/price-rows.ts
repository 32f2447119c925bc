import { impactShown } from '../../domain/price-impact.ts'
import type { Stream } from '../terminal/io.ts'
import type { Plan } from './call-view.ts'

type Row = readonly [label: string, text: string]

/** What a plan says of the price of what it exchanges: how far below spot it is, how much less may come, and by whose word. */
export const priceRows = (plan: Plan, to: Stream): Row[] => [
  ...impactRows(plan, to),
  ...slippageRows(plan, to),
]

/** By how much less than at spot an exchange brings, and by whose word. */
const impactRows = ({ priceImpacts }: Plan, { paint }: Stream): Row[] =>
  priceImpacts.map(({ share, by }) => [
    'price',
    share === null || by === null
      ? paint.red(
          'not known: nobody but the service says what comes of it, and that is compared with nothing',
        )
      : `${impactShown(share)} below spot, by ${spotWords[by]}`,
  ])

const spotWords = { pool: 'its pools', oracle: 'an oracle on chain', usd: 'prices in USD' } as const

/** What may come less, and by whose price. */
const slippageRows = ({ slippages }: Plan, { paint }: Stream): Row[] =>
  slippages.map(({ share, by }) => {
    const text = share === null ? 'not known' : `${impactShown(share)} at most`
    return [
      'slippage',
      by === 'service'
        ? paint.red(`${text}, by the word of the service: our own engine has no price for this`)
        : `${text}, by our own price`,
    ]
  })
