import type { Command } from 'commander'
import { validatedBy } from '../options/option-values.ts'

/** Adds the flags of a watch of conditions (`WatchOptions`) to a command; `intervalOf` reads its interval. */
export const withWatchFlags = (command: Command, intervalOf: (text: string) => number): Command =>
  command
    .option('--once', 'exit with 15 when the first condition is met')
    .option('--no-wait', 'check once: exit with 15 if a condition was newly met, else 0 (for cron)')
    .option('--name <name>', 'keep the states of this watch apart from those of others', 'default')
    .option('--interval <duration>', 'polling interval', validatedBy(intervalOf), '1m')
