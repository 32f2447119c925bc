import { parseUnits } from 'viem/utils'
import { formatAmount } from '../domain/amount.ts'
import { AppError, type ErrorCode } from '../domain/errors.ts'
import { type Token, tokenAt } from '../domain/token.ts'

/** The limits of a ramp in whole tokens, both exclusive. */
type Bounds = { above: string; below: string }
type Ramp = { from: string; to: string; word: 'OFFRAMP' | 'ONRAMP'; in: Bounds; out: Bounds }

/** The limits of the specification: USDC to BRLA is an off-ramp, the reverse an on-ramp. */
const ramps: readonly Ramp[] = [
  {
    from: 'USDC',
    to: 'BRLA',
    word: 'OFFRAMP',
    in: { above: '1', below: '5000' },
    out: { above: '5', below: '26000' },
  },
  {
    from: 'BRLA',
    to: 'USDC',
    word: 'ONRAMP',
    in: { above: '5', below: '75000' },
    out: { above: '1', below: '15000' },
  },
]

type RampAsk = { tokenIn: Token; tokenOut: Token; exact: 'in' | 'out'; amount: bigint }

/** Refuses a swap between the catalogue's USDC and BRLA if its amount is outside the limits of the ramp. */
export function checkRampLimits(
  tokens: readonly Token[],
  { tokenIn, tokenOut, exact, amount }: RampAsk,
): void {
  const [from, to] = [tokenIn, tokenOut].map(({ chainId, address }) => tokenAt(tokens, chainId, address))
  const ramp = ramps.find((one) => one.from === from?.symbol && one.to === to?.symbol)
  if (!ramp) return
  const token = exact === 'in' ? tokenIn : tokenOut
  const { above, below } = ramp[exact]
  const refuse = (side: 'LOW' | 'HIGH', must: string, limit: string) => {
    const code: ErrorCode = `AMOUNT_${exact === 'in' ? 'IN' : 'OUT'}_TOO_${side}_${ramp.word}`
    const bound = parseUnits(limit, token.decimals)
    return new AppError(
      code,
      `${formatAmount(amount, token)} is outside the limits of this swap: it must be ${must} ${formatAmount(bound, token)}`,
      { details: { limit: bound.toString(), amount: amount.toString() } },
    )
  }
  if (amount <= parseUnits(above, token.decimals)) throw refuse('LOW', 'above', above)
  if (amount >= parseUnits(below, token.decimals)) throw refuse('HIGH', 'below', below)
}
