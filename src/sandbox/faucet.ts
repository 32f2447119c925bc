import { encodeFunctionData, numberToHex, parseEther, parseUnits } from 'viem/utils'
import type { ChainClient } from '../chain/client.ts'
import { type Address, type Hex, nativeAddress } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import type { Network } from '../domain/networks.ts'
import { nativeToken, type Token } from '../domain/token.ts'
import type { Catalog } from '../protocols/catalog-types.ts'
import { roles, sandboxAddress } from './accounts.ts'
import { own, weth9 } from './genesis/artifacts.ts'
import { receiptOf } from './genesis/deployer.ts'
import { grant, nativeGrant } from './genesis/tokens.ts'

/** One token by its symbol, or all of them when nothing is named; `amount` is in its smallest unit. */
export type FundRequest = { symbol: string; amount?: bigint }

/** What one `fund` gave, as `sandbox fund` prints it. */
export type Grant = { network: string; token: Token; amount: bigint }

const owner = sandboxAddress(roles.owner)

/** Gives an account coins and tokens on every chain that has them: all of them, or the ones with a symbol. */
export async function fund(
  chains: readonly { network: Network; rpc: ChainClient }[],
  catalog: Catalog,
  to: Address,
  what?: FundRequest,
): Promise<Grant[]> {
  const grants = chains.flatMap(({ network }) =>
    [nativeToken(network), ...catalog.tokens.filter((token) => token.chainId === network.chainId)]
      .filter((token) => (what ? token.symbol.toLowerCase() === what.symbol.toLowerCase() : hasGrant(token)))
      .map((token) => ({ network: network.name, token, amount: what?.amount ?? usual(token) })),
  )
  if (grants.length === 0)
    throw new AppError('UNKNOWN_TOKEN', `There is no token "${what?.symbol}" in the sandbox`, {
      hint: 'sluice sandbox status',
    })
  for (const { network, token, amount } of grants) {
    const { rpc } = chains.find((chain) => chain.network.name === network)!
    await give(rpc, token, to, amount)
  }
  return grants
}

const hasGrant = (token: Token): boolean => token.address === nativeAddress || token.symbol in grant

function usual(token: Token): bigint {
  if (token.address === nativeAddress) return nativeGrant
  return parseUnits((grant as Record<string, string>)[token.symbol] ?? '1000', token.decimals)
}

async function give(rpc: ChainClient, token: Token, to: Address, amount: bigint): Promise<void> {
  if (token.address === nativeAddress) return addNative(rpc, to, amount)
  if (token.symbol !== 'WETH')
    return send(
      rpc,
      token.address,
      encodeFunctionData({ abi: own('SandboxToken').abi, functionName: 'mint', args: [to, amount] }),
    )
  const { abi } = weth9()
  // Wrapped ether is real here: somebody has to wrap it.
  await addNative(rpc, owner, amount + parseEther('1'))
  await send(rpc, token.address, encodeFunctionData({ abi, functionName: 'deposit' }), amount)
  await send(rpc, token.address, encodeFunctionData({ abi, functionName: 'transfer', args: [to, amount] }))
}

async function addNative(rpc: ChainClient, to: Address, amount: bigint): Promise<void> {
  const held = BigInt(await rpc.request<Hex>('eth_getBalance', [to, 'latest']))
  await rpc.request('anvil_setBalance', [to, numberToHex(held + amount)])
}

async function send(rpc: ChainClient, to: Address, data: Hex, value = 0n): Promise<void> {
  const tx = { from: owner, to, data, value: numberToHex(value), gas: numberToHex(200_000) }
  const { status } = await receiptOf(rpc, await rpc.request('eth_sendTransaction', [tx]))
  if (status !== '0x1') throw new AppError('INVALID_AMOUNT', 'The faucet cannot give that much')
}
