import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Abi } from 'viem'
import { encodeFunctionData, parseAbi } from 'viem/utils'
import type { Hex } from '../../../src/domain/address.ts'

const require = createRequire(import.meta.url)
const abiOf = (file: string): Abi =>
  (JSON.parse(readFileSync(require.resolve(file), 'utf8')) as { abi: Abi }).abi

/** The ABIs as published by the authors of the contracts; none is taken from this program. */
export const published = {
  pool: abiOf('../../../src/sandbox/published/Pool.json'),
  router: abiOf('../../../src/sandbox/published/SwapRouter02.json'),
  router02: abiOf('../../../src/sandbox/published/UniswapV2Router02.json'),
  aggregator: abiOf('../../../src/sandbox/contracts/SandboxAggregationRouter.json'),
  lifi: abiOf('../../../src/sandbox/contracts/SandboxLifiDiamond.json'),
  oneInch: abiOf('../../../src/sandbox/contracts/SandboxOneInchRouter.json'),
  erc20: abiOf('@openzeppelin/contracts/build/contracts/ERC20.json'),
  erc4626: abiOf('@openzeppelin/contracts/build/contracts/ERC4626.json'),
  erc721: abiOf('@openzeppelin/contracts/build/contracts/ERC721.json'),
  universalRouter: abiOf('../../../src/sandbox/published/UniversalRouter.json'),
  v4Quoter: abiOf('../../../src/sandbox/published/V4Quoter.json'),
  vault: abiOf('../../../src/sandbox/published/Vault.json'),
  balancerQueries: abiOf('../../../src/sandbox/published/BalancerQueries.json'),
  spokePool: abiOf('../../protocols/artifacts/Ethereum_SpokePool.json'),
  /** As declared in GPv2Signing of `@cowprotocol/contracts` 1.8.0. */
  settlement: parseAbi(['function setPreSignature(bytes orderUid, bool signed)']),
  bridge: abiOf('../../../src/sandbox/contracts/TokenMessengerV2.json'),
  /** As declared in IAllowanceTransfer and ISignatureTransfer of `Uniswap/permit2`. */
  permit2: parseAbi([
    'struct PermitDetails { address token; uint160 amount; uint48 expiration; uint48 nonce; }',
    'struct PermitSingle { PermitDetails details; address spender; uint256 sigDeadline; }',
    'struct PermitBatch { PermitDetails[] details; address spender; uint256 sigDeadline; }',
    'struct TokenPermissions { address token; uint256 amount; }',
    'struct PermitTransferFrom { TokenPermissions permitted; uint256 nonce; uint256 deadline; }',
    'struct SignatureTransferDetails { address to; uint256 requestedAmount; }',
    'function approve(address token, address spender, uint160 amount, uint48 expiration)',
    'function permit(address owner, PermitSingle permitSingle, bytes signature)',
    'function permit(address owner, PermitBatch permitBatch, bytes signature)',
    'function transferFrom(address from, address to, uint160 amount, address token)',
    'function permitTransferFrom(PermitTransferFrom permit, SignatureTransferDetails transferDetails, address owner, bytes signature)',
  ]),
} as const

/** Calldata by a published ABI. */
export const encoded = (of: keyof typeof published, functionName: string, ...args: readonly unknown[]): Hex =>
  encodeFunctionData({ abi: published[of], functionName, args } as never)
