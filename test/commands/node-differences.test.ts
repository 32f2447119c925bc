import { afterEach, describe, expect, test } from 'vitest'
import { sandboxKey } from '../../src/sandbox/accounts.ts'
import { nodeWithPlan } from '../support/nodes/node-with-plan.ts'
import { type Provider, provider } from '../support/nodes/proxy-node.ts'
import { rpcEnvOf, useCommands } from '../support/use-commands.ts'
import { useSandbox } from '../support/use-sandbox.ts'

// Behaviour of public providers that a local node does not have.

const sandbox = useSandbox()
const { run } = useCommands(sandbox)
const open: Provider[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

/** Runs commands with a provider in front of one network; the address of the provider of sandbox-two does not look local. */
async function at(says: Provider['says'], chain: 'sandbox-one' | 'sandbox-two' = 'sandbox-one') {
  const node = await provider(sandbox.chain(chain === 'sandbox-one' ? 31337 : 31338).rpcUrl, says)
  open.push(node)
  const url = chain === 'sandbox-one' ? node.url : node.url.replace('127.0.0.1', '0.0.0.0')
  const env = { ...rpcEnvOf(sandbox, { [chain]: url }), SLUICE_PROFILE: 'engine' }
  const secrets = { privateKey: sandboxKey() }
  return { node, run: (line: string) => run(line, { env, secrets }) }
}

const deposit = 'deposit aave-v3-usdc-sandbox-one --amount 10 --yes --allow-duplicate --json'

/** A node that changes the results of one method. */
const bent =
  (method: string, bend: (result: Record<string, unknown>) => object): Provider['says'] =>
  async (call, ask) => {
    if (call.method !== method) return undefined
    const result = await ask(method, call.params)
    return { result: result && bend(result as Record<string, unknown>) }
  }

describe('receipts without a status', () => {
  test('count as success when they have events', async () => {
    const { run } = await at(
      bent('eth_getTransactionReceipt', ({ status: _, ...rest }) => ({
        ...rest,
        root: `0x${'11'.repeat(32)}`,
      })),
    )
    const { exit, json } = await run(deposit)
    expect(exit).toBe(0)
    expect((await run(`action show ${json.id} --json`)).json.status).toBe('SUCCESS')
  })

  test('without events leave the action PENDING until a status appears', async () => {
    const { run, node } = await at(
      bent('eth_getTransactionReceipt', ({ status: _, ...rest }) => ({ ...rest, logs: [] })),
    )
    const { exit, json } = await run(`${deposit} --timeout 3s`)
    expect({ exit, code: json.error.code }).toEqual({ exit: 20, code: 'PENDING' })
    node.says = () => undefined
    const resumed = await run(`action resume ${json.error.details.operation} --yes --json`)
    expect(resumed.exit).toBe(0)
  })
})

test('a node that shows a transaction in a block without its receipt is not said to lack it', async () => {
  const { run, node } = await at(({ method }) => {
    if (method === 'eth_sendRawTransactionSync') return { error: { code: -32601, message: 'not found' } }
    return method === 'eth_getTransactionReceipt' ? { result: null } : undefined
  })
  const { exit, json } = await run(`${deposit} --timeout 3s`)
  expect(exit).toBe(20)
  const { operation: id } = json.error.details
  const explained = await run(`action explain ${id} --json`)
  expect(explained.json).toMatchObject({ situation: 'NONCE_TAKEN_NOT_FINAL', safeToRetry: false })
  expect(explained.json.verdict).toMatch(/shows 0x[0-9a-f]{64} in block \d+, but has no receipt of it/)
  expect(explained.out).toContain('without a receipt')
  expect(explained.out).not.toContain('does not know')
  node.says = () => undefined
  expect((await run(`action resume ${id} --yes --json`)).exit).toBe(0)
})

test('block hashes in capital letters are equal to those in small letters', async () => {
  const { run } = await at(
    bent('eth_getTransactionReceipt', (receipt) => ({
      ...receipt,
      blockHash: `0x${String(receipt.blockHash).slice(2).toUpperCase()}`,
    })),
  )
  expect((await run(`${deposit} --timeout 1m`)).exit).toBe(0)
})

test('an endpoint that briefly lacks a block or receipt causes no reorganisation and no second send', async () => {
  let shown: unknown
  let lacking = 0
  const { run, node } = await at(async ({ method, params }, ask) => {
    if (method === 'eth_getTransactionReceipt') {
      const receipt = (await ask(method, params)) as { blockNumber: string } | null
      if (receipt && shown === undefined) shown = receipt.blockNumber
      else if (receipt?.blockNumber === shown && lacking++ < 2) return { result: null }
    }
    // The node that answers first lacks the block, the other has it without its receipts.
    return method === 'eth_getBlockByNumber' && params[0] === shown && lacking === 1
      ? { result: null }
      : undefined
  }, 'sandbox-two')
  const { exit, err } = await run(
    'transfer --token USDC --amount 1 --to 0x1234567890123456789012345678901234567890 --network sandbox-two --yes --allow-duplicate',
  )
  expect({ exit, lacking: lacking >= 2 }).toEqual({ exit: 0, lacking: true })
  expect(err).not.toMatch(/reorganisation/)
  // The second one follows if the first look comes late.
  expect(node.asked.filter((method) => method === 'eth_sendRawTransaction').length).toBeLessThanOrEqual(2)
})

test('an endpoint that lacks the approval is asked again to estimate the next step', async () => {
  let estimates = 0
  const { run } = await at(({ method }) => {
    if (method !== 'eth_estimateGas' || ![1, 2].includes(++estimates)) return undefined
    return { error: { code: 3, message: 'execution reverted: ERC20: transfer amount exceeds allowance' } }
  }, 'sandbox-two')
  const { exit, json } = await run(deposit.replace('sandbox-one', 'sandbox-two'))
  expect({ exit, code: json.error?.code, estimates }).toEqual({ exit: 0, code: undefined, estimates: 3 })
})

test('a transaction that an indexing node does not find is sent again', async () => {
  let sends = 0
  const { run } = await at(async ({ method, params }, ask) => {
    // The first transaction is lost.
    if (method === 'eth_sendRawTransaction' && sends++ === 0) return { result: `0x${'ab'.repeat(32)}` }
    if (method !== 'eth_getTransactionReceipt') return undefined
    const result = await ask(method, params)
    return result ? { result } : { error: { code: -32000, message: 'transaction indexing is in progress' } }
  })
  expect((await run(`${deposit} --timeout 1m`)).exit).toBe(0)
})

test('action explain ignores transactions without a sender in blocks', async () => {
  const strange = { hash: `0x${'77'.repeat(32)}`, from: null, type: '0x7f' }
  const blocks = bent('eth_getBlockByNumber', ({ transactions, ...rest }) => ({
    ...rest,
    transactions: (transactions as unknown[]).flatMap((one) =>
      typeof one === 'string' ? [one] : [strange, one],
    ),
  }))
  const { run, node } = await at((call, ask) =>
    call.method === 'eth_getTransactionReceipt' ? { result: null } : blocks(call, ask),
  )
  const { exit, json } = await run(`${deposit} --timeout 3s`)
  expect(exit).toBe(20)
  node.says = blocks
  expect((await run(`action explain ${json.error.details.operation} --json`)).exit).toBe(0)
})

test('a node that lacks the block of a transaction leaves the action MINED_NOT_FINAL', async () => {
  const { run, node } = await at(() => undefined)
  const { json } = await run(`${deposit} --confirmations 9 --timeout 3s`)
  const { operation: id } = json.error.details
  const block = Number(await sandbox.chain(31337).rpc.request('eth_blockNumber'))
  node.says = ({ method, params }) =>
    method === 'eth_getTransactionReceipt' || Number(params[0]) === block ? { result: null } : undefined
  expect((await run(`action explain ${id} --json`)).json).toMatchObject({
    situation: 'MINED_NOT_FINAL',
    verdict: expect.stringMatching(
      /was in block \d+ of sandbox-one\. The node that answers now does not have that block/,
    ),
    funds: 'According to the journal, 10 USDC may have left the wallet '.concat(
      sandbox.user.address,
      ', or may leave it at any time.',
    ),
    next: `sluice action explain ${id}`,
  })
})

test('at nodes of 15 calls a second every command passes, and --debug shows the plan that an earlier command learned', async () => {
  const words = '15/second request limit reached - reduce calls per second or upgrade your plan'
  const urls: Record<string, string> = {}
  const nodes = []
  for (const { network, rpcUrl } of sandbox.world.chains) {
    const node = await nodeWithPlan(15, { target: rpcUrl, how: 'status', words })
    nodes.push(node)
    urls[network.name] = node.url
  }
  try {
    const env = { ...rpcEnvOf(sandbox, urls), SLUICE_PROFILE: 'engine' }
    const go = (line: string) => run(line, { env, secrets: { privateKey: sandboxKey() } })
    for (const line of [
      deposit,
      'withdraw aave-v3-usdc-sandbox-one --amount 1 --yes --allow-duplicate --json',
      'transfer --token USDC --amount 1 --to 0x1234567890123456789012345678901234567890 --network sandbox-one --yes --allow-duplicate --json',
      'wallet show --json',
      'history aave-v3-usdc-sandbox-one --json',
      'doctor --json',
    ]) {
      const { exit, out, err, json } = await go(line)
      expect({ line, exit, missing: json.missing ?? [] }, out + err).toEqual({ line, exit: 0, missing: [] })
    }
    const { err } = await go('wallet show --debug')
    expect(err).toMatch(
      /^rpc 127\.0\.0\.1:\d+ allows about 15 calls a second, as an earlier command learned: /m,
    )
  } finally {
    for (const node of nodes) await node.close()
  }
})

test.each([
  ['the type of the transaction', 'transaction type not supported'],
  ['the type, in other words', 'invalid transaction type 2: only legacy transactions are accepted'],
  ['the cap of the node', 'tx fee (1.10 ether) exceeds the configured cap (1.00 ether)'],
  ['the policy of the provider', 'transaction rejected by the policy of this provider'],
  ['a used-up quota', 'daily request count exceeded, request rate limited'],
  ['a used-up quota, in other words', 'Monthly quota exceeded. Upgrade your plan'],
])('a refusal for good (%s) ends a transfer early, with the words of the node', async (_, message) => {
  const { run, node } = await at(({ method }) =>
    method === 'eth_sendRawTransaction' ? { error: { code: -32005, message } } : undefined,
  )
  const { exit, out, json } = await run(
    'transfer --token USDC --amount 1 --to 0x1234567890123456789012345678901234567890 --network sandbox-one --yes --allow-duplicate --json',
  )
  expect({ exit, code: json.error.code }, out).toEqual({ exit: 20, code: 'PENDING' })
  expect(json.error.message).toContain(message)
  expect(json.error.hint).toMatch(
    /^(Set another RPC in SLUICE_RPC_SANDBOX_ONE, then: )?sluice action \w+ \S+/,
  )
  // The second one follows if the first look comes late.
  expect(node.asked.filter((method) => method === 'eth_sendRawTransaction').length).toBeLessThanOrEqual(2)
})
