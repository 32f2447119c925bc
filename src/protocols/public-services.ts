/** A header that carries a key: its name, and what is written before the key. */
export type KeyHeader = { header: string; scheme: string }

/**
 * The public services that the program asks, by name: `base` is the URL before the path of a request, `about` says what it is for. The
 * variable `SLUICE_<NAME>_URL` replaces the base of each. Hosts of test networks have a name of their own. `key` is how a request carries
 * the key in `SLUICE_<NAME>_KEY`; `file` is a service with a file for its key, and `none` one that takes no key.
 * Sources: the catalogue's, and for Bitcoin Blockstream/esplora API.md, npm:@defuse-protocol/one-click-sdk-typescript@0.1.25 and
 * thorchain/docs#116 (`thornode.ninerealms.com` is switched off). Of the headers: docs.relay.link (API keys), docs.across.to (API keys),
 * docs.li.fi (rate limits), and OpenAPI.ts of the same 1Click package. `keyedBase` is the public host of what is asked only with a key, where
 * it is another (docs.across.to/api-reference); the variable replaces both.
 */
export const publicServices = {
  across: {
    base: 'https://app.across.to/api',
    about: 'Across',
    key: { header: 'authorization', scheme: 'Bearer ' },
    keyedBase: 'https://api.across.to',
  },
  'across-testnet': { base: 'https://testnet.across.to/api', about: 'Across on test networks', key: 'none' },
  attestation: { base: 'https://iris-api.circle.com', about: "Circle's bridge (CCTP)", key: 'none' },
  'attestation-testnet': {
    base: 'https://iris-api-sandbox.circle.com',
    about: "Circle's bridge (CCTP) on test networks",
    key: 'none',
  },
  avenia: { base: 'https://api.avenia.io:8443', about: 'Avenia, with an account', key: 'file' },
  cow: { base: 'https://api.cow.fi', about: 'CoW Protocol', key: 'none' },
  esplora: { base: 'https://blockstream.info/api', about: 'Esplora, which reads Bitcoin', key: 'none' },
  kyberswap: { base: 'https://aggregator-api.kyberswap.com', about: 'KyberSwap', key: 'none' },
  lifi: { base: 'https://li.quest/v1', about: 'LI.FI', key: { header: 'x-lifi-api-key', scheme: '' } },
  'near-intents': {
    base: 'https://1click.chaindefuser.com',
    about: 'NEAR Intents 1Click',
    key: { header: 'authorization', scheme: 'Bearer ' },
  },
  oneinch: { base: 'https://api.1inch.com', about: '1inch, with a key', key: 'file' },
  relay: { base: 'https://api.relay.link', about: 'Relay', key: { header: 'x-api-key', scheme: '' } },
  thornode: {
    base: 'https://gateway.liquify.com/chain/thorchain_api',
    about: 'THORChain; a second node after a comma confirms its vault',
    key: 'none',
  },
} as const satisfies Readonly<
  Record<string, { base: string; about: string; key: 'none' | 'file' | KeyHeader; keyedBase?: string }>
>

/** The name of a public service. */
export type PublicService = keyof typeof publicServices

export const publicServiceNames = Object.keys(publicServices) as readonly PublicService[]

/** The variable that replaces the base URL of a service. */
export const serviceVariable = (name: PublicService): string =>
  `SLUICE_${name.toUpperCase().replaceAll('-', '_')}_URL`

/** The header that carries the key of a service; `undefined` for a service without a variable for its key. */
export function keyHeaderOf(name: PublicService): KeyHeader | undefined {
  const { key }: { key: 'none' | 'file' | KeyHeader } = publicServices[name]
  return typeof key === 'string' ? undefined : key
}

/** The base URL of what a service is asked only with a key: `base`, unless that is the public one and the service has another for it. */
export function keyedBaseOf(name: PublicService, base: string): string {
  const { base: open, keyedBase = open }: { base: string; keyedBase?: string } = publicServices[name]
  return base === open ? keyedBase : base
}

export const keyVariable = (name: PublicService): string =>
  `SLUICE_${name.toUpperCase().replaceAll('-', '_')}_KEY`

/** The services with a variable for their key. */
export const keyedServices: readonly PublicService[] = publicServiceNames.filter(
  (name) => keyHeaderOf(name) !== undefined,
)

/** The keys that are set, by service. They are secret. */
export type ServiceKeys = Partial<Readonly<Record<PublicService, string>>>

/** The base URLs that are set, by service; the others keep their public one. */
export type ServiceUrls = Partial<Readonly<Record<PublicService, string>>>

/** The service that a URL belongs to; `undefined` for another URL. */
export const serviceOfUrl = (url: string): PublicService | undefined =>
  publicServiceNames.find((name) => {
    const { base } = publicServices[name]
    return url === base || url.startsWith(`${base}/`)
  })

/** A URL with the base that is set for its service. */
export function atSetUrl(url: string, urls: ServiceUrls): string {
  const name = serviceOfUrl(url)
  const base = name === undefined ? undefined : urls[name]
  return base === undefined ? url : base + url.slice(publicServices[name!].base.length)
}
