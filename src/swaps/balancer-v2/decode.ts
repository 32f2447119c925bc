import { strictDecode } from '../../chain/strict-calldata-decoding.ts'
import { type Address, nativeAddress, sameAddress } from '../../domain/address.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import type { DecodedSwap } from '../pool-swap-calldata-check.ts'
import { vaultSwaps } from './abi.ts'
import { stepsOf } from './path-quote.ts'
import type { PoolPath } from './pool-paths.ts'

/** A Vault swap, decoded from its call: the path, the payer, and which sides are the native coin. */
export type VaultSwap = DecodedSwap & {
  path: PoolPath
  sender: Address
  isNativeIn: boolean
  isNativeOut: boolean
}

/**
 * Decodes a swap through one pool, or through several in sequence: no user data, no internal balances, the whole given amount, and nothing
 * left over between the pools. `undefined` for other calls. `wrapped` replaces the native coin at the ends of the path.
 */
export function decodeSwap(
  { data }: Pick<Transaction, 'data'>,
  wrapped: Address | undefined,
): VaultSwap | undefined {
  const call = strictDecode(vaultSwaps, data)
  if (!call) return undefined
  const swap = call.functionName === 'swap' ? single(...call.args) : batch(...call.args)
  if (!swap) return undefined
  const { assets, pools, funds, ...rest } = swap
  if (funds.fromInternalBalance || funds.toInternalBalance) return undefined
  const ends = [0, assets.length - 1].map((at) => sameAddress(assets[at]!, nativeAddress))
  const [isNativeIn, isNativeOut] = ends as [boolean, boolean]
  if ((isNativeIn || isNativeOut) && !wrapped) return undefined
  const tokens = assets.map((asset, at) =>
    (at === 0 && isNativeIn) || (at === assets.length - 1 && isNativeOut) ? wrapped! : asset,
  )
  const { sender, recipient } = funds
  return { ...rest, tokens, path: { tokens, pools }, sender, recipient, isNativeIn, isNativeOut }
}

type Args<name extends 'swap' | 'batchSwap'> = Extract<
  NonNullable<ReturnType<typeof strictDecode<typeof vaultSwaps>>>,
  { functionName: name }
>['args']

const sides = ['in', 'out'] as const

function single(...[{ poolId, kind, assetIn, assetOut, ...swap }, funds, limit, deadline]: Args<'swap'>) {
  const exact = sides[kind]
  if (!exact || swap.userData !== '0x') return undefined
  const [amountIn, amountOut] = exact === 'in' ? [swap.amount, limit] : [limit, swap.amount]
  return { exact, assets: [assetIn, assetOut], pools: [poolId], funds, amountIn, amountOut, deadline }
}

function batch(...[kind, steps, assets, funds, limits, deadline]: Args<'batchSwap'>) {
  const exact = sides[kind]
  const given = steps[0]?.amount
  const isChain = steps.length > 1 && assets.length === steps.length + 1 && limits.length === assets.length
  if (!exact || given === undefined || !isChain) return undefined
  const pools = steps.map(({ poolId }) => poolId)
  if (exact === 'out') pools.reverse()
  const wanted = stepsOf({ pools }, exact, given)
  const isStep = (step: (typeof steps)[number], at: number) =>
    (['assetInIndex', 'assetOutIndex', 'amount', 'userData'] as const).every(
      (name) => step[name] === wanted[at]![name],
    )
  const [amountIn, amountOut] = [limits[0]!, -limits.at(-1)!]
  const isWhole =
    steps.every(isStep) &&
    limits.slice(1, -1).every((limit) => limit === 0n) &&
    amountIn >= 0n &&
    amountOut >= 0n &&
    given === (exact === 'in' ? amountIn : amountOut)
  return isWhole ? { exact, assets, pools, funds, amountIn, amountOut, deadline } : undefined
}
