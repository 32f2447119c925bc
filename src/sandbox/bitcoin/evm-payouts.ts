import { ask } from '../../chain/ask.ts'
import { transfer } from '../../chain/erc20.ts'
import { openChain } from '../../chain/network-client.ts'
import type { Address, Hex } from '../../domain/address.ts'
import { btc } from '../../domain/bitcoin.ts'
import { AppError } from '../../domain/errors.ts'
import { nativeToken, type Token } from '../../domain/token.ts'
import type { Catalog } from '../../protocols/catalog-types.ts'
import { priceOf } from '../../protocols/oracle-prices.ts'
import { roles, sandboxAddress } from '../accounts.ts'
import { fund } from '../faucet.ts'
import { sendMined } from '../mined-transactions.ts'
import type { SandboxNode } from '../stand-in-option-types.ts'

/** The liquidity of the deposit providers: prices from the sandbox's oracle, payouts by its relayer. */
export type Payouts = {
  /** All tokens that can be paid out, native coins included. */
  tokens: () => Token[]
  /** Converts satoshi into units of a token at the oracle's prices; `undefined` without a price. */
  worth: (satoshi: bigint, token: Token) => Promise<bigint | undefined>
  /** Pays a token to an address and returns the hash of the mined transaction. */
  pay: (token: Token, to: Address, amount: bigint) => Promise<Hex>
}

/** Creates the payouts of a world. */
export function openPayouts(catalog: Catalog, chains: readonly SandboxNode[]): Payouts {
  const on = (chainId: number) => chains.find(({ network }) => network.chainId === chainId)!
  const relayer = sandboxAddress(roles.relayer)
  const priced = (token: Token) => {
    const { network, rpc } = on(token.chainId)
    return ask(openChain(network, rpc, undefined), priceOf(catalog, token))
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
      await fund([chain], catalog, relayer, { symbol: token.symbol, amount })
      const { chainId, address } = token
      const paid = transfer({ chainId, token: address, to, amount })
      const { hash, isDone } = await sendMined(chain.rpc, relayer, paid)
      if (!isDone) throw new AppError('BUG', `The relayer cannot pay ${token.symbol}`)
      return hash
    },
  }
}
