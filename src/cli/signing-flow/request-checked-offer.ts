import { setTimeout as sleep } from 'node:timers/promises'
import type { ChainSnapshot } from '../../chain/consistent-head.ts'
import { isFreshSnapshot, readSnapshot } from '../../chain/head-fees-nonces-snapshot.ts'
import { readNonceCount } from '../../chain/nonce-count.ts'
import { learnSyncSends } from '../../chain/rpc/sync-send.ts'
import { AppError } from '../../domain/errors.ts'
import { networkNamed } from '../../domain/networks.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { type CheckedPlan, checkProposal } from '../../planning/check-proposal.ts'
import type { ExecutionContext } from '../../planning/execution-context-types.ts'
import {
  isServiceBehind,
  missingApprovalError,
  withoutNeedlessApprovals,
} from '../../planning/needless-and-missing-approvals.ts'
import { refuseUnquotedOrders } from '../../planning/order-checks.ts'
import type { Proposal, ServiceProposal } from '../../planning/proposal.ts'
import type { SignerIdentity } from '../../signing/signer.ts'
import { refuseEarlyNonce, refuseUsedNonce } from '../../transactions/nonces/pinned-nonce-check.ts'
import type { Cli } from '../command-run-types.ts'
import { noncesOf } from '../options/sending-and-waiting-options.ts'
import type { SigningOptions } from '../options/signer-and-safety-options.ts'
import { planPrices } from './plan-prices.ts'
import { refuseExpiredQuote } from './quotes/quote-expiry.ts'
import { refuseName, requireIdempotency } from './refuse-duplicates.ts'
import type { SigningRequest } from './sign-and-send.ts'
import { termsOf } from './user-terms-from-flags.ts'

/** A checked proposal of the service, with the known prices. */
type Offer = {
  proposal: Proposal
  checked: CheckedPlan
  known: Awaited<ReturnType<typeof planPrices>>
}

type Asked = Pick<SigningRequest, 'propose' | 'reference' | 'request' | 'wallet' | 'chainId'>

/** When this process is prepared for the signatures, in ms after the service was asked. */
const preparationMs = 25

/** How long to wait before a service that is behind is asked again, in ms, and how many times. */
const behindMs = 1_000
const mostTries = 6

/**
 * Asks the service for a proposal and checks it. Retries if the service does not yet know the latest
 * transactions of this wallet.
 */
export async function requestOffer(
  cli: Cli,
  options: SigningOptions,
  asked: Asked,
  { identity, context }: { identity: SignerIdentity; context: ExecutionContext },
): Promise<Offer> {
  const { signal } = cli.program.interrupt
  const until = performance.now() + (cli.globals.timeoutMs ?? Number.POSITIVE_INFINITY)
  for (let tried = 1; ; tried++)
    try {
      return await offer(cli, options, asked, { identity, context })
    } catch (error) {
      const isLate = tried === mostTries || performance.now() + behindMs > until || signal.aborted
      if (!isServiceBehind(error) || isLate) throw error
      await sleep(behindMs, undefined, { signal }).catch(() => {
        throw new AppError('INTERRUPTED', 'Interrupted before anything was signed')
      })
    }
}

async function offer(
  cli: Cli,
  options: SigningOptions,
  { propose, reference: opinion, request, wallet, chainId }: Asked,
  { identity, context }: { identity: SignerIdentity; context: ExecutionContext },
): Promise<Offer> {
  const terms = termsOf(cli, options)
  const looking = chainId
    ? readSnapshot(context.rpc(chainId), { chainId, wallet: identity.address })
    : undefined
  looking?.catch(() => undefined) // Awaited below, unless the service refuses first.
  if (chainId && !options.dryRun && isOneBlockEnough(context, chainId, options))
    learnSyncSends(context.rpc(chainId))
  // By then the first requests are sent.
  const preparing = options.dryRun ? undefined : setTimeout(() => identity.prepare?.(), preparationMs)
  const proposed = await propose(identity.address).finally(() => clearTimeout(preparing))
  refuseName(proposed.id)
  const seen = await looking
  const snapshot = isFreshSnapshot(seen, proposed.legs[0]!.chainId) ? seen : undefined
  const nonce = await pinnedNonce(context, identity.address, proposed, options, snapshot)
  // A nonce pinned for a later chain does not prevent a second payment on the first.
  const { nonce: named, ...unpinned } = options
  if (nonce === null && named !== undefined) requireIdempotency(cli, unpinned, request)
  const whole: Proposal = { ...proposed, request, wallet: identity.address, nonce }
  // A submitted plan and a pinned nonce keep all their transactions; a service in this process reads the same nodes.
  const isMade = wallet !== undefined || named !== undefined || cli.backend.kind !== 'remote'
  const proposal = isMade ? whole : await withoutNeedlessApprovals(context, whole)
  if (!options.dryRun) await refuseUsedNonce(context, proposal)
  // A dry run without a pinned nonce uses the next one.
  const isAsked = options.nonce !== undefined || wallet !== undefined || !options.dryRun
  const how = { isPlanned: options.dryRun === true, isMade: wallet !== undefined, counts: snapshot?.counts }
  const early = isAsked ? await refuseEarlyNonce(context, proposal, how) : undefined
  if (early !== undefined) cli.notice(early)
  refuseExpiredQuote(proposal, cli.program.now(), { isFixed: wallet !== undefined })
  const worth = planPrices(cli.backend, context, proposal)
  const check = async () =>
    checkProposal(context, proposal, terms, { ...(await opinion?.(identity.address)), worth }, snapshot)
  // An order that is not from the provider itself is confirmed by it: a remote service or a plan file may have made it up.
  const isForeign = cli.backend.kind === 'remote' || wallet !== undefined
  const [checked, known] = await Promise.all([
    check().catch(async (error: unknown) => {
      // The transactions of a submitted plan are fixed.
      throw wallet === undefined ? await missingApprovalError(context, proposal, error) : error
    }),
    worth,
    isForeign ? refuseUnquotedOrders(context, proposal.id, proposal.legs) : undefined,
  ])
  for (const host of checked.simulation?.silent ?? [])
    cli.notice(`The RPC endpoint ${sanitizeText(host)} does not answer and is not used.`)
  return { proposal, checked, known }
}

/** Whether one block makes a transaction final: then a receipt in answer to the send saves a look at it. */
const isOneBlockEnough = (
  { catalog }: ExecutionContext,
  chainId: number,
  { confirmations, wait }: SigningOptions,
): boolean => wait && (confirmations ?? String(networkNamed(catalog.networks, chainId).depth)) === '1'

/**
 * The nonce that a plan is pinned to: the given one, or for a dry run the next one, so that its first
 * step is sent at most once.
 */
async function pinnedNonce(
  { rpc, catalog }: ExecutionContext,
  wallet: SignerIdentity['address'],
  { legs }: ServiceProposal,
  { dryRun, nonce }: SigningOptions,
  snapshot: ChainSnapshot | undefined,
): Promise<number | null> {
  const { chainId } = legs[0]!
  const named = noncesOf(nonce, catalog.networks, legs)?.[chainId]
  if (named !== undefined || !dryRun) return named ?? null
  if (snapshot?.counts) return snapshot.counts.latest
  return readNonceCount(rpc(chainId), wallet)
}
