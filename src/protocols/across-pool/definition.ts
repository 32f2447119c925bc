import { decodeEventLog } from 'viem/utils'
import { contract, optional } from '../../chain/call.ts'
import type { Address } from '../../domain/address.ts'
import { type Protocol, sdkEqualityNote } from '../protocol.ts'
import { mustRespond } from '../shared/contract-assertions.ts'
import { addressTopic, eventTopic } from '../shared/encode-topics.ts'
import type { StakedReceipts } from '../staked-receipts.ts'
import { distributorAbi } from './abi.ts'
import { checkAcrossPoolCalldata } from './calldata-check.ts'
import type { AcrossPoolConstants } from './constants-schema.ts'
import { lpRate, lpUnits, lpWorth } from './lp-token.ts'
import { acrossPool as market } from './market-adapter.ts'

/** The LP tokens of one pool that are staked in the AcceleratingDistributor `at`. */
const acceleratingDistributor = (at: Address, lpToken: Address): StakedReceipts => {
  const stakeOf = (owner: Address) => contract(at, distributorAbi)('getUserStake', lpToken, owner)
  return {
    at,
    staked: (owner) =>
      optional({
        reads: [stakeOf(owner)],
        parse: ([answer]) => (answer as { cumulativeBalance: bigint }).cumulativeBalance,
      }),
    contractAssertions: [mustRespond('the staked LP tokens of a wallet', stakeOf(at))],
    logs: (owner) =>
      (['Stake', 'Unstake'] as const).map((name) => ({
        address: at,
        topics: [eventTopic(distributorAbi, name), addressTopic(lpToken), addressTopic(owner)],
      })),
    moved: ({ topics, data }) => {
      const { eventName, args } = decodeEventLog({ abi: distributorAbi, topics: topics as never, data })
      return { isStaked: eventName === 'Stake', value: args.amount }
    },
  }
}

/** The liquidity pools of the Across bridge. */
export const acrossPool: Protocol<AcrossPoolConstants> = {
  grade: {
    grade: 'A',
    by: `@across-protocol/contracts 5.0.27${sdkEqualityNote('@across-protocol/sdk 4.3.88')}`,
  },
  description: (symbol) =>
    `Lends ${symbol} to the relayers of the Across bridge, who pay a fee for each transfer.`,
  rateConvention: () => 'the fees per second, not compounded, over 365.25 days',
  calldata: ({ asset }, constants) => {
    const pool = { constants, asset }
    const read = lpRate(pool)
    return {
      targets: [constants.hubPool],
      check: (transaction, intent) => checkAcrossPoolCalldata(transaction, intent, pool),
      cost: (amount) => ({ read, unitsOf: (rate) => lpUnits(rate, amount) }),
      byUnits: true,
    }
  },
  pays: ({ asset }, constants, units) => ({
    reads: [lpRate({ constants, asset })],
    amountOf: ([rate]) => (rate === undefined ? undefined : lpWorth(rate, units)),
  }),
  staking: ({ receipt }, { staking }) => staking && acceleratingDistributor(staking, receipt.address),
  market,
}
