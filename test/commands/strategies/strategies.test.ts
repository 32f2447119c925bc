import { expect, test } from 'vitest'
import { useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run } = useCommands(sandbox)
const slug = 'aave-v3-usdc-sandbox-one'

test('strategies show prints the rate history as a sparkline, and as an ASCII chart with --plot', async () => {
  const young = await run(`strategies show ${slug} --plot`)
  expect(young.out).toMatch(/^history +not known$/m)
  expect(young.out).not.toContain('┤')
  for (let days = 0; days < 4; days++) await sandbox.world.warp(86_400)
  const { json } = await run(`strategies show ${slug} --json --plot`)
  const [first, last] = [json.rates.points[0], json.rates.points.at(-1)]
  const shown = await run(`strategies show ${slug}`)
  expect(shown.out).toMatch(
    new RegExp(
      `^history +[▁-█]{${json.rates.points.length}} 2\\.\\d\\d% to 2\\.\\d\\d%, ${first.at.slice(0, 10)} to ${last.at.slice(0, 10)}$`,
      'm',
    ),
  )
  const plotted = await run(`strategies show ${slug} --plot`, { columns: 80, out: { ascii: true } })
  expect(plotted.out.trimEnd().split('\n').at(-1)).toMatch(/^ +\d{4}-\d\d-\d\d +\d{4}-\d\d-\d\d$/)
  expect(plotted.out).toMatch(/^ *2\.4\d+%[|+]/m)
  expect(plotted.out).not.toMatch(/[^\x20-\x7e\n]/)
})

test('strategies list has a TREND column at a terminal once daily rates are stored, and none in CSV', async () => {
  const ask = () => run('strategies list --asset USDC --limit 4', { columns: 80 })
  await ask()
  for (let days = 0; days < 2; days++) {
    await sandbox.world.warp(86_400)
    await ask()
  }
  const { out } = await ask()
  expect(out).toMatch(/^STRATEGY .* TREND$/m)
  expect(out).toMatch(new RegExp(`^${slug} .* [▁-█]{2,12}$`, 'm'))
  expect((await run('strategies list --asset USDC --csv')).out).not.toMatch(/trend|rates/i)
})

test('strategies list --watch prints matching strategies as lines or JSON documents until --timeout', async () => {
  const lines = run(
    'strategies list --watch --interval 1s --timeout 1500ms --asset USDC --network sandbox-one',
  )
  const documents = run('strategies list --watch --interval 1s --timeout 1500ms --json --asset BRLA')
  await sandbox.world.warp(400 * 86_400)
  const { exit, out } = await lines
  expect(exit).toBe(0)
  expect(out).toMatch(
    new RegExp(`  ${slug}  asset USDC, network sandbox-one, category lending, apy 2\\.\\d+%`),
  )
  const said = await documents
  expect(said.exit).toBe(0)
  for (const line of said.out.trimEnd().split('\n'))
    expect(JSON.parse(line).items[0]).toMatchObject({ slug: expect.stringContaining('brla') })
})

test('strategies list --watch rejects a too short interval, --csv and --fields', async () => {
  for (const line of ['--watch --interval 10ms', '--watch --csv', '--watch --fields slug'])
    expect(await run(`strategies list ${line}`)).toMatchObject({ exit: 2, out: '' })
})
