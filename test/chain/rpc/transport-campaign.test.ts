import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { transportCell } from '../../../bench/transport.ts'
import { type Open, sabotages } from '../../../bench/transport-sabotage.ts'
import { failoverRpc } from '../../../src/chain/rpc/failover.ts'
import { type Chain, startChain } from '../../support/anvil.ts'

let chain: Chain
beforeAll(async () => {
  chain = await startChain()
})
afterAll(() => chain.stop())

/** The first errors found with a client in the cells of a seed. */
async function firstWrong(open: Open, cells: number): Promise<string[]> {
  for (let cell = 0; cell < cells; cell++) {
    const { wrong } = await transportCell(chain.url, open, 1, cell)
    if (wrong.length > 0) return wrong
  }
  return []
}

describe('the transport fault campaign', () => {
  it('finds no errors in the client', async () => {
    expect(await firstWrong(failoverRpc, 60)).toEqual([])
  })

  it.each([
    ['no-id-check', /nobody said|RPC_INCONSISTENT/],
    ['retry-writes', /one request sent 2 times/],
    ['no-deadline', /took longer/],
  ])('detects the sabotage %s', async (name, says) => {
    expect((await firstWrong(sabotages[name]!, 100)).join()).toMatch(says)
  })
})
