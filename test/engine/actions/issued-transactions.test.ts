import { describe, expect, test } from 'vitest'
import type { Address, Hex } from '../../../src/domain/address.ts'
import type { Transaction } from '../../../src/domain/transaction-types.ts'
import { sandboxAddress } from '../../../src/sandbox/accounts.ts'
import { codeOf, engineOn, perform } from '../../support/engine.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const wallet = sandbox.user.address
const other = sandboxAddress(2)
const chainId = 31337
const rpc = () => sandbox.chain(chainId).rpc
const token = (symbol: string) => sandbox.token(chainId, symbol).address

type Service = ReturnType<typeof engineOn>['service']
const quoted = async (service: Service) =>
  (
    await service.quote({
      chainIdIn: chainId,
      chainIdOut: chainId,
      tokenIn: token('WETH'),
      tokenOut: token('USDC'),
      amountIn: 10n ** 15n,
    })
  ).quote
type Quote = Awaited<ReturnType<typeof quoted>>
const take = async (service: Service, quote: Quote, walletAddress: Address, destinationAddress?: Address) => {
  const made = await service.swapBytecode({
    quote: quote.raw as never,
    walletAddress,
    ...(destinationAddress && { destinationAddress }),
  })
  return { all: [...made.approvals, ...made.transactions], call: made.transactions[0]! }
}
/** Performs the issued transactions as far as they are still needed; returns the hash of the swap. */
const carryOut = async (from: Address, { all }: { all: Transaction[] }): Promise<Hex> =>
  (await perform(sandbox, from, all)).at(-1)!.transactionHash

/** Expects that this transaction fulfilled the quote, and that no wallet can take the quote again. */
async function expectDone(service: Service, { id, ...quote }: Quote, by: object, hash: Hex) {
  expect(await service.swapStatus({ id })).toMatchObject({ status: 'fulfilled', originTxHash: hash })
  const action = await service.getAction({ id })
  expect(action).toMatchObject({ id, status: 'SUCCESS', ...by })
  expect(action.transactions.at(-1)).toMatchObject({ kind: 'swap', hash })
  const { items } = await service.listQuotes({})
  expect(items.find((one) => one.id === id)?.status).toBe('fulfilled')
  for (const walletAddress of [wallet, other])
    await expect(service.swapBytecode({ quote: quote.raw as never, walletAddress })).rejects.toMatchObject({
      code: 'QUOTE_VALIDATION_ERROR',
      details: { txHash: hash },
    })
}

describe('a quote that was issued twice', () => {
  test.each([
    ['first', 0],
    ['second', 1],
  ])('to two wallets is fulfilled by the %s one, which sends it', async (_, at) => {
    const { service } = engineOn(sandbox)
    const quote = await quoted(service)
    const wallets = [wallet, other]
    const handed = [await take(service, quote, wallet), await take(service, quote, other)]
    expect(handed[1]!.call.data).not.toBe(handed[0]!.call.data)
    const hash = await carryOut(wallets[at]!, handed[at]!)
    await expectDone(service, quote, { originAddress: wallets[at], receiverAddress: wallets[at] }, hash)
  })

  test.each([
    ['first', 0],
    ['second', 1],
  ])('to one wallet for two receivers is fulfilled by the %s one, which is sent', async (_, at) => {
    const { service } = engineOn(sandbox)
    const quote = await quoted(service)
    const receivers = [wallet, other]
    const handed = [await take(service, quote, wallet), await take(service, quote, wallet, other)]
    const hash = await carryOut(wallet, handed[at]!)
    await expectDone(service, quote, { originAddress: wallet, receiverAddress: receivers[at] }, hash)
  })

  test('to two wallets for one receiver has equal calldata, and is fulfilled by the sender', async () => {
    const { service } = engineOn(sandbox)
    const quote = await quoted(service)
    const [first, second] = [
      await take(service, quote, wallet, wallet),
      await take(service, quote, other, wallet),
    ]
    expect(second.call).toEqual(first.call)
    const hash = await carryOut(other, second)
    await expectDone(service, quote, { originAddress: other, receiverAddress: wallet }, hash)
  })

  test('to the same wallet has equal calldata at any later chain time', async () => {
    const { service } = engineOn(sandbox)
    const quote = await quoted(service)
    await rpc().request('evm_setNextBlockTimestamp', [Math.floor(Date.now() / 1000) + 30])
    const first = await take(service, quote, wallet)
    await rpc().request('evm_mine')
    await rpc().request('evm_increaseTime', [20])
    const second = await take(service, quote, wallet)
    expect(second.call).toEqual(first.call)
    const hash = await carryOut(wallet, first)
    await expectDone(service, quote, { originAddress: wallet }, hash)
  })

  test('is found by its hash, and is one action in the list', async () => {
    const { service } = engineOn(sandbox)
    const quote = await quoted(service)
    const handed = await take(service, quote, wallet)
    await take(service, quote, other)
    const txHash = await carryOut(wallet, handed)
    const told = await service.ingest({ actionId: quote.id, event: 'SIGNED', txHash, chainId })
    expect(told).toMatchObject({ id: quote.id, originAddress: wallet, status: 'SUCCESS' })
    expect((await service.listActions({})).items.map(({ id }) => id)).toEqual([quote.id])
  })

  test('can be issued in eight ways at most, and each of them is recognized', async () => {
    const { service } = engineOn(sandbox)
    const quote = await quoted(service)
    const first = await take(service, quote, wallet)
    for (let n = 3; n < 10; n++) await take(service, quote, `0x${String(n).repeat(40)}`)
    expect(await codeOf(take(service, quote, other))).toBe('QUOTE_VALIDATION_ERROR')
    expect((await take(service, quote, wallet)).call).toEqual(first.call)
    const hash = await carryOut(wallet, first)
    await expectDone(service, quote, { originAddress: wallet }, hash)
  })

  test('counts one approval for itself and for an equal quote', async () => {
    const { service } = engineOn(sandbox)
    const [quote, twin] = [await quoted(service), await quoted(service)]
    const [handed, same] = [await take(service, quote, wallet), await take(service, twin, wallet)]
    expect(handed.all).toHaveLength(2)
    // One approval serves both quotes.
    await perform(sandbox, wallet, handed.all.slice(0, 1))
    expect((await service.getAction({ id: twin.id })).transactions[0]!.hash).not.toBeNull()
    const hash = await carryOut(wallet, { all: handed.all.slice(1) })
    await expectDone(service, quote, { originAddress: wallet }, hash)
    expect(same.all).toHaveLength(2)
  })
})

test('a quote that both takers sent belongs to the first, and lists the transactions of the second', async () => {
  let clock = Date.now()
  const { service } = engineOn(sandbox, { now: () => clock++ })
  const quote = await quoted(service)
  const [mine, theirs] = [await take(service, quote, wallet), await take(service, quote, other)]
  const hash = await carryOut(wallet, mine)
  await expectDone(service, quote, { originAddress: wallet }, hash)
  const done = await service.getAction({ id: quote.id })
  const second = (await perform(sandbox, other, theirs.all)).map((one) => one.transactionHash)
  const both = await service.getAction({ id: quote.id })
  expect(both).toMatchObject({ status: 'SUCCESS', originAddress: wallet })
  expect(both.transactions.slice(0, done.transactions.length)).toEqual(done.transactions)
  const rest = both.transactions.slice(done.transactions.length)
  expect(rest.map((one) => one.hash)).toEqual(second)
  expect(rest.map((one) => [one.kind, one.status])).toEqual([
    ['approve', 'confirmed'],
    ['swap', 'confirmed'],
  ])
  expect(both.transactions.map(({ index }) => index)).toEqual(both.transactions.map((_, at) => at))
  // The quote has the status of the first, also when both are done, and long after.
  for (const later of [0, 2 * 24 * 3_600_000]) {
    clock += later
    expect(await service.swapStatus({ id: quote.id })).toMatchObject({
      status: 'fulfilled',
      originTxHash: hash,
    })
    expect(await service.getAction({ id: quote.id })).toEqual(both)
  }
  await expect(
    service.swapBytecode({ quote: quote.raw as never, walletAddress: other }),
  ).rejects.toMatchObject({ details: { txHash: hash } })
})

test('a reverted swap of one taker is listed beside the completed swap of the other', async () => {
  const { service } = engineOn(sandbox)
  const quote = await quoted(service)
  const [mine, theirs] = [await take(service, quote, wallet), await take(service, quote, other)]
  const { to, data } = theirs.call
  const { transactionHash } = await sandbox.sendAs(chainId, other, { to, data })
  await carryOut(wallet, mine)
  const { status, transactions } = await service.getAction({ id: quote.id })
  expect(status).toBe('SUCCESS')
  expect(transactions.at(-1)).toMatchObject({ hash: transactionHash, status: 'failed', error: 'reverted' })
})

test('a pending swap of one taker counts before a reverted swap of the other', async () => {
  const { service } = engineOn(sandbox)
  const quote = await quoted(service)
  const mine = await take(service, quote, wallet)
  const theirs = await take(service, quote, other)
  // Without its allowance the second swap reverts; the first is sent and not mined yet.
  const { to, data } = theirs.call
  expect((await sandbox.sendAs(chainId, other, { to, data })).status).toBe('0x0')
  await perform(sandbox, wallet, mine.all.slice(0, -1))
  await rpc().request('evm_setAutomine', [false])
  try {
    const sent = { from: wallet, to: mine.call.to, data: mine.call.data, gas: '0x4c4b41' }
    const hash = await rpc().request<Hex>('eth_sendTransaction', [sent])
    await service.ingest({ actionId: quote.id, event: 'SIGNED', txHash: hash })
    expect((await service.swapStatus({ id: quote.id })).originTxHash).toBe(hash)
  } finally {
    await rpc().request('evm_mine')
    await rpc().request('evm_setAutomine', [true])
  }
})

test('the bridge quote of a deposit cannot be taken by itself', async () => {
  const { service } = engineOn(sandbox)
  const { quote } = await service.strategyBytecode({
    id: 'aave-v3-usdc-sandbox-two',
    action: 'lend',
    amount: 5_000000n,
    wallet,
    from: 'sandbox-one',
  })
  expect(await codeOf(take(service, quote!, wallet))).toBe('QUOTE_VALIDATION_ERROR')
})
