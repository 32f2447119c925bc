import type { Command } from 'commander'

/** Adds the flags that say what a profile is. */
export const withProfile = (command: Command): Command =>
  command
    .option('--kind <kind>', 'engine or remote')
    .option('--base-url <url>', 'where the service is')
    .option('--legacy-base-url <url>', 'where its older pages are; none takes it away')
    .option('--api-key-file <path>', 'the file that holds its key, or - for standard input')
    .option(
      '--from-env',
      'keep what SLUICE_BASE_URL, SLUICE_LEGACY_BASE_URL, SLUICE_API_KEY and SLUICE_RPC_* say',
    )
    .option(
      '--prices-url <url>',
      'who is asked for USD prices that the chains do not say; none takes it away',
    )
    .option('--keychain', 'keep key and RPCs in the keychain of the desktop, from now on')
    .option('--no-keychain', 'keep them in a file of mode 0600 again')
