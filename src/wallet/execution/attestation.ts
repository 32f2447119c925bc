import { type BurnMessage, decodeMessage } from '../../calls/cctp-v2.ts'
import { type Hex, HexData } from '../../domain/address.ts'
import type { Catalog, CctpV2Constants } from '../../domain/catalog.ts'
import { AppError } from '../../domain/errors.ts'
import { getJson } from '../../net/http.ts'

/** What the attestation service of a bridge has for a burn, which it may not know at all; `message` where it gives one. */
export type Attestation = { isKnown: boolean; isAttested: boolean; message?: BurnMessage }

/** Asks the attestation service about a burn; `undefined` where it cannot be asked, or does not say. */
export async function attestationOf(
  { attestation }: Catalog,
  here: CctpV2Constants | undefined,
  burn: Hex,
): Promise<Attestation | undefined> {
  const base = here?.attestation ?? attestation
  if (!here || !base) return undefined
  try {
    const answer = await getJson(`${base}/v2/messages/${here.domain}?transactionHash=${burn}`, {
      deadlineMs: 5_000,
    })
    if (answer.status === 404) return { isKnown: false, isAttested: false }
    if (answer.status !== 200) return undefined
    const { body } = answer
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return undefined
    const { messages = [] } = body as { messages?: unknown }
    if (!Array.isArray(messages)) return undefined
    const first = messages[0] as { status?: unknown; message?: unknown } | null | undefined
    const text = HexData.safeParse(first?.message).data
    const message = text === undefined || text === '0x' ? undefined : decodeMessage(text)
    const isAttested = first?.status === 'complete'
    return { isKnown: first != null, isAttested, ...(message && { message }) }
  } catch (error) {
    if (error instanceof AppError && error.code.startsWith('SERVICE_')) return undefined
    throw error
  }
}
