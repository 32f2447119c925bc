import { parseAbi, parseEther, parseUnits } from 'viem/utils'
import type { Address } from '../../domain/address.ts'
import { maxUint256 } from '../../domain/amount.ts'
import { roles, sandboxAddress } from '../accounts.ts'
import { ownContract, published } from './artifacts.ts'
import type { Deployer } from './deployer.ts'
import { type Asset, assetFacts, assets, type ChainParameters } from './parameters.ts'

/** The addresses of the tokens of a chain. */
export type DeployedTokens = { assets: Record<Asset, Address>; duplicates: readonly Address[] }

/** Deploys the tokens and mints the owner's funds for seeding the markets. */
export function deployTokens(d: Deployer, parameters: ChainParameters): DeployedTokens {
  const deployed: Partial<Record<Asset, Address>> = {}
  const weth = published('WETH9')
  const token = ownContract('SandboxToken')
  for (const asset of assets) {
    const { name, decimals } = assetFacts[asset]
    const kind = asset === 'USDT' ? ownContract('SandboxUsdt') : token
    const address =
      asset === 'WETH'
        ? d.deploy(weth)
        : asset === 'USDC'
          ? deployFiatToken(d, name, decimals)
          : d.deploy(kind, [name, asset, decimals])
    if (asset === 'WETH') d.call(weth.abi, address, 'deposit', [], parseEther('100000'))
    else d.call(token.abi, address, 'mint', [d.from, parseUnits('1000000000', decimals)])
    deployed[asset] = address
  }
  return {
    assets: deployed as Record<Asset, Address>,
    duplicates: parameters.duplicates.map((name) => d.deploy(token, [name, 'DUP', 18])),
  }
}

/**
 * Deploys USDC as Circle does: FiatToken version 2.2 behind its proxy. The owner has all of its roles and mints without a
 * limit.
 */
function deployFiatToken(d: Deployer, name: string, decimals: number): Address {
  const checker = d.deploy(published('SignatureChecker'))
  const { abi, bytecode } = published('FiatTokenV2_2', { SignatureChecker: checker })
  const implementation = d.deploy({ abi, bytecode })
  const proxy = published('FiatTokenProxy')
  const address = d.deploy(proxy, [implementation])
  // The proxy admin cannot use the token through its proxy, so it must not be the owner.
  d.call(proxy.abi, address, 'changeAdmin', [sandboxAddress(roles.attester)])
  d.call(abi, address, 'initialize', [name, 'USDC', 'USD', decimals, d.from, d.from, d.from, d.from])
  d.call(abi, address, 'initializeV2', [name])
  d.call(abi, address, 'initializeV2_1', [d.from])
  d.call(abi, address, 'initializeV2_2', [[], 'USDC'])
  d.call(abi, address, 'configureMinter', [d.from, maxUint256])
  return address
}

/** Lets a contract mint and burn USDC; called by the owner. */
export const allowMinting = (d: Deployer, token: Address, minter: Address): void =>
  d.call(parseAbi(['function configureMinter(address, uint256)']), token, 'configureMinter', [
    minter,
    maxUint256,
  ])

/** The default grant of each asset, in whole tokens. */
export const defaultGrants: Record<Asset, string> = {
  USDC: '100000',
  USDT: '50000',
  WETH: '10',
  WBTC: '1',
  BRLA: '100000',
}

/** The default grant of native coins. */
export const nativeGrant = parseEther('10000')

/** Transfers assets from the owner to an account, in whole tokens. */
export function transferAssets(
  d: Deployer,
  tokens: Record<Asset, Address>,
  to: Address,
  amounts: Partial<Record<Asset, string>>,
): void {
  for (const [asset, whole] of Object.entries(amounts) as [Asset, string][])
    d.call(ownContract('SandboxToken').abi, tokens[asset], 'transfer', [
      to,
      parseUnits(whole, assetFacts[asset].decimals),
    ])
}
