import { domainSeparator } from 'viem'
import {
  encodeAbiParameters,
  encodeFunctionData,
  getAddress,
  keccak256,
  pad,
  parseAbi,
  parseAbiParameters,
  toBytes,
  toHex,
} from 'viem/utils'
import type { CatalogFile } from '../../../src/app/profiles/catalog-file.ts'
import { type Address, type Hex, nativeAddress } from '../../../src/domain/address.ts'
import { networkNamed, publicNetworks } from '../../../src/domain/networks.ts'

type Row = CatalogFile['strategies'][number]

/** Contracts outside the catalogue: a StakeWise vault of another operator, an unregistered one with correct answers, and a vault that answers like a Morpho vault. */
export const strange: Record<'operators' | 'unregistered' | 'vault', Address> = {
  operators: getAddress(`0x${'0e'.repeat(20)}`),
  unregistered: getAddress(`0x${'0f'.repeat(20)}`),
  vault: getAddress(`0x${'1f'.repeat(20)}`),
}

/** One word of an answer. */
export const word = (value: Address | bigint | number): Hex =>
  typeof value === 'string' ? pad(value) : encodeAbiParameters([{ type: 'uint256' }], [BigInt(value)])
const text = (value: string): Hex => encodeAbiParameters([{ type: 'string' }], [value])
const old = (value: string): Hex => pad(toHex(value), { dir: 'right' })
/** The calldata of a call. */
export const asked = (signature: string, args: readonly unknown[] = []): Hex =>
  encodeFunctionData({ abi: parseAbi([signature]), args } as never)

/** The answer of Fluid's resolver about one fToken. */
const fTokenDetails = parseAbiParameters(
  '(address,bool,bool,string,string,uint256,address,uint256,uint256,uint256,uint256,uint256,uint256,int256,(bool,uint256,uint256,uint256,uint256,uint256,uint256,uint256,uint256))',
)

/** The correct answers of every contract of a file. */
export function truths(file: CatalogFile): Map<Address, Map<Hex, Hex>> {
  const all = new Map<Address, Map<Hex, Hex>>()
  const tell = (at: Address, call: Hex, answer: Hex) => {
    const said = all.get(at) ?? new Map<Hex, Hex>()
    all.set(at, said.set(call, answer))
  }
  for (const { address, decimals, symbol } of file.tokens) {
    if (address === nativeAddress) continue
    tell(address, asked('function decimals()'), word(decimals))
    tell(address, asked('function symbol()'), symbol === 'MKR' ? old(symbol) : text(symbol))
  }
  groundTruths(file, tell)
  for (const { asset, receipt, constants } of file.strategies) {
    if (constants.family === 'stakewise') {
      const { vault, keeper, registry } = constants
      const vaults = [
        [vault, asset === nativeAddress ? 'EthGenesisVault' : 'GnoGenesisVault', 1],
        [strange.operators, 'EthVault', 1],
        [strange.unregistered, 'EthGenesisVault', 0],
      ] as const
      for (const [at, kind, isMade] of vaults) {
        tell(at, asked('function vaultId()'), keccak256(toBytes(kind)))
        tell(keeper, asked('function isCollateralized(address)', [at]), word(1))
        tell(registry, asked('function vaults(address)', [at]), word(isMade))
      }
    } else {
      tell(receipt.address, asked('function decimals()'), word(receipt.decimals))
      tell(receipt.address, asked('function symbol()'), text(receipt.symbol))
    }
    // Every address has code, even if it answers nothing.
    for (const at of JSON.stringify(constants).match(/0x[0-9a-fA-F]{40}/g) ?? [])
      tell(at as Address, '0x', '0x')
    if (constants.family === 'aave-v3') {
      const reserve = Array.from({ length: 15 }, (_, at) => word(at === 8 ? constants.aToken : 1).slice(2))
      tell(constants.pool, asked('function getReserveData(address)', [asset]), `0x${reserve.join('')}`)
      tell(constants.aToken, asked('function UNDERLYING_ASSET_ADDRESS()'), word(asset))
      tell(constants.aToken, asked('function POOL()'), word(constants.pool))
      tell(constants.oracle, asked('function BASE_CURRENCY_UNIT()'), word(10n ** 8n))
      tell(constants.oracle, asked('function getAssetPrice(address)', [asset]), word(10n ** 8n))
    }
    if (constants.family === 'compound-v3') {
      tell(constants.comet, asked('function baseToken()'), word(asset))
      const config = [word(asset), word(1), word(1)].map((part) => part.slice(2)).join('')
      tell(constants.rewards!, asked('function rewardConfig(address)', [constants.comet]), `0x${config}`)
    }
    if (constants.family === 'compound-v2') {
      const { market, comptroller, rate, pauses, coin } = constants
      if (typeof coin === 'object') tell(coin.router, asked('function mToken()'), word(market))
      tell(market, asked('function comptroller()'), word(comptroller))
      const each = rate === 'second' ? 'supplyRatePerTimestamp()' : 'supplyRatePerBlock()'
      tell(market, asked(`function ${each}`), word(1))
      const paused = pauses === 'guardian' ? 'mintGuardianPaused(address)' : 'actionPaused(address,uint8)'
      tell(comptroller, asked(`function ${paused}`, pauses === 'guardian' ? [market] : [market, 0]), word(0))
      tell(comptroller, asked('function markets(address)', [market]), word(1))
      // The market of the native coin has no underlying token.
      if (coin !== 'market') tell(market, asked('function underlying()'), word(asset))
    }
    if (constants.family === 'across') {
      const { hubPool, wrapped = asset } = constants
      const pool = [receipt.address, 1, 1, 1, 1, 1].map((part) => word(part as Address).slice(2))
      tell(hubPool, asked('function pooledTokens(address)', [wrapped]), `0x${pool.join('')}`)
      if (constants.wrapped) tell(hubPool, asked('function weth()'), word(wrapped))
      const { staking } = constants
      if (staking) {
        const call = asked('function getUserStake(address,address)', [receipt.address, staking])
        tell(staking, call, `0x${'00'.repeat(128)}`)
      }
    }
    if ('vault' in constants) tell(constants.vault, asked('function asset()'), word(asset))
    if ('lends' in constants && constants.lends)
      tell(constants.vault, asked('function interestRate()'), word(1))
    if ('stated' in constants && constants.stated)
      tell(constants.stated.at, asked(`function ${constants.stated.name}()`), word(10n ** 27n + 1n))
    stakedTruths(constants, tell)
    if (constants.family === 'morpho')
      for (const at of [constants.vault, strange.vault]) {
        tell(at, asked('function MORPHO()'), word(constants.morpho))
        tell(at, asked('function asset()'), word(asset))
        tell(at, asked('function decimals()'), word(receipt.decimals))
        if (at === strange.vault) tell(at, asked('function symbol()'), text('evilUSDC'))
      }
    if (constants.family === 'spark-psm3') {
      tell(constants.psm, asked('function usdc()'), word(asset))
      tell(constants.psm, asked('function susds()'), word(receipt.address))
      tell(constants.oracle, asked('function getSSR()'), word(10n ** 27n + 1n))
    }
    if (constants.family === 'fluid') {
      const details = encodeAbiParameters(fTokenDetails, [
        [
          constants.vault,
          false,
          false,
          '',
          '',
          0n,
          asset,
          0n,
          0n,
          0n,
          0n,
          0n,
          0n,
          0n,
          [false, ...Array(8).fill(0n)],
        ],
      ] as never)
      tell(constants.resolver, asked('function getFTokenDetails(address)', [constants.vault]), details)
    }
    if (constants.family === 'pendle-pt') {
      const { market, sy, yt, expiry } = constants
      const parts = [sy, receipt.address, yt].map((part) => word(part).slice(2)).join('')
      tell(market, asked('function readTokens()'), `0x${parts}`)
      tell(market, asked('function expiry()'), word(expiry))
      tell(constants.oracle, asked('function getPtToAssetRate(address,uint32)', [market, 0]), word(1))
      const unit = 10n ** BigInt(receipt.decimals)
      const brings = asked('function redeemPyToTokenStatic(address,uint256,address)', [yt, unit, asset])
      tell(constants.routerStatic, brings, word(1))
      const info = [word(0), word(asset), word(18)].map((part) => part.slice(2)).join('')
      tell(sy, asked('function assetInfo()'), `0x${info}`)
      tell(sy, asked('function isValidTokenIn(address)', [asset]), word(1))
      tell(sy, asked('function isValidTokenOut(address)', [asset]), word(1))
    }
    if (constants.family === 'lido') {
      tell(constants.queue, asked('function STETH()'), word(constants.stEth))
      if (constants.holds === 'wstETH') {
        tell(constants.queue, asked('function WSTETH()'), word(constants.wstEth))
        tell(constants.staker, asked('function wstETH()'), word(constants.wstEth))
      }
    }
  }
  return all
}

/** The EIP-5267 domain, up to its version. */
const domainNamed = (name: string, version: string): Hex =>
  encodeAbiParameters(parseAbiParameters('bytes1, string, string, uint256, address, bytes32, uint256[]'), [
    '0x0f',
    name,
    version,
    1n,
    nativeAddress,
    word(0),
    [],
  ])

type Tell = (at: Address, call: Hex, answer: Hex) => void

function groundTruths({ tokens, priceFeeds, swaps, network }: CatalogFile, tell: Tell): void {
  const { kyberswap: kyberSwap, 'uniswap-v4': uniswapV4, cctp: cctpV2, across, cow } = swaps
  const { 'balancer-v2': balancerV2, lifi, '1inch': oneInch, relay } = swaps
  for (const { token, feed, decimals } of priceFeeds) {
    const { symbol } = tokens.find(({ address }) => address === token)!
    tell(feed, asked('function decimals()'), word(decimals))
    tell(feed, asked('function description()'), text(`${symbol} / USD`))
  }
  for (const [v3, spacings] of [
    // The initial fee tiers of the factory, and one that was added later (source: Uniswap/v3-core, UniswapV3Factory.sol).
    [swaps['uniswap-v3'], { 100: 1, 500: 10, 3000: 60, 10000: 200 }],
    // TICK_SPACINGS of @pancakeswap/v3-sdk 3.10.2
    [swaps['pancakeswap-v3'], { 100: 1, 500: 10, 2500: 50, 10000: 200 }],
  ] as const) {
    if (!v3) continue
    const { factory, quoterV2, swapRouter02 } = v3
    for (const [tier, spacing] of Object.entries(spacings))
      tell(factory, asked('function feeAmountTickSpacing(uint24)', [Number(tier)]), word(spacing))
    for (const at of [quoterV2, swapRouter02]) tell(at, asked('function factory()'), word(factory))
    tell(swapRouter02, asked('function factoryV2()'), word(nativeAddress))
  }
  for (const one of Object.values(swaps))
    if ('router02' in one) {
      tell(one.router02, asked('function factory()'), word(one.factory))
      tell(one.factory, asked('function allPairsLength()'), word(1))
    }
  if (kyberSwap) tell(kyberSwap.router, asked('function WETH()'), word(nativeAddress))
  if (lifi) tell(lifi.diamond, asked('function facetAddress(bytes4)', ['0x5fd9ae2e']), word(1))
  if (oneInch)
    tell(oneInch.router, asked('function eip712Domain()'), domainNamed('1inch Aggregation Router', '6'))
  if (relay) tell(relay.depository, asked('function eip712Domain()'), domainNamed('RelayDepository', '1'))
  if (uniswapV4) {
    const { poolManager, quoter, stateView, universalRouter, permit2 } = uniswapV4
    for (const at of [quoter, stateView, universalRouter])
      tell(at, asked('function poolManager()'), word(poolManager))
    tell(permit2, asked('function DOMAIN_SEPARATOR()'), word(1))
  }
  if (cow) {
    tell(cow.settlement, asked('function vaultRelayer()'), word(cow.vaultRelayer))
    const { chainId } = networkNamed(publicNetworks, network)
    const domain = { name: 'Gnosis Protocol', version: 'v2', chainId, verifyingContract: cow.settlement }
    tell(cow.settlement, asked('function domainSeparator()'), domainSeparator({ domain }))
  }
  if (balancerV2) tell(balancerV2.queries, asked('function vault()'), word(balancerV2.vault))
  if (across) {
    tell(across.spokePool, asked('function chainId()'), word(networkNamed(publicNetworks, network).chainId))
    tell(across.spokePool, asked('function fillDeadlineBuffer()'), word(21_600))
  }
  if (cctpV2) {
    const { domain, tokenMessenger, messageTransmitter } = cctpV2
    tell(messageTransmitter, asked('function localDomain()'), word(domain))
    tell(messageTransmitter, asked('function version()'), word(1))
    tell(tokenMessenger, asked('function messageBodyVersion()'), word(1))
    tell(tokenMessenger, asked('function localMessageTransmitter()'), word(messageTransmitter))
  }
}

function stakedTruths(constants: Row['constants'], tell: Tell): void {
  const price = word(11n * 10n ** 17n)
  const one = 10n ** 18n
  if (constants.family === 'ether-fi') {
    const { token, pool, depositAdapter, withdrawAdapter, requests } = constants
    tell(token, asked('function getRate()'), price)
    for (const at of [depositAdapter, withdrawAdapter]) tell(at, asked('function weETH()'), word(token))
    for (const at of [token, requests, depositAdapter, withdrawAdapter])
      tell(at, asked('function liquidityPool()'), word(pool))
    tell(depositAdapter, asked('function wstETH()'), word(token))
  }
  if (constants.family === 'frax-ether') {
    const { token, minter, queue } = constants
    tell(token, asked('function pricePerShare()'), price)
    tell(minter, asked('function sfrxEthToken()'), word(token))
    tell(queue, asked('function SFRX_ETH()'), word(token))
    tell(queue, asked('function etherRouter()'), word(minter))
  }
  if (constants.family === 'rocket-pool') {
    const { token, storage, depositPool } = constants
    tell(token, asked('function getExchangeRate()'), price)
    const place = (name: string) =>
      asked('function getAddress(bytes32)', [keccak256(toBytes(`contract.address${name}`))])
    tell(storage, place('rocketTokenRETH'), word(token))
    tell(storage, place('rocketDepositPool'), word(depositPool))
  }
  if (constants.family === 'stader') {
    const { token, manager, withdrawals } = constants
    tell(manager, asked('function getExchangeRate()'), price)
    for (const at of [manager, withdrawals]) tell(at, asked('function staderConfig()'), word(token))
    tell(withdrawals, asked('function nextRequestId()'), word(7))
  }
  if (constants.family === 'lista') {
    const { token, manager } = constants
    tell(manager, asked('function convertSnBnbToBnb(uint256)', [one]), price)
    const contracts = [manager, token, manager].map((part) => word(part).slice(2)).join('')
    tell(manager, asked('function getContracts()'), `0x${contracts}`)
  }
  if (constants.family === 'gnosis-sdai') {
    const { token, adapter, wrapped } = constants
    tell(token, asked('function convertToAssets(uint256)', [one]), price)
    tell(token, asked('function asset()'), word(wrapped))
    tell(adapter, asked('function sDAI()'), word(token))
    tell(adapter, asked('function wxdai()'), word(wrapped))
  }
}
