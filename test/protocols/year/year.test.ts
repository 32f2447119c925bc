import { describe, expect, test } from 'vitest'
import type { Catalog } from '../../../src/protocols/catalog-types.ts'
import { cells, engineOn, seeded } from '../../support/engine.ts'
import { useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'
import { years } from './all-years.ts'
import { day, type Year } from './year.ts'

/*
 * Runs a year in every market whose own contracts are deployed here, in thirteen steps, or in more where its rate holds for less time.
 * With daily touches: npm run campaign:year -- --seed 1
 */
const sandbox = useSandbox()
const chainId = 31337
const wallet = sandbox.user.address
const isDaily = process.env.SLUICE_YEAR === 'daily'
const seed = Number(process.env.SLUICE_SEED ?? 1)

let market: Year
const catalog = (): Catalog => {
  const known = sandbox.world.catalog()
  const others = known.strategies.filter(({ slug }) => slug !== market.entry.slug)
  return { ...known, strategies: [...others, market.entry] }
}
const { run } = useCommands(sandbox, { catalog })
const done = async (line: string) => {
  const ran = await run(`${line} --yes --json`)
  expect({ line, exit: ran.exit, err: ran.err }).toMatchObject({ exit: 0 })
}
const now = async () => {
  const { rpc } = sandbox.chain(chainId)
  const block = await rpc.request<{ timestamp: string }>('eth_getBlockByNumber', ['latest', false])
  return Number(block.timestamp)
}

/** Splits this many days into random steps; none is longer than the market's rate holds. */
function steps(days: number, apart: number, random: () => number): number[] {
  const many = isDaily ? days : Math.max(13, Math.ceil(days / apart))
  const all = Array.from({ length: many }, () => Math.floor(days / many))
  // Distributes the remainder to steps with room, then moves days between steps.
  const at = () => Math.floor(random() * many)
  for (let left = days - all[0]! * many; left > 0; ) {
    const step = at()
    if (all[step]! >= apart) continue
    all[step]!++
    left--
  }
  if (!isDaily)
    for (let moved = 0; moved < 5 * many; moved++) {
      const [from, to] = [at(), at()]
      if (all[from]! <= 2 || all[to]! >= apart) continue
      all[from]!--
      all[to]!++
    }
  return all
}

describe('a year of a deposit matches the contract to the wei and the stated rate to 1 bp, and is withdrawn completely', () => {
  // The two markets of the native coin repeat protocols that run already.
  test.each(years.slice(0, cells(7, years.length)).map(([name, set], at) => ({ name, set, at })))(
    '$name',
    async ({ set, at }) => {
      const random = seeded(seed * 1_000 + at)
      market = await set(sandbox, isDaily)
      const { entry, amounts, aYear, over, ends } = market
      const { slug, asset } = entry
      const [least, most] = amounts
      const amount = (least + (most - least) * random()).toFixed(Math.min(asset.decimals, 12))
      await done(`deposit ${slug} --amount ${amount}`)
      for (let settled = 0; settled < market.settles; settled++) await market.pass(day)
      const { service } = engineOn(sandbox, { catalog: { ...catalog(), strategies: [entry] } })
      const { apy } = await service.getStrategy({ id: slug })
      expect(apy).toBeGreaterThan(0.001)
      const began = { at: await now(), index: await market.index() }

      let promised = 1
      let then = began.at
      const days = ends === undefined ? 365 : Math.floor((ends - began.at) / day)
      const spans = steps(days, market.apart, random).map((step) => step * day)
      for (const [at, span] of spans.entries()) {
        const isLast = at === spans.length - 1
        await market.pass(isLast && ends !== undefined ? ends - then + 1 : span)
        const { positions } = await service.getWallet({ address: wallet })
        expect(positions.map(({ balance }) => balance)).toEqual([await market.worth()])
        const time = Math.min(await now(), ends ?? Number.POSITIVE_INFINITY)
        promised = over(promised, apy!, time - then)
        then = time
      }
      const seconds = then - began.at
      expect(seconds / day / days).toBeCloseTo(1, 2)
      const grown = aYear(Number(((await market.index()) * 10n ** 12n) / began.index) / 1e12, seconds)
      expect(Math.abs(grown - aYear(promised, seconds))).toBeLessThan(1e-4)
      if (isDaily) expect(Math.abs(grown - apy!)).toBeLessThan(1e-4)

      await done(`withdraw ${slug} --amount max`)
      if (market.queued) {
        await market.pass(2 * day)
        await done(`withdraw ${slug} --claim`)
      }
      expect(await market.left()).toBe(0n)
      const { positions } = await service.getWallet({ address: wallet })
      expect(positions).toEqual([])
    },
    isDaily ? 600_000 : 60_000,
  )
})
