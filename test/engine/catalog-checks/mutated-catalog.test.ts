import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { getAddress } from 'viem/utils'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { type CatalogFile, catalogOfFile } from '../../../src/app/profiles/catalog-file.ts'
import { type Chain, openChain } from '../../../src/chain/network-client.ts'
import type { Address, Hex } from '../../../src/domain/address.ts'
import { multicall3 } from '../../../src/domain/networks.ts'
import { dependencyFaults, marketFaults } from '../../../src/engine/catalog-checks/contract-check.ts'
import { symbolFaults } from '../../../src/engine/catalog-checks/symbol-check.ts'
import { marketsOf } from '../../../src/protocols/registry.ts'
import { type Anvil, startAnvil } from '../../../src/sandbox/anvil.ts'
import { ownContract } from '../../../src/sandbox/genesis/artifacts.ts'
import { differences, keptBooks } from '../../oracles/books.ts'
import { makerFaults } from '../../oracles/factories.ts'
import { cells, seeded } from '../../support/engine.ts'
import { faultsOf } from '../catalog/catalog-rules.ts'
import { asked, strange, truths, word } from './correct-contract-answers.ts'
import { codeSaying } from './scripted-contract-code.ts'

// Chains on which every address of the catalogue has a contract with correct answers. The answers are derived from the file by hand, per
// protocol, so that the checks of the engine are compared with independent code.

const names = ['ethereum', 'base', 'bnb', 'gnosis'] as const
type Name = (typeof names)[number]
type Row = CatalogFile['strategies'][number]
const fileOf = (name: Name): CatalogFile =>
  JSON.parse(readFileSync(join(import.meta.dirname, `../../../src/engine/catalog/${name}.json`), 'utf8'))
const chains = new Map<Name, { node: Anvil; chain: Chain }>()
const books = keptBooks()

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
    const { bytecode } = ownContract('SandboxMulticall')
    const code = await node.rpc.request<Hex>('eth_call', [{ from, data: bytecode }, 'latest'])
    await node.rpc.request('anvil_setCode', [multicall3, code])
    // A contract that answers nothing: code alone proves nothing.
    await node.rpc.request('anvil_setCode', [silent, '0x00'])
    const { chainId } = network!
    const told = [...truths(file), ...madeByMorpho(chainId, file)].map(
      ([at, said]) => ['anvil_setCode', [at, codeSaying(said)]] as const,
    )
    for (let at = 0; at < told.length; at += 100) await node.rpc.batch(told.slice(at, at + 100))
  }
})
afterAll(async () => {
  for (const { node } of chains.values()) await node.stop()
})

/** The answers of the Morpho factories: each vault was made by one of them; two factories share the vaults. */
function madeByMorpho(chainId: number, { strategies }: CatalogFile): [Address, Map<Hex, Hex>][] {
  const book = books.morpho.find((one) => one.chainId === chainId)
  const by = (maker: Address, name: string, vaults: readonly Address[]): [Address, Map<Hex, Hex>] => [
    maker,
    new Map(vaults.map((at) => [asked(`function ${name}(address)`, [at]), word(1)])),
  ]
  const vaultsOf = (isMeant: (row: Row) => boolean) =>
    strategies.flatMap((row) => (isMeant(row) && 'vault' in row.constants ? [row.constants.vault] : []))
  const first = vaultsOf(({ constants }) => constants.family === 'morpho')
  const second = vaultsOf(({ constants }) => 'limits' in constants && constants.limits === 'none')
  return [
    ...(book?.metaMorpho ?? []).map((maker, at, { length }) =>
      by(
        maker,
        'isMetaMorpho',
        first.filter((_, which) => which % length === at),
      ),
    ),
    ...(book?.vaultV2 ?? []).map((maker) => by(maker, 'isVaultV2', second)),
  ]
}

const silent = getAddress(`0x${'ab'.repeat(20)}`)

/** A plausible newest block of these chains. */
const head = 30_000_000n

/** An unrelated contract: it has code, and answers other calls. */
const another = (file: CatalogFile) => file.strategies.at(-1)!.receipt.address
const rowOf = (file: CatalogFile, family: string, at = 0) =>
  file.strategies.filter(({ constants }) => constants.family === family)[at]!
const tokenOf = (file: CatalogFile, symbol: string) => file.tokens.find((one) => one.symbol === symbol)!

/** Further mutations of a file: network, description, mutation, and the expected fault. */
const beside: [Name, string, (file: CatalogFile) => void, RegExp][] = [
  [
    'base',
    'two price feeds are swapped',
    ({ priceFeeds: [one, two] }) => {
      const { feed } = one!
      one!.feed = two!.feed
      two!.feed = feed
    },
    /the name of the feed of AERO is DAI \/ USD, not AERO \/ USD/,
  ],
  [
    'ethereum',
    'a price feed has wrong decimals',
    ({ priceFeeds }) => {
      priceFeeds[0]!.decimals = 18
    },
    /the decimals of the feed of COMP is 8, not 18/,
  ],
  [
    'base',
    'the price oracle is an unrelated contract',
    (file) => {
      file.priceOracle!.address = another(file)
    },
    /its price oracle is that of no pool/,
  ],
  [
    'base',
    'the price oracle and the oracle of a pool are an unrelated contract',
    (file) => {
      file.priceOracle!.address = another(file)
      for (const { constants } of file.strategies)
        if (constants.family === 'aave-v3') constants.oracle = file.priceOracle!.address
    },
    /the price oracle is 0x.*, and the book says another/,
  ],
  [
    'base',
    'the Uniswap v3 quoter is an unknown address',
    (file) => {
      file.swaps['uniswap-v3']!.quoterV2 = getAddress(`0x${'77'.repeat(20)}`)
    },
    /the factory of the quoter of Uniswap v3 is not returned by 0x7777/,
  ],
  [
    'base',
    'the Uniswap v3 quoter belongs to another factory',
    (file) => {
      file.swaps['uniswap-v3']!.factory = getAddress(`0x${'77'.repeat(20)}`)
    },
    /the factory of the quoter of Uniswap v3 is 0x33128a8f/,
  ],
  [
    'bnb',
    'the Uniswap v3 router is an unknown address',
    (file) => {
      file.swaps['uniswap-v3']!.swapRouter02 = getAddress(`0x${'77'.repeat(20)}`)
    },
    /the factory of the router of Uniswap v3 is not returned by 0x7777/,
  ],
  [
    'bnb',
    'the Uniswap v2 router is an unknown address',
    (file) => {
      file.swaps['uniswap-v2']!.router02 = getAddress(`0x${'77'.repeat(20)}`)
    },
    /the factory of the router of Uniswap v2 is not returned by 0x7777/,
  ],
  [
    'base',
    'the KyberSwap router is an unknown address',
    (file) => {
      file.swaps.kyberswap!.router = getAddress(`0x${'77'.repeat(20)}`)
    },
    /the wrapped coin of the router of KyberSwap/,
  ],
  [
    'base',
    'KyberSwap has another API',
    (file) => {
      file.swaps.kyberswap!.api = 'https://example.com/base/api/v1'
    },
    /its aggregator is somebody else/,
  ],
  [
    'base',
    'the LI.FI diamond is an unknown address',
    (file) => {
      file.swaps.lifi!.diamond = getAddress(`0x${'77'.repeat(20)}`)
    },
    /the facet of LI.FI that swaps tokens/,
  ],
  [
    'base',
    'LI.FI has another API',
    (file) => {
      file.swaps.lifi!.api = 'https://example.com/v1'
    },
    /its LI.FI is somebody else/,
  ],
  [
    'base',
    'the 1inch router is an unknown address',
    (file) => {
      file.swaps['1inch']!.router = getAddress(`0x${'77'.repeat(20)}`)
    },
    /the name of the router of 1inch is not returned by 0x7777/,
  ],
  [
    'base',
    'another service receives the 1inch key',
    (file) => {
      file.swaps['1inch']!.api = 'https://api.1inch.evil.example/swap/v6.1/8453'
    },
    /another service is given the key of 1inch/,
  ],
  [
    'base',
    'the Relay depository is an unknown address',
    (file) => {
      file.swaps.relay!.depository = getAddress(`0x${'77'.repeat(20)}`)
    },
    /the name of the depository of Relay is not returned by 0x7777/,
  ],
  [
    'ethereum',
    'the Relay depository belongs to another network',
    (file) => {
      file.swaps.relay!.depository = '0x59916DA825D2D2eC1BF878D71c88826F6633ecca'
    },
    /its depository of Relay is somewhere else/,
  ],
  [
    'base',
    'the Relay router is an unknown address',
    (file) => {
      file.swaps.relay!.router = getAddress(`0x${'77'.repeat(20)}`)
    },
    /its router of Relay is somewhere else/,
  ],
  [
    'base',
    'the Relay router 3.2 belongs to another network',
    (file) => {
      file.swaps.relay!.router32 = '0x6328ea02d28131e58B28E55c6258258A30d90E05'
    },
    /its router 3.2 of Relay is somewhere else/,
  ],
  [
    'base',
    'Relay has another API',
    (file) => {
      file.swaps.relay!.api = 'https://example.com'
    },
    /its Relay is somebody else/,
  ],
  [
    'base',
    'the Relay solver is an unknown address',
    (file) => {
      file.swaps.relay!.solver = getAddress(`0x${'77'.repeat(20)}`)
    },
    /the solver of Relay is somebody else/,
  ],
  [
    'base',
    'Relay orders pay out on another chain',
    (file) => {
      file.swaps.relay!.chain = 'optimism'
    },
    /Relay calls it otherwise/,
  ],
  [
    'base',
    'Uniswap v2 has the init code hash of a fork',
    (file) => {
      file.swaps['uniswap-v2']!.initCodeHash = `0x${'77'.repeat(32)}`
    },
    /its pairs are somewhere else/,
  ],
  [
    'base',
    'the Uniswap v4 router is an unknown address',
    (file) => {
      file.swaps['uniswap-v4']!.universalRouter = getAddress(`0x${'77'.repeat(20)}`)
    },
    /the pools of the router of Uniswap v4 is not returned by 0x7777/,
  ],
  [
    'base',
    'the Uniswap v4 quoter belongs to another PoolManager',
    (file) => {
      file.swaps['uniswap-v4']!.poolManager = getAddress(`0x${'77'.repeat(20)}`)
    },
    /the pools of the quoter of Uniswap v4 is 0x498581fF/,
  ],
  [
    'base',
    'Permit2 is an unknown address',
    (file) => {
      file.swaps['uniswap-v4']!.permit2 = getAddress(`0x${'77'.repeat(20)}`)
    },
    /its Permit2 is somewhere else/,
  ],
  [
    'ethereum',
    'CCTP has another domain',
    ({ swaps }) => {
      swaps.cctp!.domain = 6
    },
    /the domain of the bridge is 0, not 6/,
  ],
  [
    'bnb',
    'the Across SpokePool is an unknown address',
    (file) => {
      file.swaps.across!.spokePool = getAddress(`0x${'77'.repeat(20)}`)
    },
    /the chain of the pool of Across is not returned by 0x7777/,
  ],
  [
    'gnosis',
    'the CoW settlement is an unknown address',
    (file) => {
      file.swaps.cow!.settlement = getAddress(`0x${'77'.repeat(20)}`)
    },
    /the relayer of CoW Protocol is not returned by 0x7777/,
  ],
  [
    'base',
    'the CoW relayer is an unknown address',
    (file) => {
      file.swaps.cow!.vaultRelayer = getAddress(`0x${'77'.repeat(20)}`)
    },
    /the relayer of CoW Protocol is 0xC92E/,
  ],
  [
    'base',
    'CoW has another order book',
    (file) => {
      file.swaps.cow!.api = 'https://api.cow.evil.example/base'
    },
    /its order book is somebody else/,
  ],
  [
    'gnosis',
    'the Balancer v2 queries belong to another Vault',
    (file) => {
      file.swaps['balancer-v2']!.vault = getAddress(`0x${'77'.repeat(20)}`)
    },
    /its Vault is somewhere else\nthe Vault of the queries of Balancer v2 is 0xBA12/,
  ],
  [
    'bnb',
    'the PancakeSwap v3 router is that of Uniswap v3',
    (file) => {
      file.swaps['pancakeswap-v3']!.swapRouter02 = file.swaps['uniswap-v3']!.swapRouter02
    },
    /the factory of the router of PancakeSwap v3 is 0x/,
  ],
  [
    'ethereum',
    'PancakeSwap v3 has a fee tier of Uniswap v3',
    (file) => {
      file.swaps['pancakeswap-v3']!.feeTiers = [100, 500, 3000, 10_000]
    },
    /there is no tier 3000 of pancakeswap-v3/,
  ],
  [
    'base',
    'a Balancer v2 pool is unknown',
    (file) => {
      const tokens = [tokenOf(file, 'USDC').address, tokenOf(file, 'EURC').address]
      file.swaps['balancer-v2']!.pools = [{ id: `0x${'77'.repeat(32)}`, tokens, source: 'npm:nobody@1.0.0' }]
    },
    /the tokens of the pool 0x7777.* is not returned by 0xBA12/,
  ],
  [
    'base',
    'Across has another API',
    (file) => {
      file.swaps.across!.api = 'https://app.across.evil.example/api'
    },
    /Across is of another environment/,
  ],
  [
    'ethereum',
    'CCTP has another message transmitter',
    (file) => {
      file.swaps.cctp!.messageTransmitter = getAddress(`0x${'77'.repeat(20)}`)
    },
    /the sender of messages is 0x81D40F21/,
  ],
  [
    'ethereum',
    'a market is read from a block above the newest',
    (file) => {
      rowOf(file, 'compound-v3').fromBlock = '99999999999'
    },
    /is read from block 99999999999, but the newest block is 30000000/,
  ],
  [
    'ethereum',
    'a market is read from a block after its deployment',
    (file) => {
      rowOf(file, 'compound-v3').fromBlock = '1'
    },
    /is read from block 1, but was deployed earlier/,
  ],
  [
    'base',
    'a token has a wrong symbol',
    (file) => {
      tokenOf(file, 'USDC').symbol = 'USDX'
    },
    /the symbol of 0x8335.* is USDX, and the book says USDC\n(.*\n)*0x8335.* is called USDC, not USDX/,
  ],
  [
    'base',
    'two tokens have swapped symbols',
    (file) => {
      const [one, two] = [tokenOf(file, 'USDC'), tokenOf(file, 'EURC')]
      one.symbol = 'EURC'
      two.symbol = 'USDC'
    },
    /0x8335.* is called USDC, not EURC/,
  ],
  [
    'ethereum',
    'a token with a bytes32 symbol has a wrong symbol',
    (file) => {
      tokenOf(file, 'MKR').symbol = 'MKX'
    },
    /is called MKR, not MKX/,
  ],
  [
    'ethereum',
    'two receipts have swapped symbols',
    (file) => {
      const [{ receipt: one }, { receipt: two }] = [rowOf(file, 'aave-v3'), rowOf(file, 'aave-v3', 1)]
      const { symbol } = one
      one.symbol = two.symbol
      two.symbol = symbol
    },
    /the receipt of .* is called aEthWETH, like that of/,
  ],
  [
    'ethereum',
    'the receipt of a Yearn vault has a wrong symbol',
    (file) => {
      rowOf(file, 'yearn-v3').receipt.symbol = 'yvDAI'
    },
    /the receipt of yearn-v3-dai-ethereum is called yvDAI-1, not yvDAI/,
  ],
  [
    'base',
    'two receipts have the same symbol',
    (file) => {
      rowOf(file, 'yearn-v3').receipt.symbol = rowOf(file, 'yearn-v3', 1).receipt.symbol
    },
    /another receipt is called/,
  ],
  [
    'bnb',
    'a market has a rate per second on a chain with rates per block',
    (file) => {
      Object.assign(rowOf(file, 'compound-v2', 3).constants, { rate: 'second' })
    },
    /its rate per second is not returned by/,
  ],
  [
    'bnb',
    'a market has the pause mechanism of another protocol',
    (file) => {
      Object.assign(rowOf(file, 'compound-v2', 3).constants, { pauses: 'guardian' })
    },
    /whether it is paused is not returned by/,
  ],
  [
    'base',
    'the native coin goes to the router of another market',
    (file) => {
      const router = getAddress(`0x${'77'.repeat(20)}`)
      for (const { constants } of file.strategies)
        if ('coin' in constants && typeof constants.coin === 'object') constants.coin.router = router
    },
    /the market of the router is not returned by 0x7777/,
  ],
  [
    'ethereum',
    'a Yearn vault is listed as plain ERC-4626',
    (file) => {
      const row = rowOf(file, 'yearn-v3')
      Object.assign(row.constants, { family: 'erc4626' })
      row.implementationSelector = 'erc4626@1'
    },
    /it is a vault of another family/,
  ],
  [
    'gnosis',
    'the sDAI adapter is the token itself',
    (file) => {
      const { constants } = rowOf(file, 'gnosis-sdai')
      if (constants.family === 'gnosis-sdai') constants.adapter = constants.token
    },
    /the vault of the adapter is not returned by 0xaf204776/,
  ],
  [
    'base',
    'a lending market has the category staking',
    (file) => {
      rowOf(file, 'aave-v3').category = 'staking'
    },
    /it is no staking/,
  ],
  [
    'base',
    'a Morpho vault was made by another factory',
    (file) => strangers(rowOf(file, 'morpho')),
    /the vault of .* was not made by Morpho/,
  ],
  [
    'base',
    'a Morpho v2 vault was made by another factory',
    (file) =>
      strangers(
        file.strategies.find(({ constants }) => 'limits' in constants && constants.limits === 'none')!,
      ),
    /the vault of .* was not made by Morpho/,
  ],
  [
    'ethereum',
    'a Euler vault is another one of the same asset',
    (file) => {
      const [one, two] = alike(file, /^euler-/)
      one.receipt.address = two.receipt.address
      Object.assign(one.constants, { vault: two.receipt.address })
      file.strategies = file.strategies.filter((row) => row !== two)
    },
    /what is held in euler-.* is 0x.*, and the book says 0x/,
  ],
  [
    'ethereum',
    'a savings vault has the rate of another vault',
    (file) => {
      const [one, two] = file.strategies.filter(({ protocol }) => protocol === 'spark-savings')
      Object.assign(one!.constants, { stated: { at: two!.receipt.address, name: 'vsr' } })
    },
    /its rate is stated by another vault/,
  ],
  [
    'base',
    'the rate of sUSDS comes from an unrelated contract',
    (file) => {
      const row = file.strategies.find(({ protocol }) => protocol === 'spark-susdc')!
      Object.assign(row.constants, { stated: { at: silent, name: 'getSSR' } })
    },
    /its rate is stated elsewhere than that of sUSDS/,
  ],
  [
    'bnb',
    'the market of the native coin is that of a token',
    (file) => {
      const coin = file.strategies.find(({ constants }) => 'coin' in constants)!
      const other = rowOf(file, 'compound-v2', 2)
      file.strategies = file.strategies.filter((row) => row !== other)
      coin.receipt.address = other.receipt.address
      Object.assign(coin.constants, { market: other.receipt.address })
    },
    /an asset that is a token returned by 0x/,
  ],
  [
    'base',
    'a market is not listed by its comptroller',
    (file) => {
      const row = rowOf(file, 'compound-v2')
      Object.assign(row.constants, { market: strange.unregistered })
    },
    /whether the comptroller lists the market is not returned by/,
  ],
  [
    'ethereum',
    'wstETH is the contract that takes the native coin',
    (file) => {
      const row = file.strategies.find(({ protocol }) => protocol === 'lido-wsteth')!
      if ('wstEth' in row.constants) Object.assign(row.constants, { staker: row.constants.wstEth })
    },
    /what wraps stETH takes no coin/,
  ],
  [
    'base',
    'CCTP has another attestation service',
    (file) => {
      file.swaps.cctp!.attestation = 'https://iris-api.evil.example'
    },
    /the bridge is of another environment/,
  ],
  [
    'ethereum',
    'two Morpho vaults have swapped names',
    (file) => {
      const [one, two] = alike(file, /^morpho-.*[a-z]$/)
      relabelled(one, two)
    },
    /what is held in morpho-.* is 0x.*, and the book says 0x/,
  ],
  [
    'ethereum',
    'a market has the protocol of another',
    (file) => {
      rowOf(file, 'aave-v3').protocol = 'aave-v3-prime'
    },
    /it is called Aave v3 WETH/,
  ],
  [
    'ethereum',
    'two Aave markets are swapped together with their names',
    (file) => {
      for (const row of file.strategies.filter(({ protocol }) => protocol === 'aave-v3')) {
        const other = file.strategies.find(
          ({ protocol, asset }) => protocol === 'aave-v3-prime' && asset === row.asset,
        )
        if (other) relabelled(row, other)
      }
    },
    /what is held in aave-v3 of .* is 0x.*, and the book says 0x/,
  ],
  [
    'base',
    'a Moonwell market has a rate per block',
    (file) => {
      Object.assign(rowOf(file, 'compound-v2').constants, { rate: 'block' })
    },
    /its rate is stated otherwise\n(.*\n)*.*its rate per second returned by/,
  ],
  [
    'base',
    'Uniswap v3 has an unknown fee tier',
    (file) => {
      file.swaps['uniswap-v3']!.feeTiers = [100, 3001]
    },
    /there is no tier 3001 of uniswap-v3\n(.*\n)*.*the tier 3001 of Uniswap v3 is not returned by/,
  ],
  [
    'base',
    'swaps route through an unusual token',
    (file) => {
      file.swaps['uniswap-v3']!.via = [tokenOf(file, 'EURC').address]
    },
    /nobody swaps by EURC/,
  ],
  [
    'base',
    'two markets are the default',
    (file) => {
      for (const at of [0, 1]) rowOf(file, 'aave-v3', at).isDefault = true
    },
    /two markets are the default/,
  ],
  [
    'base',
    'a market has a future start date',
    (file) => {
      rowOf(file, 'aave-v3').startDate = '2099-01-01T00:00:00.000Z'
    },
    /it has not begun yet/,
  ],
  [
    'base',
    'a market has another version of its calls',
    (file) => {
      rowOf(file, 'aave-v3').implementationSelector = 'aave-v3@9'
    },
    /it is of another version/,
  ],
  [
    'base',
    'a logo has an unknown host',
    (file) => {
      rowOf(file, 'aave-v3').logourl = 'https://evil.example/logo.png'
    },
    /its picture is somewhere else/,
  ],
  [
    'base',
    'a market has no logo',
    (file) => {
      rowOf(file, 'aave-v3').logourl = null
    },
    /it has no picture/,
  ],
  [
    'base',
    'a launch lies in the future',
    (file) => {
      file.launches.push({ ...launchOf(file), date: '2099-01-01' })
    },
    /nobody can have launched it then/,
  ],
  [
    'base',
    'a launch is older than every network',
    (file) => {
      file.launches.push({ ...launchOf(file), date: '2015-01-01' })
    },
    /nobody can have launched it then/,
  ],
  [
    'base',
    'a market is launched twice',
    (file) => {
      file.launches.push(launchOf(file), launchOf(file))
    },
    /it was launched twice/,
  ],
  [
    'base',
    'a launch is that of no market',
    (file) => {
      file.launches.push({ ...launchOf(file), protocol: 'nobody' })
    },
    /nothing was launched/,
  ],
  [
    'base',
    'a family has no market',
    (file) => {
      file.familyLaunches.push({ ...familyOf(file), protocol: 'nobody*' })
    },
    /nobody\*: it has no market/,
  ],
  [
    'base',
    'a market has two families',
    (file) => {
      file.familyLaunches.push({ ...familyOf(file), protocol: 'aave*' })
    },
    /a market has two families/,
  ],
  [
    'base',
    'a family was launched after one of its markets',
    (file) => {
      file.launches.push({ ...launchOf(file), protocol: familyOf(file).protocol, date: '2020-01-01' })
    },
    /a market is older than its family/,
  ],
  [
    'base',
    'a family is launched in the future',
    (file) => {
      familyOf(file).date = '2099-01-01'
    },
    /nobody can have launched it then/,
  ],
  [
    'base',
    'an address has no source',
    (file) => {
      rowOf(file, 'aave-v3').source = 'x'
    },
    /x is no source/,
  ],
]

/** Replaces a vault by one with the same answers from another factory. */
function strangers(row: Row): void {
  row.receipt.address = strange.vault
  Object.assign(row.constants, { vault: strange.vault })
}

/** A launch of the first market of a file. */
const launchOf = ({ strategies: [row] }: CatalogFile): CatalogFile['launches'][number] => ({
  protocol: row!.protocol,
  asset: row!.asset,
  date: '2023-08-01',
  source: 'https://example.org',
})

/** The launch of Aave v3 in a file. */
const familyOf = ({ familyLaunches }: CatalogFile): CatalogFile['familyLaunches'][number] =>
  familyLaunches.find(({ protocol }) => protocol === 'aave-v3')!

/** Two markets of one asset whose protocols match a pattern. */
function alike({ strategies }: CatalogFile, name: RegExp): [Row, Row] {
  const rows = strategies.filter(({ protocol }) => name.test(protocol))
  const one = rows.find((row, at) => rows.slice(at + 1).some(({ asset }) => asset === row.asset))!
  return [one, rows.find((row) => row !== one && row.asset === one.asset)!]
}

/** Swaps the names of two markets. */
function relabelled(one: Row, two: Row): void {
  const { protocol, name, receipt } = structuredClone(one)
  Object.assign(one, { protocol: two.protocol, name: two.name })
  one.receipt.symbol = two.receipt.symbol
  Object.assign(two, { protocol, name })
  two.receipt.symbol = receipt.symbol
}

const verified = async (name: Name, file: CatalogFile): Promise<string[]> => {
  const { chain } = chains.get(name)!
  const catalog = catalogOfFile(file)
  const [flawed, ground, symbols, makers] = await Promise.all([
    marketFaults(chain, marketsOf(catalog)),
    dependencyFaults(chain, catalog, head),
    symbolFaults(chain, catalog),
    makerFaults(chain, catalog, books),
  ])
  return [
    ...flawed.flatMap(({ market, faults }) => faults.map((fault) => `${market.entry.slug}: ${fault}`)),
    ...ground,
    ...symbols,
    ...makers,
  ]
}

describe('the catalogue check', () => {
  test.each(names)('passes the correct catalogue of %s', async (name) => {
    expect(await verified(name, fileOf(name))).toEqual([])
    expect(differences(fileOf(name), books).faults).toEqual([])
    expect(differences(fileOf(name), books).found).toBeGreaterThan(25)
  })

  test('reports each random mutation of an address, decimals or a pool', async () => {
    const random = seeded(20261121)
    const int = (below: number) => Math.floor(random() * below)
    const pick = <one>(list: readonly one[]): one => list[int(list.length)]!
    const address = () => getAddress(`0x${Array.from({ length: 40 }, () => int(16).toString(16)).join('')}`)
    const caughtBy = { laws: 0, books: 0, chain: 0 }
    const missed: string[] = []
    for (let round = 0; round < cells(40, 100); round++) {
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
  })

  test.each([
    ['across', 'ethereum'],
    ['stakewise', 'ethereum'],
    ['lido', 'ethereum'],
    ['ether-fi', 'ethereum'],
    ['frax-ether', 'ethereum'],
    ['rocket-pool', 'ethereum'],
    ['stader', 'ethereum'],
    ['lista', 'bnb'],
    ['gnosis-sdai', 'gnosis'],
    ['aave-v3', 'base'],
    ['compound-v2', 'base'],
    ['compound-v3', 'base'],
    ['erc4626', 'ethereum'],
    ['ethena', 'ethereum'],
    ['fluid', 'base'],
    ['morpho', 'base'],
    ['pendle-pt', 'ethereum'],
    ['spark-psm3', 'base'],
    ['yearn-v3', 'base'],
  ] as const)(
    'reports every single mutation of a %s entry',
    async (family, name) => {
      const rows = () => {
        const file = fileOf(name)
        const rows = file.strategies
          .filter(({ constants }) => constants.family === family)
          .slice(0, cells(2, 6))
        // The other entries are the same in every round.
        return { file: { ...file, strategies: rows }, rows }
      }
      const address = () => silent
      const missed: string[] = []
      let tried = 0
      for (let at = 0; at < rows().rows.length; at++) {
        const all = ({ file, rows }: { file: CatalogFile; rows: Row[] }) => [
          ...mutations(file, rows[at]!, address, (list) => list[0]!),
          ...exchanged(rows[at]!),
        ]
        for (let which = 0; which < all(rows()).length; which++) {
          const fresh = rows()
          const [what, mutate] = all(fresh)[which]!
          mutate()
          tried++
          if (await isCaught(name, fresh.file)) continue
          missed.push(`${fresh.rows[at]!.asset} ${what}`)
        }
      }
      expect(missed).toEqual([])
      expect(tried).toBeGreaterThan(5)
    },
    60_000,
  )

  test.each(beside)('reports for %s that %s', async (name, _, mutate, said) => {
    const file = fileOf(name)
    mutate(file)
    // Other checks may report it, too; this fault must be among them.
    const chain = await verified(name, file)
    expect([...faultsOf(file), ...differences(file, books).faults, ...chain].join('\n')).toMatch(said)
  })
})

const isCaught = async (name: Name, file: CatalogFile) =>
  faultsOf(file).length + differences(file, books).faults.length > 0 ||
  (await verified(name, file)).length > 0

type Mutation = readonly [what: string, mutate: () => void]

/** Mutations that swap two addresses of a row. */
function exchanged({ constants: one }: Row): Mutation[] {
  const constants = one as unknown as Record<string, unknown>
  const keys = Object.keys(constants).filter((key) => /^0x/.test(String(constants[key])))
  return keys.flatMap((key, at) =>
    keys.slice(at + 1).map((other): Mutation => {
      const { [key]: mine, [other]: theirs } = constants
      return [
        `${key} and ${other} exchanged`,
        () => Object.assign(constants, { [key]: theirs, [other]: mine }),
      ]
    }),
  )
}

/** Mutations of a row: an unknown address, that of another market of its protocol, another asset, other decimals. */
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
  // Some addresses are nested: the contract that states a rate, or that takes the native coin.
  const inside = Object.entries(constants).flatMap(([key, value]): Mutation[] =>
    value !== null && typeof value === 'object'
      ? Object.entries(value)
          .filter(([, at]) => /^0x/.test(String(at)))
          .flatMap(([name]): Mutation[] => {
            const theirs = others.flatMap(({ constants: other }) => {
              const found = (other as unknown as Record<string, unknown>)[key]
              const at = (found as Record<string, unknown> | undefined)?.[name] ?? other.family
              return /^0x/.test(String(at)) && at !== (value as Record<string, unknown>)[name] ? [at] : []
            })
            return [
              [`${key}.${name}`, () => Object.assign(value, { [name]: address() })],
              ...(theirs.length > 0
                ? [
                    [
                      `${key}.${name} of another`,
                      () => Object.assign(value, { [name]: pick(theirs) }),
                    ] as const,
                  ]
                : []),
            ]
          })
      : [],
  )
  // An id that leads to another market, with all the right fields.
  const called = others
    .filter((other) => other.asset === row.asset && other.protocol !== row.protocol)
    .slice(0, 1)
    .map((other): Mutation => ['the names of another', () => relabelled(row, other)])
  return [
    ...renamed,
    ...inside,
    ...called,
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
    // A pool of another token is a valid pool; for the native coin it must be that of the wrapped coin.
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
