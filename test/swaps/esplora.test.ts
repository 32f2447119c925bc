import { afterEach, describe, expect, test } from 'vitest'
import { openBitcoin } from '../../src/sandbox/bitcoin/chain.ts'
import { type Loopback, serveLoopback } from '../../src/sandbox/loopback-server.ts'
import { esplora } from '../../src/swaps/esplora.ts'
import { depositNetwork } from '../support/services/deposit-provider-service.ts'

const address = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'
const open: Loopback[] = []
afterEach(async () => {
  for (const service of open.splice(0)) await service.close()
})

/** A chain with confirmed payments to one address, one per block, and then unconfirmed ones; and the requested paths. */
async function chainWith(count: number, waiting = 0) {
  const bitcoin = openBitcoin('seed', () => 1_795_000_000_000)
  const hashes = Array.from({ length: count }, () => {
    const hash = bitcoin.pay({ address, amount: 1_000n })
    bitcoin.mine()
    return hash
  })
  for (let at = 0; at < waiting; at++) hashes.push(bitcoin.pay({ address, amount: 2_000n }))
  const asked: string[] = []
  const service = await serveLoopback(async (_, { pathname }) => {
    asked.push(pathname)
    return bitcoin.answer(pathname) ?? 'drop'
  })
  open.push(service)
  const { exchangeJson } = depositNetwork(Date.now)
  return { bitcoin: esplora(`${service.url}/bitcoin/api`, exchangeJson), newest: hashes.toReversed(), asked }
}

describe('transaction history of a Bitcoin address', () => {
  test('is read page by page, unconfirmed transactions first', async () => {
    const { bitcoin, newest, asked } = await chainWith(60, 3)
    const { transactions, isCutOff } = await bitcoin.addressHistory(address, () => false)
    expect(transactions.map(({ txid }) => txid)).toEqual(newest)
    expect(isCutOff).toBe(false)
    expect(asked).toHaveLength(3)
    expect(transactions[0]).toMatchObject({ height: null, time: null })
    expect(transactions[3]).toMatchObject({ height: 160, time: 1_795_000_000_000 })
    expect(transactions[0]!.senders).toHaveLength(1)
  })

  test('is read only until the requested transaction', async () => {
    const { bitcoin, newest, asked } = await chainWith(60)
    const { transactions, isCutOff } = await bitcoin.addressHistory(
      address,
      ({ txid }) => txid === newest[30],
    )
    expect({ count: transactions.length, isCutOff, pages: asked.length }).toEqual({
      count: 50,
      isCutOff: false,
      pages: 2,
    })
  })

  test('is cut off after 40 pages, and reports it', async () => {
    const { bitcoin, newest, asked } = await chainWith(1_001)
    const { transactions, isCutOff } = await bitcoin.addressHistory(address, () => false)
    expect({ count: transactions.length, isCutOff, pages: asked.length }).toEqual({
      count: 1_000,
      isCutOff: true,
      pages: 40,
    })
    expect((await bitcoin.addressHistory(address, ({ txid }) => txid === newest[999])).isCutOff).toBe(false)
  })
})
