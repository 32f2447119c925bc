import { expect, test } from 'vitest'
import { outputs } from '../../../src/cli/schema/outputs.ts'
import { useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run } = useCommands(sandbox)
const slug = 'aave-v3-usdc-sandbox-one'
const ended = ({ exit, out }: { exit: number; out: string }) => [exit, out]

test('a crossing is told once, in both directions, over several runs, with exit 15 where a condition is newly met', async () => {
  const { liquidityUsd } = (await run(`strategies show ${slug} --json`)).json as { liquidityUsd: string }
  const bound = (Number(liquidityUsd) + 50).toFixed(2)
  const look = (more = '') => run(`strategies watch ${slug} --when liquidity>${bound} --no-wait ${more}`)

  expect(ended(await look())).toEqual([0, ''])
  expect((await run(`deposit ${slug} --amount 100 --yes`)).exit).toBe(0)
  const met = await look()
  expect(met.exit).toBe(15)
  expect(met.out).toMatch(
    new RegExp(
      `^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\dZ  ${slug}  liquidity>${bound} is met: \\$[0-9,.]+\\n$`,
    ),
  )
  expect(met.err).toContain(`next\n      sluice strategies show ${slug}`)
  expect(ended(await look())).toEqual([0, ''])
  // Another watch keeps its own states.
  expect((await look('--name other')).exit).toBe(15)

  expect((await run(`withdraw ${slug} --amount max --yes`)).exit).toBe(0)
  const over = await look('--json')
  expect([over.exit, outputs['strategies watch']!.success!.parse(over.json)]).toMatchObject([
    0,
    { crossings: [{ subject: slug, condition: `liquidity>${bound}`, isMet: false }] },
  ])
  expect(ended(await look())).toEqual([0, ''])
})

test('--once ends a watch with exit 15 at the first condition that is met; without one it ends with its time', async () => {
  const met = await run(`strategies watch --asset USDC --when paused,apy>0% --once --interval 1s`)
  expect(met.exit).toBe(15)
  expect(met.out.trim().split('\n').length).toBeGreaterThan(1)
  const none = await run(`strategies watch --asset USDC --when paused --once --interval 1s --timeout 2500ms`)
  expect([none.exit, none.out]).toEqual([0, ''])
  expect(none.err).toContain('Watching for paused every 1 second')
})

test('a wallet without debt has no health factor that could be too low', async () => {
  expect(ended(await run('wallet watch --when health<1.2 --no-wait'))).toEqual([0, ''])
  const met = await run('wallet watch --when total>=0 --once --json')
  expect(met.exit).toBe(15)
  const [line, error] = met.out
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text))
  expect(outputs['wallet watch']!.line!.parse(line)).toMatchObject({ condition: 'total>=0', isMet: true })
  expect(error.error).toMatchObject({ code: 'CONDITION_MET', details: { crossings: [line] } })
})
