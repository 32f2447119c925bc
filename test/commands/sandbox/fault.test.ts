import { describe, expect, test } from 'vitest'
import { httpRpc } from '../../../src/chain/rpc/failover.ts'
import type { Hex } from '../../../src/domain/address.ts'
import { faultKinds } from '../../../src/domain/sandbox-fault.ts'
import { useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, attempts } = useCommands(sandbox)
const friend = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const node = () => sandbox.chain(31337).rpc
/** An RPC client on the URL that commands use, with the active faults. */
const reached = () => httpRpc(sandbox.world.faults.urlOf(31337), { deadlineMs: 1_000, retries: 0 })
const head = async () => Number(await node().request('eth_blockNumber'))
const fault = async (line: string) => {
  const set = await run(`sandbox fault ${line} --json`)
  expect(set).toMatchObject({ exit: 0 })
  return set.json
}
const transfer = (...more: string[]) =>
  run(
    [
      `transfer --network sandbox-one --token USDC --to ${friend} --amount 5 --yes --json`.split(' '),
      more,
    ].flat(),
  )
const got = () => sandbox.balanceOf(31337, sandbox.token(31337, 'USDC').address, friend)
const pool = () => {
  const { constants } = sandbox.strategy('aave-v3-USDC-sandbox-one')
  if (constants.family !== 'aave-v3') throw new Error('an Aave strategy was expected')
  return constants.pool
}
const deposit = () => run('deposit aave-v3-usdc-sandbox-one --amount 2 --yes --json')

describe('sandbox fault with invalid arguments', () => {
  test('refuses an unknown fault and lists all faults', async () => {
    const refused = await run('sandbox fault gremlins --json')
    expect(refused).toMatchObject({ exit: 2, json: { error: { code: 'USAGE' } } })
    for (const kind of Object.keys(faultKinds)) expect(refused.json.error.hint).toContain(kind)
    expect(await run('sandbox fault bridge refunded --json')).toMatchObject({
      exit: 2,
      json: { error: { hint: 'A similar fault: sluice sandbox fault bridge-unfilled' } },
    })
  })

  test.each([
    'stop-mining 3',
    'stop-mining --times 2',
    'revert',
    'revert nobody',
    'reorg 0',
    'reorg x',
    'reorg 100000',
    'rpc-slow 3',
    'rpc-502 --times 0',
    'bridge-short 100',
    'drop-waiting first',
    'rpc-502 --reason no',
    'clear --network sandbox-one',
  ])('refuses %s with a hint and sets no fault', async (line) => {
    const refused = await run(`sandbox fault ${line} --json`)
    expect(refused).toMatchObject({ exit: 2, json: { error: { hint: expect.any(String) } } })
    expect(sandbox.world.faults.list()).toEqual([])
  })

  test('refuses an unknown network and an address without a contract', async () => {
    expect(await run('sandbox fault rpc-502 --network base --json')).toMatchObject({ exit: 2 })
    expect(await run(`sandbox fault revert ${friend} --json`)).toMatchObject({
      exit: 2,
      json: { error: { message: `There is no contract at ${friend}` } },
    })
  })
})

test('active faults are listed, named by sandbox status and every other command, and removed by clear', async () => {
  expect(await run('sandbox fault')).toMatchObject({ exit: 0, out: '', err: 'No active faults.\n' })
  expect(await fault('stop mining --network sandbox-one')).toMatchObject({
    kind: 'stop-mining',
    network: 'sandbox-one',
    text: 'mining stopped on sandbox-one',
  })
  await fault('bridge stuck')
  const texts = ['mining stopped on sandbox-one', 'the bridge attests nothing']
  expect((await run('sandbox fault --json')).json.items.map(({ text }: { text: string }) => text)).toEqual(
    texts,
  )
  expect((await run('sandbox fault')).out).toMatch(/stop-mining +sandbox-one +mining stopped on sandbox-one/)
  expect((await run('sandbox status --json')).json.faults).toMatchObject([
    { kind: 'stop-mining' },
    { kind: 'bridge-stuck' },
  ])
  expect((await run('sandbox status')).out).toContain('fault mining stopped on sandbox-one')
  const other = await run('strategies list')
  expect(other).toMatchObject({ exit: 0 })
  for (const text of texts) expect(other.err).toContain(`sandbox fault: ${text}\n`)
  expect((await run('strategies list --quiet')).err).toBe('')
  expect(await run('sandbox fault clear')).toMatchObject({
    exit: 0,
    out: '',
    err: 'Cleared: stop-mining, bridge-stuck\n',
  })
  expect((await run('sandbox fault clear --json')).json.items).toEqual([])
  expect((await run('sandbox fault clear')).err).toBe('No active faults.\n')
  expect((await run('strategies list')).err).not.toContain('sandbox fault')
})

describe('chain faults', () => {
  test('stop-mining leaves a transfer pending until the fault is cleared', async () => {
    await fault('stop-mining')
    const [before, at] = [await got(), await head()]
    expect(await transfer('--timeout', '1500ms')).toMatchObject({ exit: 20 })
    expect(await head()).toBe(at)
    expect(await run('sandbox fund 0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC --json')).toMatchObject({
      exit: 2,
    })
    await run('sandbox fault clear')
    expect(await head()).toBeGreaterThan(at)
    expect((await got()) - before).toBe(5_000000n)
  })

  test('stop-mining delays the delivery of a bridge until the fault is cleared', async () => {
    await fault('stop-mining --network sandbox-two')
    const { address } = sandbox.token(31338, 'USDC')
    const held = () => sandbox.balanceOf(31338, address, sandbox.user.address)
    const before = await held()
    const line =
      'swap execute --from sandbox-one --to sandbox-two --token-in USDC --token-out USDC --amount-in 7 --speed standard --yes --json'
    expect(await run(`${line} --timeout 3s`)).toMatchObject({ exit: 20 })
    // Setting a fault pauses the bridge relayer, which must not wait for the halted chain.
    await fault('rpc-502 --method nothing')
    const { pending } = await sandbox.chain(31338).rpc.request<{ pending: string }>('txpool_status')
    expect(pending).toBe('0x0')
    await run('sandbox fault clear')
    await expect.poll(held, { interval: 20 }).toBe(before + 7_000000n)
  })

  test('reorg undoes a payment, and repeating it with its key pays once without a second signature', async () => {
    for (let at = 0; at < 3; at++) await node().request('evm_mine')
    const before = await got()
    const key = ['--idempotency-key', 'reorged-0001']
    await transfer(...key)
    const at = await head()
    await fault('reorg 2 --network sandbox-one')
    expect(await head()).toBe(at)
    expect(await got()).toBe(before)
    const again = await transfer(...key)
    expect(again).toMatchObject({ exit: 0, json: { replayed: false } })
    expect(again.err).not.toContain('is not the one')
    expect(attempts()).toBe(1)
    expect((await got()) - before).toBe(5_000000n)
  })

  test('revert and out-of-gas fail only the next transaction to the contract', async () => {
    await fault(`revert ${pool()} --reason 29`)
    expect(await deposit()).toMatchObject({ exit: 22, json: { error: { code: 'REVERTED' } } })
    expect((await run('sandbox fault --json')).json.items).toEqual([])
    expect(await deposit()).toMatchObject({ exit: 0 })
    await fault(`out-of-gas ${pool()}`)
    expect(await deposit()).toMatchObject({ exit: 22, json: { error: { code: 'REVERTED' } } })
    expect(await deposit()).toMatchObject({ exit: 0 })
  })

  test('stale-quote expires existing quotes for good, and later quotes are valid', async () => {
    const line = 'swap quote --from sandbox-one --token-in USDC --token-out USDT --amount-in 10 --json'
    const { id } = (await run(line)).json
    await fault('stale-quote')
    expect(await run(`swap execute ${id} --yes --json`)).toMatchObject({
      exit: 4,
      json: { error: { code: 'QUOTE_EXPIRED' } },
    })
    expect(attempts()).toBe(0)
    // The old quote stays expired; a quote requested after the fault is valid.
    await run('sandbox fault clear')
    expect((await run(`swap status ${id} --json`)).json.status).toBe('expired')
    expect(await run(`swap execute ${id} --yes --json`)).toMatchObject({ exit: 4 })
    const { id: next } = (await run(line)).json
    const again = await run(`swap execute ${next} --yes --json`)
    expect(again).toMatchObject({ exit: 0 })
  })

  test('stale-quote during a half-signed swap: resume signs the rest with a new quote', async () => {
    const swap =
      'swap execute --from sandbox-one --token-in USDC --token-out USDT --amount-in 10 --yes --json'
    const { id } = (await run(`${swap} --no-wait`)).json.error.details
    await fault('stale-quote')
    await run('sandbox fault clear')
    // The approval is signed: status must not report the swap as unsent, which would invite a duplicate.
    expect(await run(`swap status ${id} --watch --json`)).toMatchObject({ exit: 21 })
    const done = await run(['action', 'resume', id, '--json'])
    expect(done.err).toContain('The quote expired. A new quote with no lower output')
    expect(done).toMatchObject({ exit: 0 })
    // The swap paid with the new quote is found by the old ID and by its own ID.
    const status = await run(`swap status ${id} --json`)
    const { hash } = done.json.transactions.at(-1)
    expect(status).toMatchObject({ exit: 0, json: { status: 'fulfilled', originTxHash: hash } })
    expect(await run(`swap status ${status.json.id} --json`)).toMatchObject({ json: status.json })
    expect((await run(`swap status ${id} --watch --json`)).exit).toBe(0)
  })

  test('stale-quote with a refused new quote: resume names the reason and suggests replan', async () => {
    const swap =
      'swap execute --from sandbox-one --token-in USDC --token-out USDT --amount-in 10 --provider kyberswap --yes --json'
    const { id } = (await run(`${swap} --no-wait`)).json.error.details
    await fault('stale-quote')
    await run('sandbox fault clear')
    const { exit, json } = await run(['action', 'resume', id, '--json'])
    expect({ exit, ...json.error }).toMatchObject({
      exit: 21,
      message: expect.stringMatching(/A new quote is refused: .*--max-price-impact/),
      details: { refused: 'POLICY_PRICE_IMPACT' },
      hint: `sluice action replan ${id}`,
    })
  })
})

describe('transaction faults', () => {
  test('drop loses as many sent transactions as --times says', async () => {
    await fault('drop --times 1')
    const before = await got()
    const sent = await transfer('--no-wait')
    expect(sent).toMatchObject({ exit: 20 })
    expect(await got()).toBe(before)
    expect((await run('sandbox fault --json')).json.items).toEqual([])
    expect(await run(['action', 'resume', sent.json.error.details.id, '--json'])).toMatchObject({ exit: 0 })
    expect((await got()) - before).toBe(5_000000n)
  })

  test('delay holds a transaction until the fault is cleared, or for the given time', async () => {
    const before = await got()
    await fault('delay --times 1')
    expect(await transfer('--no-wait')).toMatchObject({ exit: 20 })
    expect(await got()).toBe(before)
    await fault('delay 300ms')
    await run('sandbox fault clear')
    while ((await got()) === before) await new Promise((resolve) => setTimeout(resolve, 10))
    await fault('delay 1s')
    const begun = performance.now()
    expect(await transfer('--no-wait')).toMatchObject({ exit: 20 })
    const sum = (await got()) - before
    // A slow machine may read the balance after the delay.
    if (performance.now() - begun < 1_000) expect(sum).toBe(5_000000n)
    // While a node mines, it may show the balance after the block and then the one before it.
    await expect.poll(got, { interval: 10 }).toBe(before + 10_000000n)
  })

  test('drop-waiting removes all pending transactions, or one by its nonce', async () => {
    await fault('stop-mining')
    const from = sandbox.user.address
    const nonce = Number(await node().request('eth_getTransactionCount', [from, 'latest']))
    for (const value of ['0x1', '0x2', '0x3'])
      await node().request('eth_sendTransaction', [{ from, to: friend, value }])
    const waiting = async () => {
      const { pending, queued } = await node().request<Record<'pending' | 'queued', Hex>>('txpool_status')
      return Number(pending) + Number(queued)
    }
    await fault(`drop-waiting ${nonce + 1} --network sandbox-one`)
    expect(await waiting()).toBe(2)
    await fault('drop-waiting')
    expect(await waiting()).toBe(0)
  })
})

describe('node faults', () => {
  test.each([
    ['rpc-502', { code: 'RPC_UNREACHABLE', details: { status: 502 } }],
    ['rpc-429 3s', { code: 'RPC_UNREACHABLE', details: { status: 429, retryAfterMs: 3_000 } }],
    ['rpc-down', { code: 'RPC_UNREACHABLE', details: { fault: 'unreachable' } }],
    ['rpc-hang', { code: 'RPC_UNREACHABLE', details: { fault: 'deadline' } }],
    ['rpc-slow 5s', { code: 'RPC_UNREACHABLE', details: { fault: 'deadline' } }],
  ])('%s affects only the method of --method, until the fault is cleared', async (line, error) => {
    await fault(`${line} --method eth_blockNumber`)
    const rpc = reached()
    await expect(rpc.request('eth_blockNumber')).rejects.toMatchObject(error)
    expect(await rpc.request('eth_chainId')).toBe('0x7a69')
    await run('sandbox fault clear')
    expect(Number(await rpc.request('eth_blockNumber'))).toBe(await head())
  })

  test('rpc-slow delays a correct answer', async () => {
    await fault('rpc-slow 50ms')
    expect(Number(await reached().request('eth_blockNumber'))).toBe(await head())
  })

  test('rpc-wrong-chain makes a transfer exit 7 without signing', async () => {
    await fault('rpc-wrong-chain --network sandbox-one')
    expect(await transfer()).toMatchObject({ exit: 7, json: { error: { code: 'CHAIN_ID_MISMATCH' } } })
    expect(attempts()).toBe(0)
  })

  test.each([
    'strategies list',
    'strategies show aave-v3-usdc-sandbox-one',
    'yield recommend USDC',
    'wallet show',
    'history aave-v3-usdc-sandbox-one',
    'swap quote --from sandbox-one --token-in USDC --token-out WETH --amount-in 1',
    'doctor',
  ])('rpc-wrong-chain is an error of %s, or its network is missing with the reason', async (line) => {
    await fault('rpc-wrong-chain --network sandbox-one')
    const { exit, out, err, json } = await run(`${line} --json`)
    const code = json.error?.code
    if (exit === 0 && json.missing) expect(json.missing).toEqual(['sandbox-one'])
    else if (exit === 0) expect(err).toContain('sandbox-one')
    else expect({ exit, code }, out).toEqual({ exit: 7, code: 'CHAIN_ID_MISMATCH' })
    expect(out + err).toMatch(/is on chain 1, not 31337/)
  })

  test('rpc-head-back returns an old head, and a transfer refuses it as inconsistent', async () => {
    for (let at = 0; at < 6; at++) await node().request('evm_mine')
    await transfer()
    await fault('rpc-head-back 5')
    expect(Number(await reached().request('eth_blockNumber'))).toBe((await head()) - 5)
    const before = attempts()
    expect(await transfer()).toMatchObject({ exit: 7, json: { error: { code: 'RPC_INCONSISTENT' } } })
    expect(attempts()).toBe(before)
  })

  test('a transfer pays once under rpc-lost-request and rpc-lost-answer', async () => {
    for (const kind of ['rpc-lost-request', 'rpc-lost-answer']) {
      const before = await got()
      await fault(`${kind} --times 1`)
      expect(await transfer()).toMatchObject({ exit: 0 })
      expect((await got()) - before).toBe(5_000000n)
    }
  })

  test('a chain without a node fault is reached directly, without the proxy', async () => {
    const { rpcUrl } = sandbox.chain(31337)
    await fault('stop-mining')
    expect(sandbox.world.faults.urlOf(31337)).toBe(rpcUrl)
    await fault('rpc-502 --network sandbox-two')
    expect(sandbox.world.faults.urlOf(31337)).toBe(rpcUrl)
    expect(sandbox.world.faults.urlOf(31338)).not.toBe(sandbox.chain(31338).rpcUrl)
    await run('sandbox fault clear')
    expect(sandbox.world.faults.urlOf(31338)).toBe(sandbox.chain(31338).rpcUrl)
  })
})

describe('USDC faults', () => {
  test('usdc-paused blocks a deposit with the reason, until the fault is cleared', async () => {
    await fault('usdc-paused --network sandbox-one')
    const refused = await deposit()
    expect(refused).toMatchObject({ exit: 10, json: { error: { code: 'SIMULATION_REVERTED' } } })
    expect(refused.json.error.message).toContain('the token is paused by its issuer (Pausable: paused)')
    expect((await run('sandbox fault clear --json')).json.items).toEqual([])
    expect((await deposit()).exit).toBe(0)
  })

  test('usdc-blacklisted blocks transfers to or from that wallet only, until the fault is cleared', async () => {
    expect((await fault(`usdc-blacklisted ${friend}`)).text).toBe(`USDC is blacklisted for ${friend}`)
    const refused = await transfer()
    expect(refused).toMatchObject({ exit: 10, json: { error: { code: 'SIMULATION_REVERTED' } } })
    expect(refused.json.error.message).toContain('has blacklisted the sender or the recipient')
    expect((await deposit()).exit).toBe(0)
    await fault('usdc-blacklisted')
    expect((await deposit()).exit).toBe(10)
    await run('sandbox fault clear --json')
    expect((await transfer()).exit).toBe(0)
  })
})

test('services-slow: a quote stops at its deadline and names the providers that returned nothing', async () => {
  await fault('services-slow 20s')
  const line = 'swap quote --from sandbox-one --token-in USDC --token-out WETH --amount-in 1000 --json'
  const quoted = await run(`${line} --compare`, { env: { SLUICE_QUOTE_DEADLINE: '1' } })
  expect(quoted.exit).toBe(0)
  const noteOf = (name: string) =>
    quoted.json.items.find(({ provider }: { provider: string }) => provider === name).lost
  expect([noteOf('kyberswap'), noteOf('cow')]).toEqual(Array(2).fill('returned no quote in time'))
  // When every provider of a route depends on a slow service, the error names the services, not the nodes.
  const far = 'swap quote --from sandbox-one --to sandbox-two --token-in USDC --token-out USDC --amount-in 10'
  expect(await run(`${far} --json`, { env: { SLUICE_QUOTE_DEADLINE: '1' } })).toMatchObject({
    exit: 6,
    json: {
      error: { code: 'PROVIDER_API_ERROR', message: expect.stringMatching(/services of cctp, across/) },
    },
  })
  expect(await run('sandbox fault clear --json')).toMatchObject({ exit: 0 })
})
