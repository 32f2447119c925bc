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

try {
  await run([...sluice, 'sandbox', 'up'], place.env)
  const medians = await inTurn(
    [
      timed('node', [process.execPath, '-e', '0']),
      timed('help', [...sluice, '--help']),
      timed('strategies-list', [...sluice, 'strategies', 'list', '--json', '--quiet']),
      timed('cast-help', [cast, '--help']),
    ],
    flag('rounds', 11),
  )
  table(medians)
  for (const name of ['help', 'strategies-list', 'cast-help'])
    figure('start', name, medians.get(name)! / medians.get('node')!, 'node')
} finally {
  await place.close()
}
