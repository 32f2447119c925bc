import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  encodeAbiParameters,
  encodeFunctionData,
  getAddress,
  keccak256,
  pad,
  parseAbi,
  toBytes,
} from 'viem/utils'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'

import { type Address, type Hex, nativeAddress } from '../../src/domain/address.ts'
import { type CatalogFile, catalogOfFile } from '../../src/domain/catalog-file.ts'
import { multicall3 } from '../../src/domain/network.ts'
import { type Chain, openChain } from '../../src/engine/chain.ts'
import { marketsOf } from '../../src/engine/markets/catalog.ts'
import { selfChecks } from '../../src/engine/self-check.ts'
import { type Anvil, startAnvil } from '../../src/sandbox/anvil.ts'
import { own } from '../../src/sandbox/genesis/artifacts.ts'
import { differences, keptBooks } from '../oracles/books.ts'
import { faultsOf } from './laws.ts'
import { codeSaying } from './sayings.ts'
import { seeded } from './support.ts'

// Chains on which a contract stands at every address of the catalogue that says what a real one would: read out of the file by hand,
// family by family, so that what the engine asks is compared with something that it did not write.

const names = ['ethereum', 'base'] as const
type Name = (typeof names)[number]
type Row = CatalogFile['strategies'][number]
const fileOf = (name: Name): CatalogFile =>
  JSON.parse(
    readFileSync(join(import.meta.dirname, '..', '..', 'src', 'engine', 'catalog', `${name}.json`), 'utf8'),
  )
const chains = new Map<Name, { node: Anvil; chain: Chain }>()
const books = keptBooks()

/** Vaults of StakeWise beside that of the catalogue: another operator's, and one that says what the right one says. */
const strange: Record<'operators' | 'unregistered', Address> = {
  operators: getAddress(`0x${'0e'.repeat(20)}`),
  unregistered: getAddress(`0x${'0f'.repeat(20)}`),
}

const word = (value: Address | bigint | number): Hex =>
  typeof value === 'string' ? pad(value) : encodeAbiParameters([{ type: 'uint256' }], [BigInt(value)])
const asked = (signature: string, args: readonly Address[] = []): Hex =>
  encodeFunctionData({ abi: parseAbi([signature]), args } as never)

/** What every contract of a file says of itself. */
function truths(file: CatalogFile): Map<Address, Map<Hex, Hex>> {
  const all = new Map<Address, Map<Hex, Hex>>()
  const tell = (at: Address, call: Hex, answer: Hex) => {
    const said = all.get(at) ?? new Map<Hex, Hex>()
    all.set(at, said.set(call, answer))
  }
  for (const { address, decimals } of file.tokens)
    if (address !== nativeAddress) tell(address, asked('function decimals()'), word(decimals))
  for (const { asset, receipt, constants } of file.strategies) {
    if (constants.family === 'stakewise') {
      const { vault, keeper, registry } = constants
      const vaults = [
        [vault, 'EthGenesisVault', 1],
        [strange.operators, 'EthVault', 1],
        [strange.unregistered, 'EthGenesisVault', 0],
      ] as const
      for (const [at, kind, isMade] of vaults) {
        tell(at, asked('function vaultId()'), keccak256(toBytes(kind)))
        tell(keeper, asked('function isCollateralized(address)', [at]), word(1))
        tell(registry, asked('function vaults(address)', [at]), word(isMade))
      }
    } else tell(receipt.address, asked('function decimals()'), word(receipt.decimals))
    // There is something at every address, be it only silent.
    for (const at of JSON.stringify(constants).match(/0x[0-9a-fA-F]{40}/g) ?? [])
      tell(at as Address, '0x', '0x')
    if (constants.family === 'aave-v3') {
      const reserve = Array.from({ length: 15 }, (_, at) => word(at === 8 ? constants.aToken : 1).slice(2))
      tell(constants.pool, asked('function getReserveData(address)', [asset]), `0x${reserve.join('')}`)
      tell(constants.aToken, asked('function UNDERLYING_ASSET_ADDRESS()'), word(asset))
      tell(constants.aToken, asked('function POOL()'), word(constants.pool))
      tell(constants.oracle, asked('function BASE_CURRENCY_UNIT()'), word(10n ** 8n))
    }
    if (constants.family === 'compound-v3') {
      tell(constants.comet, asked('function baseToken()'), word(asset))
      const config = [word(asset), word(1), word(1)].map((part) => part.slice(2)).join('')
      tell(constants.rewards, asked('function rewardConfig(address)', [constants.comet]), `0x${config}`)
    }
    if (constants.family === 'compound-v2') {
      tell(constants.market, asked('function comptroller()'), word(constants.comptroller))
      tell(constants.market, asked('function underlying()'), word(asset))
    }
    if (constants.family === 'across') {
      const { hubPool, wrapped = asset } = constants
      const pool = [receipt.address, 1, 1, 1, 1, 1].map((part) => word(part as Address).slice(2))
      tell(hubPool, asked('function pooledTokens(address)', [wrapped]), `0x${pool.join('')}`)
      if (constants.wrapped) tell(hubPool, asked('function weth()'), word(wrapped))
    }
    if ('vault' in constants) tell(constants.vault, asked('function asset()'), word(asset))
    if ('stated' in constants && constants.stated)
      tell(constants.stated.at, asked(`function ${constants.stated.name}()`), word(10n ** 27n + 1n))
    if (constants.family === 'ether-fi')
      tell(constants.token, asked('function getRate()'), word(11n * 10n ** 17n))
    if (constants.family === 'frax-ether')
      tell(constants.token, asked('function pricePerShare()'), word(11n * 10n ** 17n))
    if (constants.family === 'rocket-pool' || constants.family === 'stader') {
      const at = constants.family === 'stader' ? constants.manager : constants.token
      tell(at, asked('function getExchangeRate()'), word(11n * 10n ** 17n))
    }
    if (constants.family === 'ether-fi')
      tell(receipt.address, asked('function getRate()'), word(11n * 10n ** 17n))
    if (constants.family === 'frax-ether')
      tell(receipt.address, asked('function pricePerShare()'), word(11n * 10n ** 17n))
    if (constants.family === 'morpho')
      tell(constants.vault, asked('function MORPHO()'), word(constants.morpho))
    if (constants.family === 'spark-psm3') {
      tell(constants.psm, asked('function usdc()'), word(asset))
      tell(constants.psm, asked('function susds()'), word(receipt.address))
      tell(constants.oracle, asked('function getSSR()'), word(10n ** 27n + 1n))
    }
    if (constants.family === 'pendle-pt') {
      const { market, sy, yt, expiry } = constants
      const parts = [sy, receipt.address, yt].map((part) => word(part).slice(2)).join('')
      tell(market, asked('function readTokens()'), `0x${parts}`)
      tell(market, asked('function expiry()'), word(expiry))
      const info = [word(0), word(asset), word(18)].map((part) => part.slice(2)).join('')
      tell(sy, asked('function assetInfo()'), `0x${info}`)
      tell(sy, asked('function isValidTokenIn(address)', [asset]), word(1))
      tell(sy, asked('function isValidTokenOut(address)', [asset]), word(1))
    }
    if (constants.family === 'lido') {
      tell(constants.queue, asked('function STETH()'), word(constants.stEth))
      if (constants.holds === 'wstETH')
        tell(constants.queue, asked('function WSTETH()'), word(constants.wstEth))
    }
  }
  return all
}

beforeAll(async () => {
  for (const name of names) {
    const file = fileOf(name)
    const [network] = catalogOfFile(file).networks
    const node = await startAnvil({
      binary: inject('anvil'),
      noteDir: inject('sandboxNotes'),
      chainId: network!.chainId,
    })
    chains.set(name, { node, chain: openChain(network!, node.rpc) })
    const [from] = await node.rpc.request<Address[]>('eth_accounts')
    const { bytecode } = own('SandboxMulticall')
    const code = await node.rpc.request<Hex>('eth_call', [{ from, data: bytecode }, 'latest'])
    await node.rpc.request('anvil_setCode', [multicall3, code])
    const told = [...truths(file)].map(([at, said]) => ['anvil_setCode', [at, codeSaying(said)]] as const)
    for (let at = 0; at < told.length; at += 100) await node.rpc.batch(told.slice(at, at + 100))
  }
}, 60_000)
afterAll(async () => {
  for (const { node } of chains.values()) await node.stop()
})

const verified = async (name: Name, file: CatalogFile): Promise<string[]> => {
  const flawed = await selfChecks(chains.get(name)!.chain, marketsOf(catalogOfFile(file)))
  return flawed.flatMap(({ market, faults }) => faults.map((fault) => `${market.entry.slug}: ${fault}`))
}

describe('a catalogue', () => {
  test.each(names)('of %s that is right passes', async (name) => {
    expect(await verified(name, fileOf(name))).toEqual([])
    expect(differences(fileOf(name), books).faults).toEqual([])
    expect(differences(fileOf(name), books).found).toBeGreaterThan(50)
  })

  test('with one wrong address, decimals or pool never passes: 100 mutations, each caught', async () => {
    const random = seeded(20261121)
    const int = (below: number) => Math.floor(random() * below)
    const pick = <one>(list: readonly one[]): one => list[int(list.length)]!
    const address = () => getAddress(`0x${Array.from({ length: 40 }, () => int(16).toString(16)).join('')}`)
    const caughtBy = { laws: 0, books: 0, chain: 0 }
    const missed: string[] = []
    for (let round = 0; round < 100; round++) {
      const name = pick([...names])
      const file = fileOf(name)
      const row = pick(file.strategies)
      const [what, mutate] = pick(mutations(file, row, address, pick))
      mutate()
      const laws = faultsOf(file)
      const inBooks = laws.length > 0 ? [] : differences(file, books).faults
      const onChain = laws.length > 0 ? [] : await verified(name, file)
      if (laws.length > 0) caughtBy.laws++
      if (inBooks.length > 0) caughtBy.books++
      if (onChain.length > 0) caughtBy.chain++
      if (laws.length + inBooks.length + onChain.length === 0) missed.push(`${name} ${row.protocol} ${what}`)
    }
    expect(missed).toEqual([])
    for (const count of Object.values(caughtBy)) expect(count).toBeGreaterThan(0)
  }, 60_000)

  test.each(['across', 'stakewise', 'lido'])(
    'of which %s is wrong in any one way never passes',
    async (family) => {
      const rows = () => {
        const file = fileOf('ethereum')
        return { file, rows: file.strategies.filter(({ constants }) => constants.family === family) }
      }
      const address = () => getAddress(`0x${'ab'.repeat(20)}`)
      const missed: string[] = []
      let tried = 0
      for (let at = 0; at < rows().rows.length; at++) {
        const all = ({ file, rows }: { file: CatalogFile; rows: Row[] }) =>
          mutations(file, rows[at]!, address, (list) => list[0]!)
        for (let which = 0; which < all(rows()).length; which++) {
          const fresh = rows()
          const [what, mutate] = all(fresh)[which]!
          mutate()
          tried++
          if (faultsOf(fresh.file).length + differences(fresh.file, books).faults.length > 0) continue
          if ((await verified('ethereum', fresh.file)).length > 0) continue
          missed.push(`${fresh.rows[at]!.asset} ${what}`)
        }
      }
      expect(missed).toEqual([])
      expect(tried).toBeGreaterThan(5)
    },
    60_000,
  )
})

type Mutation = readonly [what: string, mutate: () => void]

/** What can be wrong with a row: an address of nobody's, that of another market of the family, another asset, other decimals. */
function mutations(
  file: CatalogFile,
  row: Row,
  address: () => Address,
  pick: <one>(list: readonly one[]) => one,
): Mutation[] {
  const constants = row.constants as unknown as Record<string, unknown>
  const token = file.tokens.find((one) => one.address === row.asset)
  const others = file.strategies.filter(
    (other) =>
      other.constants.family === row.constants.family && other.receipt.address !== row.receipt.address,
  )
  const swapped = Object.keys(constants).flatMap((key): Mutation[] => {
    const theirs = others.flatMap(({ constants: other }) => {
      const value = (other as unknown as Record<string, unknown>)[key]
      return typeof value === 'string' && /^0x/.test(value) && value !== constants[key] ? [value] : []
    })
    if (theirs.length === 0) return []
    return [[`${key} of another`, () => Object.assign(constants, { [key]: pick(theirs) })]]
  })
  const renamed = Object.entries(constants).flatMap(([key, value]): Mutation[] =>
    typeof value === 'string' && /^0x/.test(value)
      ? [[key, () => Object.assign(constants, { [key]: address() })]]
      : [],
  )
  return [
    ...renamed,
    ...swapped,
    ['receipt', () => Object.assign(row.receipt, { address: address() })],
    [
      'receipt and what is the same',
      () => {
        const [before, after] = [row.receipt.address, address()]
        row.receipt.address = after
        for (const [key, value] of Object.entries(constants)) if (value === before) constants[key] = after
      },
    ],
    [
      'receipt decimals',
      () => Object.assign(row.receipt, { decimals: row.receipt.decimals === 18 ? 6 : 18 }),
    ],
    // The pool of another token is a pool, too: of the native coin it must be that of what wraps it.
    ...others.flatMap(({ asset, receipt, constants: theirs }): Mutation[] =>
      theirs.family === 'across' && 'wrapped' in constants && receipt.decimals === row.receipt.decimals
        ? [
            [
              'pool of another',
              () => {
                file.strategies = file.strategies.filter((one) => one.receipt !== receipt)
                row.receipt.address = receipt.address
                Object.assign(constants, { wrapped: asset })
              },
            ],
          ]
        : [],
    ),
    ...(constants.family === 'stakewise'
      ? Object.entries(strange).map(
          ([name, at]): Mutation => [
            `vault ${name}`,
            () => {
              row.receipt.address = at
              Object.assign(constants, { vault: at })
            },
          ],
        )
      : []),
    ...(token
      ? ([
          ['asset decimals', () => Object.assign(token, { decimals: token.decimals === 18 ? 6 : 18 })],
          [
            'asset',
            () => {
              row.asset = pick(
                file.tokens.filter((one) => one.address !== row.asset && one.decimals === token.decimals),
              ).address
            },
          ],
        ] as const)
      : []),
  ]
}
