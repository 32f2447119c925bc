import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { figure, flag, home, inTurn, peer, run, sluice, table } from './measure.ts'

/*
 * The CPU time of the program's start, as whole processes with their children, compared with a bare Node: the help, the version, a
 * completion, a list from a deployment on loopback, and a plan that is signed and sent. Other work on the machine hardly changes
 * CPU time. The signer is not in it: it ends after the program, so no shell waits for it. Without a terminal, as in a script.
 * `npm run bench:start -- --rounds 11`
 */

const cast = peer('cast')
const place = home()
/** Ten runs in a round, because the system may count CPU time in steps of 10 ms. */
const timed = (name: string, command: readonly string[], env: NodeJS.ProcessEnv = place.env) => ({
  name,
  round: () => cpu(command, { env, runs: 10, exit: 0 }),
})

/** The CPU time of one of some equal processes and its children in ms, as a shell tells it. Throws if one ends with another exit code. */
async function cpu(
  command: readonly string[],
  { env, runs, exit }: { env: NodeJS.ProcessEnv; runs: number; exit: number },
): Promise<number> {
  // A pipe hides the status of its first command.
  const script = 'for i in $(seq "$0"); do { "$@" 2>/dev/null; echo "$?" >&2; } | cat >/dev/null; done; times'
  const { out, err } = await run(['/bin/sh', '-c', script, String(runs), ...command], env)
  if (
    err
      .trim()
      .split('\n')
      .some((one) => Number(one) !== exit)
  )
    throw new Error(`${command.join(' ')} did not end with ${exit}: ${err}`)
  // The second line is for children: `0m0.120000s 0m0.020000s`.
  const parts = [...out.split('\n')[1]!.matchAll(/(\d+)m([\d.]+)s/g)]
  const ms = parts.reduce(
    (sum, [, minutes, seconds]) => sum + (Number(minutes) * 60 + Number(seconds)) * 1000,
    0,
  )
  return ms / runs
}

/** A plan from a file, signed and sent, with guard, simulation, journal and signer. The plan is made before the time starts. */
async function sign(): Promise<number> {
  const plan = join(place.env.HOME!, 'plan.json')
  const line =
    'transfer --network sandbox-one --token USDC --to 0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC --amount 1 --dry-run --json --quiet'
  const made = await run([...sluice, ...line.split(' ')], place.env)
  if (made.exit !== 0) throw new Error(`the plan ended with ${made.exit}: ${made.out}`)
  writeFileSync(plan, made.out)
  const command = [...sluice, 'action', 'submit', plan, '--yes', '--json', '--quiet', '--no-wait']
  // Sent without waiting.
  return await cpu(command, { env: place.env, runs: 1, exit: 20 })
}

/** A deployment of the service on loopback, and the environment that selects it as the profile. */
async function deployment(): Promise<{ child: ChildProcess; env: NodeJS.ProcessEnv }> {
  const made = await run(
    [...sluice, 'keys', 'create', '--customer', 'bench', '--testnet', '--json'],
    place.env,
  )
  const child = spawn(sluice[0]!, [...sluice.slice(1), 'serve', '--port', '0', '--json'], {
    env: place.env,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  for await (const line of createInterface({ input: child.stdout! })) {
    const { url } = JSON.parse(line) as { url: string }
    const { key } = JSON.parse(made.out) as { key: string }
    return { child, env: { ...place.env, SLUICE_BASE_URL: url, SLUICE_API_KEY: key } }
  }
  throw new Error('the deployment did not start')
}

let served: ChildProcess | undefined
try {
  await run([...sluice, 'sandbox', 'up'], place.env)
  const { child, env: remote } = await deployment()
  served = child
  const medians = await inTurn(
    [
      timed('node', [process.execPath, '-e', '0']),
      timed('help', [...sluice, '--help']),
      timed('version', [...sluice, '--version']),
      timed('complete', [...sluice, '__complete', '--', 'strategies', 'show', 'aa']),
      timed('strategies-list', [...sluice, 'strategies', 'list', '--json', '--quiet'], remote),
      { name: 'sign', round: sign },
      timed('cast-help', [cast, '--help']),
    ],
    flag('rounds', 11),
  )
  table(medians)
  for (const name of ['help', 'version', 'complete', 'strategies-list', 'sign', 'cast-help'])
    figure('start', name, medians.get(name)! / medians.get('node')!, 'node')
} finally {
  served?.kill()
  await place.close()
}
