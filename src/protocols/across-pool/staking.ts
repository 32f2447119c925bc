import { decodeEventLog, parseAbi } from 'viem/utils'
import type { Address } from '../../domain/address.ts'
import { mustRespond } from '../shared/contract-assertions.ts'
import { addressTopic, eventTopic } from '../shared/encode-topics.ts'
import type { StakedReceipts } from '../staked-receipts.ts'

/** The contract in which LP tokens are staked for rewards (source: @across-protocol/across-token 1.0.0, AcceleratingDistributor.sol). */
const abi = parseAbi([
  'struct UserDeposit { uint256 cumulativeBalance; uint256 averageDepositTime; uint256 rewardsAccumulatedPerToken; uint256 rewardsOutstanding; }',
  'function getUserStake(address stakedToken, address account) view returns (UserDeposit)',
  'event Stake(address indexed token, address indexed user, uint256 amount, uint256 averageDepositTime, uint256 cumulativeBalance, uint256 tokenCumulativeStaked)',
  'event Unstake(address indexed token, address indexed user, uint256 amount, uint256 remainingCumulativeBalance, uint256 tokenCumulativeStaked)',
])

/** The LP tokens of one pool that are staked in the AcceleratingDistributor `at`. */
export const acceleratingDistributor = (at: Address, lpToken: Address): StakedReceipts => {
  const staked = (owner: Address) => ({
    address: at,
    abi,
    functionName: 'getUserStake',
    args: [lpToken, owner],
  })
  return {
    at,
    staked,
    partOf: (answer) => (answer as { cumulativeBalance: bigint }).cumulativeBalance,
    contractAssertions: [mustRespond('the staked LP tokens of a wallet', staked(at))],
    logs: (owner) =>
      (['Stake', 'Unstake'] as const).map((name) => ({
        address: at,
        topics: [eventTopic(abi, name), addressTopic(lpToken), addressTopic(owner)],
      })),
    moved: ({ topics, data }) => {
      const { eventName, args } = decodeEventLog({ abi, topics: topics as never, data })
      return { isStaked: eventName === 'Stake', value: args.amount }
    },
  }
}
