/**
 * The public services that the program asks, by name: `base` is the URL before the path of a request, `about` says what it is for. The
 * variable `SLUICE_<NAME>_URL` replaces the base of each. Hosts of test networks have a name of their own.
 * Sources: the catalogue's, and for Bitcoin Blockstream/esplora API.md, npm:@defuse-protocol/one-click-sdk-typescript@0.1.25 and
 * thorchain/docs#116 (`thornode.ninerealms.com` is switched off).
 */
export const publicServices = {
  across: { base: 'https://app.across.to/api', about: 'Across' },
  'across-testnet': { base: 'https://testnet.across.to/api', about: 'Across on test networks' },
  attestation: { base: 'https://iris-api.circle.com', about: "Circle's bridge (CCTP)" },
  'attestation-testnet': {
    base: 'https://iris-api-sandbox.circle.com',
    about: "Circle's bridge (CCTP) on test networks",
  },
  avenia: { base: 'https://api.avenia.io:8443', about: 'Avenia, with an account' },
  cow: { base: 'https://api.cow.fi', about: 'CoW Protocol' },
  esplora: { base: 'https://blockstream.info/api', about: 'Bitcoin' },
  kyberswap: { base: 'https://aggregator-api.kyberswap.com', about: 'KyberSwap' },
  lifi: { base: 'https://li.quest/v1', about: 'LI.FI' },
  'near-intents': { base: 'https://1click.chaindefuser.com', about: 'NEAR Intents 1Click' },
  oneinch: { base: 'https://api.1inch.com', about: '1inch, with a key' },
  relay: { base: 'https://api.relay.link', about: 'Relay' },
  thornode: {
    base: 'https://gateway.liquify.com/chain/thorchain_api',
    about: 'THORChain; a second node after a comma confirms its vault',
  },
} as const satisfies Readonly<Record<string, { base: string; about: string }>>

/** The name of a public service. */
export type PublicService = keyof typeof publicServices

/** All names of public services. */
export const publicServiceNames = Object.keys(publicServices) as readonly PublicService[]

/** The variable that replaces the base URL of a service. */
export const serviceVariable = (name: PublicService): string =>
  `SLUICE_${name.toUpperCase().replaceAll('-', '_')}_URL`

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
