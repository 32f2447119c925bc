import fc from 'fast-check'
import { expect, test } from 'vitest'
import { plot, sparkline } from '../../../src/cli/terminal/charts.ts'
import { unpainted } from '../../../src/cli/terminal/terminal-abilities.ts'
import { trendColumn } from '../../../src/cli/views/list-columns.ts'

const heights = [...'▁▂▃▄▅▆▇█']

test('sparkline follows its series from the lowest to the highest value within its width', () => {
  expect(sparkline([1, 2, 3, 4, 5, 6, 7, 8], { width: 8 })).toBe('▁▂▃▄▅▆▇█')
  expect(sparkline([3, 1, 2], { width: 8 })).toBe('█▁▅')
  expect(sparkline([1, 2, 3, 4, 5, 6, 7, 8], { width: 8, ascii: true })).toBe('_.-:=+*#')
  expect(sparkline([0.02, 0.02], { width: 8 })).toBe('▄▄')
  expect(sparkline([1, 1, 8, 8], { width: 2 })).toBe('▁█')
  expect(sparkline([], { width: 8 })).toBe('')
  const rates = fc.array(fc.double({ min: -1, max: 10, noNaN: true }), { minLength: 1, maxLength: 60 })
  fc.assert(
    fc.property(rates, fc.integer({ min: 1, max: 40 }), (values, width) => {
      const drawn = [...sparkline(values, { width })]
      expect(drawn).toHaveLength(Math.min(values.length, width))
      if (values.length <= width)
        for (const [at, value] of values.entries())
          for (const [other, compared] of values.entries())
            if (value < compared)
              expect(heights.indexOf(drawn[at]!)).toBeLessThanOrEqual(heights.indexOf(drawn[other]!))
    }),
  )
})

test('the web page draws a series at the same scale as the terminal', async () => {
  const rows = '../../../src/server/page/rows.js'
  const drawnBy = (await import(rows)) as { heights: (values: readonly number[]) => number[] }
  const top = heights.length - 1
  const asBlocks = (values: readonly number[]) =>
    drawnBy.heights(values).map((height) => heights[height === 0.5 ? top >> 1 : Math.round(height * top)])
  expect(asBlocks([0.03411, 0.03405, 0.03402])).toEqual([...'▄▄▄'])
  const near = fc.tuple(
    fc.double({ min: -1, max: 10, noNaN: true }),
    fc.double({ min: 0, max: 0.03, noNaN: true }),
  )
  const rates = fc.oneof(
    fc.array(fc.double({ min: -1, max: 10, noNaN: true }), { minLength: 2, maxLength: 30 }),
    near.map(([value, change]) => [value, value * (1 + change), value]),
  )
  fc.assert(
    fc.property(rates, (values) => {
      expect(asBlocks(values).join('')).toBe(sparkline(values, { width: values.length }))
    }),
    { examples: [[[1, 0.99]], [[1, 0.9899]], [[0, 0]], [[-1, -1.01]]] },
  )
})

test('plot draws an axis in percent and the first and last day, and fits the terminal', async () => {
  const to = (columns: number, ascii = false) => ({
    write: () => undefined,
    isTerminal: true,
    columns,
    paint: unpainted,
    ascii,
  })
  const points = [0.01, 0.02, 0.03, 0.02].map((apy, at) => ({ at: `2026-11-0${at + 1}T00:00:00.000Z`, apy }))
  const drawn = await plot(points, to(40))
  const lines = drawn.split('\n')
  expect(lines).toHaveLength(12)
  expect(lines[0]).toMatch(/^3\.00%┤ +╭─+╮$/)
  expect(lines[10]).toMatch(/^1\.00%┼─+╯$/)
  expect(lines[11]).toMatch(/^ {6}2026-11-01 +2026-11-04$/)
  expect(await plot(points, to(40, true))).toMatch(/^[\x20-\x7e\n]+$/)
  // A constant rate is drawn in the middle with its own label.
  const flat = (
    await plot(
      points.map(({ at }) => ({ at, apy: 0.05 })),
      to(60),
    )
  ).split('\n')
  expect(flat[5]).toMatch(/^5\.00%┼─+$/)
  const rates = fc.array(fc.double({ min: -1e9, max: 1e9, noNaN: true }), { minLength: 1, maxLength: 31 })
  await fc.assert(
    fc.asyncProperty(rates, fc.integer({ min: 60, max: 120 }), async (values, columns) => {
      const some = values.map((apy) => ({ at: '2026-11-01T00:00:00.000Z', apy }))
      for (const line of (await plot(some, to(columns))).split('\n'))
        expect(line.length).toBeLessThanOrEqual(columns)
    }),
  )
})

test('trendColumn draws the history of a strategy and is empty for one without history', () => {
  const { text } = trendColumn(new Map([['a', [0.01, 0.03, 0.02]]]), false)
  expect(text({ slug: 'a' } as never, unpainted, 6)).toBe('▁█▅')
  expect(text({ slug: 'b' } as never, unpainted, 6)).toBe('')
  const plain = trendColumn(new Map([['a', [0.01, 0.03]]]), true)
  expect(plain.text({ slug: 'a' } as never, unpainted, 6)).toBe('_#')
})
