/**
 * The services of swaps that begin with a payment on Bitcoin. `esplora` reads the chain; a provider without a URL is not asked. Each is a
 * base URL. `oneClick.publicKey` signs the quotes of 1Click: `ed25519:` and base58. `secondThornode` is asked as well for the vault that
 * `thornode` names.
 */
export type BitcoinConstants = {
  /** The real chain, or one for tests, as that of the sandbox. */
  chain: 'main' | 'test'
  esplora: string
  oneClick: { api: string; publicKey: string } | null
  thornode: string | null
  secondThornode?: string | null
}

/**
 * The public services (sources: Blockstream/esplora API.md; npm:@defuse-protocol/one-click-sdk-typescript@0.1.25, its base URL and
 * ONE_CLICK_MANAGER_PUB_KEY; thornode OpenAPI and xchainjs, thornode.ninerealms.com).
 */
export const publicBitcoin: BitcoinConstants = {
  chain: 'main',
  esplora: 'https://blockstream.info/api',
  oneClick: {
    api: 'https://1click.chaindefuser.com',
    publicKey: 'ed25519:reYaWhvwu8Jzo3WUM3zhn6VrhuMEF4eADL17qtRVifc',
  },
  thornode: 'https://thornode.ninerealms.com',
}
