import { encodeFunctionData } from 'viem/utils'
import { jsonArguments, strictDecode } from '../../chain/calldata.ts'
import type { Rounds } from '../../chain/contract-query.ts'
import { sameAddress } from '../../domain/address.ts'
import { refuse } from '../binding-verdict.ts'
import { noRequests, type Queue, type Requests } from '../withdrawal-queue.ts'
import { claims, ethenaAbi } from './abi.ts'
import type { EthenaConstants } from './constants.ts'

/** The cooldown of sUSDe: one per owner, which each new request restarts. */
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
    return { bound: { name: 'unstake', args: jsonArguments({ receiver }), text, value: 0n } }
  },
})
