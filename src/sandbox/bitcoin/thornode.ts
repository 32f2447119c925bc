import { z } from 'zod'
import { type Address, CatalogAddress, type Hex, sameAddress } from '../../domain/address.ts'
import type { Token } from '../../domain/token.ts'
import { fromThor, namesAsset, readSwapMemo, thorAsset } from '../../swaps/thorchain/memo.ts'
import { derivedAddress, payer, type SandboxBitcoin, type SandboxTransaction } from './chain.ts'
import { type BitcoinFault, type DepositService, isFalseReport, randomHash } from './deposit-service.ts'
import type { Payouts } from './evm-payouts.ts'

/** The vault that takes all deposits. */
export const vault = derivedAddress('vault')

const Query = z.object({
  from_asset: z.literal('BTC.BTC'),
  to_asset: z.string(),
  amount: z.string().regex(/^[1-9]\d{0,15}$/),
  destination: CatalogAddress,
  tolerance_bps: z
    .string()
    .regex(/^\d{1,4}$/)
    .optional(),
  liquidity_tolerance_bps: z
    .string()
    .regex(/^\d{1,4}$/)
    .optional(),
})

/** Fee of the stand-in, in basis points, and its fee on a refund, in satoshi. */
const feeBps = 50n
const refundFee = 2_000n
const least = 10_000n

/** The inbound addresses: one vault, for BTC. */
const inbound = [
  {
    chain: 'BTC',
    address: vault,
    halted: false,
    global_trading_paused: false,
    chain_trading_paused: false,
    chain_lp_actions_paused: false,
    gas_rate: '10',
    gas_rate_units: 'satsperbyte',
    outbound_tx_size: '1000',
    outbound_fee: String(refundFee),
    dust_threshold: String(least),
  },
]

/** Lifetime of a quote, in seconds. */
const lifetime = 15 * 60

/** Converts an amount to 8 decimals, the unit of THORChain. */
const toThor = (amount: bigint, decimals: number): bigint =>
  decimals >= 8 ? amount / 10n ** BigInt(decimals - 8) : amount * 10n ** BigInt(8 - decimals)

/** Subtracts a tolerance in basis points. */
const subtractBps = (amount: bigint, bps: bigint): bigint => (amount * (10_000n - bps)) / 10_000n

type Outbound = {
  chain: string
  id: string
  to: string
  asset: string
  amount: bigint
  isRefund: boolean
  isLie?: true
}

/** Stands in for THORNode below `/thornode`, with the recorded shapes of quotes and of the stages of a swap. */
export function openThornode(
  bitcoin: SandboxBitcoin,
  payouts: Payouts,
  { now, fault }: { now: () => number; fault: () => BitcoinFault | undefined },
): DepositService {
  const done = new Map<string, Outbound>()
  const badRequest = (message: string) => ({ status: 400, body: { code: 3, message, details: [] } })

  const quote = async (query: URLSearchParams) => {
    const asked = Query.safeParse(Object.fromEntries(query)).data
    if (!asked) return badRequest('failed to simulate swap: bad request')
    const token = payouts.tokens().find((one) => thorAsset(one) === asked.to_asset)
    if (!token) return badRequest('bad to asset: no pool')
    const worth = await payouts.worth(BigInt(asked.amount), token)
    if (worth === undefined) return badRequest('bad to asset: no price')
    const feeless = toThor(worth, token.decimals)
    const expected = (feeless * (10_000n - feeBps)) / 10_000n
    const { tolerance_bps, liquidity_tolerance_bps } = asked
    if (tolerance_bps !== undefined && liquidity_tolerance_bps !== undefined)
      return badRequest('must only include one of: tolerance_bps or liquidity_tolerance_bps')
    // `tolerance_bps` counts from the price without fees, `liquidity_tolerance_bps` (if above zero) from the quoted
    // output.
    const below = BigInt(liquidity_tolerance_bps ?? 0)
    const limit =
      tolerance_bps !== undefined
        ? subtractBps(feeless, BigInt(tolerance_bps))
        : below > 0n
          ? subtractBps(expected, below)
          : 0n
    if (expected < limit)
      return badRequest(`failed to simulate swap: emit asset ${expected} less than price limit ${limit}`)
    return {
      status: 200,
      body: {
        dust_threshold: String(least),
        expected_amount_out: String(expected),
        expiry: Math.floor(now() / 1000) + lifetime,
        fees: {
          affiliate: '0',
          asset: asked.to_asset,
          outbound: '0',
          total: String(feeless - expected),
          total_bps: Number(feeBps),
        },
        inbound_address: vault,
        inbound_confirmation_blocks: 1,
        inbound_confirmation_seconds: 600,
        memo: `=:${shortened(token)}:${asked.destination}:${limit > 0n ? limit : ''}`,
        notes:
          'First output should be to inbound_address, second output should be change back to self, third output should be OP_RETURN, limited to 80 bytes. Do not send below the dust threshold.',
        outbound_delay_blocks: 1,
        outbound_delay_seconds: 6,
        recommended_min_amount_in: String(least),
        slippage_bps: 0,
        total_swap_seconds: 606,
        warning: 'Do not cache this response. Do not send funds after the expiry.',
      },
    }
  }

  const carryOn = async (deposit: SandboxTransaction): Promise<void> => {
    const wrong = fault()
    if (wrong?.kind === 'bitcoin-stuck') return
    const read = readSwapMemo(deposit.memo ?? '')
    if (isFalseReport(wrong)) {
      const isRefund = wrong?.kind === 'bitcoin-refund-lies'
      const [asset = '', to = ''] = isRefund ? ['BTC.BTC', payer] : [read?.asset, read?.destination]
      const chain = asset.split('.')[0]!
      if (!done.has(deposit.txid))
        done.set(deposit.txid, {
          chain,
          to,
          asset,
          id: randomHash(),
          amount: deposit.amount,
          isRefund,
          isLie: true,
        })
      return
    }
    const token = read && payouts.tokens().find((one) => namesAsset(read.asset, one))
    const worth = token && (await payouts.worth(deposit.amount, token))
    // Counted with 8 decimals like the quote: rounding to the token's decimals first would put it below the limit.
    const out =
      worth === undefined ? undefined : (toThor(worth, token!.decimals) * (10_000n - feeBps)) / 10_000n
    const isEnough = token && out !== undefined && out >= (read?.limit ?? 0n)
    if (!read || !token || !isEnough || wrong?.kind === 'bitcoin-refund') {
      const amount = deposit.amount - refundFee
      done.set(deposit.txid, {
        ...{ chain: 'BTC', to: payer, asset: 'BTC.BTC', amount, isRefund: true },
        id:
          amount > 0n
            ? bitcoin.pay({ address: payer, amount, memo: `REFUND:${deposit.txid.toUpperCase()}` })
            : '',
      })
      return
    }
    const kept = wrong?.kind === 'bitcoin-short' ? BigInt(wrong.amount) : 0n
    const amount = (fromThor(out, token.decimals) * (100n - kept)) / 100n
    const hash: Hex = await payouts.pay(token, read.destination as Address, amount)
    done.set(deposit.txid, {
      ...{ to: read.destination, asset: thorAsset(token)!, isRefund: false },
      chain: thorAsset(token)!.split('.')[0]!,
      id: hash.slice(2),
      amount: toThor(amount, token.decimals),
    })
  }

  const status = (hash: string) => {
    const deposit = bitcoin.find(hash.toLowerCase())
    const isSeen = deposit !== undefined && deposit.height !== null && sameAddress(deposit.address, vault)
    const out = done.get(hash.toLowerCase())
    const coin = out && { asset: out.asset, amount: String(out.amount) }
    return {
      status: 200,
      body: {
        ...(deposit &&
          isSeen && {
            tx: {
              id: hash,
              chain: 'BTC',
              from_address: payer,
              to_address: vault,
              coins: [{ asset: 'BTC.BTC', amount: String(deposit.amount) }],
              gas: [{ asset: 'BTC.BTC', amount: '1000' }],
              memo: deposit.memo ?? '',
            },
          }),
        ...(out && {
          planned_out_txs: [{ chain: out.chain, to_address: out.to, coin, refund: out.isRefund }],
          out_txs: [
            {
              id: out.id.toUpperCase(),
              chain: out.chain,
              from_address: vault,
              to_address: out.to,
              coins: [coin],
              gas: [],
              memo: `${out.isRefund ? 'REFUND' : 'OUT'}:${hash}`,
            },
          ],
        }),
        stages: {
          inbound_observed: { final_count: isSeen ? 103 : 0, completed: isSeen },
          ...(isSeen && {
            inbound_confirmation_counted: { remaining_confirmation_seconds: 0, completed: true },
            inbound_finalised: { completed: true },
            swap_status: { pending: out === undefined },
            swap_finalised: { completed: out !== undefined },
          }),
          ...(out && { outbound_signed: { completed: true } }),
        },
      },
    }
  }

  return {
    settle: async () => {
      for (const deposit of bitcoin.to(vault))
        if (deposit.height !== null && (done.get(deposit.txid)?.isLie ?? !done.has(deposit.txid)))
          await carryOn(deposit)
    },
    answer: async ({ path, query }) => {
      if (path === '/thornode/thorchain/quote/swap') return quote(query)
      if (path === '/thornode/thorchain/inbound_addresses') return { status: 200, body: inbound }
      const [, hash] = /^\/thornode\/thorchain\/tx\/status\/([0-9A-F]{64})$/.exec(path) ?? []
      return hash === undefined ? undefined : status(hash)
    },
  }
}

/** A token as a memo names it, short enough for an OP_RETURN output. */
function shortened(token: Token): string {
  const [symbol, contract] = thorAsset(token)!.split('-')
  return contract === undefined ? symbol! : `${symbol}-${contract.slice(-3)}`
}
