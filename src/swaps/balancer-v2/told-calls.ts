import { parseAbi } from 'viem/utils'
import { type Address, nativeAddress, sameAddress } from '../../domain/address.ts'
import { type Teller, type Telling, teller, type Words } from '../../protocols/call-description.ts'
import { vaultSwaps } from './abi.ts'

/** Liquidity (`@balancer-labs/v2-deployments` 3.2.0, 20210418-vault, Vault.json). */
const liquidity = parseAbi([
  'function joinPool(bytes32 poolId, address sender, address recipient, (address[] assets, uint256[] maxAmountsIn, bytes userData, bool fromInternalBalance) request) payable',
  'function exitPool(bytes32 poolId, address sender, address recipient, (address[] assets, uint256[] minAmountsOut, bytes userData, bool toInternalBalance) request)',
])

const isCoin = (asset: Address): boolean => sameAddress(asset, nativeAddress)

type Funds = { sender: Address; recipient: Address }

const settled = (
  say: Words,
  { sender, recipient }: Funds,
  payout: Address | undefined,
): Pick<Telling, 'holders' | 'paysCoinTo'> & { whom: string } => ({
  whom: `${say.toWhom(recipient)}${say.forWhom(sender) === '' ? '' : `, from ${sender}`}`,
  holders: [sender, recipient],
  ...(payout && isCoin(payout) && { paysCoinTo: recipient }),
})

const listed = (say: Words, bound: string, assets: readonly Address[], amounts: readonly bigint[]): string =>
  assets
    .flatMap((asset, at) => (amounts[at]! === 0n ? [] : [`${bound} ${say.amount(asset, amounts[at]!)}`]))
    .join(' and ')

/** The pool of an id: its address is in front. */
const poolOf = (id: string): string => `the pool ${id.slice(0, 42)} of Balancer v2`

/** The amount of an asset that a batch gives in, if it is exact. */
type Batch = { assetInIndex: bigint; amount: bigint }
const exactlyGiven = (swaps: readonly Batch[], index: number): bigint =>
  swaps.reduce((sum, one) => (Number(one.assetInIndex) === index ? sum + one.amount : sum), 0n)

/** What calls of the Vault of Balancer v2 do. */
export const balancerV2Tellers: readonly Teller[] = [
  teller(vaultSwaps, 'swap', 'swap', ([{ kind, assetIn, assetOut, amount }, funds, limit], say) => {
    const { whom, ...rest } = settled(say, funds, assetOut)
    if (kind > 1) return undefined
    return {
      text:
        kind === 0
          ? `swaps ${say.amount(assetIn, amount)} for at least ${say.amount(assetOut, limit)}${whom} by Balancer v2`
          : `swaps at most ${say.upTo(assetIn, limit)} for exactly ${say.amount(assetOut, amount)}${whom} by Balancer v2`,
      gives: kind === 0 && !isCoin(assetIn) ? [{ token: assetIn, units: amount }] : [],
      ...rest,
    }
  }),
  teller(vaultSwaps, 'batchSwap', 'swap', ([kind, swaps, assets, funds, limits], say) => {
    if (kind > 1 || assets.length !== limits.length) return undefined
    const paid = assets.flatMap((asset, at) => (limits[at]! > 0n ? [{ asset, at, most: limits[at]! }] : []))
    const got = assets.flatMap((asset, at) => (limits[at]! < 0n ? [{ asset, least: -limits[at]! }] : []))
    // Without a lower bound an output has the limit zero; the steps name it.
    const outs = swaps
      .map((one) => Number(one.assetOutIndex))
      .filter((at) => !swaps.some((other) => Number(other.assetInIndex) === at))
    const unbounded = [...new Set(outs)].flatMap((at) =>
      limits[at] === 0n && assets[at] ? [assets[at]] : [],
    )
    const payout = [...got.map(({ asset }) => asset), ...unbounded].find(isCoin)
    const { whom, ...rest } = settled(say, funds, payout)
    const gives = paid.map(({ asset, at, most }) => {
      const exact = kind === 0 ? exactlyGiven(swaps, at) : 0n
      return exact === most ? say.amount(asset, exact) : `at most ${say.upTo(asset, most)}`
    })
    const gets = [
      ...got.map(({ asset, least }) => `at least ${say.amount(asset, least)}`),
      ...unbounded.map((asset) => `any amount of ${say.token(asset)}`),
    ]
    if (gives.length === 0 || gets.length === 0) return undefined
    return {
      text: `swaps ${gives.join(' and ')} for ${gets.join(' and ')}${whom} by Balancer v2`,
      gives: paid.flatMap(({ asset, at, most }) =>
        kind === 0 && !isCoin(asset) && exactlyGiven(swaps, at) === most
          ? [{ token: asset, units: most }]
          : [],
      ),
      ...rest,
    }
  }),
  teller(liquidity, 'joinPool', 'other', ([id, sender, recipient, { assets, maxAmountsIn }], say) => {
    if (assets.length !== maxAmountsIn.length) return undefined
    const { whom, ...rest } = settled(say, { sender, recipient }, undefined)
    return {
      text: `adds ${listed(say, 'at most', assets, maxAmountsIn) || 'tokens'} to ${poolOf(id)}${whom}`,
      ...rest,
    }
  }),
  teller(liquidity, 'exitPool', 'other', ([id, sender, recipient, { assets, minAmountsOut }], say) => {
    if (assets.length !== minAmountsOut.length) return undefined
    const { whom, ...rest } = settled(say, { sender, recipient }, assets.find(isCoin))
    return {
      text: `takes ${listed(say, 'at least', assets, minAmountsOut) || 'tokens'} out of ${poolOf(id)}${whom}`,
      ...rest,
    }
  }),
]
