import { parseAbi } from 'viem/utils'
import { contract, type Rounds } from '../../chain/call.ts'
import { jsonArguments, strictDecode } from '../../chain/strict-calldata-decoding.ts'
import { sameAddress } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import type { Token } from '../../domain/token.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import { refuse, type Verdict } from '../calldata-verdict.ts'
import type { StrategyEntry } from '../catalog-types.ts'
import { checkErc4626Calldata } from '../erc4626/calldata-check.ts'
import { vaultProtocol } from '../erc4626/vault-protocol-parts.ts'
import type { MarketIntent } from '../intent.ts'
import type { ProtocolMarket } from '../market-adapter.ts'
import type { Protocol } from '../protocol.ts'
import { callOf } from '../shared/contract-call.ts'
import { vaultReadings, vaultSteps } from '../shared/erc4626-vault.ts'
import { noRequests, type Queue, type Requests } from '../withdrawal-queue.ts'
import type { EthenaConstants } from './constants-schema.ts'

/** The cooldown of sUSDe (source: ethena-labs/bbp-public-assets, StakedUSDeV2.sol). */
const ethenaAbi = parseAbi([
  'function cooldowns(address owner) view returns (uint104 cooldownEnd, uint152 underlyingAmount)',
  'function cooldownDuration() view returns (uint24)',
])

/** The functions that begin the cooldown. */
const exits = parseAbi([
  'function cooldownAssets(uint256 assets) returns (uint256 shares)',
  'function cooldownShares(uint256 shares) returns (uint256 assets)',
])

/** The function that pays out after the cooldown. */
const claims = parseAbi(['function unstake(address receiver)'])

/** Checks a call of sUSDe: a deposit is ERC-4626, a withdrawal begins a cooldown. */
function checkEthenaCalldata(transaction: Transaction, intent: MarketIntent, asset: Token): Verdict {
  if (intent.kind === 'deposit') return checkErc4626Calldata(transaction, intent, asset)
  const found = strictDecode(exits, transaction.data)
  const isAll = intent.shares !== undefined
  const wanted = isAll ? 'cooldownShares' : 'cooldownAssets'
  if (found?.functionName !== wanted) return refuse('POLICY_DECODE', `It is not a call of ${wanted} of sUSDe`)
  const [amount] = found.args
  const exact = intent.shares ?? intent.amount
  if (amount !== exact) return refuse('POLICY_AMOUNT', `Its amount is ${amount}, not ${exact}`)
  const much = isAll ? `all ${asset.symbol}` : formatAmount(amount, asset)
  return {
    bound: {
      name: wanted,
      args: jsonArguments({ [isAll ? 'shares' : 'assets']: amount }),
      text: `Begin the cooldown of ${much}, to be claimed later`,
      value: 0n,
    },
  }
}

/** An ERC-4626 vault whose withdrawals go through a cooldown. While Ethena has no cooldown, withdrawals are not supported. */
const market = (entry: StrategyEntry, { vault }: EthenaConstants): ProtocolMarket => {
  const { chainId } = entry
  const { state, ...readings } = vaultReadings(entry, { vault })
  const begin = (functionName: 'cooldownAssets' | 'cooldownShares', amount: bigint): Transaction =>
    callOf({ chainId, to: vault }, { abi: exits, functionName, args: [amount] })
  return {
    entry,
    ...readings,
    state: {
      reads: [...state.reads, contract(vault, ethenaAbi)('cooldownDuration')],
      parse: (answers) => ({ ...state.parse(answers.slice(0, -1)), canWithdraw: Number(answers.at(-1)) > 0 }),
    },
    ...vaultSteps(entry, vault),
    withdraw: ({ amount }) => ({ transaction: begin('cooldownAssets', amount) }),
    withdrawAll: ({ shares }) => ({ transaction: begin('cooldownShares', shares) }),
  }
}

/** The cooldown of sUSDe: one per owner, which each new request restarts. */
const queue = (chainId: number, { vault: address }: EthenaConstants): Queue => ({
  place: address,
  restarts: true,
  *requests(owner, now): Rounds<Requests | null> {
    const [found] = yield [contract(address, ethenaAbi)('cooldowns', owner)]
    if (found === undefined) return null
    const [end, amount] = found as readonly [bigint, bigint]
    if (amount === 0n) return noRequests
    const request = { id: 'cooldown', amount, requestedAt: null, availableAt: Number(end) }
    return Number(end) <= now ? { pending: [], claimable: [request] } : { pending: [request], claimable: [] }
  },
  *wait() {
    const [seconds] = yield [contract(address, ethenaAbi)('cooldownDuration')]
    return seconds === undefined ? null : Number(seconds)
  },
  taken: (claimable) => claimable,
  claim: (owner) => callOf({ chainId, to: address }, { abi: claims, functionName: 'unstake', args: [owner] }),
  check: ({ data }, { wallet }) => {
    const found = strictDecode(claims, data)
    if (!found) return refuse('POLICY_DECODE', 'It is not a call of unstake of sUSDe')
    const [receiver] = found.args
    if (!sameAddress(receiver, wallet))
      return refuse('POLICY_RECIPIENT', `It pays out to ${receiver}, not to ${wallet}`)
    const text = 'Claim what has cooled down, paid to the wallet'
    return { bound: { name: 'unstake', args: jsonArguments({ receiver }), text, value: 0n } }
  },
})

/** USDe staked with Ethena. */
export const ethena: Protocol<EthenaConstants> = {
  grade: { grade: 'C', by: 'ethena-labs/bbp-public-assets, StakedUSDeV2.sol' },
  description: (symbol) => `Stakes ${symbol} and holds a share of it. A withdrawal has to wait.`,
  ...vaultProtocol(checkEthenaCalldata),
  queue,
  market,
}
