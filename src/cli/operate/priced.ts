import type { StrategyEntry } from '../../domain/catalog.ts'
import { maturityOf } from '../../domain/maturity.ts'
import type { Accepted } from '../../wallet/guard/exchanged.ts'
import type { Cli } from '../cli.ts'

/** For so long a price that was read holds, in ms: as long as a quote. */
const priceLife = 300_000

/** When a plan at a price that moves is worth nothing any more; others never are. */
export const expiryOf = ({ world }: Cli, accepted: Accepted | undefined): string | null =>
  accepted ? new Date(world.now() + priceLife).toISOString() : null

/** What a fixed yield is worth before its end is what others pay for it: whoever goes in hears that, and when the end is. */
export function sayMaturity(cli: Cli, entry: StrategyEntry): void {
  const maturity = maturityOf(entry)
  if (maturity)
    cli.notice(
      `${entry.slug} matures on ${maturity}: until then it is sold at the price of its market, and only who keeps it to that day earns the rate that is shown`,
    )
}
