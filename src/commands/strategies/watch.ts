import type { Strategy } from '../../api/strategy.ts'
import type { Cli } from '../../cli/command-run-types.ts'
import { type ConditionFacts, parseConditions } from '../../cli/conditions/parse-conditions.ts'
import { watchConditions } from '../../cli/conditions/watch-conditions.ts'
import type { OptionsOf } from '../../domain/command-line/flags.ts'
import { AppError } from '../../domain/errors.ts'
import { sluice } from '../../domain/text/next-step.ts'
import { assetFilter, everyStrategy, intervalOf, serviceFor, wantedNetwork } from './list.ts'

const numberOf = (text: string | null): number | null => (text === null ? null : Number(text))

/** What a condition on a strategy can be about. */
export const strategyFacts: ConditionFacts<Strategy> = {
  apy: { unit: 'rate', about: 'current rate a year, such as apy<3%', of: ({ apy }) => apy },
  tvl: { unit: 'usd', about: 'total value locked in USD', of: ({ tvlUsd }) => numberOf(tvlUsd) },
  liquidity: {
    unit: 'usd',
    about: 'value in USD that can be withdrawn now',
    of: ({ liquidityUsd }) => numberOf(liquidityUsd),
  },
  paused: { unit: 'flag', about: 'paused, or !paused', of: ({ paused }) => paused },
}

/** `strategies watch` */
export async function watch(cli: Cli, ids: string[], options: OptionsOf<'strategies watch'>): Promise<void> {
  const conditions = parseConditions(options.when, strategyFacts)
  const network = await wantedNetwork(cli, options.network)
  const service = await serviceFor(cli, network)
  const tokens = options.asset === undefined ? [] : (await cli.backend.catalog()).tokens
  const all = async () => {
    const { every, left } = await everyStrategy(cli, service, network)
    for (const name of left) cli.notice(`${name} did not answer; its strategies are unchanged`)
    const found = every.filter(assetFilter(options.asset, tokens, every))
    if (found.length > 0 || left.length > 0) return found
    throw new AppError('STRATEGY_NOT_FOUND', 'No strategies match')
  }
  const named = () => Promise.all(ids.map((id) => service.getStrategy({ id })))
  await watchConditions(
    cli,
    async () =>
      (await (ids.length > 0 ? named() : all())).map((strategy) => ({ name: strategy.slug, one: strategy })),
    {
      ...options,
      conditions,
      scope: JSON.stringify(['strategies', cli.backend.profile, options.name]),
      intervalMs: intervalOf(options.interval),
      next: (slug) => sluice('strategies show', slug),
    },
  )
}
