import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { ChainClient } from '../../src/chain/chain-client.ts'
import { httpRpc } from '../../src/chain/rpc/failover.ts'
import type { Address, Hex } from '../../src/domain/address.ts'
import { sandboxAddress, sandboxKey } from '../../src/sandbox/accounts.ts'
import { startFaultyRpc } from '../support/nodes/faulty-rpc.ts'
import {
  attemptsIn,
  type Program,
  type ProgramHome,
  programHome,
  spawnSluice,
  startSluice,
} from '../support/spawn-program.ts'
import type { Document } from '../support/use-commands.ts'
import { calldata } from '../support/use-sandbox.ts'

const wallet = sandboxAddress()
const place = 'aave-v3-usdc-sandbox-one'
let at: ProgramHome
let rpc: ChainClient
let usdc: Address
let nodeUrl: string

const sluice = (...args: string[]) => spawnSluice(at.home, args)
const held = async (): Promise<bigint> =>
  BigInt(
    await rpc.request<Hex>('eth_call', [
      { to: usdc, data: calldata('function balanceOf(address) view returns (uint256)', [wallet]) },
      'latest',
    ]),
  )
const nonce = async () => Number(await rpc.request<Hex>('eth_getTransactionCount', [wallet, 'pending']))
const signed = () => attemptsIn(at.data)

/** Waits until a process has signed more than before; fails if it ends without that. */
async function signedBy({ ended }: Program, before: number): Promise<void> {
  let said: Awaited<Program['ended']> | undefined
  void ended.then((end) => {
    said = end
  })
  while (signed() === before) {
    if (said) throw new Error(`it ended and signed nothing: ${said.out}${said.err}`)
    await sleep(10)
  }
}

/** The environment of a process that receives SIGINT as soon as it listens for it. */
const early =
  "process.on('newListener', function told(name) { if (name === 'SIGINT') { process.off('newListener', told); setImmediate(() => process.kill(process.pid, name)) } })"
const atOnce = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(early)}` }

/** Without automatic mining a transaction stays pending while the process is interrupted. */
const holdBlocks = (held: boolean) => rpc.request('evm_setAutomine', [!held])

beforeAll(async () => {
  at = programHome(inject('sandboxCache'))
  const { out } = await sluice('sandbox', 'up', '--json')
  const status: Document = JSON.parse(out)
  nodeUrl = status.chains[0].rpcUrl
  rpc = httpRpc(nodeUrl)
  usdc = status.tokens.find(({ symbol }: { symbol: string }) => symbol === 'USDC').address
})
afterAll(() => at.end())

describe('an expression of --jq that never ends', () => {
  const endless = ['schema', 'deposit', '--jq', 'def f: f; f']

  test('ends with --timeout', async () => {
    expect(await sluice(...endless, '--timeout', '1s')).toMatchObject({
      exit: 2,
      out: '',
      err: expect.stringContaining('the expression did not end within the time limit of the command'),
    })
  })

  // It ends by itself too: see `shaped-documents.test.ts`.
  test('ends with a signal', async () => {
    const running = startSluice(at.home, endless)
    await sleep(1_000)
    running.child.kill('SIGINT')
    expect((await running.ended).exit).toBe(130)
  })
})

describe('a signal', () => {
  test('while the program loads ends it with nothing signed', async () => {
    const [before, attempts] = [await nonce(), signed()]
    for (const ms of [40, 55, 60, 70, 80, 90]) {
      const running = startSluice(at.home, ['deposit', place, '--amount', '1', '--yes', '--json'])
      await sleep(ms)
      running.child.kill('SIGTERM')
      const { exit } = await running.ended
      expect([130, 'SIGTERM']).toContain(exit)
    }
    expect([await nonce(), signed()]).toEqual([before, attempts])
  })

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    '%s before the first signature exits 130 with nothing signed',
    async (signal) => {
      const [before, attempts] = [await nonce(), signed()]
      // The stopped node answers nothing, so the program has not signed yet.
      const node = at.processes().find(({ command }) => command.includes('--chain-id 31337 '))!
      process.kill(node.pid, 'SIGSTOP')
      const running = startSluice(at.home, ['deposit', place, '--amount', '10', '--yes'])
      try {
        await running.says('profile sandbox')
        running.child.kill(signal)
        expect((await running.ended).exit).toBe(130)
      } finally {
        process.kill(node.pid, 'SIGCONT')
      }
      expect([await nonce(), signed()]).toEqual([before, attempts])
    },
  )

  test('during the demo exits 130, and the output does not claim that nothing was signed', async () => {
    const running = startSluice(at.home, ['demo'])
    await running.says('the wallet has 100 USDC less')
    running.child.kill('SIGINT')
    const { exit, out, err } = await running.ended
    expect({ exit, out, err }).toMatchObject({ exit: 130 })
    expect(err).toContain('Interrupted. Earlier steps of the demo are done')
    expect(`${out}${err}`).not.toContain('signed nothing')
  })

  // SIGTERM after a signature is tested below, with resumed operations and an older Node.
  test.each(['SIGINT'] as const)(
    '%s after a signature exits 20, and resume makes exactly one deposit',
    async (signal) => {
      const [before, attempts] = [await held(), signed()]
      await holdBlocks(true)
      const line = ['deposit', place, '--amount', '10', '--yes', '--json']
      const running = startSluice(at.home, line)
      try {
        await signedBy(running, attempts)
        running.child.kill(signal)
        const { exit, out } = await running.ended
        expect({ exit, out }).toMatchObject({ exit: 20 })
        const { error } = JSON.parse(out)
        expect(error).toMatchObject({ code: 'PENDING', retryable: true })
        expect(error.hint).toBe(`sluice action resume ${error.details.id}`)
        await holdBlocks(false)
        await rpc.request('evm_mine', [])
        const resumed = await sluice('action', 'resume', error.details.id, '--json')
        expect({ exit: resumed.exit, err: resumed.err }).toMatchObject({ exit: 0 })
        expect(JSON.parse(resumed.out).status).toBe('SUCCESS')
      } finally {
        await holdBlocks(false)
      }
      expect(before - (await held())).toBe(10_000000n)
      expect(signed() - attempts).toBe(2)
    },
  )

  test('at any moment of resuming a signed operation exits 20 and never says that nothing was signed', async () => {
    await holdBlocks(true)
    const line = ['deposit', place, '--amount', '10', '--yes', '--json', '--idempotency-key', 'three-moments']
    try {
      const { id } = JSON.parse((await sluice(...line, '--no-wait')).out).error.details
      const attempts = signed()
      const resume = ['action', 'resume', id, '--json']
      const told = ({ exit, out, err }: Awaited<ReturnType<typeof sluice>>, next = `resume ${id}`) => {
        expect(`${out}${err}`).not.toContain('signed nothing')
        expect({ exit, out }).toMatchObject({ exit: 20 })
        const { code, hint, details } = JSON.parse(out).error
        expect([code, hint, details.id]).toEqual(['PENDING', `sluice action ${next}`, id])
      }
      // The signal arrives as soon as there is a listener, before the program is loaded; and later.
      const cancel = ['action', 'cancel', 'three-moments', '--yes', '--json']
      const ran = await Promise.all(
        [line, resume, cancel].map((args) => spawnSluice(at.home, args, { env: atOnce })),
      )
      for (const [nth, one] of ran.entries()) told(one, nth === 2 ? `cancel ${id} --yes` : undefined)
      for (const [nth, ms] of [150, 500].entries()) {
        const running = startSluice(at.home, nth % 2 === 0 ? resume : line)
        await sleep(ms)
        running.child.kill('SIGTERM')
        const ran = await running.ended
        // Before Node itself is ready, the process ends by the signal.
        if (ran.exit !== 'SIGTERM') told(ran)
      }
      expect(signed()).toBe(attempts)
      await holdBlocks(false)
      await rpc.request('evm_mine', [])
      expect((await sluice(...resume)).exit).toBe(0)
    } finally {
      await holdBlocks(false)
    }
  })

  test('before the program is loaded exits 130 with a hint', async () => {
    const line = ['deposit', place, '--amount', '1', '--yes']
    const { exit, err } = await spawnSluice(at.home, line, { env: atOnce })
    expect(exit).toBe(130)
    // On a slow machine the signal may arrive later.
    expect(err).toMatch(
      /(This command signed nothing\.|Interrupted before anything was signed) \(INTERRUPTED\)\nnext {2}To do it after all/,
    )
  })

  test('while a node delays its answer to a transaction: the program waits and reports it as pending', async () => {
    const path = join(at.home, 'key-of-the-slow')
    writeFileSync(path, `${sandboxKey(4)}\n`, { mode: 0o600 })
    const slow = await startFaultyRpc(nodeUrl, [
      { method: 'eth_sendRawTransaction', act: 'latency', value: 700, always: true },
    ])
    const env = { SLUICE_RPC_SANDBOX_ONE: slow.url }
    await holdBlocks(true)
    try {
      const mine = ['--profile', 'engine', '--key-file', path, '--json']
      const line = [
        'transfer',
        '--network',
        'sandbox-one',
        '--token',
        'USDC',
        '--to',
        wallet,
        '--amount',
        '1',
      ]
      const running = startSluice(at.home, [...line, ...mine, '--yes', '--allow-duplicate'], { env })
      while (slow.sends.length === 0) await Promise.race([sleep(10), running.ended])
      running.child.kill('SIGINT')
      const { exit, out } = await running.ended
      expect({ exit, out }).toMatchObject({ exit: 20 })
      const { error } = JSON.parse(out)
      // Exiting at once would lose the answer of the node.
      expect(error.message).toBe('Signed and sent, not final yet')
      expect(slow.passed).toHaveLength(1)
      slow.rules.length = 0
      await holdBlocks(false)
      await rpc.request('evm_mine', [])
      const resumed = await spawnSluice(at.home, ['action', 'resume', error.details.id, ...mine], { env })
      expect(resumed.exit).toBe(0)
      expect(slow.sends).toHaveLength(1)
    } finally {
      await holdBlocks(false)
      await slow.stop()
    }
  })

  test('a closed stdout does not stop a deposit under way', async () => {
    const before = await held()
    const line = ['deposit', place, '--amount', '10', '--yes', '--json']
    const { exit } = await spawnSluice(at.home, line, { closeOut: true })
    expect(exit).toBe(0)
    expect(before - (await held())).toBe(10_000000n)
  })

  test('a watch with a closed stdout ends at its first write, however long its interval is', async () => {
    const list = ['strategies', 'list', '--watch', '--interval', '1h']
    expect(await spawnSluice(at.home, list, { closeOut: true })).toMatchObject({ exit: 0 })
    await holdBlocks(true)
    try {
      const { out } = await sluice('deposit', place, '--amount', '1', '--yes', '--json', '--no-wait')
      const { id } = JSON.parse(out).error.details
      const watch = ['action', 'watch', id, '--interval', '29m']
      const { exit, err } = await spawnSluice(at.home, watch, { closeOut: true })
      expect(exit).toBe(20)
      expect(err).toContain('The output of the watch is closed')
      await holdBlocks(false)
      await rpc.request('evm_mine', [])
      expect((await sluice('action', 'resume', id)).exit).toBe(0)
    } finally {
      await holdBlocks(false)
    }
  })
})

test.skipIf(!existsSync('/dev/full'))(
  'output that cannot be written exits 12, or 20 once a transaction is signed',
  async () => {
    const before = await held()
    const bin = join(import.meta.dirname, '..', '..', 'bin', 'sluice.js')
    const intoNothing = (...line: string[]) =>
      spawnSync('sh', ['-c', '"$0" "$@" > /dev/full', process.execPath, bin, ...line], {
        env: { PATH: process.env.PATH ?? '', HOME: at.home },
        encoding: 'utf8',
      })
    for (const line of [
      ['strategies', 'list', '--json'],
      ['deposit', '--help'],
      ['deposit', place, '--amount', '3', '--dry-run', '--json'],
    ])
      expect(intoNothing(...line)).toMatchObject({
        status: 12,
        stderr: expect.stringContaining('Cannot write the output'),
      })
    const paid = intoNothing('deposit', place, '--amount', '3', '--yes', '--json')
    expect(paid).toMatchObject({
      status: 20,
      stderr: expect.stringMatching(/has already completed\..*sluice action show/s),
    })
    expect(before - (await held())).toBe(3_000000n)
  },
)

const oldNode = '/usr/bin/node'
const isOld =
  existsSync(oldNode) &&
  Number(execFileSync(oldNode, ['-p', 'process.versions.node.split(".")[0]'], { encoding: 'utf8' })) < 22

describe.skipIf(!isOld)('an older Node', () => {
  test('gets an error with the Node versions that the library needs', () => {
    const program = `import ${JSON.stringify(join(import.meta.dirname, '..', '..', 'bin', 'library.js'))}`
    const { status, stderr } = spawnSync(oldNode, ['--input-type=module', '-e', program], {
      encoding: 'utf8',
    })
    expect(status).toBe(1)
    expect(stderr).toContain('sluice needs Node 24.15 or newer (or 22.22.2 or newer in 22), and this is v')
  })

  const childOf = (pid: number) =>
    Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0])

  test('hands over to the Node installed with the program', async () => {
    const { exit, out } = await spawnSluice(at.home, ['--version'], { node: oldNode })
    expect({ exit, out: out.trim() }).toMatchObject({
      exit: 0,
      out: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    })
    expect((await spawnSluice(at.home, ['depositt'], { node: oldNode })).exit).toBe(2)
  })

  test('interrupted before the newer Node listens exits 130, or 20 for a signed operation', async () => {
    const node = { node: oldNode, env: atOnce }
    const line = ['deposit', place, '--amount', '1', '--yes', '--json']
    const nothing = await spawnSluice(at.home, line, node)
    expect([nothing.exit, JSON.parse(nothing.out).error.code]).toEqual([130, 'INTERRUPTED'])
    const named = await spawnSluice(at.home, ['action', 'resume', 'three-moments', '--json'], node)
    expect([named.exit, JSON.parse(named.out).error.code]).toEqual([20, 'PENDING'])
  })

  test('passes SIGTERM on and leaves no process behind', async () => {
    await holdBlocks(true)
    const attempts = signed()
    const running = startSluice(at.home, ['deposit', place, '--amount', '10', '--yes', '--json'], {
      node: oldNode,
    })
    try {
      await signedBy(running, attempts)
      const child = childOf(running.pid)
      running.child.kill('SIGTERM')
      const { exit, out } = await running.ended
      expect({ exit, out }).toMatchObject({ exit: 20 })
      expect(existsSync(`/proc/${child}`)).toBe(false)
      await holdBlocks(false)
      await rpc.request('evm_mine', [])
      expect((await sluice('action', 'resume', JSON.parse(out).error.details.id)).exit).toBe(0)
    } finally {
      running.child.kill('SIGKILL')
      await holdBlocks(false)
    }
  })
})

describe('secrets in environment variables', () => {
  test('sign, and are in no environment and no argument of a running process', async () => {
    const key = sandboxKey(2)
    await holdBlocks(true)
    const attempts = signed()
    const line = ['deposit', place, '--amount', '1', '--yes', '--json']
    const running = startSluice(at.home, line, {
      env: { SLUICE_PRIVATE_KEY: key, SLUICE_PASSWORD: 'a-password' },
    })
    try {
      await signedBy(running, attempts)
      for (const { pid, command } of at.processes()) {
        expect(command).not.toContain(key.slice(2))
        expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toMatch(/SLUICE_|a-password/)
      }
      await holdBlocks(false)
      await rpc.request('evm_mine', [])
      const { exit, out } = await running.ended
      expect({ exit, from: JSON.parse(out).originAddress }).toEqual({ exit: 0, from: sandboxAddress(2) })
    } finally {
      running.child.kill('SIGKILL')
      await holdBlocks(false)
    }
  })
})

describe('concurrent scripts', () => {
  test('three deposits at the same time wait for each other and succeed', async () => {
    const before = await held()
    const all = await Promise.all(
      [1, 2, 3].map(() => sluice('deposit', place, '--amount', '10', '--yes', '--json')),
    )
    expect(all.map(({ exit, out }) => (exit === 0 ? exit : out))).toEqual([0, 0, 0])
    expect(before - (await held())).toBe(30_000000n)
  })

  test('two deposits with the same idempotency key make one, and both report it', async () => {
    const before = await held()
    const key = ['--idempotency-key', 'two-at-once']
    const all = await Promise.all(
      [1, 2].map(() => sluice('deposit', place, '--amount', '10', '--yes', '--json', ...key)),
    )
    expect(all.map(({ exit, out }) => (exit === 0 ? exit : out))).toEqual([0, 0])
    expect(new Set(all.map(({ out }) => JSON.parse(out).id)).size).toBe(1)
    expect(all.map(({ out }) => JSON.parse(out).replayed).sort()).toEqual([false, true])
    expect(before - (await held())).toBe(10_000000n)
  })
})

test('sandbox down ends all processes, up keeps balances and actions, and reset starts with none', async () => {
  const before = await held()
  const { exit, out } = await sluice('sandbox', 'down', '--json')
  expect([exit, JSON.parse(out).running]).toEqual([0, false])
  await at.gone()
  const up = await sluice('sandbox', 'up', '--json')
  rpc = httpRpc(JSON.parse(up.out).chains[0].rpcUrl)
  expect(await held()).toBe(before)
  const json: Document = JSON.parse((await sluice('action', 'list', '--json')).out)
  expect(json.total).toBeGreaterThan(0)
  const reset = await sluice('sandbox', 'reset', '--yes', '--json')
  expect(reset.exit).toBe(0)
  expect(await held()).toBe(100_000_000000n)
  // The journal of the discarded chains is set aside, not mixed with the new one.
  expect(JSON.parse((await sluice('action', 'list', '--json')).out).total).toBe(0)
})
