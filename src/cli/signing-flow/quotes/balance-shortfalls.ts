import { setTimeout as sleep } from 'node:timers/promises'
import type { Quote } from '../../../api/quote.ts'
import { encodeCall } from '../../../chain/call.ts'
import { ethCall } from '../../../chain/eth-call.ts'
import { quantity } from '../../../chain/rpc/quantities.ts'
import { type Address, nativeAddress, sameAddress } from '../../../domain/address.ts'
import { tokenAmount } from '../../../domain/amount.ts'
import type { AppError } from '../../../domain/errors.ts'
import { displayNetwork, type Network } from '../../../domain/networks.ts'
import { isNext } from '../../../domain/text/next-step.ts'
import { nativeToken, type Token } from '../../../domain/token.ts'
import {
  balanceRead,
  firstWord,
  insufficientFunds,
} from '../../../guard/simulation/wallet-state-before-simulation.ts'
import type { Cli } from '../../command-run-types.ts'
import { walletAddress } from '../../wallet-address.ts'
import type { QuoteRefusal } from './quote-refusals.ts'

/** What a wallet has on the network of a quote, in the smallest unit: `token` of the input, `coin` for gas, and the gas price in wei. */
export type Held = { wallet: Address; network: Network; token: bigint; coin: bigint; gasPrice: bigint }

/** For how long a quote that is ready, or that no provider has, waits for the balance, in ms. */
const patienceMs = 2_000

/**
 * Reads in one request what a wallet has of the input token and of the coin: the payer, or the wallet of this machine. `undefined` if no
 * wallet is known, no node answers, or the answer is later than `quoted` by two seconds. It never fails.
 */
export async function readHeld(
  cli: Cli,
  { payer, token, quoted }: { payer: Address | undefined; token: Token; quoted: Promise<unknown> },
): Promise<Held | undefined> {
  const rest = () => sleep(patienceMs, undefined, { ref: false })
  const tooLate = quoted.then(rest, rest)
  return Promise.race([heldNow(cli, payer, token).catch(() => undefined), tooLate.then(() => undefined)])
}

async function heldNow(cli: Cli, payer: Address | undefined, token: Token): Promise<Held> {
  const [wallet, context] = await Promise.all([payer ?? walletAddress(cli, undefined), cli.backend.context()])
  const isCoin = sameAddress(token.address, nativeAddress)
  const [coin, gasPrice, held] = await context
    .rpc(token.chainId)
    .batch([
      ['eth_getBalance', [wallet, 'latest']],
      ['eth_gasPrice', []],
      ...(isCoin ? [] : [ethCall(encodeCall(balanceRead(token, wallet)))]),
    ])
  const native = quantity(coin, 'the balance')
  return {
    wallet,
    network: displayNetwork(context.catalog.networks, token.chainId),
    coin: native,
    token: isCoin ? native : firstWord(held, 'a token balance'),
    gasPrice: quantity(gasPrice, 'the gas price'),
  }
}

/**
 * What a wallet lacks for a quote that spends at most `amountIn` of its input: the token, and the coin for gas at the price of now. The gas is
 * compared only where the quote estimates it.
 */
export function balanceShortfalls(
  { wallet, network, token: held, coin, gasPrice }: Held,
  { token, amountIn, estimatedGas }: { token: Token; amountIn: bigint } & Pick<Quote, 'estimatedGas'>,
): QuoteRefusal[] {
  const unit = nativeToken(network)
  const gas = (estimatedGas ?? 0n) * gasPrice
  const isCoin = sameAddress(token.address, nativeAddress)
  const lacks = (one: Token, has: bigint, needed: bigint, verb: string): QuoteRefusal[] =>
    has >= needed
      ? []
      : [
          refusalOf(
            insufficientFunds({ wallet, unit: one, network: network.name, held: has, needed, verb }),
            one,
            needed - has,
          ),
        ]
  if (isCoin) return lacks(unit, coin, amountIn + gas, gas > 0n ? 'needs, gas included, about' : 'needs')
  return [...lacks(token, held, amountIn, 'needs'), ...lacks(unit, coin, gas, 'needs, for gas, about')]
}

const refusalOf = ({ code, message, next }: AppError, token: Token, missing: bigint): QuoteRefusal => ({
  code,
  message,
  flags: null,
  missing: tokenAmount(missing, token),
  next: next?.find(isNext) ?? null,
})
