import { expect, test } from 'vitest'

import { approve } from '../../src/calls/erc20.ts'
import { AppError } from '../../src/domain/errors.ts'
import { hexQuantity } from '../../src/net/quantity.ts'
import type { Rpc } from '../../src/net/rpc.ts'
import { sandboxKey } from '../../src/sandbox/accounts.ts'
import { doneElsewhere } from '../../src/wallet/execution/elsewhere/done-elsewhere.ts'
import { targetOf } from '../support/families.ts'
import { useCopies } from '../support/older-copy.ts'
import { pasted } from '../support/pasted.ts'
import { provider } from '../support/provider.ts'
import { type Circumstances, rpcEnvOf, useCommands } from '../support/run.ts'
import { useSandbox } from '../support/sandbox.ts'

const sandbox = useSandbox()
const { run, home, signsNothing } = useCommands(sandbox)
const friend = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const nobodys = `0x${'ab'.repeat(32)}`
const payment = (amount: number, key: string) =>
  `transfer --network sandbox-one --token USDC --to ${friend} --amount ${amount} --yes --json --idempotency-key ${key}`
const got = () => sandbox.balanceOf(31337, sandbox.token(31337, 'USDC').address, friend)

const copied = useCopies({ run, home })

/** A payment of 5 that the journal which is put back does not know. */
const paidSince = async () => {
  expect(await run(payment(1, 'before-01'))).toMatchObject({ exit: 0 })
  const older = copied()
  const paid = await run(payment(5, 'since-001'))
  expect(paid).toMatchObject({ exit: 0 })
  return { ...older, hash: paid.json.transactions[0].hash as string }
}

test('a payment that an older copy of the journal does not know is not made twice, unless it is wanted', async () => {
  const { again, attempts, hash } = await paidSince()
  const before = await got()
  const refused = await signsNothing(() => again(payment(5, 'since-001')))
  expect(refused).toMatchObject({
    exit: 10,
    json: { error: { code: 'DONE_ELSEWHERE', details: { hash } } },
  })
  expect(refused.json.error.message).toContain('--allow-duplicate')
  const [, ...look] = pasted(refused.json.error.hint)
  expect(await again([...look, '--json'])).toMatchObject({
    exit: 0,
    json: {
      id: hash,
      situation: 'FOREIGN',
      verdict: expect.stringMatching(
        new RegExp(
          `journal of this machine does not hold, in block \\d+ of sandbox-one, of 20\\S+Z: it sends 5 USDC to ${friend}, and succeeded`,
        ),
      ),
      funds: `Moved, as it says: out of ${sandbox.user.address}.`,
      safeToRetry: false,
    },
  })
  const { rpcUrl } = sandbox.chain(31337)
  const late = await provider(rpcUrl, ({ method, params }) =>
    method === 'eth_getTransactionReceipt' && params[0] === hash ? { result: null } : undefined,
  )
  const unsaid = await again([...look, '--json'], { env: rpcEnvOf(sandbox, { 'sandbox-one': late.url }) })
  await late.close()
  // It is in a block, so that it does not wait; how it ended is not shown.
  expect(unsaid).toMatchObject({
    exit: 7,
    json: {
      error: {
        code: 'RPC_INCONSISTENT',
        message: expect.stringMatching(/sandbox-one: .* in a block, and no receipt of it there/),
        hint: `sluice action explain ${hash}; if it stays so, name another RPC in SLUICE_RPC_SANDBOX_ONE`,
        retryable: true,
      },
    },
  })
  expect((await run(['action', 'explain', hash, '--json'])).json).toMatchObject({ situation: 'DONE' })
  expect(attempts()).toBe(1)
  expect(await got()).toBe(before)
  expect(await again(`${payment(5, 'since-001')} --allow-duplicate`)).toMatchObject({ exit: 0 })
  expect(await got()).toBe(before + 5_000000n)
  // Done on purpose once, it is not held against the next one.
  expect(await again(payment(5, 'since-002'))).toMatchObject({ exit: 0 })
})

test('what is not shown yet is waited for as long as was said, and the person hears of it', async () => {
  const { rpcUrl } = sandbox.chain(31337)
  const at = (url: string): Circumstances => ({
    env: rpcEnvOf(sandbox, { 'sandbox-one': url }),
    secrets: { privateKey: sandboxKey() },
  })
  const pay = (amount: number, key: string) => `${payment(amount, key)} --trust-first-use`
  expect(await run(pay(1, 'before-01'), at(rpcUrl))).toMatchObject({ exit: 0 })
  await sandbox.chain(31337).rpc.request('anvil_mine', ['0x3c'])
  const { again } = copied()
  expect(await run(pay(5, 'since-001'), at(rpcUrl))).toMatchObject({ exit: 0 })
  const hiding = await provider(rpcUrl, async ({ method, params }, ask) => {
    if (method === 'eth_getTransactionBySenderAndNonce')
      return { error: { code: -32601, message: 'the method does not exist' } }
    if (method !== 'eth_getBlockByNumber' || params[1] !== true) return undefined
    const block = (await ask(method, params)) as object | null
    return { result: block && { ...block, transactions: [] } }
  })
  const began = performance.now()
  const said = await signsNothing(() => again(`${pay(5, 'since-001')} --timeout 1s`, at(hiding.url)))
  await hiding.close()
  expect(performance.now() - began).toBeLessThan(6_000)
  expect(said).toMatchObject({
    exit: 7,
    err: expect.stringContaining('is not shown yet: it is waited for'),
    json: { error: { code: 'RPC_INCONSISTENT', message: expect.stringContaining('was used a moment ago') } },
  })
})

test('a hash that no network shows is told as that', async () => {
  expect((await run(['action', 'explain', nobodys, '--json'])).json.error).toMatchObject({
    code: 'ACTION_NOT_FOUND',
    message: expect.stringMatching(/and no network shows a transaction of that hash$/),
  })
})

test('a network without an RPC does not say whether it has a transaction', async () => {
  const { SLUICE_RPC_SANDBOX_TWO, ...env } = rpcEnvOf(sandbox)
  expect(SLUICE_RPC_SANDBOX_TWO).toBeDefined()
  expect(await run(['action', 'explain', nobodys, '--json'], { env })).toMatchObject({
    exit: 4,
    json: {
      error: {
        code: 'ACTION_NOT_FOUND',
        message: expect.stringContaining('there is no RPC here for sandbox-two'),
        details: { networks: [], withoutRpc: ['sandbox-two'] },
      },
    },
  })
})

test('what a transaction from elsewhere moved is told only where its call says it', async () => {
  const { address: from } = sandbox.user
  const token = sandbox.token(31337, 'USDC').address
  const fundsAfter = async (tx: { to: `0x${string}`; data: `0x${string}` }) => {
    const { transactionHash } = await sandbox.sendAs(31337, from, tx)
    return (await run(['action', 'explain', transactionHash, '--json'])).json.funds
  }
  const allowing = (amount: bigint) => approve({ chainId: 31337, token, spender: friend, amount })
  expect(await fundsAfter(allowing(3n))).toBe(`Nothing was moved; ${friend} may take it.`)
  expect(await fundsAfter(allowing(0n))).toBe('Nothing was moved.')
  expect(await fundsAfter({ to: friend, data: '0x1234' })).toBe(
    `What its call moved is not told here; ${from} signed it and paid its fee.`,
  )
})

test('a swap that an older copy of the journal does not know is recognised, though its deadline and minimum are others', async () => {
  const swap = (amount: number, key: string) =>
    `swap execute --from sandbox-one --token-in USDC --token-out WETH --amount-in ${amount} --yes --json --idempotency-key ${key}`
  expect(await run(payment(1, 'before-01'))).toMatchObject({ exit: 0 })
  const { again } = copied()
  expect(await run(swap(33, 'since-001'))).toMatchObject({ exit: 0 })
  expect(await signsNothing(() => again(swap(33, 'since-001')))).toMatchObject({
    exit: 10,
    json: { error: { code: 'DONE_ELSEWHERE' } },
  })
  expect(await again(swap(44_000, 'another-1'))).toMatchObject({ exit: 0 })
})

test('nor is it after the older copy has signed something else, which is nobody else’s business', async () => {
  const { again } = await paidSince()
  expect(await again(payment(6, 'other-001'))).toMatchObject({ exit: 0 })
  const before = await got()
  expect(await signsNothing(() => again(payment(5, 'since-001')))).toMatchObject({
    exit: 10,
    json: { error: { code: 'DONE_ELSEWHERE' } },
  })
  expect(await got()).toBe(before)
})

test('what an older copy has in part is not finished twice', async () => {
  const line =
    'deposit aave-v3-usdc-sandbox-one --amount 3 --yes --json --idempotency-key half-0001 --no-wait'
  const begun = await run(line)
  expect(begun).toMatchObject({ exit: 20 })
  const { id } = begun.json.error.details
  const { again, attempts } = copied()
  expect(await run(['action', 'resume', id, '--json'])).toMatchObject({ exit: 0 })
  for (const same of [line, `action resume ${id} --json`])
    expect(await signsNothing(() => again(same))).toMatchObject({
      exit: 21,
      json: { error: { code: 'PARTIAL', details: { id, cause: 'DONE_ELSEWHERE', action: { id } } } },
    })
  expect(attempts()).toBe(1)
})

test('a node that cannot be asked who has a nonce is searched for it', async () => {
  const { journal, hash } = await paidSince()
  const { rpc } = sandbox.chain(31337)
  await rpc.request('anvil_mine', ['0x9'])
  const asked: string[] = []
  const plainer: Rpc = {
    ...rpc,
    request: async (method, params) => {
      asked.push(method)
      if (method === 'eth_getTransactionBySenderAndNonce') throw new AppError('RPC_ERROR', 'no such method')
      return rpc.request(method, params)
    },
  }
  const seen = await rpc.request<{ to: `0x${string}`; input: `0x${string}` }>('eth_getTransactionByHash', [
    hash,
  ])
  const ground = { journal: journal(), rpc: () => plainer, catalog: sandbox.world.catalog() }
  const call = { to: seen.to, data: seen.input, value: 0n, chainId: 31337 }
  expect(await doneElsewhere(ground, sandbox.user.address, [call])).toBe(hash)
  expect(asked).toContain('eth_getTransactionBySenderAndNonce')
  expect(await doneElsewhere(ground, sandbox.user.address, [{ ...call, value: 1n }])).toBeUndefined()
})

test('what another machine did under a nonce that this journal holds is not done again, though the node is behind for it just when it is looked', async () => {
  const { rpcUrl, rpc } = sandbox.chain(31337)
  let behind = 0
  const node = await provider(rpcUrl, async ({ method, params }, ask) =>
    method === 'eth_getTransactionCount' && params[1] === 'latest' && behind-- > 0
      ? { result: hexQuantity(Number(await ask(method, params)) - 1) }
      : undefined,
  )
  const at = (url: string): Circumstances => ({
    env: rpcEnvOf(sandbox, { 'sandbox-one': url }),
    secrets: { privateKey: sandboxKey() },
  })
  expect(await run(payment(1, 'before-01'), at(rpcUrl))).toMatchObject({ exit: 0 })
  const holding = copied()
  await rpc.request('evm_setAutomine', [false])
  expect(await holding.again(`${payment(2, 'held-0001')} --no-wait`, at(rpcUrl))).toMatchObject({ exit: 20 })
  await rpc.request('anvil_dropAllTransactions')
  await rpc.request('evm_setAutomine', [true])
  expect(await run(payment(5, 'since-001'), at(rpcUrl))).toMatchObject({ exit: 0 })
  // The plan asks once before.
  behind = 2
  expect(await signsNothing(() => holding.again(payment(5, 'since-001'), at(node.url)))).toMatchObject({
    exit: 10,
    json: { error: { code: 'DONE_ELSEWHERE' } },
  })
  expect(behind).toBeLessThan(0)
  await node.close()
})

test('what a node is behind for, just when it is looked, is done once all the same: begun anew, and gone on with', async () => {
  const { rpcUrl } = sandbox.chain(31337)
  let behind = 0
  let missing = 1
  const node = await provider(rpcUrl, async ({ method, params }, ask) =>
    method === 'eth_getTransactionCount' && params[1] === 'latest' && behind-- > 0
      ? { result: hexQuantity(Number(await ask(method, params)) - missing) }
      : undefined,
  )
  const at = (url: string): Circumstances => ({
    env: rpcEnvOf(sandbox, { 'sandbox-one': url }),
    secrets: { privateKey: sandboxKey() },
  })
  expect(await run(payment(1, 'before-01'), at(rpcUrl))).toMatchObject({ exit: 0 })
  const unpaid = copied()
  expect(await run(payment(5, 'since-001'), at(rpcUrl))).toMatchObject({ exit: 0 })
  // The plan asks once before.
  behind = 2
  expect(await signsNothing(() => unpaid.again(payment(5, 'since-001'), at(node.url)))).toMatchObject({
    exit: 10,
    json: { error: { code: 'DONE_ELSEWHERE' } },
  })
  expect(behind).toBeLessThan(0)
  const deposit = 'deposit aave-v3-usdc-sandbox-one --amount 3 --yes --json --idempotency-key half-0002'
  const begun = await run(`${deposit} --no-wait --trust-first-use`, at(rpcUrl))
  const { id } = begun.json.error.details
  const half = copied()
  expect(await run(['action', 'resume', id, '--json'], at(rpcUrl))).toMatchObject({ exit: 0 })
  // What it takes is allowed once more, so that only what was done keeps it from being done again.
  const strategy = sandbox.strategy('aave-v3-USDC-sandbox-one')
  const { to, data } = approve({
    chainId: 31337,
    token: strategy.asset.address,
    spender: targetOf(strategy),
    amount: 3_000000n,
  })
  await sandbox.sendAs(31337, sandbox.user.address, { to, data })
  behind = 1
  missing = 2
  const left = await signsNothing(() => half.again(`action resume ${id} --json`, at(node.url)))
  await node.close()
  expect(left).toMatchObject({
    exit: 21,
    json: {
      error: {
        code: 'PARTIAL',
        details: { cause: 'DONE_ELSEWHERE' },
        hint: expect.stringMatching(
          new RegExp(`^sluice action explain 0x[0-9a-f]{64}, then: sluice action abandon ${id}`),
        ),
      },
    },
  })
  // What it stopped for is kept, and told after it.
  const [hash] = /0x[0-9a-f]{64}/.exec(left.json.error.hint)!
  expect((await half.again(`action explain ${id} --json`, at(rpcUrl))).json).toMatchObject({
    situation: 'PARTLY_DONE',
    funds: expect.stringContaining(`is told by the transaction ${hash}`),
    safeToRetry: false,
    next: `sluice action explain ${hash}`,
  })
})
