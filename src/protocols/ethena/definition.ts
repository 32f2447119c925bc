import { parseAbi } from 'viem/utils'
import { contract, type Rounds } from '../../chain/call.ts'
import { jsonArguments, strictDecode } from '../../chain/strict-calldata-decoding.ts'
import { sameAddress } from '../../domain/address.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import { refuse } from '../calldata-verdict.ts'
import type { StrategyEntry } from '../catalog-types.ts'
import { vaultProtocol } from '../erc4626/vault-protocol-parts.ts'
import type { ProtocolMarket } from '../market-adapter.ts'
import type { Protocol } from '../protocol.ts'
import { callOf } from '../shared/contract-call.ts'
import { vaultReadings, vaultSteps } from '../shared/erc4626-vault.ts'
import { noRequests, type Queue, type Requests } from '../withdrawal-queue.ts'
import { checkEthenaCalldata, exits } from './calldata-check.ts'
import type { EthenaConstants } from './constants-schema.ts'

/** The cooldown of sUSDe (source: ethena-labs/bbp-public-assets, StakedUSDeV2.sol). */
const ethenaAbi = parseAbi([
  'function cooldowns(address owner) view returns (uint104 cooldownEnd, uint152 underlyingAmount)',
  'function cooldownDuration() view returns (uint24)',
])

/** The function that pays out after the cooldown. */
const claims = parseAbi(['function unstake(address receiver)'])

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
