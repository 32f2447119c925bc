import { encodeFunctionData, numberToHex, parseEther, parseUnits } from 'viem/utils'
import type { ChainClient } from '../chain/chain-client.ts'
import { type Address, type Hex, nativeAddress } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import { sluice } from '../domain/text/next-step.ts'
import { nativeToken, type Token } from '../domain/token.ts'
import type { Catalog } from '../protocols/catalog-types.ts'
import { roles, sandboxAddress } from './accounts.ts'
import { ownContract, publishedAbi } from './genesis/artifacts.ts'
import { defaultGrants, nativeGrant } from './genesis/tokens.ts'
import { sendMined } from './mined-transactions.ts'
import type { SandboxNode } from './stand-in-option-types.ts'

/** A token by its symbol; `amount` is in its smallest unit. */
export type FundRequest = { symbol: string; amount?: bigint }

/** One grant of `fund`, as `sandbox fund` prints it. */
export type Grant = { network: string; token: Token; amount: bigint }

const owner = sandboxAddress(roles.owner)

/** Funds an account on every chain with all tokens that have a default grant, or with those of one symbol. */
export async function fund(
  chains: readonly SandboxNode[],
  catalog: Catalog,
  to: Address,
  what?: FundRequest,
): Promise<Grant[]> {
  const grants = chains.flatMap(({ network, rpc }) =>
    [nativeToken(network), ...catalog.tokens.filter((token) => token.chainId === network.chainId)]
      .filter((token) => (what ? token.symbol.toLowerCase() === what.symbol.toLowerCase() : hasGrant(token)))
      .map((token) => ({ rpc, network: network.name, token, amount: what?.amount ?? usual(token) })),
  )
  if (grants.length === 0)
    throw new AppError('UNKNOWN_TOKEN', `There is no token "${what?.symbol}" in the sandbox`, {
      next: sluice('sandbox status'),
    })
  for (const { rpc, token, amount } of grants) await give(rpc, token, to, amount)
  return grants.map(({ rpc: _, ...given }) => given)
}

const hasGrant = (token: Token): boolean => token.address === nativeAddress || token.symbol in defaultGrants

function usual(token: Token): bigint {
  if (token.address === nativeAddress) return nativeGrant
  return parseUnits((defaultGrants as Record<string, string>)[token.symbol] ?? '1000', token.decimals)
}

async function give(rpc: ChainClient, token: Token, to: Address, amount: bigint): Promise<void> {
  if (token.address === nativeAddress) return addNative(rpc, to, amount)
  if (token.symbol !== 'WETH')
    return send(
      rpc,
      token.address,
      encodeFunctionData({ abi: ownContract('SandboxToken').abi, functionName: 'mint', args: [to, amount] }),
    )
  const abi = publishedAbi('WETH9')
  // The sandbox uses the real WETH9, so the owner must wrap ether.
  await addNative(rpc, owner, amount + parseEther('1'))
  await send(rpc, token.address, encodeFunctionData({ abi, functionName: 'deposit' }), amount)
  await send(rpc, token.address, encodeFunctionData({ abi, functionName: 'transfer', args: [to, amount] }))
}

async function addNative(rpc: ChainClient, to: Address, amount: bigint): Promise<void> {
  const held = BigInt(await rpc.request<Hex>('eth_getBalance', [to, 'latest']))
  await rpc.request('anvil_setBalance', [to, numberToHex(held + amount)])
}

async function send(rpc: ChainClient, to: Address, data: Hex, value = 0n): Promise<void> {
  const { isDone } = await sendMined(rpc, owner, { to, data, value })
  if (!isDone) throw new AppError('INVALID_AMOUNT', 'The faucet cannot pay that much')
}
