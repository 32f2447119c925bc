import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { getContractAddress } from 'viem/utils'
import type { CatalogFile } from '../../src/app/profiles/catalog-file.ts'
import { sameAddress } from '../../src/domain/address.ts'
import { networkNamed, publicNetworks } from '../../src/domain/networks.ts'
import { isSymbol } from '../../src/engine/catalog-checks/known-symbols.ts'

type At = `0x${string}`

/** Addresses from published address books (Aave reserves, listed tokens, Uniswap, CCTP, Across, StakeWise, Morpho), and the market survey. */
export type Books = {
  packages: Record<string, string>
  pools: { chainId: number; pool: At; oracle: At; reserves: { asset: At; aToken: At; decimals: number }[] }[]
  listed: { chainId: number; address: At; symbol: string; decimals: number }[]
  uniswap: { chainId: number; factory: At; swapRouter02: At | null }[]
  bridge: {
    chainId: number
    testnet: boolean
    domain: number
    token: At
    tokenMessenger: At
    messageTransmitter: At
  }[]
  across: { chainId: number; hubPool: At; lpTokenFactory: At }[]
  stakewise: { chainId: number; keeper: At; registry: At }[]
  /** Factories of Morpho vaults, of every version: vaults made by the factory of an older package are still valid. */
  morpho: { chainId: number; metaMorpho: At[]; vaultV2: At[] }[]
  /** The receipt of each surveyed market, by network, protocol and asset. The catalogue is made from this survey. */
  survey: Record<string, Record<string, [receipt: At, symbol: string, name: string]>>
}

const fixture = (name: string) =>
  JSON.parse(readFileSync(join(import.meta.dirname, 'fixtures', `${name}.json`), 'utf8'))

/** The books as last generated: `npm run oracles address-books cctp-v2 across stakewise morpho-factories`. */
export function keptBooks(): Books {
  const [books, cctp] = [fixture('address-books'), fixture('cctp-v2')]
  const [across, stakewise] = [fixture('across'), fixture('stakewise')]
  const morpho = fixture('morpho-factories')
  const from = ({ packages }: Pick<Books, 'packages'>, name: string) => ({ [name]: packages[name] })
  return {
    ...books,
    bridge: cctp.ends,
    across: across.book,
    stakewise: stakewise.book,
    morpho: morpho.book,
    survey: fixture('survey'),
    packages: {
      ...books.packages,
      ...cctp.packages,
      ...from(morpho, '@morpho-org/blue-sdk'),
      ...from(across, '@across-protocol/contracts'),
      ...from(stakewise, '@stakewise/v3-sdk'),
    },
  }
}

/** Differences between a catalogue file and the books. Values that no book has are not compared; `found` counts the comparisons. */
export function differences(file: CatalogFile, books: Books): { faults: string[]; found: number } {
  const { chainId } = networkNamed(publicNetworks, file.network)
  const here = <row extends { chainId: number }>(rows: readonly row[]) =>
    rows.filter((row) => row.chainId === chainId)
  const faults: string[] = []
  let found = 0
  const compare = (what: string, is: unknown, said: unknown) => {
    found++
    if (String(is).toLowerCase() !== String(said).toLowerCase())
      faults.push(`${file.network}: ${what} is ${String(is)}, and the book says ${String(said)}`)
  }
  const decimalsOf = (asset: string) => file.tokens.find(({ address }) => address === asset)?.decimals
  for (const { protocol, asset, receipt, constants, source } of file.strategies) {
    if (constants.family !== 'aave-v3') continue
    const book = here(books.pools).find(({ pool }) => sameAddress(pool, constants.pool))
    if (!book) {
      if (/^npm:@aave-dao\/aave-address-book/.test(source))
        faults.push(`${file.network}: the book has no pool ${constants.pool} (${protocol} ${asset})`)
      continue
    }
    const reserve = book.reserves.find((one) => sameAddress(one.asset, asset))
    compare(`the aToken of ${protocol} ${asset}`, receipt.address, reserve?.aToken)
    compare(`the decimals of ${asset}`, decimalsOf(asset), reserve?.decimals)
    compare(`the oracle of ${protocol}`, constants.oracle, book.oracle)
  }
  for (const { asset, receipt, constants } of file.strategies) {
    const [book] = here(books.across)
    if (constants.family !== 'across' || !book) continue
    compare('the HubPool of Across', constants.hubPool, book.hubPool)
    // One factory makes all LP tokens, so their addresses follow from its nonces.
    const made = Array.from({ length: 64 }, (_, at) =>
      getContractAddress({ from: book.lpTokenFactory, nonce: BigInt(at + 1) }),
    )
    compare(
      `the LP token of ${asset}`,
      receipt.address,
      made.find((one) => sameAddress(one, receipt.address)) ?? 'another',
    )
  }
  for (const { constants } of file.strategies) {
    if (constants.family !== 'stakewise') continue
    const [book] = here(books.stakewise)
    compare('the keeper of StakeWise', constants.keeper, book?.keeper)
    compare('the registry of StakeWise', constants.registry, book?.registry)
  }
  const surveyed = books.survey[file.network] ?? {}
  for (const { protocol, name, asset, receipt } of file.strategies) {
    const said = surveyed[`${protocol} ${asset}`]
    const other = Object.entries(surveyed).find(([, [address]]) => sameAddress(address, receipt.address))
    if (said) {
      compare(`what is held in ${protocol} of ${asset}`, receipt.address, said[0])
      compare(`the symbol of what is held in ${protocol} of ${asset}`, receipt.symbol, said[1])
      compare(`the name of ${protocol} of ${asset}`, name, said[2])
    } else if (other) compare(`what ${receipt.address} is held in`, `${protocol} ${asset}`, other[0])
  }
  const oracles = here(books.pools).map(({ oracle }) => oracle)
  if (oracles.length > 0 && file.priceOracle) {
    const { address } = file.priceOracle
    compare('the price oracle', address, oracles.find((one) => sameAddress(one, address)) ?? 'another')
  }
  for (const { address, symbol, decimals } of file.tokens) {
    const listed = here(books.listed).find((one) => sameAddress(one.address, address))
    if (!listed) continue
    compare(`the decimals of ${symbol}`, decimals, listed.decimals)
    compare(
      `the symbol of ${address}`,
      symbol,
      isSymbol(listed.symbol, { chainId, address, symbol }) ? symbol : listed.symbol,
    )
  }
  const [uniswap] = here(books.uniswap)
  if (uniswap && file.swaps['uniswap-v3']) {
    compare('the factory of Uniswap v3', file.swaps['uniswap-v3'].factory, uniswap.factory)
    if (uniswap.swapRouter02)
      compare('SwapRouter02', file.swaps['uniswap-v3'].swapRouter02, uniswap.swapRouter02)
  }
  const [end] = here(books.bridge)
  for (const name of ['domain', 'token', 'tokenMessenger', 'messageTransmitter'] as const)
    if (end && file.swaps.cctp) compare(`${name} of CCTP v2`, file.swaps.cctp[name], end[name])
  if (!end && file.swaps.cctp) faults.push(`${file.network}: the book has no end of CCTP v2`)
  return { faults, found }
}
