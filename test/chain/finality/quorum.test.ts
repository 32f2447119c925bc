import { expect, test } from 'vitest'
import type { ChainClient } from '../../../src/chain/chain-client.ts'
import { findDisagreement } from '../../../src/chain/finality/quorum.ts'

const blockHash = `0x${'ab'.repeat(32)}`

/** An endpoint that returns this block at every height. */
const endpoint = (host: string, hash: string, peers: readonly ChainClient[] = []): ChainClient => ({
  host,
  peers,
  request: async <T>() => ({ hash, transactions: [] }) as T,
  batch: async () => [],
})

test('the primary endpoint is compared, too, when another one reported the block', async () => {
  const asked = endpoint('here', `0x${'cd'.repeat(32)}`, [endpoint('there', blockHash)])
  const shown = { blockNumber: 7, blockHash, by: 'there' }
  expect(await findDisagreement(asked, shown, async () => true, 1_000)).toEqual({
    host: 'here',
    by: 'there',
    blockNumber: 7,
    has: 'another',
  })
})
