import { ask, askNumber } from '../chain/ask.ts'
import type { ChainClient } from '../chain/chain-client.ts'
import { erc20 } from '../chain/erc20.ts'
import { openChain } from '../chain/network-client.ts'
import { quantity as asQuantity } from '../chain/rpc/quantities.ts'
import { type Address, nativeAddress, sameAddress } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import type { Network } from '../domain/networks.ts'
import { nativeToken, type Token } from '../domain/token.ts'
import type { ExecutionContext } from '../planning/execution-context-types.ts'

/** The balances of a wallet on one network, in the smallest unit; `null` for a token whose contract does not return it. */
export type NetworkBalances = { network: Network; balances: { token: Token; amount: bigint | null }[] }

/** The coin and the tokens of the catalogue on a network. */
export const tokensOn = ({ tokens }: { tokens: readonly Token[] }, network: Network): Token[] => [
  nativeToken(network),
  ...tokens.filter(({ chainId, isShares }) => chainId === network.chainId && !isShares),
]

/** Reads the coin and all tokens of the catalogue that a wallet holds on a network, in one round of requests. */
export async function balancesOn(
  { rpc, catalog }: Pick<ExecutionContext, 'rpc' | 'catalog'>,
  network: Network,
  wallet: Address,
): Promise<NetworkBalances> {
  const chain = openChain(network, rpc(network.chainId))
  const [coin, ...tokens] = tokensOn(catalog, network)
  const held = tokens.map(({ address }) => erc20.balanceOf(address, wallet))
  const [native, amounts] = await Promise.all([
    chain.rpc.request<unknown>('eth_getBalance', [wallet, 'latest']),
    ask(chain, held),
  ])
  return {
    network,
    balances: [
      { token: coin!, amount: coinAmount(native) },
      ...tokens.map((token, at) => ({
        token,
        amount: amounts[at] ?? null,
      })),
    ],
  }
}

const coinAmount = (value: unknown): bigint | null =>
  typeof value === 'string' && /^0x[0-9a-f]{1,64}$/i.test(value) ? BigInt(value) : null

/**
 * The balances of a wallet on several networks, and the networks that did not answer. If none answers, the first error is thrown. `beside` is read for
 * each network at the same time.
 */
export async function walletBalances<more>(
  context: Pick<ExecutionContext, 'rpc' | 'catalog'>,
  networks: readonly Network[],
  wallet: Address,
  beside: (network: Network) => Promise<more>,
): Promise<{ read: (NetworkBalances & { beside: more })[]; missing: Network[] }> {
  const results = await Promise.all(
    networks.map(async (network) => {
      try {
        const [found, more] = await Promise.all([balancesOn(context, network, wallet), beside(network)])
        return { ...found, beside: more }
      } catch (error) {
        if (error instanceof AppError && /^(RPC_|CHAIN_ID_)/.test(error.code)) return error
        throw error
      }
    }),
  )
  const found = results.flatMap((one) => (one instanceof AppError ? [] : [one]))
  const fault = results.find((one) => one instanceof AppError)
  if (fault && found.length === 0) throw fault
  return { read: found, missing: networks.filter((_, at) => results[at] instanceof AppError) }
}

/** The balance of a wallet in a token or the coin, in the smallest unit; RPC_INCONSISTENT if the node returns no number. */
export async function balanceOfToken(
  rpc: ChainClient,
  { address: token }: Token,
  wallet: Address,
): Promise<bigint> {
  if (!sameAddress(token, nativeAddress)) return askNumber(rpc, erc20.balanceOf(token, wallet), 'the balance')
  return asQuantity(await rpc.request('eth_getBalance', [wallet, 'latest']), 'the balance')
}
