import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { keccak256, parseTransaction } from 'viem/utils'
import { describe, expect, test } from 'vitest'
import { engineOn } from '../../support/engine.ts'
import { provider } from '../../support/nodes/proxy-node.ts'
import { untilPoolChanges } from '../../support/nodes/until-pool-changes.ts'
import { startHostileService } from '../../support/services/hostile-service.ts'
import { rpcEnvOf, useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, attempts, home } = useCommands(sandbox)
const friend = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const deposit = (...more: string[]) =>
  run(['deposit', 'aave-v3-usdc-sandbox-one', '--amount', '2', '--yes', '--json', ...more])
const transfer = (...more: string[]) =>
  run([
    'transfer',
    '--network',
    'sandbox-one',
    '--token',
    'USDC',
    '--to',
    friend,
    '--amount',
    '5',
    '--yes',
    '--json',
    ...more,
  ])
const rpc = () => sandbox.chain(31337).rpc
const got = () => sandbox.balanceOf(31337, sandbox.token(31337, 'USDC').address, friend)
const nextNonce = async () =>
  Number(await rpc().request('eth_getTransactionCount', [sandbox.user.address, 'latest']))

/** Sends a transfer that stays pending because no blocks are mined; returns its ID. */
const waiting = async () => {
  await rpc().request('evm_setAutomine', [false])
  const sent = await transfer('--no-wait')
  expect(sent).toMatchObject({ exit: 20 })
  return (sent.json as { error: { details: { id: string } } }).error.details.id
}
const mining = () => rpc().request('evm_setAutomine', [true])
/** Runs a command, and mines a block after it has sent one more transaction. */
const mined = async (line: readonly string[]) => {
  const { started } = await untilPoolChanges(rpc(), () => run(line))
  await rpc().request('evm_mine')
  await mining()
  return started
}

describe('speed-up and cancel of a pending transfer', () => {
  test('on a dead node say what they did not do, name the node, and are the next step themselves', async () => {
    const id = await waiting()
    await run('sandbox fault rpc-down --json')
    const dead = 'The node at [\\d.:]+ cannot be reached'
    for (const [verb, message] of [
      ['speed-up', `^Signed and sent, not final yet\\. ${dead}$`],
      ['abandon', `^${id} has signed transactions, and this command did not close it: ${dead}$`],
      ['watch', `^${id} has signed transactions, and this command could not follow it: ${dead}$`],
    ] as const) {
      const more = verb === 'speed-up' ? ['--no-wait'] : []
      const { exit, json } = await run(['action', verb, id, ...more, '--yes', '--json'])
      expect({ exit, message: json.error.message, next: json.error.next.at(-1).command }).toEqual({
        exit: 20,
        message: expect.stringMatching(message),
        next: `sluice action ${verb} ${id}${verb === 'abandon' ? ' --yes' : ''}`,
      })
      expect(json.error.details).toMatchObject({ operation: id })
      expect(json.error.hint).not.toContain('<NETWORK>')
    }
    await run('sandbox fault clear --json')
    expect(await mined(['action', 'speed-up', id, '--json'])).toMatchObject({ exit: 0 })
  })

  test('speed-up signs a replacement, and the transfer pays once', async () => {
    const before = await got()
    const id = await waiting()
    const done = await mined(['action', 'speed-up', id, '--json'])
    expect(done).toMatchObject({ exit: 0, json: { status: 'SUCCESS', finality: 'depth 1' } })
    expect((await got()) - before).toBe(5_000000n)
  })

  test('cancel exits 24 and pays nothing, and resume reports the same afterwards', async () => {
    const before = await got()
    const id = await waiting()
    expect(await mined(['action', 'cancel', id, '--yes', '--json'])).toMatchObject({
      exit: 24,
      json: {
        error: { code: 'CANCELLED', details: { action: { transactions: [{ status: 'cancelled' }] } } },
      },
    })
    expect(await run(['action', 'resume', id, '--json'])).toMatchObject({ exit: 24 })
    expect(await run(['action', 'show', id, '--json'])).toMatchObject({ exit: 0, json: { status: 'FAILED' } })
    expect(await got()).toBe(before)
    const file = join(home(), 'cancelled.json')
    expect(await run(['action', 'export', id, '--out', file])).toMatchObject({ exit: 0 })
    const verified = await run(['action', 'verify', file])
    expect(verified).toMatchObject({ exit: 0 })
    expect(verified.out).toMatch(/^✗ 0x\w{64} {2}confirmed it was cancelled, as the evidence says$/m)
  })

  test('cancel without --yes reports PENDING and signs nothing', async () => {
    const id = await waiting()
    const before = attempts()
    expect(await run(['action', 'cancel', id, '--json'])).toMatchObject({
      exit: 20,
      json: { error: { code: 'PENDING', details: { cause: 'PROMPT_NEEDED' } } },
    })
    expect(attempts()).toBe(before)
    await mining()
    await rpc().request('evm_mine')
  })
})

describe('speed-up and cancel without a pending transaction', () => {
  test('sign nothing and report the state of the action', async () => {
    const { json } = await transfer('--idempotency-key', 'done-before-1')
    const { id } = json as { id: string }
    const before = attempts()
    expect(await run(['action', 'speed-up', id, '--json'])).toMatchObject({
      exit: 0,
      json: { replayed: true },
    })
    const half = await deposit('--no-wait')
    const halfId = (half.json as { error: { details: { id: string } } }).error.details.id
    // The approval is mined by now: nothing is left to cancel, and nothing more is signed.
    expect(await run(['action', 'cancel', halfId, '--yes', '--json'])).toMatchObject({ exit: 21 })
    expect(attempts()).toBe(before + 1)
    expect(await run(['action', 'speed-up', 'nobody', '--json'])).toMatchObject({ exit: 4 })
  })
})

describe('--confirmations', () => {
  test('waits for that many blocks, which the sandbox mines on demand', async () => {
    const done = await transfer('--confirmations', '4')
    expect(done).toMatchObject({ exit: 0, json: { finality: 'depth 4' } })
    const { transactions } = done.json as { transactions: { blockNumber: number }[] }
    expect(Number(await rpc().request('eth_blockNumber'))).toBeGreaterThanOrEqual(
      transactions[0]!.blockNumber + 3,
    )
  })

  test.each(['0', '-1', '1.5', 'deep', '99999'])('refuses %s', async (text) => {
    const before = attempts()
    expect(await transfer(`--confirmations=${text}`)).toMatchObject({ exit: 2 })
    expect(attempts()).toBe(before)
  })
})

describe('--nonce', () => {
  test('pins the nonce of the first transaction, given alone or with a network', async () => {
    const nonce = await nextNonce()
    expect(await deposit('--nonce', `sandbox-one=${nonce}`)).toMatchObject({
      exit: 0,
      json: { transactions: [{ nonce }, { nonce: nonce + 1 }] },
    })
    expect(await transfer('--nonce', String(nonce + 2))).toMatchObject({ exit: 0 })
  })

  test('refuses a used nonce and signs nothing', async () => {
    const nonce = await nextNonce()
    await transfer()
    const before = attempts()
    expect(await deposit('--nonce', String(nonce))).toMatchObject({
      exit: 23,
      json: { error: { code: 'NONCE_USED' } },
    })
    expect(attempts()).toBe(before)
  })

  test('refuses a nonce for a network without a transaction, and signs nothing', async () => {
    const before = attempts()
    expect(await transfer('--nonce', 'sandbox-two=99')).toMatchObject({
      exit: 2,
      json: { error: { code: 'USAGE', hint: '--nonce sandbox-one=N' } },
    })
    expect(await deposit(`--nonce=sandbox-one=${await nextNonce()}`, '--nonce', '31338=99')).toMatchObject({
      exit: 2,
    })
    expect(attempts()).toBe(before)
  })

  test('of the destination chain alone does not replace the idempotency key', async () => {
    const swap =
      'swap execute --from sandbox-one --to sandbox-two --token-in USDC --token-out USDC --amount-in 5'
    const service = await startHostileService(engineOn(sandbox).service, 'key-12345')
    const before = attempts()
    try {
      const real = {
        env: { ...rpcEnvOf(sandbox), SLUICE_BASE_URL: service.url },
        secrets: { privateKey: sandbox.user.key, apiKey: 'key-12345' },
      }
      expect(await run(`${swap} --yes --json --nonce sandbox-two=99`, real)).toMatchObject({
        exit: 2,
        json: { error: { code: 'IDEMPOTENCY_KEY_REQUIRED' } },
      })
    } finally {
      await service.stop()
    }
    expect(attempts()).toBe(before)
  })

  test('refuses a nonce that leaves a gap, and suggests the next nonce', async () => {
    const nonce = await nextNonce()
    expect(await transfer('--nonce', String(nonce + 5))).toMatchObject({
      exit: 10,
      json: { error: { code: 'NONCE_GAP', hint: `--nonce ${nonce}` } },
    })
    expect((await run('action list --json')).json.items).toEqual([])
  })

  test('in a dry run warns of a gap or a used nonce, and submit refuses the gap', async () => {
    const nonce = await nextNonce()
    const gap = await transfer('--dry-run', '--nonce', String(nonce + 5))
    expect(gap).toMatchObject({ exit: 0, json: { nonce: nonce + 5 } })
    expect(gap.err).toContain(`Nonce ${nonce + 5} is too high`)
    const file = join(home(), 'plan.json')
    const made = await transfer('--dry-run')
    expect(made.err).not.toContain('Nonce')
    writeFileSync(file, gap.out)
    expect(await run(`action submit ${file} --yes --json`)).toMatchObject({
      exit: 10,
      json: { error: { code: 'NONCE_GAP', hint: expect.not.stringContaining('--nonce') } },
    })
    writeFileSync(file, made.out)
    expect((await transfer()).exit).toBe(0)
    const late = await run(`action submit ${file} --dry-run --json`)
    expect(late.exit).toBe(0)
    expect(late.err).toContain(`Nonce ${nonce} of ${sandbox.user.address} is used already`)
  })

  test.each(['x', '1e3', '-1', 'nowhere=3', 'sandbox-one='])('refuses the value %s', async (text) => {
    expect(await transfer(`--nonce=${text}`)).toMatchObject({ exit: 2 })
  })
})

describe('--pipeline', () => {
  test('signs an approval and a deposit', async () => {
    const done = await deposit('--pipeline')
    expect(done).toMatchObject({
      exit: 0,
      json: { status: 'SUCCESS', transactions: [{ kind: 'approve' }, { kind: 'deposit' }] },
    })
  })

  test('sends both transactions in nonce order, and resends the one that the node refused', async () => {
    const sent: string[] = []
    let refusals = 1
    const node = await provider(sandbox.world.faults.urlOf(31337), ({ method, params }) => {
      if (method !== 'eth_sendRawTransaction') return undefined
      sent.push(params[0] as string)
      return refusals-- > 0 ? { error: { code: -32000, message: 'txpool is full' } } : undefined
    })
    const env = rpcEnvOf(sandbox, { 'sandbox-one': node.url })
    const line = 'deposit aave-v3-usdc-sandbox-one --amount 4 --yes --json --pipeline --allow-duplicate'
    const done = await run(line, { env, secrets: { privateKey: sandbox.user.key } })
    await node.close()
    expect(done.exit, done.err).toBe(0)
    expect(done.json).toMatchObject({ status: 'SUCCESS' })
    const nonces = sent.map((raw) => parseTransaction(raw as `0x${string}`).nonce!)
    // Both transactions first, then the refused one again; on a slow machine the other one too, for it waits behind the first.
    expect(nonces.slice(0, 3)).toEqual([nonces[0], nonces[0]! + 1, nonces[0]])
    const hashes = done.json.transactions.map(({ hash }: { hash: string }) => hash)
    expect(hashes).toEqual([...new Set(sent.map((raw) => keccak256(raw as `0x${string}`)))])
  })

  test('signs the deposit after the approval is mined on a node without eth_simulateV1', async () => {
    await rpc().request('evm_setAutomine', [false])
    await rpc().request('evm_setIntervalMining', [1])
    const node = await provider(sandbox.world.faults.urlOf(31337), ({ method }) =>
      method === 'eth_simulateV1' ? { error: { code: -32601, message: 'Method not found' } } : undefined,
    )
    const env = rpcEnvOf(sandbox, { 'sandbox-one': node.url })
    const line =
      'deposit aave-v3-usdc-sandbox-one --amount 4 --yes --json --pipeline --trust-first-use --allow-duplicate'
    const done = await run(line, { env, secrets: { privateKey: sandbox.user.key } })
    await node.close()
    await rpc().request('evm_setIntervalMining', [0])
    await mining()
    expect(done, done.err).toMatchObject({ exit: 0, json: { status: 'SUCCESS' } })
    const [approval, supply] = done.json.transactions
    expect(supply.blockNumber).toBeGreaterThan(approval.blockNumber)
  })
})

describe('evidence of action export', () => {
  const made = async () => ((await deposit()).json as { id: string }).id

  test('is written for its owner only, contains no signed bytes, and is confirmed by the chain', async () => {
    const id = await made()
    const file = join(home(), 'case.json')
    expect(await run(['action', 'export', id, '--out', file, '--json'])).toMatchObject({
      exit: 0,
      json: { id },
    })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(file, 'utf8')).not.toMatch(/0x02f8[0-9a-f]{100}/)
    expect(await run(['action', 'verify', file, '--json'])).toMatchObject({
      exit: 0,
      json: { id, transactions: [{ verdict: 'confirmed' }, { verdict: 'confirmed' }] },
    })
    expect(await run(['action', 'export', id, '--out', file, '--json'])).toMatchObject({ exit: 2 })
  })

  test('is rejected when it was changed, is not evidence or is missing', async () => {
    const id = await made()
    const { out } = await run(['action', 'export', id, '--json'])
    const file = join(home(), 'changed.json')
    writeFileSync(file, out.replace('"kind":"deposit"', '"kind":"withdraw"'))
    expect(await run(['action', 'verify', file, '--json'])).toMatchObject({
      exit: 4,
      json: { error: { code: 'EVIDENCE_CHANGED' } },
    })
    writeFileSync(file, 'nonsense')
    expect(await run(['action', 'verify', file, '--json'])).toMatchObject({ exit: 2 })
    expect(await run(['action', 'verify', join(home(), 'missing'), '--json'])).toMatchObject({ exit: 2 })
  })

  test('is also exported as an HTML page that verify accepts', async () => {
    const id = await made()
    const file = join(home(), 'case.html')
    expect(await run(['action', 'export', id, '--html', '--out', file])).toMatchObject({ exit: 0 })
    expect(readFileSync(file, 'utf8')).toMatch(/^<!doctype html>/)
    expect(await run(['action', 'verify', file, '--json'])).toMatchObject({ exit: 0 })
  })
})
