import { z } from 'zod'
import { type Address, EvmAddress, Hash, type Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import type { ServiceAccess } from '../service-access.ts'
import { isSameOrder } from './order.ts'
import { isPathGone, parseRelayStatus, type RelayStatus, statusPath } from './service-status.ts'

/** Where, in what and to whom an order pays out, by the record of Relay's service. The token and the recipient of another kind of chain are `null`. */
export type RelayPayout = { chainId: number; token: Address | null; recipient: Address | null }

/** The record of a request: its id, its payout, and what the service says of it. `undefined` parts are not in the answer. */
export type RelayRequest = { requestId: Hex; payout: RelayPayout | undefined; said: RelayStatus | undefined }

/** The used fields of an answer about requests (facts: `relay-request-eth-to-btc.json`; `@relayprotocol/relay-sdk` 7.0.3, api.d.ts). */
const Records = z.object({
  requests: z.array(
    z.object({
      id: Hash,
      protocol: z.object({ orderId: Hash }).optional().catch(undefined),
      recipient: z.string().max(200).optional(),
      data: z
        .object({
          metadata: z.object({
            recipient: z.string().max(200).optional(),
            currencyOut: z.object({
              currency: z.object({ chainId: z.int().min(1), address: z.string().max(200) }),
            }),
          }),
        })
        .optional()
        .catch(undefined),
    }),
  ),
})

const addressOf = (text: string | undefined): Address | null => EvmAddress.safeParse(text).data ?? null

/**
 * Asks Relay's service for the request of a deposit, by the hash of its transaction, and then for its status. `gone`: the service answers this only
 * with a key; `unknown`: it has no such request, or one of another order; `silent`: it does not answer.
 */
export async function requestOfDeposit(
  { exchangeJson, hasKey }: Pick<ServiceAccess, 'exchangeJson' | 'hasKey'>,
  api: string,
  { hash, id }: { hash: Hex; id: Hex },
): Promise<RelayRequest | 'gone' | 'unknown' | 'silent'> {
  const isKeyed = hasKey('relay')
  const get = (path: string) =>
    exchangeJson({ service: 'relay', url: `${api}${path}`, signal: AbortSignal.timeout(5_000) })
  try {
    const answer = await get(`/requests/${isKeyed ? 'v3' : 'v2'}?hash=${hash}`)
    if (!isKeyed && isPathGone(answer)) return 'gone'
    const listed = Records.safeParse(answer.body).data
    if (answer.status !== 200 || !listed) return 'silent'
    // A transaction may hold several deposits; a request without an order is only used as a pointer to payments that name this order.
    const all = listed.requests
    const found =
      all.find(({ protocol }) => protocol && isSameOrder(protocol.orderId, id)) ??
      (all.length === 1 && !all[0]!.protocol ? all[0] : undefined)
    if (!found) return 'unknown'
    const { currencyOut, recipient } = found.data?.metadata ?? {}
    const { status, body } = await get(statusPath(found.id))
    return {
      requestId: found.id,
      payout: currencyOut && {
        chainId: currencyOut.currency.chainId,
        token: addressOf(currencyOut.currency.address),
        recipient: addressOf(recipient ?? found.recipient),
      },
      said: status === 200 ? parseRelayStatus(body) : undefined,
    }
  } catch (error) {
    if (error instanceof AppError) return 'silent'
    throw error
  }
}
