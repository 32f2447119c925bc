import { encodeFunctionData, numberToHex } from 'viem/utils'
import { read } from '../../chain/block-reads.ts'
import { openChain } from '../../chain/chain.ts'
import type { ChainClient } from '../../chain/client.ts'
import { erc20Abi } from '../../chain/erc20.ts'
import { type Address, type Hex, nativeAddress, sameAddress } from '../../domain/address.ts'
import { btc } from '../../domain/bitcoin.ts'
import { AppError } from '../../domain/errors.ts'
import type { Network } from '../../domain/networks.ts'
import { nativeToken, type Token } from '../../domain/token.ts'
import type { Catalog } from '../../protocols/catalog-types.ts'
import { priceOf } from '../../protocols/prices.ts'
import { roles, sandboxAddress } from '../accounts.ts'
import { fund } from '../faucet.ts'
import { receiptOf } from '../genesis/deployer.ts'

/** A chain that is paid out on. */
export type PayingChain = { network: Network; rpc: ChainClient }

/** What stands in for the liquidity of providers: prices of the sandbox's oracle, and payments by its relayer. */
export type Payouts = {
  /** All tokens that can be paid out, the coins among them. */
  tokens: () => Token[]
  /** What an amount of BTC is worth in a token, by the oracle; `undefined` without a price. */
  worth: (satoshi: bigint, token: Token) => Promise<bigint | undefined>
  /** Pays a token to somebody, and gives the hash of the transaction once it is mined. */
  pay: (token: Token, to: Address, amount: bigint) => Promise<Hex>
}

/** Opens the payouts of a world. */
export function payoutsOf(catalog: Catalog, chains: readonly PayingChain[]): Payouts {
  const on = (chainId: number) => chains.find(({ network }) => network.chainId === chainId)!
  const relayer = sandboxAddress(roles.relayer)
  const priced = (token: Token) => {
    const { network, rpc } = on(token.chainId)
    return read(openChain(network, rpc, undefined), priceOf(catalog, token))
  }
  return {
    tokens: () => [...chains.map(({ network }) => nativeToken(network)), ...catalog.tokens],
    worth: async (satoshi, token) => {
      const wrapped = catalog.tokens.find(
        ({ chainId, symbol }) => chainId === token.chainId && symbol === 'WBTC',
      )
      const [bitcoin, price] = await Promise.all([wrapped ? priced(wrapped) : null, priced(token)])
      if (bitcoin === null || price === null) return undefined
      return (satoshi * bitcoin * 10n ** BigInt(token.decimals)) / (price * 10n ** BigInt(btc.decimals))
    },
    pay: async (token, to, amount) => {
      const chain = on(token.chainId)
      const isNative = sameAddress(token.address, nativeAddress)
      await fund([chain], catalog, relayer, { symbol: token.symbol, amount })
      const data = isNative
        ? '0x'
        : encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amount] })
      const hash = await chain.rpc.request<Hex>('eth_sendTransaction', [
        {
          from: relayer,
          to: isNative ? to : token.address,
          data,
          value: numberToHex(isNative ? amount : 0n),
          gas: numberToHex(200_000),
        },
      ])
      const { status } = await receiptOf(chain.rpc, hash)
      if (status !== '0x1') throw new AppError('BUG', `The relayer cannot pay ${token.symbol}`)
      return hash
    },
  }
}
