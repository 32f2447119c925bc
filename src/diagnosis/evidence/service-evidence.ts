import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { ChainClient } from '../../chain/chain-client.ts'
import { findTransaction } from '../../chain/finality/find-mined-transaction.ts'
import { EvmAddress, Hash, type Hex, sameAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { canonicalJson } from '../../domain/text/canonical-json.ts'
import type { ChainCheck } from './check-evidence-on-chain.ts'

const Transaction = z.looseObject({
  kind: z.string().nullish(),
  chainId: z.int().nullish(),
  network: z.string().nullish(),
  to: z.string().nullish(),
  hash: z.string().nullish(),
  nonce: z.int().nullish(),
  status: z.string().nullish(),
  blockNumber: z.int().nullish(),
  gasUsed: z.string().nullish(),
})

const ServiceEvidenceSchema = z.looseObject({
  format: z.literal('sluice-service-report@1'),
  made: z.iso.datetime(),
  service: z.string().nullable(),
  action: z.looseObject({
    id: z.string(),
    type: z.string(),
    status: z.string(),
    reported: z.string().nullish(),
    originAddress: z.string().nullish(),
    transactions: z.array(Transaction),
  }),
  verdict: z.unknown(),
  statedOnly: z.array(z.string()),
  sha256: z.string(),
})

/**
 * What a service reports of an action of another machine, for a support case: there is no journal of it here. `statedOnly` names
 * the fields of `action` that no chain can confirm.
 */
export type ServiceEvidence = z.infer<typeof ServiceEvidenceSchema>

/** The fields of an action, and of each of its transactions, that a chain confirms or contradicts. */
const checkable = ['id', 'transactions']

const hashOf = ({ sha256: _, ...rest }: ServiceEvidence): string =>
  createHash('sha256').update(canonicalJson(rest)).digest('hex')

/** Makes the evidence of an action that only a service reports; `service` is its host. */
export function makeServiceEvidence({
  action,
  service,
  verdict,
  now,
}: {
  action: { id: string }
  service: string | null
  verdict: unknown
  now: number
}): ServiceEvidence {
  const evidence = {
    format: 'sluice-service-report@1',
    made: new Date(now).toISOString(),
    service,
    action,
    verdict,
    statedOnly: Object.entries(action)
      .filter(([name, value]) => !checkable.includes(name) && value !== null && value !== undefined)
      .map(([name]) => name),
    sha256: '',
  }
  // Through JSON once, so that the hash covers what a reader parses.
  const plain = JSON.parse(canonicalJson(evidence)) as ServiceEvidence
  return { ...plain, sha256: hashOf(plain) }
}

/** Reads a parsed document as the evidence of a service's report; `undefined` for another format, EVIDENCE_CHANGED unless it is whole. */
export function readServiceEvidence(found: unknown): ServiceEvidence | undefined {
  if ((found as { format?: unknown } | null)?.format !== 'sluice-service-report@1') return undefined
  const read = ServiceEvidenceSchema.safeParse(found)
  if (read.success && hashOf(found as ServiceEvidence) === read.data.sha256) return found as ServiceEvidence
  throw new AppError(
    'EVIDENCE_CHANGED',
    'The evidence was changed after it was made: its hash does not match',
  )
}

/**
 * Checks the transactions of a service's report on their chains: that each is mined, with the sender, contract, nonce, block, gas
 * and outcome that the service states. `unknown` for one without a hash or a network, and for one that another wallet sent.
 */
export const checkServiceEvidence = (
  rpc: (chainId: number) => ChainClient,
  { action }: ServiceEvidence,
): Promise<ChainCheck[]> =>
  Promise.all(
    action.transactions
      .filter(({ hash, status }) => hash || status !== 'pending')
      .map((tx, at) => check(rpc, tx, at, action.originAddress ?? null)),
  )

async function check(
  rpc: (chainId: number) => ChainClient,
  tx: z.infer<typeof Transaction>,
  at: number,
  wallet: string | null,
): Promise<ChainCheck> {
  const { data: hash } = Hash.safeParse(tx.hash)
  const say = (verdict: ChainCheck['verdict'], why: string | null = null): ChainCheck => ({
    hash: hash ?? tx.hash ?? `transaction ${at + 1}`,
    verdict,
    why,
  })
  if (hash === undefined) return say('unknown', 'the service states no transaction hash')
  if (!tx.chainId) return say('unknown', 'the service states no network')
  try {
    const node = rpc(tx.chainId)
    const [found, shown] = await Promise.all([
      findTransaction(node, hash),
      node.request<{ from?: unknown; to?: unknown; nonce?: unknown } | null>('eth_getTransactionByHash', [
        hash,
      ]),
    ])
    if (!found || !shown) return say('unknown', 'the node does not have it')
    const differs = difference(tx, { ...found, to: shown.to, nonce: Number(shown.nonce as Hex) })
    if (differs !== undefined) return say('refuted', differs)
    const { data: from } = EvmAddress.safeParse(shown.from)
    if (wallet !== null && (from === undefined || !sameAddress(from, wallet)))
      return say('unknown', `it was sent by ${from ?? 'an unnamed account'}, not by the wallet of the action`)
    return say('confirmed', found.ok ? null : 'it reverted, as the service states')
  } catch (error) {
    if (error instanceof AppError) return say('unknown', error.message)
    throw error
  }
}

/** What a chain shows otherwise than the service states it, in words. */
function difference(
  stated: z.infer<typeof Transaction>,
  found: { ok: boolean; blockNumber: number; gasUsed: bigint; to: unknown; nonce: number },
): string | undefined {
  const { to, nonce, blockNumber, gasUsed, status } = stated
  const is = typeof found.to === 'string' ? found.to : null
  if (to && !sameAddress(is ?? '', to)) return `it goes to ${is ?? 'no contract'}, and not to ${to}`
  if (typeof nonce === 'number' && nonce !== found.nonce)
    return `it has nonce ${found.nonce}, and not ${nonce}`
  if (typeof blockNumber === 'number' && blockNumber !== found.blockNumber)
    return `it is in block ${found.blockNumber}, and not in ${blockNumber}`
  if (gasUsed && gasUsed !== found.gasUsed.toString())
    return `it used ${found.gasUsed} gas, and not ${gasUsed}`
  if (status === 'confirmed' && !found.ok) return 'it reverted'
  if (status === 'failed' && found.ok) return 'it did not revert'
  return undefined
}
