import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { formatUnits, parseUnits } from 'viem/utils'
import { z } from 'zod'
import { transfer, transferTopic } from '../chain/erc20.ts'
import { type Address, CatalogAddress, type Hex, sameAddress } from '../domain/address.ts'
import type { Token } from '../domain/token.ts'
import { addressTopic } from '../protocols/shared/encode-topics.ts'
import { type AveniaAccount, parseAccount, signedText } from '../swaps/avenia/api-credentials.ts'
import type { AveniaConstants } from '../swaps/avenia/constants-schema.ts'
import { aveniaOn } from '../swaps/avenia/pairs.ts'
import type { ServiceFault } from './faults/world-faults.ts'
import { assetFacts } from './genesis/parameters.ts'
import type { LoopbackAnswer } from './loopback-server.ts'
import { sendMined } from './mined-transactions.ts'
import { secretFile } from './secret-files.ts'
import type { StandInOptions } from './stand-in-option-types.ts'

/** Faults of the ramp desk. */
export const rampFaults = ['ramp-held', 'ramp-slow', 'ramp-rejected', 'ramp-short', 'ramp-lies'] as const

/** Returns the path of a chain's desk API below the base URL of the sandbox services. */
export const aveniaPath = (network: string): string => `/avenia/${network}`

/**
 * Returns the path of the file with the desk's API account. Its key is generated once; only its owner can read the
 * file.
 */
export const sandboxAccountFile = (cacheDir: string): string =>
  secretFile(cacheDir, 'avenia-account.json', () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' })
    return JSON.stringify({ apiKey: 'sandbox', privateKey: pem, desks: {} })
  })

/** Inputs of the desks. The node holds the key of each desk. */
type DeskOptions = StandInOptions & {
  account: string
  fault: () => ServiceFault<(typeof rampFaults)[number]> | undefined
}

type DeskRequest = { url: URL; body: unknown; method: string; headers: Headers }
type Headers = Readonly<Record<string, string | string[] | undefined>>
type Side = 'USDC' | 'BRLA'
type Quote = { from: Side; to: Side; amountIn: bigint; amountOut: bigint; until: number }
type Ticket = {
  quote: Quote
  wallet: Address
  since: number
  status: 'UNPAID' | 'PROCESSING' | 'ON-HOLD' | 'PAID' | 'FAILED' | 'PARTIAL-FAILED'
  /** Time and log position of the transfer to the desk. */
  paid?: { at: number; where: string }
}

const Units = z.string().regex(/^\d{1,30}(\.\d{1,18})?$/)
const Query = z.object({
  inputCurrency: z.enum(['USDC', 'BRLA']),
  outputCurrency: z.enum(['USDC', 'BRLA']),
  inputPaymentMethod: z.literal('SANDBOX'),
  outputPaymentMethod: z.literal('SANDBOX'),
  blockchainSendMethod: z.literal('TRANSFER'),
  inputAmount: Units.optional(),
  outputAmount: Units.optional(),
})
const TicketRequest = z.object({
  quoteToken: z.string(),
  ticketBlockchainInput: z.object({ walletAddress: CatalogAddress }),
  ticketBlockchainOutput: z.object({ walletChain: z.literal('SANDBOX'), walletAddress: CatalogAddress }),
})

/**
 * What the desk keeps of each ramp: 1/100 and the cost of its own transfer, in USD with 8 decimals. It is never the
 * best offer in the sandbox.
 */
const [markup, gasUsd] = [100n, 25_000_000n]
/** Delay of a payout, lifetime of a quote, and lifetime of an unpaid ticket, in ms. */
const [usualDelayMs, quoteMs, unpaidMs] = [300, 300_000, 600_000]

const refused = (status: number, error: string): LoopbackAnswer => ({ status, body: { error } })

/**
 * Stands in for Avenia, with the shapes of its API: quotes at a fixed rate, tickets, and payouts from its own funds
 * once the wallet of a ticket has sent exactly the quoted amount. Requests must be signed with the sandbox key.
 * Tickets are kept in memory and end with the daemon.
 */
export function openAvenia(options: DeskOptions): {
  answer: (asked: DeskRequest) => Promise<LoopbackAnswer | undefined>
  /** Pays what is due; returns whether a ticket is unpaid. */
  pay: () => Promise<boolean>
} {
  const desks = new Map(
    options.chains.flatMap((chain) => {
      const here = aveniaOn(options.catalog, chain.network.chainId)
      return here ? [[chain.network.name, openDesk(options, chain, here)] as const] : []
    }),
  )
  return {
    answer: async (asked) => {
      const [, name = '', rest = ''] =
        /^\/avenia\/([\w-]+)\/v2\/account\/(.+)$/.exec(asked.url.pathname) ?? []
      const desk = desks.get(name)
      if (!desk) return undefined
      const account = parseAccount(readFileSync(options.account, 'utf8'), options.account)
      if (!isSigned(account, asked, options.now())) return refused(401, 'Unauthorized')
      return desk.answer(rest, asked)
    },
    pay: async () => {
      let isOpen = false
      for (const desk of desks.values()) isOpen = (await desk.pay()) || isOpen
      return isOpen
    },
  }
}

/** Whether a request has a valid signature of the account that is less than a minute old. */
function isSigned(
  { apiKey, key }: AveniaAccount,
  { url, body, method, headers }: DeskRequest,
  now: number,
): boolean {
  const [given, time, signature] = ['x-api-key', 'x-api-timestamp', 'x-api-signature'].map((one) =>
    String(headers[one]),
  )
  const signed = {
    method: method as 'GET' | 'POST',
    uri: url.pathname + url.search,
    body: body === undefined ? '' : JSON.stringify(body),
  }
  return (
    given === apiKey &&
    Math.abs(now - Number(time)) < 60_000 &&
    verify(
      'sha256',
      Buffer.from(signedText(time!, signed)),
      createPublicKey(key),
      Buffer.from(signature!, 'base64'),
    )
  )
}

function openDesk(
  { now, fault, makesBlocks }: DeskOptions,
  { rpc }: DeskOptions['chains'][number],
  { chainId, desk, usdc, brla }: AveniaConstants,
) {
  const quotes = new Map<string, Quote>()
  const tickets = new Map<string, Ticket>()
  const used = new Set<string>()
  const token = (side: Side): Pick<Token, 'address' | 'decimals'> => ({
    address: side === 'USDC' ? usdc : brla,
    decimals: assetFacts[side].decimals,
  })
  /** Converts an amount of one token into the other at the fixed rate, rounded down or up. */
  const worth = (amount: bigint, from: Side, to: Side, isUp = false): bigint => {
    const [over, under] = [
      amount * assetFacts[from].usd * 10n ** BigInt(assetFacts[to].decimals),
      assetFacts[to].usd * 10n ** BigInt(assetFacts[from].decimals),
    ]
    return isUp ? (over + under - 1n) / under : over / under
  }
  const gasIn = (side: Side) => (gasUsd * 10n ** BigInt(assetFacts[side].decimals)) / assetFacts[side].usd

  const quoted = (search: URLSearchParams): LoopbackAnswer => {
    const asked = Query.safeParse(Object.fromEntries(search)).data
    const { inputCurrency: from, outputCurrency: to, inputAmount, outputAmount } = asked ?? {}
    const text = inputAmount ?? outputAmount
    if (!from || !to || from === to || text === undefined || (inputAmount && outputAmount))
      return refused(400, 'invalid quote parameters')
    const exactly = parseUnits(text, assetFacts[inputAmount ? from : to].decimals)
    const gross = inputAmount
      ? worth(exactly, from, to)
      : ((exactly + gasIn(to)) * markup + markup - 2n) / (markup - 1n)
    const kept = gross / markup + gasIn(to)
    if (gross <= kept) return refused(400, 'amount too low')
    const amountIn = inputAmount ? exactly : worth(gross, to, from, true)
    const amountOut = inputAmount ? gross - kept : exactly
    const quoteToken = crypto.randomUUID()
    quotes.set(quoteToken, { from, to, amountIn, amountOut, until: now() + quoteMs })
    const shown = (amount: bigint, side: Side) => formatUnits(amount, assetFacts[side].decimals)
    const fee = (type: string, amount: bigint) => ({
      type,
      amount: shown(amount, to),
      currency: to,
      rebatable: false,
    })
    return {
      status: 200,
      body: {
        quoteToken,
        inputCurrency: from,
        inputPaymentMethod: 'SANDBOX',
        inputAmount: shown(amountIn, from),
        outputCurrency: to,
        outputPaymentMethod: 'SANDBOX',
        outputAmount: shown(amountOut, to),
        appliedFees: [fee('Markup Fee', gross / markup), fee('Gas Fee', gasIn(to))],
        basePrice: shown(worth(10n ** BigInt(assetFacts[from].decimals), from, to), to),
      },
    }
  }

  const opened = async (body: unknown): Promise<LoopbackAnswer> => {
    const asked = TicketRequest.safeParse(body).data
    const { walletAddress: wallet } = asked?.ticketBlockchainInput ?? {}
    if (!asked || !wallet || !sameAddress(wallet, asked.ticketBlockchainOutput.walletAddress))
      return refused(400, 'invalid ticket')
    const quote = quotes.get(asked.quoteToken)
    quotes.delete(asked.quoteToken)
    if (!quote || quote.until < now()) return refused(400, 'quote not found or expired')
    const id = crypto.randomUUID()
    const since = Number(await rpc.request<Hex>('eth_blockNumber'))
    tickets.set(id, { quote, wallet, since, status: 'UNPAID' })
    return { status: 200, body: { id } }
  }

  /** Whether a transfer found earlier is still on the chain. */
  const isThere = async ({ where }: NonNullable<Ticket['paid']>): Promise<boolean> =>
    (await rpc.request('eth_getTransactionReceipt', [where.split(' ')[0]])) !== null

  /**
   * Finds the transfer of exactly the ticket's amount from its wallet to the desk; each transfer counts for one
   * ticket.
   */
  const transferFor = async ({ quote, wallet, since }: Ticket): Promise<string | undefined> => {
    const logs = await rpc.request<{ data: Hex; transactionHash: Hex; logIndex: Hex }[]>('eth_getLogs', [
      {
        address: token(quote.from).address,
        topics: [transferTopic, addressTopic(wallet), addressTopic(desk)],
        fromBlock: `0x${since.toString(16)}`,
      },
    ])
    return logs
      .filter(({ data }) => BigInt(data) === quote.amountIn)
      .map(({ transactionHash, logIndex }) => `${transactionHash} ${logIndex}`)
      .find((where) => !used.has(where))
  }

  const send = async (side: Side, to: Address, amount: bigint): Promise<void> => {
    await sendMined(rpc, desk, transfer({ chainId, token: token(side).address, to, amount }))
  }

  async function go(ticket: Ticket): Promise<void> {
    const { quote, wallet, paid } = ticket
    if (!paid) {
      const where = await transferFor(ticket)
      if (where === undefined) return
      used.add(where)
      ticket.paid = { at: now(), where }
      ticket.status = 'PROCESSING'
      return
    }
    if (!(await isThere(paid))) {
      used.delete(paid.where)
      delete ticket.paid
      ticket.status = 'UNPAID'
      return
    }
    const { kind, amount = 0 } = fault() ?? {}
    ticket.status = kind === 'ramp-held' ? 'ON-HOLD' : 'PROCESSING'
    if (kind === 'ramp-held' || now() - paid.at < (kind === 'ramp-slow' ? amount : usualDelayMs)) return
    if (kind === 'ramp-rejected') {
      await send(quote.from, wallet, quote.amountIn)
      ticket.status = 'FAILED'
    } else if (kind === 'ramp-short') {
      await send(quote.to, wallet, (quote.amountOut * BigInt(100 - amount)) / 100n)
      ticket.status = 'PARTIAL-FAILED'
    } else if (kind === 'ramp-lies') ticket.status = 'PAID'
    else {
      await send(quote.to, wallet, quote.amountOut)
      ticket.status = 'PAID'
    }
  }

  return {
    answer: async (path: string, { url, body, method }: DeskRequest): Promise<LoopbackAnswer> => {
      if (method === 'GET' && path === 'quote/fixed-rate') return quoted(url.searchParams)
      if (method === 'POST' && path === 'tickets') return opened(body)
      const [, id = ''] = /^tickets\/([\w-]+)$/.exec(path) ?? []
      const ticket = tickets.get(id)
      return ticket
        ? { status: 200, body: { ticket: { id, status: ticket.status } } }
        : refused(404, 'ticket not found')
    },
    pay: async (): Promise<boolean> => {
      if (!makesBlocks(chainId)) return false
      // Newest first: an older ticket that was never paid may have the same amount.
      for (const [id, ticket] of [...tickets].toReversed()) {
        // A payment that fails, for example because the token is paused, is retried in the next round.
        if (isOpen(ticket)) await go(ticket).catch(() => undefined)
        if (ticket.status === 'UNPAID' && now() - openedAt(ticket) > unpaidMs) tickets.delete(id)
      }
      return [...tickets.values()].some(isOpen)
    },
  }
}

const isOpen = ({ status }: Ticket): boolean => ['UNPAID', 'PROCESSING', 'ON-HOLD'].includes(status)

const openedAt = ({ quote }: Ticket): number => quote.until - quoteMs
