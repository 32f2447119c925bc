import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { figure, flag, home, inTurn, peer, run, sluice, table } from './measure.ts'

/*
 * How long the program takes to start, as whole processes against a bare Node. `npm run bench:start -- --rounds 11`
 */

const cast = peer('cast')
const place = home()
const timed = (name: string, command: readonly string[]) => ({
  name,
  round: async () => {
    const { ms, exit, err } = await run(command, place.env)
    if (exit !== 0) throw new Error(`${command.join(' ')} ended with ${exit}: ${err}`)
    return ms
  },
})

/** A plan out of a file, signed and sent: guard, simulation, journal and signer included. The plan is made before the clock starts. */
async function sign(): Promise<number> {
  const plan = join(place.env.HOME!, 'plan.json')
  const line =
    'transfer --network sandbox-one --token USDC --to 0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC --amount 1 --dry-run --json --quiet'
  const made = await run([...sluice, ...line.split(' ')], place.env)
  if (made.exit !== 0) throw new Error(`the plan ended with ${made.exit}: ${made.out}`)
  writeFileSync(plan, made.out)
  const command = [...sluice, 'action', 'submit', plan, '--yes', '--json', '--quiet', '--no-wait']
  const { ms, exit, out } = await run(command, place.env)
  // Sent, and not followed.
  if (exit !== 20) throw new Error(`${command.join(' ')} ended with ${exit}: ${out}`)
  return ms
}

try {
  await run([...sluice, 'sandbox', 'up'], place.env)
  const medians = await inTurn(
    [
      timed('node', [process.execPath, '-e', '0']),
      timed('help', [...sluice, '--help']),
      timed('strategies-list', [...sluice, 'strategies', 'list', '--json', '--quiet']),
      { name: 'sign', round: sign },
      timed('cast-help', [cast, '--help']),
    ],
    flag('rounds', 11),
  )
  table(medians)
  for (const name of ['help', 'strategies-list', 'sign', 'cast-help'])
    figure('start', name, medians.get(name)! / medians.get('node')!, 'node')
} finally {
  await place.close()
}
