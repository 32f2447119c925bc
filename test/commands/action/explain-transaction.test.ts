import { expect, test } from 'vitest'
import { hexQuantity } from '../../../src/chain/rpc/quantities.ts'
import { sandboxKey } from '../../../src/sandbox/accounts.ts'
import { type Provider, provider } from '../../support/nodes/proxy-node.ts'
import { rpcEnvOf, useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run } = useCommands(sandbox)
const friend = '0x7777777777777777777777777777777777777777'
const nobodys = `0x${'ab'.repeat(32)}`
const url = () => sandbox.chain(31337).rpcUrl
const paid = async () =>
  (await sandbox.sendAs(31337, sandbox.user.address, { to: friend, value: 7n })).transactionHash

/** Explains a hash through an endpoint with answers of its own, followed by others. */
async function explainedBy(says: Provider['says'], hash: string, others: string[] = [], more = {}) {
  const node = await provider(url(), says)
  const began = performance.now()
  try {
    const env = { ...rpcEnvOf(sandbox, { 'sandbox-one': [node.url, ...others].join() }), ...more }
    return { ...(await run(['action', 'explain', hash, '--json'], { env })), ms: performance.now() - began }
  } finally {
    await node.close()
  }
}
const instead =
  (of: string, odd: object): Provider['says'] =>
  async ({ method, params }, ask) => {
    if (method !== of) return undefined
    const answer = (await ask(method, params)) as object | null
    return { result: answer && { ...answer, ...odd } }
  }
const json = (ran: { out: string }) => JSON.parse(ran.out)

test('the verdict about a transaction of somebody else begins with what it did, and never says that it could pay twice', async () => {
  const hash = await paid()
  const { out } = await run(['action', 'explain', hash], { env: rpcEnvOf(sandbox) })
  expect(out).toMatch(/^FOREIGN {2}On sandbox-one it sends 0\.0{17}7 ETH to 0x7+, and succeeded[,.]/)
  expect(out).toMatch(/^retry +it succeeded; sending it again does it again$/m)
  // The block and the journal are evidence, said once.
  expect(out.match(/in block \d+ of sandbox-one/g)).toHaveLength(1)
  expect(out.match(/in the journal of this machine/g)).toHaveLength(1)
})

test('a hash is looked up at all endpoints: one that lags does not hide it, one that is silent makes an error', async () => {
  const hash = await paid()
  const behind: Provider['says'] = ({ method }) =>
    /^eth_getTransaction(ByHash|Receipt)$/.test(method) ? { result: null } : undefined
  expect(json(await explainedBy(behind, hash, [url()]))).toMatchObject({
    situation: 'FOREIGN',
    verdict: expect.stringContaining('and succeeded'),
  })
  const dead = await provider(url(), () => ({ status: 503 }))
  expect(json(await explainedBy(behind, nobodys, [dead.url]))).toMatchObject({
    error: { code: 'RPC_UNREACHABLE', message: expect.stringContaining('sandbox-one did not answer') },
  })
  const nobody = { env: rpcEnvOf(sandbox, { 'sandbox-one': `${dead.url},${url()}` }) }
  expect((await run(['action', 'explain', nobodys, '--json'], nobody)).json).toMatchObject({
    error: { code: 'RPC_UNREACHABLE', message: expect.stringContaining('sandbox-one did not answer') },
  })
  await dead.close()
})

test('a receipt whose block is not on the chain says nothing about the outcome', async () => {
  const hash = await paid()
  const stale = instead('eth_getTransactionReceipt', { blockHash: nobodys, status: '0x0' })
  expect(json(await explainedBy(stale, hash))).toMatchObject({ error: { code: 'RPC_INCONSISTENT' } })
  expect(json(await explainedBy(stale, hash, [url()]))).toMatchObject({
    verdict: expect.stringContaining('and succeeded'),
    safeToRetry: false,
  })
})

test('a wrong or incomplete transaction of a node is reported as RPC_INCONSISTENT', async () => {
  const hash = await paid()
  for (const odd of [
    { hash: nobodys },
    { to: undefined },
    { to: 5 },
    { to: 'x\nagain   safe' },
    { input: 'zz' },
    { nonce: null },
  ])
    expect(json(await explainedBy(instead('eth_getTransactionByHash', odd), hash))).toMatchObject({
      error: {
        code: 'RPC_INCONSISTENT',
        message: expect.stringContaining('sandbox-one: The node'),
        hint: expect.stringContaining('set another RPC in SLUICE_RPC_SANDBOX_ONE'),
      },
    })
})

test('an RPC of another chain is reported with the setting that replaces it', async () => {
  const env = rpcEnvOf(sandbox, { 'sandbox-two': url() })
  const { json: told } = await run(['action', 'explain', nobodys, '--json'], { env })
  expect(told.error).toMatchObject({
    code: 'CHAIN_ID_MISMATCH',
    hint: expect.stringMatching(/in SLUICE_RPC_SANDBOX_TWO, then: sluice action explain 0xab/),
    retryable: false,
  })
})

test('a transaction that is found is reported without waiting for networks that do not answer', async () => {
  const hash = await paid()
  const deaf = await provider(url(), () => new Promise(() => undefined))
  const told = await explainedBy(() => undefined, hash, [], { SLUICE_RPC_SANDBOX_TWO: deaf.url })
  expect(json(told)).toMatchObject({ situation: 'FOREIGN' })
  // If nothing is found, the network that does not answer is waited for.
  const nothing = await explainedBy(() => undefined, nobodys, [], { SLUICE_RPC_SANDBOX_TWO: deaf.url })
  expect(told.ms).toBeLessThan(nothing.ms / 2)
  await deaf.close()
})

test('a transaction that is not final at the depth of --confirmations is to be explained again', async () => {
  const hash = await paid()
  const env = rpcEnvOf(sandbox)
  const at = async (depth: number) =>
    (await run(['action', 'explain', hash, '--json', '--confirmations', String(depth)], { env })).json
  expect(await at(500)).toMatchObject({
    verdict: expect.stringContaining('succeeded, not final yet'),
    next: `sluice action explain ${hash}`,
  })
  await sandbox.chain(31337).rpc.request('anvil_mine', [hexQuantity(3)])
  expect(await at(4)).toMatchObject({ verdict: expect.stringMatching(/succeeded\.$/), next: null })
})

test('a final action stays DONE if one of two endpoints has another block, and the verdict says so', async () => {
  const urls = (...some: string[]) => rpcEnvOf(sandbox, { 'sandbox-one': some.join() })
  const secrets = { privateKey: sandboxKey() }
  const line = `transfer --network sandbox-one --token USDC --to ${friend} --amount 5 --yes --json --trust-first-use --idempotency-key kept-0001`
  const { id } = (await run(line, { env: urls(url()), secrets })).json
  await sandbox.chain(31337).rpc.request('anvil_mine', ['0x1'])
  const other = await provider(url(), async ({ method, params }, ask) =>
    method === 'eth_getBlockByNumber' && params[0] !== 'latest'
      ? { result: { ...((await ask(method, params)) as object), hash: nobodys } }
      : undefined,
  )
  const at = { env: urls(other.url, url()) }
  expect((await run(`action explain ${id} --json`, at)).json).toMatchObject({
    situation: 'DONE',
    verdict: expect.stringMatching(/^The action is done and final\. \S+ and \S+ have different blocks \d+/),
    safeToRetry: false,
  })
  expect((await run(`action show ${id} --json`, at)).json).toMatchObject({ status: 'SUCCESS' })
  await other.close()
})

test('the funds of a transaction are unknown while the endpoints have different blocks at its height', async () => {
  const hash = await paid()
  const other = await provider(url(), async ({ method, params }, ask) =>
    method === 'eth_getBlockByNumber' && /^0x/.test(String(params[0]))
      ? { result: { ...((await ask(method, params)) as object), hash: nobodys } }
      : undefined,
  )
  const env = rpcEnvOf(sandbox, { 'sandbox-one': [url(), other.url].join() })
  expect((await run(['action', 'explain', hash, '--json'], { env })).json).toMatchObject({
    verdict: expect.stringContaining('have different blocks'),
    funds: 'Unknown: the nodes have different blocks at that height.',
  })
  await other.close()
})
