import { publicServices, type ServiceUrls } from './public-services.ts'

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
 * The public services of Bitcoin (source of the key: npm:@defuse-protocol/one-click-sdk-typescript@0.1.25,
 * ONE_CLICK_MANAGER_PUB_KEY).
 */
export const publicBitcoin: BitcoinConstants = {
  chain: 'main',
  esplora: publicServices.esplora.base,
  oneClick: {
    api: publicServices['near-intents'].base,
    publicKey: 'ed25519:reYaWhvwu8Jzo3WUM3zhn6VrhuMEF4eADL17qtRVifc',
  },
  thornode: publicServices.thornode.base,
}

/** Services of Bitcoin at the URLs that are set. */
export const bitcoinAt = (
  bitcoin: BitcoinConstants,
  { esplora, thornode, secondThornode, ...urls }: ServiceUrls & { secondThornode?: string },
): BitcoinConstants => ({
  ...bitcoin,
  esplora: esplora ?? bitcoin.esplora,
  oneClick: bitcoin.oneClick && { ...bitcoin.oneClick, api: urls['near-intents'] ?? bitcoin.oneClick.api },
  thornode: thornode ?? bitcoin.thornode,
  secondThornode: secondThornode ?? null,
})
