import { expect, test } from 'vitest'
import { erc20Abi, transferTopic } from '../../src/chain/erc20.ts'
import { lidoAbi } from '../../src/protocols/lido/abi.ts'
import { lidoTopics } from '../../src/protocols/lido/market-adapter.ts'
import { lidoQueueAbi } from '../../src/protocols/lido/queue.ts'
import { eventTopic } from '../../src/protocols/shared/encode-topics.ts'

test('topics written as signatures, which the build hashes, equal the topics of the event ABIs', () => {
  expect({ transferTopic, ...lidoTopics }).toEqual({
    transferTopic: eventTopic(erc20Abi, 'Transfer'),
    sharesMoved: eventTopic(lidoAbi, 'TransferShares'),
    claimed: eventTopic(lidoQueueAbi, 'WithdrawalClaimed'),
    requested: eventTopic(lidoQueueAbi, 'WithdrawalRequested'),
  })
})
