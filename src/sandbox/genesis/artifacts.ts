import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Abi } from 'viem'
import type { Address, Hex } from '../../domain/address.ts'
import { sandboxData } from './sandbox-data.ts'

/** ABI and creation bytecode of a contract. */
export type Artifact = { abi: Abi; bytecode: Hex }

type Links = Record<string, Record<string, readonly { start: number; length: number }[]>>

/** The contracts in `published`, which `npm run contracts:published` takes from the packages of their authors. */
export type PublishedContract =
  | 'AaveOracle'
  | 'AaveProtocolDataProvider'
  | 'ACLManager'
  | 'AToken'
  | 'Authorizer'
  | 'BalancerQueries'
  | 'BorrowLogic'
  | 'BridgeLogic'
  | 'ConfiguratorLogic'
  | 'DefaultReserveInterestRateStrategy'
  | 'EModeLogic'
  | 'FiatTokenProxy'
  | 'FiatTokenV2_2'
  | 'FlashLoanLogic'
  | 'GPv2AllowListAuthentication'
  | 'GPv2Settlement'
  | 'LiquidationLogic'
  | 'MockAggregator'
  | 'NonfungiblePositionManager'
  | 'Permit2'
  | 'Pool'
  | 'PoolAddressesProvider'
  | 'PoolConfigurator'
  | 'PoolLogic'
  | 'PoolManager'
  | 'PositionManager'
  | 'QuoterV2'
  | 'SignatureChecker'
  | 'StableDebtToken'
  | 'StateView'
  | 'SupplyLogic'
  | 'SwapRouter02'
  | 'UniswapV2Factory'
  | 'UniswapV2Pair'
  | 'UniswapV2Router02'
  | 'UniswapV3Factory'
  | 'UniswapV3Pool'
  | 'UniversalRouter'
  | 'V4Quoter'
  | 'VariableDebtToken'
  | 'Vault'
  | 'WeightedPoolFactory'
  | 'WETH9'

/** Loads a published contract, and links its libraries. */
export function published(name: PublishedContract, libraries: Record<string, Address> = {}): Artifact {
  const { abi, bytecode, linkReferences = {} } = committed<{ linkReferences?: Links }>('published', name)
  return { abi, bytecode: link(bytecode, linkReferences, libraries) }
}

/** Loads only the ABI of a published contract. */
export const publishedAbi = (name: PublishedContract): Abi => committed('published', name).abi

/** Loads a contract of Across that `npm run contracts` extracted from its package. */
export const acrossContract = (name: 'Ethereum_SpokePool' | 'ERC1967Proxy'): Artifact =>
  committed('contracts', name)

/** The contracts written for the sandbox. */
export type OwnContract =
  | 'SandboxAggregationRouter'
  | 'SandboxOneInchRouter'
  | 'SandboxSwapExecutor'
  | 'SandboxLifiDiamond'
  | 'SandboxRelayDepository'
  | 'SandboxLido'
  | 'SandboxLidoQueue'
  | 'SandboxWstEth'
  | 'SandboxMulticall'
  | 'SandboxToken'
  | 'SandboxUsdt'
  | 'SandboxVault'
  | 'MessageTransmitterV2'
  | 'TokenMessengerV2'

/** Loads a contract written for the sandbox from its committed artifact. */
export const ownContract = (name: OwnContract): Artifact => committed('contracts', name)

const committed = <More = unknown>(folder: 'contracts' | 'published', name: string): Artifact & More =>
  JSON.parse(readFileSync(join(sandboxData(), folder, `${name}.json`), 'utf8'))

function link(bytecode: Hex, references: Links, libraries: Record<string, Address>): Hex {
  let linked: string = bytecode
  for (const file of Object.values(references))
    for (const [name, places] of Object.entries(file))
      for (const { start, length } of places) {
        const address = libraries[name]
        if (!address) throw new Error(`library ${name} is not deployed yet`)
        linked =
          linked.slice(0, 2 + start * 2) +
          address.slice(2).toLowerCase() +
          linked.slice(2 + (start + length) * 2)
      }
  return linked as Hex
}
