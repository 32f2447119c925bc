import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sandboxKey } from '../../../src/sandbox/accounts.ts'
import { drivenTimers } from '../../support/driven-timers.ts'
import { everyCommand } from '../../support/every-command.ts'
import { keepSealed } from '../../support/keys/cheap-keystore.ts'
import { listener } from '../../support/services/listener.ts'
import { type Document, oneDocument, rpcEnvOf, useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, home, signsNothing } = useCommands(sandbox)
const friend = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'

/** Commands that ask a node or a service of every profile with the line of the table, and of one only. */
const readOfAll = [
  'strategies list',
  'strategies show',
  'strategies analytics',
  'strategies watch',
  'yield recommend',
  'history',
  'deposit',
  'withdraw',
  'swap quote',
  'swap execute',
  'transfer',
  'action explain',
  'action show',
  'action resume',
  'action speed-up',
  'action replan',
  'action revoke',
  'action abandon',
  'action export',
  'doctor',
  'wallet show',
  'wallet balances',
  'wallet watch',
  'wallet approvals list',
  'wallet approvals revoke',
]

const asking = {
  engine: [...readOfAll, 'serve'],
  remote: [...readOfAll, 'action list', 'swap status', 'swap list', 'fees show'],
}

/** Runs a line against nodes and a service that take requests and never answer; the first request lets the time of the command pass. */
async function runAgainstSilence(kind: keyof typeof asking, line: string) {
  const timers = drivenTimers()
  let asked = false
  const servers = await Promise.all(
    Array.from({ length: 3 }, () =>
      listener((request) => {
        request.resume()
        asked = true
        setImmediate(() => timers.advance(30_000))
      }),
    ),
  )
  try {
    const [one, two, service] = servers.map(({ url }) => url)
    const env = {
      SLUICE_RPC_SANDBOX_ONE: one!,
      SLUICE_RPC_SANDBOX_TWO: two!,
      ...(kind === 'remote' && { SLUICE_BASE_URL: service! }),
    }
    const { exit, out } = await run(`${line} --json --profile ${kind}`, {
      env,
      secrets: { privateKey: sandbox.user.key, apiKey: 'key-12345' },
      timers,
    })
    const error: Document = oneDocument(out).error
    const times = servers.map(({ url }) => String(error?.message).split(new URL(url).host).length - 1)
    return { exit, asked, error, times }
  } finally {
    await Promise.all(servers.map(({ close }) => close()))
  }
}

test('every command that asks a silent node or service ends at its time limit, and says what did not answer', async () => {
  const password = join(home(), 'pw')
  writeFileSync(password, 'a password', { mode: 0o600 })
  keepSealed(join(home(), 'data', 'keystores'), 'main', sandboxKey(2), 'a password')
  const sent = await run(
    'deposit aave-v3-usdc-sandbox-one --amount 100 --yes --json --no-wait --idempotency-key silent-1',
    { env: rpcEnvOf(sandbox), secrets: { privateKey: sandbox.user.key } },
  )
  expect(sent.exit).toBe(20)
  const { id } = sent.json.error.details
  const { json } = await run('schema --json')
  const commands = json.items.map(({ command }: Document) => command)
  expect(Object.keys(everyCommand).toSorted()).toEqual(commands.toSorted())
  const wrong: Record<string, unknown> = {}
  const asked: Record<keyof typeof asking, string[]> = { engine: [], remote: [] }
  for (const kind of ['engine', 'remote'] as const)
    for (const [command, row] of Object.entries(everyCommand)) {
      // A watch has a limit of its own.
      const line = `${row.replace('ID', id).replace('PW', password)}${command === 'action watch' ? ' --timeout 1ms' : ''}`
      const ran = await runAgainstSilence(kind, line)
      if (!ran.asked) continue
      // The limit of its watch may end before its first request.
      if (command !== 'action watch') asked[kind].push(command)
      const { exit, error, times } = ran
      const isTimeOver =
        [6, 7].includes(exit) && /--timeout/.test(error?.hint) && times.some((count) => count > 0)
      const isFine = error === undefined || (exit < 20 ? isTimeOver : error.code === 'PENDING')
      if (!isFine || times.some((count) => count > 1))
        wrong[`${kind} ${command}`] = { exit, ...error, details: null }
    }
  expect(wrong).toEqual({})
  for (const kind of ['engine', 'remote'] as const)
    expect(
      asked[kind].toSorted(),
      `readOfAll and asking, above, list the commands that ask (${kind})`,
    ).toEqual(asking[kind].toSorted())
}, 120_000)

test.each([
  ['hangs', 'rpc-hang'],
  ['answers each request late', 'rpc-slow 4s'],
])(
  'a transfer whose node %s exits 7 at its --timeout, with nothing signed',
  async (_, fault) => {
    const line = `transfer --network sandbox-one --token USDC --to ${friend} --amount 5 --yes --json --timeout 3s`
    await signsNothing(async () => {
      expect(await run(`sandbox fault ${fault} --json`)).toMatchObject({ exit: 0 })
      expect(await run(line)).toMatchObject({
        exit: 7,
        json: {
          error: {
            code: 'RPC_UNREACHABLE',
            hint: expect.stringMatching(
              /^To see what answers: sluice doctor. Or allow more time: --timeout \d+m$/,
            ),
          },
        },
      })
      expect(await run('sandbox fault clear --json')).toMatchObject({ exit: 0 })
    })
  },
  60_000,
)
