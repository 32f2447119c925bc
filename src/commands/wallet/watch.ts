import type { Wallet } from '../../api/wallet-positions.ts'
import type { Cli } from '../../cli/command-run-types.ts'
import { type ConditionFacts, parseConditions } from '../../cli/conditions/parse-conditions.ts'
import { watchConditions } from '../../cli/conditions/watch-conditions.ts'
import { walletAddress } from '../../cli/wallet-address.ts'
import type { OptionsOf } from '../../domain/command-line/flags.ts'
import { sluice } from '../../domain/text/next-step.ts'
import { intervalOf } from '../strategies/list.ts'

const numberOf = (value: string | number | null | undefined): number | null =>
  value === null || value === undefined ? null : Number(value)

/** Whether everything that can have a debt answered. */
const isWhole = ({ stats, missing }: Wallet): boolean =>
  (missing ?? []).length === 0 && (stats?.unread ?? []).length === 0

/** What a condition on a wallet can be about. */
export const walletFacts: ConditionFacts<Wallet> = {
  health: {
    unit: 'number',
    about: 'lowest health factor; liquidation begins below 1',
    of: (wallet) => {
      const { stats } = wallet
      const known = numberOf(stats?.healthFactor)
      if (known !== null) return known
      return isWhole(wallet) && (stats?.debt ?? []).length === 0 ? Number.POSITIVE_INFINITY : null
    },
  },
  ltv: {
    unit: 'rate',
    about: 'loan to value, the highest of all markets, such as ltv>70%',
    of: ({ stats }) => {
      const all = [stats, ...(stats?.markets ?? [])].flatMap((one) => numberOf(one?.ltv) ?? [])
      return all.length === 0 ? null : Math.max(...all)
    },
  },
  debt: { unit: 'usd', about: 'debt in USD', of: ({ debtUsd }) => numberOf(debtUsd) },
  total: {
    unit: 'usd',
    about: 'value of all positions in USD, less the debt',
    // A part of it would look like a loss.
    of: (wallet) =>
      isWhole(wallet) && (wallet.unread ?? []).length === 0 ? numberOf(wallet.totalValueUsd) : null,
  },
}

/** `wallet watch` */
export async function watch(
  cli: Cli,
  name: string | undefined,
  options: OptionsOf<'wallet watch'>,
): Promise<void> {
  const conditions = parseConditions(options.when, walletFacts)
  const address = await walletAddress(cli, name, sluice('wallet watch', 'ADDR', { '--when': 'health<1.2' }))
  const service = await cli.service()
  await watchConditions(cli, async () => [{ name: address, one: await service.getWallet({ address }) }], {
    ...options,
    conditions,
    scope: JSON.stringify(['wallet', cli.backend.profile, options.name]),
    intervalMs: intervalOf(options.interval),
    next: (owner) => sluice('wallet show', owner),
  })
}
