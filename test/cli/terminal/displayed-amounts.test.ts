import { Chalk } from 'chalk'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decimal, dollars, formatUnits } from '../../../src/cli/terminal/format.ts'
import type { Stream } from '../../../src/cli/terminal/io-types.ts'
import { table } from '../../../src/cli/terminal/table.ts'
import { operationView } from '../../../src/cli/views/operation-view.ts'
import { adviceText } from '../../../src/domain/text/next-step.ts'
import { useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const stream = (isTerminal: boolean): Stream => ({
  write: () => undefined,
  isTerminal,
  columns: 80,
  paint: new Chalk({ level: 0 }),
})

test.each([
  ['0', '0', '0'],
  ['100.5', '100.5', '100.5'],
  ['1234567.890000', '1,234,567.89', '1,234,567.89'],
  ['0.012345678901234567', '~0.012345', '0.012345678901234567'],
  ['0.0000001', '<0.000001', '0.0000001'],
  ['-0.0000001', '>-0.000001', '-0.0000001'],
  ['-1.0000001', '~-1', '-1.0000001'],
  ['0.000001', '0.000001', '0.000001'],
  ['?', '?', '?'],
])('%s is shown as %s on a terminal and as %s in a pipe', (given, short, whole) => {
  expect([decimal(given, 6), decimal(given)]).toEqual([short, whole])
  const columns = [
    {
      title: 'A',
      field: 'a',
      csv: {},
      text: (row: string, _: Stream['paint'], places: number) => decimal(row, places),
    },
  ]
  expect([true, false].map((isTerminal) => table(columns, [given], stream(isTerminal)))).toEqual([
    `A\n${short}`,
    `A\n${whole}`,
  ])
})

test.each([
  ['4188993.72', '$4,188,993.72'],
  ['-5.999', '-$5.99'],
  ['0', '$0.00'],
  ['0.00', '$0.00'],
  ['0.004', '<$0.01'],
  ['-0.004', '>-$0.01'],
  ['0.01', '$0.01'],
  [null, '-'],
])('%s dollars are shown as %s', (given, text) => {
  expect(dollars(given)).toBe(text)
})

test('a shortened amount starts with ~ or <, and an amount above zero is never shown as zero', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 24n }), fc.integer({ min: 0, max: 18 }), (raw, decimals) => {
      const exact = formatUnits(raw.toString(), decimals)
      const whole = decimal(exact).replaceAll(',', '')
      const short = decimal(exact, 6).replaceAll(',', '')
      expect(whole).toBe(exact)
      if (short.startsWith('<')) expect(raw > 0n && Number(exact) < 1e-6).toBe(true)
      else if (short.startsWith('~')) expect(exact.startsWith(short.slice(1))).toBe(true)
      else expect(short).toBe(exact)
    }),
  )
})

const sandbox = useSandbox()
const { run } = useCommands(sandbox)

test('an operation shows the exact amount, the received amount and the recipient', async () => {
  const { out } = await run('deposit aave-v3-weth-sandbox-one --amount 0.0000001 --yes')
  expect(out).toMatch(/^amount +0\.0000001 WETH$/m)
  expect(out).not.toMatch(/^(received|to) /m)
  const line = 'swap execute --from sandbox-one --token-in USDC --token-out WETH --amount-in 2 --yes --json'
  const { json } = await run(line)
  const to = stream(false)
  expect(operationView(json, to, adviceText)).toMatch(
    new RegExp(`^amount +2 USDC\nreceived +${json.amounts.out.formatted} WETH$`, 'm'),
  )
  expect(operationView({ ...json, status: 'PENDING' }, to, adviceText)).toMatch(/^expected +0\.0\d+ WETH$/m)
  expect(operationView({ ...json, status: 'FAILED' }, to, adviceText)).not.toMatch(/received|expected/)
  const friend = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
  const sent = await run(`transfer --network sandbox-one --token USDC --to ${friend} --amount 1 --yes`)
  expect(sent.out).toMatch(new RegExp(`^to +${friend}$`, 'm'))
  expect(sent.out).not.toContain('received')
  const listed = await run('action list --csv')
  expect(listed.out).toContain(',0.0000001,WETH,18,')
})
