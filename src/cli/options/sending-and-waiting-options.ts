import { AppError } from '../../domain/errors.ts'
import { displayNetwork, networkNamed } from '../../domain/networks.ts'
import { advice, ownHelp, sameWith } from '../../domain/text/next-step.ts'
import type { ExecutionContext } from '../../planning/execution-context-types.ts'
import { nonceOf } from './option-values.ts'

/**
 * The pinned nonce of each chain; a bare number is for the chain of the first transaction. A nonce for
 * a chain without transactions is USAGE, if the legs are known.
 */
export function noncesOf(
  texts: readonly string[] | undefined,
  networks: ExecutionContext['catalog']['networks'],
  legs: readonly { chainId: number }[] | undefined,
): Record<number, number> | undefined {
  if (!texts) return undefined
  const pinned: Record<number, number> = {}
  for (const text of texts) {
    const { network, nonce } = nonceOf(text, networks[0]?.name)
    const { chainId } =
      network === undefined ? { chainId: legs?.[0]?.chainId ?? 0 } : networkNamed(networks, network)
    if (legs && !legs.some((leg) => leg.chainId === chainId)) throw pinsNothing(text, networks, legs)
    if (pinned[chainId] !== undefined)
      throw new AppError(
        'USAGE',
        `--nonce is given twice for ${network === undefined ? 'the network of the first transaction' : `chain ${chainId}`}`,
        {
          next: advice`Give one nonce for each network: ${ownHelp}`,
        },
      )
    pinned[chainId] = nonce
  }
  return pinned
}

const pinsNothing = (
  text: string,
  networks: ExecutionContext['catalog']['networks'],
  legs: readonly { chainId: number }[],
): AppError => {
  const names = [...new Set(legs.map(({ chainId }) => displayNetwork(networks, chainId).name))]
  return new AppError(
    'USAGE',
    `--nonce ${text} does not apply: the transactions are on ${names.join(' and ')}`,
    { nothing: 'signed', next: sameWith({ '--nonce': `${names[0]}=N` }, { flag: '--nonce', value: text }) },
  )
}

/** How long an operation is followed by default, in ms. */
export const halfAnHour = 30 * 60_000
