import { encodeFunctionData, parseAbi } from 'viem/utils'

import { type Address, sameAddress } from '../domain/address.ts'
import { formatAmount } from '../domain/amount.ts'
import type { Intent } from '../domain/intent.ts'
import type { EthenaConstants } from '../domain/market-constants.ts'
import type { Token } from '../domain/token.ts'
import type { Transaction } from '../domain/transaction.ts'
import { printed, refuse, strictDecode, type Verdict } from './decode.ts'
import { bindErc4626 } from './erc4626.ts'
import { noRequests, type Queue, type Requests, type Rounds } from './queue.ts'

/** What sUSDe says of its cooldown (source: ethena-labs/bbp-public-assets, StakedUSDeV2.sol). */
export const ethenaAbi = parseAbi([
  'function cooldowns(address owner) view returns (uint104 cooldownEnd, uint152 underlyingAmount)',
  'function cooldownDuration() view returns (uint24)',
])

const exits = parseAbi([
  'function cooldownAssets(uint256 assets) returns (uint256 shares)',
  'function cooldownShares(uint256 shares) returns (uint256 assets)',
])
const claims = parseAbi(['function unstake(address receiver)'])

const begin =
  (functionName: 'cooldownAssets' | 'cooldownShares') =>
  ({ chainId, vault, amount }: { chainId: number; vault: Address; amount: bigint }): Transaction => ({
    to: vault,
    data: encodeFunctionData({ abi: exits, functionName, args: [amount] }),
    value: 0n,
    chainId,
  })

/** Begins the cooldown of exactly so much of the asset. */
export const cooldownAssets = begin('cooldownAssets')

/** Begins the cooldown of exactly so many shares. */
export const cooldownShares = begin('cooldownShares')

/** Binds a call of sUSDe: going in is ERC-4626, coming out begins a cooldown. */
export function bindEthena(
  transaction: Transaction,
  intent: Extract<Intent, { kind: 'deposit' | 'withdraw' }>,
  asset: Token,
): Verdict {
  if (intent.kind === 'deposit') return bindErc4626(transaction, intent, asset)
  const found = strictDecode(exits, transaction.data)
  const isAll = intent.shares !== undefined
  const wanted = isAll ? 'cooldownShares' : 'cooldownAssets'
  if (found?.functionName !== wanted) return refuse('POLICY_DECODE', `It is not a call of ${wanted} of sUSDe`)
  const [amount] = found.args
  const exact = intent.shares ?? intent.amount
  if (amount !== exact) return refuse('POLICY_AMOUNT', `It is about ${amount}, not ${exact}`)
  const much = isAll ? `all ${asset.symbol}` : formatAmount(amount, asset)
  return {
    bound: {
      name: wanted,
      args: printed({ [isAll ? 'shares' : 'assets']: amount }),
      text: `Begin the cooldown of ${much}, to be claimed later`,
      value: 0n,
    },
  }
}

/** The cooldown of sUSDe: one for all that an owner asked for, which a new request begins again. */
export const ethenaQueue = (chainId: number, { vault: address }: EthenaConstants): Queue => ({
  place: address,
  restarts: true,
  *requests(owner, now): Rounds<Requests | null> {
    const [found] = yield [{ address, abi: ethenaAbi, functionName: 'cooldowns', args: [owner] }]
    if (found === undefined) return null
    const [end, amount] = found as readonly [bigint, bigint]
    if (amount === 0n) return noRequests
    const request = { id: 'cooldown', amount, requestedAt: null, availableAt: Number(end) }
    return Number(end) <= now ? { pending: [], claimable: [request] } : { pending: [request], claimable: [] }
  },
  *wait() {
    const [seconds] = yield [{ address, abi: ethenaAbi, functionName: 'cooldownDuration' }]
    return seconds === undefined ? null : Number(seconds)
  },
  taken: (claimable) => claimable,
  claim: (owner) => {
    const data = encodeFunctionData({ abi: claims, functionName: 'unstake', args: [owner] })
    return { to: address, data, value: 0n, chainId }
  },
  bind: ({ data }, { wallet }) => {
    const found = strictDecode(claims, data)
    if (!found) return refuse('POLICY_DECODE', 'It is not a call of unstake of sUSDe')
    const [receiver] = found.args
    if (!sameAddress(receiver, wallet))
      return refuse('POLICY_RECIPIENT', `It pays out to ${receiver}, not to ${wallet}`)
    const text = 'Claim what has cooled down, paid to the wallet'
    return { bound: { name: 'unstake', args: printed({ receiver }), text, value: 0n } }
  },
})
