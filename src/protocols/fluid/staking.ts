import { decodeEventLog, parseAbi } from 'viem/utils'
import type { Address } from '../../domain/address.ts'
import { mustAnswer } from '../shared/contract-assertions.ts'
import { addressTopic, eventTopic } from '../shared/encode-topics.ts'
import type { StakedReceipts } from '../staked-receipts.ts'

/** The contract in which the shares of one fToken are staked for rewards (source: Instadapp/fluid-contracts-public, contracts/protocols/lending/stakingRewards/main.sol). */
const abi = parseAbi([
  'function stakingToken() view returns (address)',
  'function balanceOf(address account) view returns (uint256)',
  'event Staked(address indexed user, uint256 amount)',
  'event Withdrawn(address indexed user, uint256 amount)',
])

/** The shares of an fToken that are staked in its contract `at`. */
export const stakingRewards = (at: Address, vault: Address): StakedReceipts => ({
  at,
  staked: (owner) => ({ address: at, abi, functionName: 'balanceOf', args: [owner] }),
  contractAssertions: [
    mustAnswer('the staked token', { address: at, abi, functionName: 'stakingToken' }, vault),
  ],
  logs: (owner) =>
    (['Staked', 'Withdrawn'] as const).map((name) => ({
      address: at,
      topics: [eventTopic(abi, name), addressTopic(owner)],
    })),
  moved: ({ topics, data }) => {
    const { eventName, args } = decodeEventLog({ abi, topics: topics as never, data })
    return { isStaked: eventName === 'Staked', value: args.amount }
  },
})
