/** A contract of a package: its path there, and the functions that tests call. `true` keeps all of them, for facets. */
export type Piece = { name: string; path: string; uses: readonly string[] | true }

/** A published package with bytecode that is too large, or cannot be installed, to be a dependency. */
export type Package = {
  name: string
  version: string
  /** The registry's hash of this version; the download must match it. */
  integrity: string
  /** The licence of the authors. */
  licence: string
  pieces: readonly Piece[]
}

const venus = (path: string, uses: Piece['uses'] = []): Piece => {
  const name = path.split('/').at(-1)!
  return { name, path: `artifacts/contracts/${path}.sol/${name}.json`, uses }
}
const pendle = (path: string, uses: Piece['uses'] = []): Piece => {
  const name = path.split('/').at(-1)!
  return { name, path: `build/artifacts/contracts/${path}.sol/${name}.json`, uses }
}
const across = (name: string, uses: Piece['uses'] = []): Piece => ({
  name,
  path: `dist/evm/artifacts/${name}.sol/${name}.json`,
  uses,
})
const market = [
  'borrow',
  'mint',
  '_setReserveFactor',
  'setAccessControlManager',
  'setReduceReservesBlockDelta',
]

/** The packages that publish the bytecode of protocols. */
export const packages: readonly Package[] = [
  {
    name: '@venusprotocol/venus-protocol',
    version: '10.3.0',
    integrity:
      'sha512-qGvjvUgYhK5REF/Cj4Lg4FNBMrEscnSSxr4sHL4WDlb2woPucvqLfGkw/f3XKFanf+lWD1G4K0Gzpdc430+BeQ==',
    licence: 'BSD-3-Clause',
    pieces: [
      venus('Tokens/VTokens/VBep20Delegator'),
      venus('Tokens/VTokens/VBep20Delegate', market),
      venus('Tokens/VTokens/VBNB', market),
      venus('Comptroller/Unitroller', ['_setPendingImplementation']),
      venus('Comptroller/Diamond/Diamond', ['_become', 'diamondCut']),
      venus('Comptroller/Diamond/facets/MarketFacet', true),
      venus('Comptroller/Diamond/facets/PolicyFacet', true),
      venus('Comptroller/Diamond/facets/SetterFacet', true),
      venus('Lens/ComptrollerLens'),
      venus('InterestRateModels/JumpRateModel'),
    ],
  },
  {
    name: '@pendle/core-v2',
    version: '6.11.0',
    integrity:
      'sha512-Q7h2KaYzYl8kZKNPe5qWKHYtdToVEL9FqCH0/5ab9/H34JBdutQoqo8hcggfaPYlziOOQ79dgbWfvyzMDJNQCw==',
    licence: 'BUSL-1.1',
    pieces: [
      pendle('offchain-helpers/BaseSplitCodeFactoryContract', ['deploy']),
      pendle('core/YieldContracts/PendleYieldToken'),
      pendle('core/YieldContracts/PendleYieldContractFactoryUpg', [
        'initialize',
        'createYieldContract',
        'getPT',
        'getYT',
      ]),
      pendle('core/Market/OracleLib'),
      pendle('core/Market/PendleMarketV7'),
      pendle('core/Market/PendleMarketFactoryV7Upg', ['initialize', 'createNewMarket']),
      pendle('router/PendleRouterV4'),
      pendle('router/ActionStorageV4', ['setSelectorToFacets']),
      pendle('offchain-helpers/router-static/PendleRouterStatic'),
      pendle('offchain-helpers/router-static/base/ActionStorageStatic', [
        'setFacetForSelectors',
        'setDefaultApproxParams',
      ]),
      pendle('offchain-helpers/router-static/base/ActionMarketCoreStatic', true),
      pendle('offchain-helpers/router-static/base/ActionMarketAuxStatic', true),
      pendle('offchain-helpers/router-static/base/ActionMintRedeemStatic', true),
      pendle('router/ActionSwapPTV3', ['swapExactTokenForPt', 'swapExactPtForToken']),
      pendle('router/ActionSimple', ['swapExactTokenForPtSimple']),
      pendle('router/ActionMiscV3', ['redeemPyToToken']),
      pendle('oracles/PtYtLpOracle/PendlePYLpOracle', ['initialize']),
    ],
  },
  {
    name: '@aave/periphery-v3',
    version: '3.0.1',
    integrity:
      'sha512-z4+YKhnhoLNC63g67geguL//IdNgEgpgfEiONph/cgg/L9jXAGKjjSS7ZStXH0KnFGoqk44t9XG/idyJGcQA8A==',
    licence: 'AGPLv3',
    pieces: [
      {
        name: 'RewardsController',
        path: 'artifacts/contracts/rewards/RewardsController.sol/RewardsController.json',
        uses: ['initialize', 'configureAssets', 'setDistributionEnd'],
      },
    ],
  },
  // The last version with the contract of a standardized yield over an ERC-4626 vault.
  {
    name: '@pendle/core-v2',
    version: '4.7.2',
    integrity:
      'sha512-45zA81aNACHSljw3GuFXy8Fe+QESNwduew3xmIFfEbBsmjTGjP3gokrZz71w3Md630TGKdaoT0YMCjkPJQkGsg==',
    licence: 'BUSL-1.1',
    pieces: [pendle('core/StandardizedYield/implementations/PendleERC4626SY')],
  },
  {
    name: '@across-protocol/contracts',
    version: '5.0.27',
    integrity:
      'sha512-zp6BEBTDzRGEp7sNvvdRH4jBF2EuTI4RqFWVvhfkO28630Ow2hbCYeYiyTOjEOzAdqt+dn/sba9D9WirfwabWQ==',
    licence: 'BUSL-1.1',
    pieces: [
      across('HubPool', [
        'enableL1TokenForLiquidityProvision',
        'setBond',
        'setCrossChainContracts',
        'setPoolRebalanceRoute',
      ]),
      across('LpTokenFactory'),
      // The sandbox deploys these; `npm run contracts` copies both to its own contracts.
      across('Ethereum_SpokePool', [
        'initialize',
        'deposit',
        'fillRelay',
        'fillStatuses',
        'getCurrentTime',
        'relayRootBundle',
        'executeRelayerRefundLeaf',
        'rootBundles',
      ]),
      across('ERC1967Proxy'),
    ],
  },
  {
    name: '@across-protocol/across-token',
    version: '1.0.0',
    integrity:
      'sha512-QbbrIR5TGmEgkTF13dVy9oTDMV/7Ji1Fcx91nYHDuxUYvHacZ43Se3UlG4Xp8eKRAZtm8hYi0rm0WjrH7Nfl7g==',
    licence: 'AGPL-3.0',
    pieces: [
      {
        name: 'AcceleratingDistributor',
        path: 'artifacts/contracts/AcceleratingDistributor.sol/AcceleratingDistributor.json',
        uses: ['configureStakingToken'],
      },
    ],
  },
  {
    name: '@morpho-org/morpho-blue-bundlers',
    version: '1.1.2',
    integrity:
      'sha512-LdxnmFXZKS0kqr6BbFD3tGh0ECuNBT8N5iKrMs9ijstbs4t9pa+pEMd4msX5PVNCWAx377eJQ+SGNgnGjnJqug==',
    licence: 'GPL-2.0-or-later',
    pieces: [
      {
        name: 'Morpho',
        path: 'types/factories/lib/morpho-blue/src/Morpho__factory.js',
        uses: ['enableIrm', 'enableLltv', 'createMarket', 'setFee', 'setFeeRecipient'],
      },
      {
        name: 'MetaMorpho',
        path: 'types/factories/lib/metamorpho/src/MetaMorpho__factory.js',
        uses: ['submitCap', 'acceptCap', 'setSupplyQueue', 'setFeeRecipient', 'setFee'],
      },
      {
        name: 'AdaptiveCurveIrm',
        path: 'types/factories/lib/morpho-blue-irm/src/adaptive-curve-irm/AdaptiveCurveIrm__factory.js',
        uses: [],
      },
    ],
  },
]
