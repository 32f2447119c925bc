import type { Quote } from '../../api/quote.ts'
import type { Cli } from '../../cli/command-run-types.ts'
import type { SigningOptions } from '../../cli/options/signer-and-safety-options.ts'
import { hasRpc } from '../../cli/rpc-of-network.ts'
import { termsOf } from '../../cli/signing-flow/user-terms-from-flags.ts'
import { walletAddress } from '../../cli/wallet-address.ts'
import { type Address, nativeAddress } from '../../domain/address.ts'
import { formatAmount, tokenAmount } from '../../domain/amount.ts'
import { bitcoinNetwork, btc } from '../../domain/bitcoin.ts'
import type { FlagName } from '../../domain/command-line/flags.ts'
import { AppError } from '../../domain/errors.ts'
import { networkNamed } from '../../domain/networks.ts'
import { priceImpactOf } from '../../domain/price-impact-share.ts'
import { advice, ownHelp, sameWithout } from '../../domain/text/next-step.ts'
import { nativeToken, type Token } from '../../domain/token.ts'
import { slippageOf } from '../../guard/intent-slippage.ts'
import { factsWithoutTransactions } from '../../guard/policy/policy-facts.ts'
import { enforceRules, policyRules } from '../../guard/policy/rules.ts'
import { lostRecipientError, refuseLostRecipient } from '../../planning/lost-recipient-check.ts'
import { refusePriceImpact } from '../../planning/price-impact.ts'
import { type TokenUsdPrice, usdUnits } from '../../planning/usd-value.ts'
import type { Catalog } from '../../protocols/catalog-types.ts'
import { whyLost } from '../../protocols/unrecoverable-recipients.ts'
import type { DepositTerms } from '../../swaps/deposit-provider.ts'
import { depositIntent } from './record-bitcoin-swap.ts'

/** The flags about signing, which have no meaning for a swap from Bitcoin. */
const flags: Readonly<Partial<Record<keyof SigningOptions, FlagName>>> = {
  keyFile: '--key-file',
  passwordFile: '--password-file',
  ledger: '--ledger',
  signerUrl: '--signer-url',
  nonce: '--nonce',
  pipeline: '--pipeline',
  confirmations: '--confirmations',
  queueBehind: '--queue-behind',
  allowDuplicate: '--allow-duplicate',
  maxFee: '--max-fee',
  allowContract: '--allow-contract',
  allowToken: '--allow-token',
  trustFirstUse: '--trust-first-use',
  minAssurance: '--min-assurance',
  maxServiceFee: '--max-service-fee',
  assert: '--assert',
}

/** USAGE for a flag that means nothing for a swap from Bitcoin. `--wallet` may name who is paid, where nothing else does. */
export function refuseSigningFlags(
  options: Partial<SigningOptions>,
  { mayName }: { mayName: boolean },
): void {
  const given: readonly FlagName[] = [
    ...Object.entries(flags).flatMap(([name, flag]) =>
      options[name as keyof SigningOptions] === undefined ? [] : [flag],
    ),
    ...(options.wallet === undefined || mayName ? [] : (['--wallet'] as const)),
  ]
  if (given.length === 0) return
  throw new AppError(
    'USAGE',
    `A swap from Bitcoin signs nothing, so ${given.join(' and ')} would have no effect`,
    { next: advice`Without it: ${sameWithout(...given)}. For what limits the swap: ${ownHelp}` },
  )
}

/** The tokens that are worth a bitcoin, by which its price is known where nobody else has one. */
const wrapped = ['WBTC', 'cbBTC', 'BTCb']

/**
 * Holds the terms of a deposit to the minimum output, the price impact and the policy, as any other swap: POLICY_MIN_OUT,
 * POLICY_PRICE_IMPACT, or what a rule of the policy says.
 */
export async function checkLimits(
  cli: Cli,
  quote: Quote,
  {
    terms,
    tokenOut,
    recipient,
    least,
    options,
  }: {
    terms: DepositTerms
    tokenOut: Token
    recipient: Address
    least: bigint | null
    options: Partial<SigningOptions>
  },
): Promise<void> {
  if (least !== null && terms.minAmountOut < least)
    throw new AppError(
      'POLICY_MIN_OUT',
      `The quote returns at least ${formatAmount(terms.minAmountOut, tokenOut)}, below the accepted minimum of ${formatAmount(least, tokenOut)}`,
    )
  const asked = termsOf(cli, options)
  const catalog = await cli.backend.catalog()
  const share = await impactBelowSpot(cli, catalog, terms, tokenOut)
  refusePriceImpact([{ leg: 0, share, by: share === null ? null : 'usd' }], asked)
  if (!asked.policy) return
  // The policy says who may be paid beside the own wallet. An address that was typed may be anybody's.
  const named = options.wallet?.startsWith('0x') ? undefined : options.wallet
  const wallet = await walletAddress(cli, named).catch((error: unknown) => {
    if (error instanceof AppError) return nativeAddress
    throw error
  })
  const intent = depositIntent(quote, { terms, recipient, tokenOut }, wallet)
  const amounts = {
    in: tokenAmount(terms.amount, btc),
    out: tokenAmount(terms.amountOut, tokenOut),
  }
  const { networks } = catalog
  // No transaction is sent, so none costs gas, and none is simulated.
  const facts = factsWithoutTransactions({
    leg: { intent, slippage: slippageOf(intent, amounts), impact: share },
    networks,
    coin: nativeToken(networkNamed(networks, quote.to.chainId)),
    at: cli.program.now(),
  })
  enforceRules(policyRules(asked.policy.policy, catalog, facts), asked.policy)
}

/** How much less than at the spot price a deposit brings, as a fraction; `null` where a price is not known. */
async function impactBelowSpot(
  cli: Cli,
  { tokens }: Pick<Catalog, 'tokens'>,
  { amount, amountOut }: DepositTerms,
  tokenOut: Token,
): Promise<number | null> {
  const { prices } = cli.backend
  const usd = await bitcoinPrice(prices, tokens, tokenOut.chainId)
  const given =
    usd === undefined
      ? null
      : usdUnits(amount, btc, [{ chainId: bitcoinNetwork.chainId, address: btc.address, usd }])
  const brought = usdUnits(amountOut, tokenOut, await prices(tokenOut.chainId, [tokenOut]))
  return given === null || brought === null ? null : priceImpactOf(brought, given)
}

/** The price of a bitcoin by a token that is worth one: on the destination, else on another chain that answers. */
async function bitcoinPrice(
  prices: (chainId: number, tokens: readonly Token[]) => Promise<readonly TokenUsdPrice[]>,
  tokens: readonly Token[],
  chainId: number,
): Promise<string | undefined> {
  const known = tokens.filter(({ symbol }) => wrapped.includes(symbol))
  const chains = [...new Set([chainId, ...known.map((token) => token.chainId)])]
  for (const chain of chains) {
    const here = known.filter((token) => token.chainId === chain)
    const [price] = here.length > 0 ? await prices(chain, here) : []
    if (price) return price.usd
  }
  return undefined
}

/** Refuses a recipient whose tokens would be lost, as before a signature: nobody can take back a payment on Bitcoin. */
export async function refuseLostPayout(cli: Cli, payee: { chainId: number; to: Address }): Promise<void> {
  const { catalog, rpc } = await cli.backend.context()
  const lost = whyLost(catalog, payee.chainId, payee.to)
  if (lost) throw lostRecipientError(lost)
  // A pool is recognised on its chain, which a person who pays on Bitcoin may have no node of.
  if (hasRpc(rpc, payee.chainId)) await refuseLostRecipient({ catalog, rpc }, payee)
}
