import { getAddress } from 'viem/utils'
import { CatalogFile, catalogOfFile, slugOf } from '../../../src/app/profiles/catalog-file.ts'
import { nativeAddress } from '../../../src/domain/address.ts'
import { publicNetworks } from '../../../src/domain/networks.ts'
import type { Erc4626Constants } from '../../../src/protocols/erc4626/constants-schema.ts'
import { labelFaults } from './label-rules.ts'

type Row = CatalogFile['strategies'][number]

/** Constants that are tokens: the asset that a receipt wraps. */
const wrapped = new Set(['stEth', 'wstEth', 'wrapped'])

/** The role of each address on its chain: an address with two roles was copied to the wrong place. */
function rolesIn(file: CatalogFile): [address: string, role: string][] {
  return [
    ...file.tokens.map(({ address }): [string, string] => [address, 'token']),
    ...file.priceFeeds.map(({ feed }): [string, string] => [feed, 'price feed']),
    ...Object.entries(file.swaps).flatMap(([provider, one]) =>
      Object.entries(one).flatMap(([name, at]): [string, string][] =>
        typeof at === 'string' && /^0x[0-9a-fA-F]{40}$/.test(at)
          ? [[at, name === 'token' ? 'token' : `${name} of ${provider}`]]
          : [],
      ),
    ),
    ...file.strategies.flatMap(({ receipt, constants }): [string, string][] => [
      [receipt.address, 'receipt'],
      ...Object.entries(constants).flatMap(([name, at]): [string, string][] =>
        typeof at === 'string' && /^0x/.test(at) && at !== receipt.address
          ? [[at, wrapped.has(name) ? 'token' : name]]
          : [],
      ),
    ]),
  ]
}

const sameDecimals = ({ asset, receipt }: Row, { tokens }: CatalogFile) =>
  tokens.find(({ address }) => address === asset)?.decimals === receipt.decimals
    ? []
    : ['its receipt has other decimals than its asset']

/** Vaults are their own receipt. Morpho v2 vaults have no meaningful limits, and savings vaults state their rate. */
function isVault({ protocol, receipt, constants }: Row): string[] {
  if (constants.family !== 'erc4626' && constants.family !== 'yearn-v3') return []
  const { limits, stated, lends, backing }: Partial<Omit<Erc4626Constants, 'family'>> = constants
  const isV2 = /^morpho-.*-v2(-[0-9]+)?$/.test(protocol)
  const isSavings = /^(sky|spark-savings|spark-susdc)$/.test(protocol)
  return [
    ...(constants.vault === receipt.address ? [] : ['its vault is not its receipt']),
    // Curve's savings vault is a Yearn v3 vault, too.
    ...((constants.family === 'yearn-v3') === /^(yearn-v3|curve)(-[0-9]+)?$/.test(protocol)
      ? []
      : ['it is a vault of another family']),
    ...((limits === 'none') === isV2 ? [] : ['its limits mean something else']),
    ...(/^morpho-/.test(protocol) && !isV2 ? ['it is a vault of the family of Morpho'] : []),
    ...((stated !== undefined) === isSavings ? [] : ['its rate is stated elsewhere']),
    ...(backing ? ['it wraps a reserve'] : []),
    ...((lends === 'euler') === /^euler[0-9]*-/.test(protocol)
      ? []
      : ['it lends as a vault of another protocol']),
  ]
}

/** Protocols with one category. Other vaults are lending if their name says who lends. */
const kinds: { [family in Row['constants']['family']]: Row['category'] | undefined } = {
  'aave-v3': 'lending',
  across: 'other',
  'benqi-staking': 'staking',
  'compound-v2': 'lending',
  'compound-v3': 'lending',
  erc4626: undefined,
  ethena: 'other',
  fluid: 'lending',
  'ether-fi': 'staking',
  'frax-ether': 'staking',
  'gnosis-sdai': 'other',
  lido: 'staking',
  lista: 'staking',
  morpho: 'lending',
  'pendle-pt': 'fixed-yield',
  'rocket-pool': 'staking',
  'spark-psm3': 'other',
  stader: 'staking',
  stakewise: 'staking',
  'yearn-v3': 'other',
}
const kindOf = ({ protocol, constants }: Row) =>
  kinds[constants.family] ?? (/^(morpho|euler[0-9]*)(-|$)/.test(protocol) ? 'lending' : 'other')

/** The receipt of staked coins is the token of their protocol. */
const isStaked = ({ asset, receipt, constants }: Row): string[] =>
  'token' in constants &&
  constants.token === receipt.address &&
  asset === nativeAddress &&
  receipt.decimals === 18
    ? []
    : ['it is not held in the token of its protocol']

/** Rules for the constants of each protocol, beyond their schema. */
const familyLaws: { [family in Row['constants']['family']]: (row: Row, file: CatalogFile) => string[] } = {
  'aave-v3': (row, file) => {
    const { protocol, receipt, constants } = row
    if (constants.family !== 'aave-v3') return []
    const places = file.strategies.filter((other) => other.protocol === protocol)
    return [
      ...(constants.aToken === receipt.address ? [] : ['its aToken is not its receipt']),
      ...sameDecimals(row, file),
      ...places.flatMap(({ constants: other }) =>
        other.family === 'aave-v3' && other.pool === constants.pool && other.oracle === constants.oracle
          ? []
          : ['its protocol has two pools or oracles'],
      ),
    ]
  },
  across: (row, file) => {
    const { asset, receipt, constants } = row
    if (constants.family !== 'across') return []
    const { hubPool, wrapped: token } = constants
    return [
      ...((asset === nativeAddress) === (token !== undefined) ? [] : ['its coin is no asset']),
      ...(token
        ? receipt.decimals === 18
          ? []
          : ['its receipt has not 18 decimals']
        : sameDecimals(row, file)),
      ...(file.strategies.every((one) => !('hubPool' in one.constants) || one.constants.hubPool === hubPool)
        ? []
        : ['its chain has two HubPools']),
    ]
  },
  'compound-v2': ({ asset, receipt, constants }) =>
    constants.family === 'compound-v2'
      ? [
          ...(constants.market === receipt.address ? [] : ['its market is not its receipt']),
          ...(receipt.decimals === 8 ? [] : ['its receipt has not 8 decimals']),
          ...((asset === nativeAddress) === (constants.coin !== undefined) ? [] : ['its coin is no asset']),
        ]
      : [],
  'compound-v3': (row, file) => [
    ...(row.constants.family === 'compound-v3' && row.constants.rewards ? [] : ['nobody pays its rewards']),
    ...(row.constants.family === 'compound-v3' && row.constants.comet === row.receipt.address
      ? []
      : ['its comet is not its receipt']),
    ...sameDecimals(row, file),
  ],
  erc4626: isVault,
  ethena: ({ receipt, constants }) =>
    constants.family === 'ethena' && constants.vault === receipt.address
      ? []
      : ['its vault is not its receipt'],
  fluid: ({ receipt, constants: its }, { strategies }) =>
    its.family === 'fluid'
      ? [
          ...(its.vault === receipt.address ? [] : ['its vault is not its receipt']),
          ...(strategies.every(
            ({ constants }) => constants.family !== 'fluid' || constants.resolver === its.resolver,
          )
            ? []
            : ['its chain has two resolvers']),
        ]
      : [],
  'ether-fi': isStaked,
  'frax-ether': isStaked,
  'rocket-pool': isStaked,
  stader: isStaked,
  lista: isStaked,
  'benqi-staking': isStaked,
  'gnosis-sdai': isStaked,
  // A PT has the decimals of its asset, and its symbol ends with the maturity.
  'pendle-pt': (row, file) => {
    const { receipt, constants } = row
    if (constants.family !== 'pendle-pt') return []
    const day = new Date(constants.expiry * 1000).toUTCString().slice(5, 16).toUpperCase().replaceAll(' ', '')
    const said = row.metadata?.en as { maturity?: unknown } | undefined
    return [
      ...sameDecimals(row, file),
      // The router has one address on every chain (source: pendle-finance/pendle-core-v2-public, deployments).
      ...(constants.router === '0x888888888889758F76e7103c6CbF23ABbF58F946'
        ? []
        : ['its router is not that of Pendle']),
      ...(receipt.symbol.endsWith(`-${day.replace(/^0/, '')}`) ? [] : ['it matures on another day']),
      ...(said?.maturity === new Date(constants.expiry * 1000).toISOString().slice(0, 10)
        ? []
        : ['it does not say when it matures']),
    ]
  },
  stakewise: ({ asset, receipt, constants }, { tokens }) =>
    constants.family === 'stakewise'
      ? [
          ...(constants.vault === receipt.address ? [] : ['its vault is not its receipt']),
          ...(receipt.decimals === 18 ? [] : ['its receipt has not 18 decimals']),
          ...(asset === nativeAddress || tokens.find(({ address }) => address === asset)?.symbol === 'GNO'
            ? []
            : ['it takes something else']),
        ]
      : [],
  'spark-psm3': ({ receipt }) =>
    receipt.symbol === 'sUSDS' && receipt.decimals === 18 ? [] : ['it is held in something else'],
  lido: ({ asset, receipt, constants }) =>
    constants.family === 'lido'
      ? [
          ...((constants.holds === 'stETH' ? constants.stEth : constants.wstEth) === receipt.address
            ? []
            : ['its receipt is not what it holds']),
          ...(receipt.decimals === 18 && asset === nativeAddress ? [] : ['it takes something else']),
        ]
      : [],
  morpho: ({ receipt, constants }, { strategies }) =>
    constants.family === 'morpho'
      ? [
          ...(constants.vault === receipt.address ? [] : ['its vault is not its receipt']),
          ...(receipt.decimals === 18 ? [] : ['its receipt has not 18 decimals']),
          ...(strategies.every(
            (one) => !('morpho' in one.constants) || one.constants.morpho === constants.morpho,
          )
            ? []
            : ['its chain has two Morphos']),
        ]
      : [],
  'yearn-v3': isVault,
}

const repeated = (list: readonly string[]) => list.filter((one, at) => list.indexOf(one) !== at)

/** All faults of a catalogue file; an empty list means that it passes. */
export function faultsOf(json: unknown): string[] {
  const parsed = CatalogFile.safeParse(json)
  if (!parsed.success) return parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
  const file = parsed.data
  const network = publicNetworks.find(({ name }) => name === file.network)
  if (!network) return [`there is no network ${file.network}`]
  const texts = JSON.stringify(file).match(/"0x[0-9a-fA-F]{40}"/g) ?? []
  const roles = rolesIn(file)
  const roleOf = new Map<string, string>()
  const known = new Set([nativeAddress as string, ...file.tokens.map(({ address }) => address as string)])
  const faults = [
    ...texts.flatMap((quoted) => {
      const address = quoted.slice(1, -1)
      return getAddress(address.toLowerCase()) === address ? [] : [`${address} has a wrong checksum`]
    }),
    ...roles.flatMap(([address, role]) => {
      const before = roleOf.get(address) ?? role
      roleOf.set(address, before)
      // A receipt may be the asset of another market: a vault over aTokens, or a savings token that is lent.
      const pair = new Set([before, role])
      return pair.size === 1 || (pair.has('token') && pair.has('receipt'))
        ? []
        : [`${address} is ${before} and ${role}`]
    }),
    ...repeated(file.tokens.map(({ address }) => address)).map((address) => `${address} is there twice`),
    ...repeated(file.strategies.map(({ receipt }) => receipt.address)).map(
      (address) => `${address} is the receipt of two markets`,
    ),
    ...file.strategies.flatMap((row) => [
      ...(known.has(row.asset) ? [] : [`${row.protocol}: ${row.asset} is not among the tokens`]),
      ...(row.asset === row.receipt.address ? [`${row.protocol}: the asset is the receipt`] : []),
      ...(/^[a-z0-9]+(-[a-z0-9]+)*$/.test(row.protocol) ? [] : [`${row.protocol} is no slug`]),
      ...(row.category === kindOf(row) ? [] : [`${row.protocol}: it is no ${row.category}`]),
      ...familyLaws[row.constants.family](row, file).map((fault) => `${row.protocol} ${row.asset}: ${fault}`),
    ]),
    ...file.priceFeeds.flatMap(({ token }) =>
      known.has(token) && token !== nativeAddress ? [] : [`the feed of ${token} prices no token`],
    ),
    ...repeated(file.priceFeeds.map(({ token }) => token)).map((token) => `${token} has two feeds`),
    ...(file.strategies.some(({ constants }) => constants.family === 'aave-v3') &&
    !file.strategies.some(
      ({ constants }) =>
        'pool' in constants && 'oracle' in constants && constants.oracle === file.priceOracle?.address,
    )
      ? ['its price oracle is that of no pool']
      : []),
    ...[
      ...Object.values(file.swaps).flatMap((one) => ('via' in one ? one.via : [])),
      ...(file.swaps['balancer-v2']?.pools ?? []).flatMap(({ tokens }) => tokens),
      ...Object.values(file.swaps.across?.tokens ?? {}),
    ].flatMap((address) => (known.has(address) ? [] : [`${address} is not a token`])),
    ...(file.swaps.cctp && !known.has(file.swaps.cctp.token)
      ? ['the token of the bridge is not among the tokens']
      : []),
    ...labelFaults(file, network),
  ]
  if (faults.length > 0) return faults
  const { strategies } = catalogOfFile(json)
  return [
    ...repeated(strategies.map(({ id }) => id)).map((id) => `${id} is there twice`),
    ...repeated(strategies.map(({ slug }) => slug)).map((slug) => `${slug} is there twice`),
    ...strategies.flatMap(({ id, slug, protocol, asset }) =>
      id === `${protocol}-${asset.symbol}-${network.name}` && slug === slugOf(id) ? [] : [`${id}: ${slug}`],
    ),
  ]
}
