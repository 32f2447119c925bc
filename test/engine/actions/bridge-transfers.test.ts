import { setTimeout as sleep } from 'node:timers/promises'
import { decodeFunctionData, pad } from 'viem/utils'
import { describe, expect, test } from 'vitest'
import type { Service } from '../../../src/api/service-type.ts'
import type { ChainClient } from '../../../src/chain/chain-client.ts'
import { httpRpc } from '../../../src/chain/rpc/failover.ts'
import type { Address, Hex } from '../../../src/domain/address.ts'
import { ownContract } from '../../../src/sandbox/genesis/artifacts.ts'
import { cctpV2Contracts } from '../../../src/swaps/cctp-v2/constants-schema.ts'
import { contractsIn } from '../../../src/swaps/swap-contracts.ts'
import { cells, codeOf, engineOn, perform, seeded } from '../../support/engine.ts'
import { targetOf } from '../../support/market-constants.ts'
import { limitedNode } from '../../support/nodes/log-limited-node.ts'
import { calldata, type TestReceipt, topicOf, useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const wallet = sandbox.user.address
const someone: Address = '0x2222222222222222222222222222222222222222'
const usdc = (chainId: number) => sandbox.token(chainId, 'USDC').address
const end = (chainId: number) =>
  contractsIn(sandbox.world.catalog(), cctpV2Contracts).find((one) => one.chainId === chainId)!
const held = (chainId: number, who: Address) => sandbox.balanceOf(chainId, usdc(chainId), who)

const random = seeded(50)
const campaign = Array.from({ length: cells(8, 50) }, (_, at) => ({
  at,
  from: at % 2 === 0 ? 31337 : 31338,
  speed: at % 4 < 2 ? ('fast' as const) : ('standard' as const),
  exact: random() < 0.5 ? ('in' as const) : ('out' as const),
  amount: BigInt(Math.round(Math.exp(random() * Math.log(40_000)) * 1e6)),
  recipient: at % 3 === 0 ? someone : wallet,
}))
const far = (from: number) => {
  const to = from === 31337 ? 31338 : 31337
  return { chainIdIn: from, chainIdOut: to, tokenIn: usdc(from), tokenOut: usdc(to) }
}

/** Polls a swap until it is fulfilled, and checks each status on the way. */
async function arrival(service: Service, id: string) {
  for (;;) {
    const status = await service.swapStatus({ id })
    expect(['pending', 'confirmed', 'processing', 'fulfilled']).toContain(status.status)
    if (status.status === 'fulfilled') return status
    await sleep(20)
  }
}

/** The amount that a transaction minted to an address, from its receipt. */
async function minted(chainId: number, hash: string, to: Address): Promise<bigint> {
  const receipt = await sandbox.chain(chainId).rpc.request<TestReceipt>('eth_getTransactionReceipt', [hash])
  expect(receipt.status).toBe('0x1')
  const topics = [topicOf('Transfer(address,address,uint256)'), pad('0x'), pad(to)].map((one) =>
    one.toLowerCase(),
  )
  return receipt.logs
    .filter((log) => log.address.toLowerCase() === usdc(chainId).toLowerCase())
    .filter((log) =>
      topics.every(
        (topic, place) => log.topics[place] === topic || (place === 1 && BigInt(log.topics[1]!) === 0n),
      ),
    )
    .reduce((sum, { data }) => sum + BigInt(data), 0n)
}

describe('a CCTP transfer', () => {
  test.each(campaign)(
    '$at: $speed from $from, exact $exact, delivers the full amount and reports both hashes',
    async ({ from, speed, exact, amount, recipient }) => {
      const { service } = engineOn(sandbox)
      const route = far(from)
      const { quote } = await service.quote({
        ...route,
        ...(exact === 'in' ? { amountIn: amount } : { amountOut: amount }),
        transferSpeed: speed,
        ...(recipient !== wallet && { destinationAddress: recipient }),
      })
      expect(quote.provider).toBe('cctp')
      const [sum, out] = [quote.tokenIn.amount, quote.tokenOut.amount]
      expect(exact === 'in' ? sum : out).toBe(amount)
      // The fee for a fast transfer is one basis point, rounded up.
      expect(sum - out).toBe(speed === 'fast' ? (sum + 9_999n) / 10_000n : 0n)
      const { type, approvals, transactions } = await service.swapBytecode({
        quote: quote.raw as never,
        walletAddress: wallet,
      })
      expect(type).toBe('CROSSCHAIN_SWAP')
      expect(approvals).toEqual([
        {
          to: usdc(from),
          data: calldata('function approve(address,uint256)', [end(from).tokenMessenger, sum]),
          value: 0n,
          chainId: from,
        },
      ])
      const { functionName, args } = decodeFunctionData({
        abi: ownContract('TokenMessengerV2').abi,
        data: transactions[0]!.data,
      })
      expect([functionName, ...args!]).toEqual([
        'depositForBurnWithHook',
        sum,
        end(route.chainIdOut).domain,
        pad(recipient).toLowerCase(),
        usdc(from),
        pad('0x', { size: 32 }),
        // The maximum fee is 10 % above the fee, unless the delivered amount is exact.
        exact === 'in' ? sum - out + (sum - out) / 10n : sum - out,
        speed === 'fast' ? 1000 : 2000,
        // "cctp-forward": Circle submits the delivery.
        '0x636374702d666f72776172640000000000000000000000000000000000000000',
      ])
      const before = [await held(from, wallet), await held(route.chainIdOut, recipient)] as const
      const receipts = await perform(sandbox, wallet, [...approvals, ...transactions])
      const origin = receipts.at(-1)!.transactionHash
      const { originTxHash, destinationTxHash, provider } = await arrival(service, quote.id)
      expect({ originTxHash, provider }).toEqual({ originTxHash: origin, provider: 'cctp' })
      expect(before[0] - (await held(from, wallet))).toBe(sum)
      expect((await held(route.chainIdOut, recipient)) - before[1]).toBe(out)
      expect(await minted(route.chainIdOut, destinationTxHash!, recipient)).toBe(out)
      const action = await service.getAction({ id: quote.id })
      expect(action).toMatchObject({ status: 'SUCCESS', type: 'CROSSCHAIN_SWAP', receiverAddress: recipient })
      expect(action.finishedAt).not.toBeNull()
      expect(action.transactions.map(({ hash }) => hash)).toEqual(receipts.map((one) => one.transactionHash))
    },
  )

  test('has its own origin and destination transaction beside an equal transfer', async () => {
    const { service } = engineOn(sandbox)
    const ids: string[] = []
    for (let made = 0; made < 2; made++) {
      const { quote } = await service.quote({ ...far(31337), amountIn: 5_000000n, transferSpeed: 'standard' })
      const order = { quote: quote.raw as never, walletAddress: wallet }
      const { approvals, transactions } = await service.swapBytecode(order)
      await perform(sandbox, wallet, [...approvals, ...transactions])
      ids.push(quote.id)
    }
    const ends = [await arrival(service, ids[0]!), await arrival(service, ids[1]!)]
    expect(new Set(ends.map(({ originTxHash }) => originTxHash)).size).toBe(2)
    expect(new Set(ends.map(({ destinationTxHash }) => destinationTxHash)).size).toBe(2)
  })

  test('is found on a node with a small log range, with a limited number of requests per read', async () => {
    const node = await limitedNode(sandbox.chain(31338).rpcUrl, 2)
    const { service } = engineOn(sandbox, {
      rpc: (id) => (id === 31338 ? httpRpc(node.url) : sandbox.chain(id).rpc),
    })
    const { quote } = await service.quote({ ...far(31337), amountIn: 5_000000n })
    await sandbox.chain(31338).rpc.request('anvil_mine', ['0x118'])
    const before = await held(31338, wallet)
    const { approvals, transactions } = await service.swapBytecode({
      quote: quote.raw as never,
      walletAddress: wallet,
    })
    await perform(sandbox, wallet, [...approvals, ...transactions])
    while ((await held(31338, wallet)) === before) await sleep(20)
    // A node that refuses is no error, and ends nothing.
    node.limit = 0
    expect((await service.swapStatus({ id: quote.id })).status).toBe('processing')
    node.limit = 2
    node.asked = 0
    expect((await service.swapStatus({ id: quote.id })).status).toBe('processing')
    expect(node.asked).toBeLessThan(200)
    expect((await service.getAction({ id: quote.id })).status).toBe('SUCCESS')
    expect((await service.swapStatus({ id: quote.id })).status).toBe('fulfilled')
    await node.close()
  })

  test('is found after a node once returned no logs, over more blocks than are read again', async () => {
    const node = await limitedNode(sandbox.chain(31338).rpcUrl, 1_000)
    const honest = httpRpc(node.url)
    let isDeaf = true
    const heard = <answer>(method: string, said: answer) =>
      (isDeaf && method === 'eth_getLogs' ? [] : said) as answer
    const rpc: ChainClient = {
      ...honest,
      request: async (method, params) => heard(method, await honest.request(method, params)) as never,
      batch: async (calls) => (await honest.batch(calls)).map((said, at) => heard(calls[at]![0], said)),
    }
    const { service } = engineOn(sandbox, { rpc: (id) => (id === 31338 ? rpc : sandbox.chain(id).rpc) })
    const { quote } = await service.quote({ ...far(31337), amountIn: 5_000000n })
    const before = await held(31338, wallet)
    const { approvals, transactions } = await service.swapBytecode({
      quote: quote.raw as never,
      walletAddress: wallet,
    })
    await perform(sandbox, wallet, [...approvals, ...transactions])
    const status = async () => (await service.swapStatus({ id: quote.id })).status
    while ((await held(31338, wallet)) === before) await sleep(20)
    for (let n = 0; n < 11; n++) await sandbox.chain(31338).rpc.request('anvil_mine', ['0x64'])
    expect(await status()).toBe('processing')
    isDeaf = false
    expect([await status(), await status()]).toContain('fulfilled')
    await node.close()
  })

  test('that delivers too little is failed, with an unknown amount out', async () => {
    const { service } = engineOn(sandbox)
    const { quote } = await service.quote({ ...far(31337), amountIn: 20_000000n, transferSpeed: 'fast' })
    const { approvals, transactions } = await service.swapBytecode({
      quote: quote.raw as never,
      walletAddress: wallet,
    })
    const none = { network: null, method: null, times: null, at: null, reason: null }
    await sandbox.world.faults.set({ kind: 'bridge-short', amount: 10, ...none })
    const before = await held(31338, wallet)
    await perform(sandbox, wallet, [...approvals, ...transactions])
    while ((await held(31338, wallet)) === before) await sleep(20)
    expect((await held(31338, wallet)) - before).toBe(18_000000n)
    const status = await service.swapStatus({ id: quote.id })
    expect(status).toMatchObject({ status: 'failed', destinationTxHash: expect.stringMatching(/^0x/) })
    expect(await minted(31338, status.destinationTxHash!, wallet)).toBe(18_000000n)
    const action = await service.getAction({ id: quote.id })
    expect(action).toMatchObject({ status: 'FAILED', amounts: { in: { formatted: '20' }, out: null } })
    expect((await service.listQuotes({})).items).toMatchObject([{ id: quote.id, status: 'failed' }])
  })

  test('too small for the fast fee has no route, and is quoted at standard speed', async () => {
    const { service } = engineOn(sandbox)
    expect(await codeOf(service.quote({ ...far(31337), amountIn: 1n, transferSpeed: 'fast' }))).toBe(
      'NO_ROUTE_FOUND',
    )
    const { quote } = await service.quote({ ...far(31337), amountIn: 1n, transferSpeed: 'standard' })
    expect(quote.tokenOut.amount).toBe(1n)
  })
})

describe('a deposit from another chain', () => {
  const amount = 1_234_567890n
  // The standard speed is free, and delivers most.
  const out = amount
  const lend = (service: Service, id: string, from = 'sandbox-one') =>
    service.strategyBytecode({ id, action: 'lend', amount, wallet, from })

  test.each(['aave-v3-usdc-sandbox-two', 'sandbox-vault-usdc-sandbox-two'])(
    '%s is one operation: the bridge, then the deposit of the delivered amount',
    async (slug) => {
      const { service, context } = engineOn(sandbox)
      const { store, customer } = context
      const made = await lend(service, slug)
      expect(made).toMatchObject({
        chainIdIn: 31337,
        chainIdOut: 31338,
        crossChain: { isCrossChain: true, chainIdIn: 31337, chainIdOut: 31338 },
        quote: { provider: 'cctp', minAmountOut: out },
      })
      const entry = sandbox.world.catalog().strategies.find((one) => one.slug === slug)!
      const { constants, asset } = entry
      const target = targetOf(entry)
      const approve = (chainId: number, spender: Address, sum: bigint) => ({
        to: usdc(chainId),
        data: calldata('function approve(address,uint256)', [spender, sum]),
        value: 0n,
        chainId,
      })
      expect(made.bytecode).toHaveLength(4)
      expect(made.bytecode[0]).toEqual(approve(31337, end(31337).tokenMessenger, amount))
      expect(made.bytecode[1]).toMatchObject({ to: end(31337).tokenMessenger, chainId: 31337 })
      expect(made.bytecode[2]).toEqual(approve(31338, target, out))
      expect(made.bytecode[3]).toEqual({
        to: target,
        data:
          constants.family === 'aave-v3'
            ? calldata('function supply(address,uint256,address,uint16)', [asset.address, out, wallet, 0])
            : calldata('function deposit(uint256,address)', [out, wallet]),
        value: 0n,
        chainId: 31338,
      })

      const before = await held(31338, wallet)
      const hashes: Hex[] = []
      const send = async (part: typeof made.bytecode) => {
        for (const receipt of await perform(sandbox, wallet, part)) hashes.push(receipt.transactionHash)
      }
      const { quoteId } = (await store.action(customer, made.id))!.action
      const follow = async () => {
        const { isFollowed } = (await store.quoteOfAny(quoteId!))!
        return { isFollowed, status: (await service.swapStatus({ id: quoteId! })).status }
      }
      expect(await follow()).toEqual({ isFollowed: false, status: 'pending' })
      await send(made.bytecode.slice(0, 2))
      expect((await service.getAction({ id: made.id })).status).toBe('PENDING')
      // The bridge is no action: its quote is followed, and tells what it has become.
      const seen = new Set<string>()
      for (;;) {
        const { isFollowed, status } = await follow()
        seen.add(status)
        if (status === 'fulfilled') break
        expect(isFollowed).toBe(true)
        await sleep(20)
      }
      await store.numberEvents(customer)
      const told = await store.events(customer, {
        after: 0,
        types: ['swap.status_changed'],
        since: null,
        limit: 10,
      })
      expect(told.map(({ subject, data }) => [subject, JSON.parse(data).status])).toEqual(
        [...seen].map((status) => [`quote:${quoteId}`, status]),
      )
      while ((await held(31338, wallet)) < before + out) await sleep(20)
      await send(made.bytecode.slice(2))
      const action = await service.getAction({ id: made.id })
      expect(action).toMatchObject({ status: 'SUCCESS', type: 'CROSSCHAIN_INVESTMENT_DEPOSIT' })
      expect(action.transactions.map(({ hash }) => hash)).toEqual(hashes)
      expect(action.transactions.map(({ kind, chainId }) => [kind, chainId])).toEqual([
        ['approve', 31337],
        ['bridge', 31337],
        ['approve', 31338],
        ['deposit', 31338],
      ])
      expect(await held(31338, wallet)).toBe(before)
      const { positions } = await service.getWallet({ address: wallet })
      expect(positions.map(({ strategy, principal }) => [strategy.slug, principal])).toEqual([[slug, out]])
    },
  )

  test('is refused without a bridge for the asset, from an unknown network, and into a paused strategy', async () => {
    const { service } = engineOn(sandbox)
    expect(await codeOf(lend(service, 'aave-v3-usdt-sandbox-two'))).toBe('NO_ROUTE_FOUND')
    expect(await codeOf(lend(service, 'aave-v3-usdc-sandbox-two', 'nowhere'))).toBe('NO_ROUTE_FOUND')
    const vault = sandbox.strategy('sandbox-vault-USDC-sandbox-one')
    const receipt = await sandbox.sendAs(31337, '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266', {
      to: vault.receipt.address,
      data: calldata('function setPaused(bool)', [true]),
    })
    expect(receipt.status).toBe('0x1')
    expect(await codeOf(lend(service, vault.slug, 'sandbox-two'))).toBe('STRATEGY_PAUSED')
  })

  test('from its own network is a plain deposit', async () => {
    const { service } = engineOn(sandbox)
    const made = await lend(service, 'aave-v3-usdc-sandbox-one')
    expect(made).toMatchObject({ crossChain: { isCrossChain: false }, quote: null })
    expect(made.bytecode).toHaveLength(2)
  })

  test('is recommended when origin and destination networks are given', async () => {
    const { service } = engineOn(sandbox)
    const best = await service.recommend({
      identifier: 'usdc',
      wallet,
      amount,
      from: 'sandbox-one',
      to: 'sandbox-two',
    })
    expect(best.destinationChain).toBe('sandbox-two')
    expect(best.transactions!.map(({ chainId }) => chainId)).toEqual([31337, 31337, 31338, 31338])
    const all = (await service.listStrategies({ limit: 100 })).items
    const usdcThere = all.filter(({ network, asset }) => network === 'sandbox-two' && asset.symbol === 'USDC')
    expect(best.strategy.apy).toBe(Math.max(...usdcThere.map(({ apy }) => apy!)))
    expect(
      await codeOf(service.recommend({ identifier: 'usdt', from: 'sandbox-one', to: 'sandbox-two' })),
    ).toBe('STRATEGY_NOT_FOUND')
  })
})
