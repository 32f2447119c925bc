import { formatUnits } from 'viem/utils'
import { z } from 'zod'
import { transfer } from '../../chain/erc20.ts'
import { type Address, type Hex, sameAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { advice, sameWithout, sluice } from '../../domain/text/next-step.ts'
import { firstTransaction } from '../find-first-transaction.ts'
import type { OfferFee, Route, SwapProvider } from '../provider.ts'
import { providerApi, unusableResponseError } from '../provider-api.ts'
import type { SwapDependencies } from '../provider-dependencies.ts'
import { checkRampLimits } from '../ramp-limits.ts'
import { differingFields } from '../service-answers/asked-fields.ts'
import { keyRefusals } from '../service-answers/service-refusals.ts'
import { credentialHeaders, parseAccount } from './api-credentials.ts'
import type { AveniaConstants } from './constants-schema.ts'
import { paymentQuery, paymentsIn } from './desk-transfers-in-logs.ts'
import { currencyOf, isRamp } from './pairs.ts'
import { refusals } from './refusals.ts'

/** The provider name of Avenia. */
export const provider = 'avenia'
const label = 'Avenia'

/** A chain with its configured API and account. */
type Desk = AveniaConstants & { service: NonNullable<AveniaConstants['service']> }

/** The provider data of an offer; it is stored as JSON. `ticket` exists once it is opened for a wallet. */
type Raw = { quoteToken: string; exact: 'in' | 'out'; ticket?: { id: string; wallet: Address } }

/** An amount in the service's JSON, in whole tokens. */
const Amount = z.string().regex(/^\d{1,30}(\.\d{1,30})?$/)
const Text = z.string().min(1).max(8_192)

/** The used fields of a quote, of a new ticket's response and of a ticket (source: types of pendulum-chain/vortex, services/brla). */
const Quoted = z.object({
  quoteToken: Text,
  inputCurrency: z.string(),
  outputCurrency: z.string(),
  inputAmount: Amount,
  outputAmount: Amount,
  appliedFees: z.array(z.object({ type: z.string(), amount: Amount, currency: z.string() })).default([]),
})
const Opened = z.union([
  z.object({ id: Text }),
  z.object({ ticket: z.object({ id: Text }) }).transform(({ ticket }) => ticket),
])
const Status = z.enum(['ON-HOLD', 'PENDING', 'UNPAID', 'PROCESSING', 'PAID', 'FAILED', 'PARTIAL-FAILED'])
const Ticket = z.union([
  z.object({ ticket: z.object({ status: Status }) }).transform(({ ticket }) => ticket),
  z.object({ status: Status }),
])

/** The maximum gas of a USDC transfer, in units, measured on the contracts. */
const transferGas = 55_000n

/** Parses a decimal amount to the smallest unit; excess digits are cut off or rounded up. */
function unitsOf(text: string, decimals: number, isRoundedUp = false): bigint {
  const [whole = '', fraction = ''] = text.split('.')
  const units = BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'))
  return isRoundedUp && /[1-9]/.test(fraction.slice(decimals)) ? units + 1n : units
}

/**
 * A provider of swaps between USDC and BRLA through Avenia: a fixed-rate quote, a ticket for the wallet, and a transfer to the configured
 * account. A payment address in the API's responses is ignored.
 */
export function avenia(
  known: readonly AveniaConstants[],
  {
    exchangeJson,
    secretAt,
    now,
    mined,
    log,
  }: Pick<SwapDependencies, 'exchangeJson' | 'secretAt' | 'now' | 'mined' | 'log'>,
): SwapProvider {
  const chains = known.flatMap(({ service, ...one }): Desk[] => (service ? [{ ...one, service }] : []))
  const on = (chainId: number) => chains.find((one) => one.chainId === chainId)
  const open = async ({ service: { api: base, account: path } }: Desk) => {
    const account = parseAccount(await secretAt(path), path)
    const headers = async (request: Parameters<typeof credentialHeaders>[1]) =>
      credentialHeaders(account, request, now())
    const statuses = keyRefusals(`rejects the API key in ${path}, or the signature`)
    const api = providerApi(
      { provider, label, service: 'avenia', base, headers, refusals: { ...refusals, statuses } },
      exchangeJson,
    )
    return {
      query: account.subAccountId === undefined ? {} : { subAccountId: account.subAccountId },
      ...api,
    }
  }
  return {
    name: provider,
    asksService: true,
    isUnproven: true,
    needsNoApproval: true,
    ...(chains.length === 0 && {
      setupProblem: 'SLUICE_AVENIA_FILE sets no account at Avenia (docs/ramps.md)',
    }),
    supports: ({ from, to, tokenIn, tokenOut }) => {
      const here = on(from.chainId)
      return here !== undefined && from.chainId === to.chainId && isRamp(here, [tokenIn, tokenOut])
    },

    async quote({ from, tokenIn, tokenOut, exact, amount, hasOtherRecipient }, signal) {
      if (hasOtherRecipient) return undefined
      const here = on(from.chainId)!
      const { get, query, refused } = await open(here)
      const [inputCurrency, outputCurrency] = [tokenIn, tokenOut].map(
        ({ address }) => currencyOf(here, address)!,
      ) as ['USDC' | 'BRLA', 'USDC' | 'BRLA']
      const fixed = exact === 'in' ? tokenIn : tokenOut
      const asked = new URLSearchParams({
        inputCurrency,
        inputPaymentMethod: here.chain,
        inputThirdParty: 'false',
        outputCurrency,
        outputPaymentMethod: here.chain,
        outputThirdParty: 'false',
        blockchainSendMethod: 'TRANSFER',
        [exact === 'in' ? 'inputAmount' : 'outputAmount']: formatUnits(amount, fixed.decimals),
        ...query,
      })
      const answer = await get(`/v2/account/quote/fixed-rate?${asked}`, signal)
      const { status } = answer
      const found = status < 300 ? Quoted.safeParse(answer.body).data : undefined
      if (!found) throw refused(answer, 'did not return a quote')
      const amountIn = unitsOf(found.inputAmount, tokenIn.decimals, true)
      const amountOut = unitsOf(found.outputAmount, tokenOut.decimals)
      const differing = differingFields({
        inputCurrency: [inputCurrency, found.inputCurrency],
        outputCurrency: [outputCurrency, found.outputCurrency],
        ...(exact === 'in' ? { inputAmount: [amount, amountIn] } : { outputAmount: [amount, amountOut] }),
      })
      if (differing)
        throw unusableResponseError(
          provider,
          `${label} returned another swap than requested: ${differing}`,
          status,
        )
      if (amountIn === 0n || amountOut === 0n) return undefined
      const other =
        exact === 'in'
          ? ({ exact: 'out', amount: amountOut } as const)
          : ({ exact: 'in', amount: amountIn } as const)
      checkRampLimits([tokenIn, tokenOut], { tokenIn, tokenOut, ...other })
      const raw: Raw = { quoteToken: found.quoteToken, exact }
      return {
        amountIn,
        amountOut,
        // The rate is fixed, so there is no slippage.
        maxAmountIn: amountIn,
        minAmountOut: amountOut,
        fees: feesOf(found, here, { tokenIn, tokenOut }),
        raw,
        gas: transferGas,
        // The desk states no duration.
        seconds: null,
      }
    },

    async build({ from, tokenIn }, { amountIn, raw }, { wallet, recipient }) {
      const here = on(from.chainId)!
      if (!sameAddress(recipient, wallet))
        throw new AppError('QUOTE_VALIDATION_ERROR', `${label} pays out only to the wallet that sends`, {
          next: advice`To pay the wallet that sends: ${sameWithout('--destination')}. To choose another provider: ${sluice('swap quote', { '--help': true })}`,
        })
      const { quoteToken, exact, ticket: opened } = raw as Raw
      const ticket = opened && sameAddress(opened.wallet, wallet) ? opened : { id: await newTicket(), wallet }
      const kept: Raw = { quoteToken, exact, ticket }
      return {
        transaction: transfer({
          chainId: from.chainId,
          token: tokenIn.address,
          to: here.desk,
          amount: amountIn,
        }),
        raw: kept,
        order: `${provider}:${ticket.id}`,
      }

      async function newTicket(): Promise<string> {
        const { post, query, refused } = await open(here)
        const at = new URLSearchParams(query).toString()
        const answer = await post(`/v2/account/tickets${at && `?${at}`}`, {
          quoteToken,
          ticketBlockchainInput: { walletAddress: wallet },
          ticketBlockchainOutput: { walletChain: here.chain, walletAddress: wallet },
        })
        const { status } = answer
        const made = status < 300 ? Opened.safeParse(answer.body).data : undefined
        if (made) return made.id
        if (status === 400 || status === 404 || status === 410)
          throw new AppError('QUOTE_EXPIRED', `${label} no longer accepts the quote`)
        throw refused(answer, 'opened no ticket')
      }
    },

    async status(route, { maxAmountIn, minAmountOut, raw }, origin, { recipient: to }) {
      const { tokenIn, tokenOut, from } = route
      const { chainId, desk, service } = on(from.chainId)!
      const sent = await mined(chainId, origin)
      if (!sent?.ok) return { status: 'confirmed' }
      const ticketState = await ticketStatus().catch((error: unknown) => {
        if (error instanceof AppError) return undefined
        throw error
      })
      // A ticket status counts only with a payment that our own node sees; without the status, the payment may belong to another ramp.
      if (ticketState === 'PAID') {
        const destination = await payment(tokenOut.address, (amount) => amount >= minAmountOut)
        if (destination) return { status: 'fulfilled', destination }
      }
      if (ticketState === 'PARTIAL-FAILED') {
        const destination = await payment(tokenOut.address, (amount) => amount < minAmountOut)
        if (destination) return { status: 'failed', destination }
      }
      if (ticketState !== undefined && /FAILED$/.test(ticketState)) {
        const back = await payment(tokenIn.address, (amount) => amount === maxAmountIn)
        if (back) return { status: 'refunded' }
      }
      return { status: 'processing', ...(ticketState !== undefined && { said: ticketState }) }

      async function ticketStatus() {
        const { id } = (raw as Raw).ticket ?? {}
        if (id === undefined) return undefined
        const { get } = await open({ ...on(from.chainId)!, service })
        const { body } = await get(`/v2/account/tickets/${encodeURIComponent(id)}`)
        return Ticket.safeParse(body).data?.status
      }

      /** The first transaction since then in which the desk paid a matching amount. */
      function payment(token: Address, isIt: (amount: bigint) => boolean): Promise<Hex | undefined> {
        const way = { token, desk, to }
        return firstTransaction(
          { log, mined },
          chainId,
          paymentQuery(way),
          BigInt(sent!.blockNumber),
          ({ logs }) => paymentsIn(logs, way).some(isIt),
        )
      }
    },
  }
}

/** The fees of a quote that are in one of its tokens. The amounts already include them. */
const feesOf = (
  { appliedFees }: z.output<typeof Quoted>,
  here: AveniaConstants,
  { tokenIn, tokenOut }: Pick<Route, 'tokenIn' | 'tokenOut'>,
): OfferFee[] =>
  appliedFees.flatMap(({ type, amount, currency }) => {
    const token = [tokenIn, tokenOut].find(({ address }) => currencyOf(here, address) === currency)
    const units = token && unitsOf(amount, token.decimals)
    if (!token || !units) return []
    const kind = type.replace(/ Fee$/, '').toLowerCase().slice(0, 40)
    return [{ kind, token: token.address, chainId: token.chainId, amount: String(units) }]
  })
