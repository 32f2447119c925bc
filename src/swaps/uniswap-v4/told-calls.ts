import type { AbiParameter } from 'viem'
import { decodeAbiParameters, encodeAbiParameters, hexToBytes } from 'viem/utils'
import { type Address, type Hex, sameAddress } from '../../domain/address.ts'
import { momentText } from '../../domain/text/time-spans.ts'
import {
  isEverything,
  type Teller,
  type Telling,
  type TokenUnits,
  teller,
  type Words,
} from '../../protocols/call-description.ts'
import { unpackPath } from '../fee-tier-paths.ts'
import {
  actionParameters,
  actions,
  callerAddress,
  feeParameters,
  planParameters,
  routerAddress,
  routerCommands,
  sweepParameters,
  universalRouterAbi,
} from './abi.ts'
import { inputs, routerBalance, undated, v4 } from './described-inputs.ts'

/** Decodes parameters followed by any bytes, if encoding them again gives the same; `undefined` otherwise. */
function decoded<const parameters extends readonly AbiParameter[]>(parameters: parameters, data: Hex) {
  try {
    const values = decodeAbiParameters(parameters, data)
    return data.toLowerCase().startsWith(encodeAbiParameters(parameters, values as never))
      ? values
      : undefined
  } catch {
    return undefined // Not these parameters: the command is named as not decoded.
  }
}

type Part = {
  texts: string[]
  isSwap?: true
  gives?: TokenUnits[]
  holders?: Address[]
  paysCoinTo?: Address | 'caller'
  unread?: string[]
}

/** The recipient of a part: the caller and the router have constants. */
function payee(say: Words, to: Address): { holders: Address[]; whom: string } {
  if (sameAddress(to, callerAddress)) return { holders: [], whom: '' }
  if (sameAddress(to, routerAddress) || sameAddress(to, say.call.to))
    return { holders: [], whom: ', held by the router' }
  return { holders: [to], whom: say.toWhom(to) }
}

const heldOr = (say: Words, token: Address, units: bigint): string =>
  units === routerBalance || units === 0n
    ? `the ${say.token(token)} that the router holds`
    : say.upTo(token, units)

const coinTo = (to: Address): Pick<Part, 'paysCoinTo'> =>
  sameAddress(to, callerAddress)
    ? { paysCoinTo: 'caller' }
    : sameAddress(to, routerAddress)
      ? {}
      : { paysCoinTo: to }

function swapIn(
  say: Words,
  to: Address,
  [from, into]: readonly [Address, Address],
  units: bigint,
  least: bigint,
  isOwn: boolean,
): Part {
  const { holders, whom } = payee(say, to)
  const isHeld = units === routerBalance || units === 0n
  return {
    isSwap: true,
    texts: [`swaps ${heldOr(say, from, units)} for at least ${say.amount(into, least)}${whom}`],
    gives: isOwn && !isHeld ? [{ token: from, units }] : [],
    holders,
  }
}

function swapOut(
  say: Words,
  to: Address,
  [from, into]: readonly [Address, Address],
  units: bigint,
  most: bigint,
): Part {
  const { holders, whom } = payee(say, to)
  return {
    isSwap: true,
    texts: [`swaps at most ${say.upTo(from, most)} for exactly ${say.amount(into, units)}${whom}`],
    holders,
  }
}

const endsOf = (tokens: readonly Address[] | undefined): readonly [Address, Address] | undefined => {
  const [first, last] = [tokens?.[0], tokens?.at(-1)]
  return tokens && tokens.length > 1 && first && last ? [first, last] : undefined
}

const limit = (say: Words, token: Address, units: bigint): string =>
  isEverything(units) ? `unlimited ${say.token(token)}` : say.amount(token, units)

/** What one command or action with these parameters does; `undefined` if they cannot be decoded. */
type PartTeller = (parameters: Hex, say: Words) => Part | undefined

const packedPathSwap =
  (code: 0 | 1): PartTeller =>
  (input, say) => {
    const one = decoded(inputs[code], input)
    const path = one && endsOf(unpackPath(one[3], code === 0 ? 'in' : 'out')?.tokens)
    if (!one || !path) return undefined
    return code === 0
      ? swapIn(say, one[0], path, one[1], one[2], one[4])
      : swapOut(say, one[0], path, one[1], one[2])
  }

const pathSwap =
  (code: 8 | 9): PartTeller =>
  (input, say) => {
    const one = decoded(inputs[code], input)
    const path = one && endsOf(one[3])
    if (!one || !path) return undefined
    return code === 8
      ? swapIn(say, one[0], path, one[1], one[2], one[4])
      : swapOut(say, one[0], path, one[1], one[2])
  }

/** What each command of the router does; the others are not decoded. */
const commandTellers: Readonly<Record<number, PartTeller>> = {
  0: packedPathSwap(0),
  1: packedPathSwap(1),
  8: pathSwap(8),
  9: pathSwap(9),
  [routerCommands.permit2TransferFrom]: (input, say) => {
    const one = decoded(feeParameters.permit2TransferFrom, input)
    if (!one) return undefined
    const [token, to, units] = one
    const { holders, whom } = payee(say, to)
    return { texts: [`pays ${say.upTo(token, units)}${whom}`], gives: [{ token, units }], holders }
  },
  [routerCommands.transfer]: (input, say) => {
    const one = decoded(feeParameters.transfer, input)
    if (!one) return undefined
    const { holders, whom } = payee(say, one[1])
    return { texts: [`pays ${heldOr(say, one[0], one[2])}${whom}`], holders }
  },
  [routerCommands.sweep]: (input, say) => {
    const one = decoded(sweepParameters, input)
    if (!one) return undefined
    const { holders, whom } = payee(say, one[1])
    return { texts: [`pays out at least ${say.amount(one[0], one[2])}${whom}`], holders }
  },
  6: (input, say) => {
    const one = decoded(inputs[6], input)
    return (
      one && {
        texts: [
          `pays ${Number(one[2]) / 100} % of the ${say.token(one[0])} that the router holds to ${one[1]}`,
        ],
      }
    )
  },
  10: (input, say) => {
    const one = decoded(inputs[10], input)
    return (
      one && {
        texts: [
          `lets ${one[0].spender} spend ${limit(say, one[0].details.token, one[0].details.amount)} through Permit2 until ${until(one[0].details.expiration)}`,
        ],
      }
    )
  },
  3: (input, say) => {
    const one = decoded(inputs[3], input)
    return (
      one && {
        texts: one[0].details.map(
          ({ token, amount, expiration }) =>
            `lets ${one[0].spender} spend ${limit(say, token, amount)} through Permit2 until ${until(expiration)}`,
        ),
      }
    )
  },
  11: (input, say) => {
    const one = decoded(inputs[11], input)
    if (!one) return undefined
    const { holders, whom } = payee(say, one[0])
    return {
      texts: [
        `wraps ${one[1] === routerBalance ? 'the coin that the router holds' : say.coin(one[1])}${whom}`,
      ],
      holders,
    }
  },
  12: (input, say) => {
    const one = decoded(inputs[12], input)
    if (!one) return undefined
    const { holders, whom } = payee(say, one[0])
    return { texts: [`pays out at least ${say.coin(one[1])}${whom}`], holders, ...coinTo(one[0]) }
  },
  13: (input, say) => {
    const one = decoded(inputs[13], input)
    return (
      one && {
        texts: one[0].map(({ token, amount, to }) => `pays ${say.amount(token, amount)} to ${to}`),
        gives: one[0].map(({ token, amount: units }) => ({ token, units })),
        holders: one[0].map(({ to }) => to),
      }
    )
  },
  14: (input, say) => {
    const one = decoded(inputs[14], input)
    return one && { texts: [`checks that ${one[0]} has at least ${say.amount(one[1], one[2])}`] }
  },
  [routerCommands.swap]: (input, say) => {
    const one = decoded(planParameters, input)
    return one && planPart(one[0], one[1], say)
  },
}

const until = (seconds: number): string =>
  seconds > 253_402_300_799 ? 'any time' : momentText(seconds * 1_000)

/** The actions of a swap through pools of version 4. */
function planPart(codes: Hex, params: readonly Hex[], say: Words): Part | undefined {
  const bytes = [...hexToBytes(codes)]
  if (bytes.length !== params.length) return undefined
  const part = {
    texts: [] as string[],
    gives: [] as TokenUnits[],
    holders: [] as Address[],
    unread: [] as string[],
    isSwap: true as const,
  }
  let paysCoinTo: Part['paysCoinTo']
  for (const [at, code] of bytes.entries()) {
    const one = actionTellers[code]?.(params[at]!, say)
    if (!one) part.unread.push(`the v4 action 0x${code.toString(16).padStart(2, '0')}`)
    part.texts.push(...(one?.texts ?? []))
    part.gives.push(...(one?.gives ?? []))
    part.holders.push(...(one?.holders ?? []))
    paysCoinTo ??= one?.paysCoinTo
  }
  return { ...part, ...(paysCoinTo && { paysCoinTo }) }
}

const poolSwap =
  (code: 6 | 8): PartTeller =>
  (data, say) => {
    const one = decoded(v4[code], data)?.[0]
    if (!one) return undefined
    const { currency0, currency1 } = one.poolKey
    const path = one.zeroForOne ? ([currency0, currency1] as const) : ([currency1, currency0] as const)
    return 'amountIn' in one
      ? swapIn(say, callerAddress, path, one.amountIn, one.amountOutMinimum, false)
      : swapOut(say, callerAddress, path, one.amountOut, one.amountInMaximum)
  }

/** What each action of a swap through pools of version 4 does; the others are not decoded. */
const actionTellers: Readonly<Record<number, PartTeller>> = {
  6: poolSwap(6),
  8: poolSwap(8),
  [actions.swapExactIn]: (data, say) => {
    const one = decoded(actionParameters.swapExactIn, data)?.[0]
    const last = one?.path.at(-1)
    return (
      one &&
      last &&
      swapIn(
        say,
        callerAddress,
        [one.currencyIn, last.intermediateCurrency],
        one.amountIn,
        one.amountOutMinimum,
        false,
      )
    )
  },
  [actions.swapExactOut]: (data, say) => {
    const one = decoded(actionParameters.swapExactOut, data)?.[0]
    const first = one?.path[0]
    return (
      one &&
      first &&
      swapOut(
        say,
        callerAddress,
        [first.intermediateCurrency, one.currencyOut],
        one.amountOut,
        one.amountInMaximum,
      )
    )
  },
  [actions.settle]: (data, say) => {
    const one = decoded(actionParameters.settle, data)
    return (
      one && {
        texts: [
          `pays ${one[1] === 0n ? `what is owed in ${say.token(one[0])}` : heldOr(say, one[0], one[1])}`,
        ],
      }
    )
  },
  [actions.settleAll]: (data, say) => {
    const one = decoded(actionParameters.settleAll, data)
    return one && { texts: [`pays at most ${say.upTo(one[0], one[1])}`] }
  },
  [actions.take]: (data, say) => {
    const one = decoded(actionParameters.take, data)
    if (!one) return undefined
    const { holders, whom } = payee(say, one[1])
    return {
      texts: [
        `takes ${one[2] === 0n ? `what is due in ${say.token(one[0])}` : say.amount(one[0], one[2])}${whom}`,
      ],
      holders,
    }
  },
  15: (data, say) => {
    const one = decoded(v4[15], data)
    return one && { texts: [`takes at least ${say.amount(one[0], one[1])}`] }
  },
  16: (data, say) => {
    const one = decoded(v4[16], data)
    return one && { texts: [`pays ${Number(one[2]) / 100} % of the ${say.token(one[0])} to ${one[1]}`] }
  },
}

/** The commands of a call, in order. */
function executed(codes: Hex, all: readonly Hex[], say: Words): Telling | undefined {
  const bytes = [...hexToBytes(codes)]
  if (bytes.length !== all.length || bytes.length === 0) return undefined
  const parts = bytes.map((byte, at) => {
    const code = byte & 0x3f
    return (
      commandTellers[code]?.(all[at]!, say) ?? {
        texts: [],
        unread: [`the command 0x${code.toString(16).padStart(2, '0')} of the router`],
      }
    )
  })
  const texts = parts.flatMap((part) => part.texts)
  const coin = parts.find((part) => 'paysCoinTo' in part) as Part | undefined
  return {
    kind: parts.some((part) => 'isSwap' in part) ? 'swap' : 'other',
    text:
      texts.length === 0
        ? `runs ${bytes.length} commands of the router of Uniswap`
        : `${texts.join(', ')}, by the router of Uniswap`,
    gives: parts.flatMap((part) => ('gives' in part ? (part.gives ?? []) : [])),
    holders: parts.flatMap((part) => ('holders' in part ? (part.holders ?? []) : [])),
    unread: parts.flatMap((part) => part.unread ?? []),
    ...(coin?.paysCoinTo && { paysCoinTo: coin.paysCoinTo }),
  }
}

/** What calls of the Universal Router of Uniswap do. */
export const universalRouterTellers: readonly Teller[] = [
  teller(universalRouterAbi, 'execute', 'swap', ([codes, all], say) => executed(codes, all, say)),
  teller(undated, 'execute', 'swap', ([codes, all], say) => executed(codes, all, say)),
]
