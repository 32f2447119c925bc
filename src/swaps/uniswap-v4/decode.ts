import type { AbiParameter } from 'viem'
import { decodeAbiParameters, encodeAbiParameters, hexToBytes } from 'viem/utils'
import { strictDecode } from '../../chain/strict-calldata-decoding.ts'
import { type Hex, nativeAddress, sameAddress } from '../../domain/address.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import type { FeePayment } from '../../protocols/fee-payments.ts'
import type { SwapPath } from '../fee-tier-paths.ts'
import type { DecodedSwap } from '../pool-swap-calldata-check.ts'
import {
  actionParameters,
  actions,
  callerAddress,
  feeParameters,
  openBalance,
  planParameters,
  routerCommands,
  sweepParameters,
  universalRouterAbi,
} from './abi.ts'
import { isPlain, pathOf } from './pools.ts'

/** A Universal Router swap, decoded from its call, with the fees that it pays in the input token. */
export type RouterSwap = DecodedSwap & { path: SwapPath; fees: readonly FeePayment[] }

/** Decodes parameters only if encoding them again gives the same bytes; `undefined` otherwise. */
function strictly<const parameters extends readonly AbiParameter[]>(
  parameters: parameters,
  data: Hex | undefined,
) {
  if (data === undefined) return undefined
  try {
    const values = decodeAbiParameters(parameters, data)
    return encodeAbiParameters(parameters, values as never) === data.toLowerCase() ? values : undefined
  } catch {
    return undefined // Not these parameters: the caller names the refusal.
  }
}

const isBytes = (data: Hex, codes: readonly number[]): boolean => hexToBytes(data).join() === codes.join()

/**
 * Decodes a call with one list of swap, payment and payout through plain pools, fees in the input token and, for an exact output that is
 * paid in the native coin, the return of the unused coin to the sender. `undefined` for any other command, action or order.
 */
export function decodeSwap({ data }: Pick<Transaction, 'data'>): RouterSwap | undefined {
  const call = strictDecode(universalRouterAbi, data)
  if (!call) return undefined
  const [codes, [plan, ...others], deadline] = call.args
  const given = strictly(planParameters, plan)
  if (!given) return undefined
  const swap = exactIn(...given) ?? exactOut(...given)
  if (!swap) return undefined
  const isCoinIn = sameAddress(swap.tokens[0]!, nativeAddress)
  const returns = swap.exact === 'out' && isCoinIn
  const paid = returns ? others.slice(0, -1) : others
  if (returns && !isReturn(others.at(-1))) return undefined
  const way = isCoinIn ? 'transfer' : 'permit2TransferFrom'
  const known = [
    routerCommands.swap,
    ...paid.map(() => routerCommands[way]),
    ...(returns ? [routerCommands.sweep] : []),
  ]
  if (!isBytes(codes, known)) return undefined
  const fees = paid.flatMap((input): FeePayment[] => {
    const [token, to, amount] = strictly(feeParameters[way], input) ?? []
    return token && to && amount !== undefined && sameAddress(token, swap.tokens[0]!) ? [{ to, amount }] : []
  })
  return fees.length === paid.length ? { ...swap, deadline, fees } : undefined
}

function isReturn(input: Hex | undefined): boolean {
  const [token, recipient, least] = strictly(sweepParameters, input) ?? []
  return token === nativeAddress && recipient === callerAddress && least === 0n
}

type Undated = Omit<RouterSwap, 'deadline' | 'fees'>

function exactIn(codes: Hex, params: readonly Hex[]): Undated | undefined {
  if (!isBytes(codes, [actions.swapExactIn, actions.settle, actions.take]) || params.length !== 3)
    return undefined
  const [swap] = strictly(actionParameters.swapExactIn, params[0]) ?? []
  const [paid, amount, byUser] = strictly(actionParameters.settle, params[1]) ?? []
  const [taken, recipient, due] = strictly(actionParameters.take, params[2]) ?? []
  if (!swap || !paid || !taken || !recipient || !swap.path.every(isPlain)) return undefined
  const path = pathOf(swap.currencyIn, swap.path, 'in')
  const { amountIn, amountOutMinimum } = swap
  // An amount of zero would mean the open balance.
  const isWhole = amountIn > 0n && amount === amountIn && byUser === true && due === openBalance
  if (!isWhole || !areEnds(path, paid, taken)) return undefined
  return { exact: 'in', path, tokens: path.tokens, amountIn, amountOut: amountOutMinimum, recipient }
}

function exactOut(codes: Hex, params: readonly Hex[]): Undated | undefined {
  if (!isBytes(codes, [actions.swapExactOut, actions.settleAll, actions.take]) || params.length !== 3)
    return undefined
  const [swap] = strictly(actionParameters.swapExactOut, params[0]) ?? []
  const [paid, most] = strictly(actionParameters.settleAll, params[1]) ?? []
  const [taken, recipient, amount] = strictly(actionParameters.take, params[2]) ?? []
  if (!swap || !paid || !taken || !recipient || !swap.path.every(isPlain)) return undefined
  const path = pathOf(swap.currencyOut, swap.path, 'out')
  const { amountOut, amountInMaximum } = swap
  const isWhole = amountOut > 0n && amount === amountOut && most === amountInMaximum
  if (!isWhole || !areEnds(path, paid, taken)) return undefined
  return { exact: 'out', path, tokens: path.tokens, amountIn: amountInMaximum, amountOut, recipient }
}

/** Whether a path's first token is paid and its last token is taken. */
const areEnds = ({ tokens }: SwapPath, paid: `0x${string}`, taken: `0x${string}`): boolean =>
  tokens.length > 1 && sameAddress(tokens[0]!, paid) && sameAddress(tokens.at(-1)!, taken)
