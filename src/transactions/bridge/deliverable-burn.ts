import { findTransaction } from '../../chain/finality/find-mined-transaction.ts'
import { blockTime } from '../../chain/latest-log.ts'
import { type Address, type Hex, sameAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { displayNetwork, type Network } from '../../domain/networks.ts'
import { advice, sluice } from '../../domain/text/next-step.ts'
import { type Token, tokenAt } from '../../domain/token.ts'
import { getJson } from '../../http/client.ts'
import type { ExecutionContext } from '../../planning/execution-context-types.ts'
import type { ProposedLeg } from '../../planning/proposal.ts'
import type { DeliverIntent } from '../../protocols/intent.ts'
import type { Operation } from '../../store/journal/operation-types.ts'
import { type ServedMessage, sentMessages, servedMessages } from '../../swaps/cctp-v2/attested-messages.ts'
import { type CctpV2Constants, cctpV2Contracts } from '../../swaps/cctp-v2/constants-schema.ts'
import { receiveMessage } from '../../swaps/cctp-v2/encode.ts'
import { isExpired, isNonceUsed, mintTransaction, reattestCommand } from '../../swaps/cctp-v2/follow.ts'
import { contractsIn, contractsOn } from '../../swaps/swap-contracts.ts'

/** A mined transaction that may hold burns of CCTP. `named` is how a person named it, for the next step. */
export type BurnTransaction = {
  chainId: number
  hash: Hex
  blockNumber: number
  logs: readonly { address: Address; topics: readonly Hex[]; data: Hex }[]
  named: string
}

/** The error for an action or a transaction that has no transfer to deliver. */
const nothingToDeliver = (named: string): AppError =>
  new AppError('USAGE', `${named} holds no transfer of CCTP, so there is nothing to deliver`, {
    next: advice`Other transfers and orders are paid out by others: ${sluice('action explain', named)}`,
  })

/**
 * The transaction of an action that burned for another chain. USAGE if it has none, OPERATION_UNFINISHED if it is not mined yet.
 */
export async function burnOfOperation(
  { rpc, catalog }: Pick<ExecutionContext, 'rpc' | 'catalog'>,
  operation: Operation,
): Promise<BurnTransaction> {
  const burn = operation.steps.findLast(({ role, transaction: { chainId, to } }) => {
    const here = contractsOn(catalog, cctpV2Contracts, chainId)
    return role === 'action' && here !== undefined && sameAddress(to, here.tokenMessenger)
  })
  if (!burn) throw nothingToDeliver(operation.id)
  const { chainId } = burn.transaction
  const hash = burn.inclusion?.hash ?? burn.attempts.at(-1)?.hash
  const found = hash && (await findTransaction(rpc(chainId), hash))
  if (!hash || !found?.ok)
    throw new AppError(
      'OPERATION_UNFINISHED',
      `The transfer of ${operation.id} is not burned on ${displayNetwork(catalog.networks, chainId).name} yet`,
      { details: { operation: operation.id }, next: sluice('action explain', operation.id) },
    )
  return { chainId, hash, blockNumber: found.blockNumber, logs: found.logs, named: operation.id }
}

/** What can be done for the transfers of a transaction: deliver the first that is not delivered, or nothing, because all are. */
export type DeliveryState =
  | { is: 'delivered'; network: Network; transaction: Hex | undefined }
  | {
      is: 'deliverable'
      network: Network
      token: Token
      /** What arrives, in the smallest unit. */
      amount: bigint
      recipient: Address
      leg: (wallet: Address) => ProposedLeg
      /** How many more transfers of the transaction are not delivered. */
      others: number
    }

/** A message with the contracts of the chain to which it leads. */
type Burned = { message: Hex; there: CctpV2Constants; served: ServedMessage | undefined; isUsed: boolean }

/**
 * Reads which transfers of a transaction are delivered, by the contract on the destination, and prepares the delivery of the first that is not.
 * OPERATION_UNFINISHED while it cannot be delivered: its attestation is missing or expired.
 */
export async function readDeliveryState(
  { rpc, catalog }: Pick<ExecutionContext, 'rpc' | 'catalog'>,
  { chainId, hash, blockNumber, logs, named }: BurnTransaction,
): Promise<DeliveryState> {
  const here = contractsOn(catalog, cctpV2Contracts, chainId)
  const sent = here ? sentMessages(logs, here) : []
  if (!here || sent.length === 0) throw nothingToDeliver(named)
  const places = sent.map(({ burn }) => farEnd(catalog, here, burn.destinationDomain))
  const served = await servedMessages(
    (url) => getJson(url, { deadlineMs: 5_000 }),
    here,
    hash,
    sent.map(({ message }) => message),
  )
  const burns = await Promise.all(
    sent.map(async ({ message }, at): Promise<Burned> => {
      const [there, one] = [places[at]!, served[at]]
      const isUsed =
        one?.attestation !== undefined && (await isNonceUsed(rpc(there.chainId), there, one.burn.nonce))
      return { message, there, served: one, isUsed }
    }),
  )
  const open = burns.filter(({ isUsed }) => !isUsed)
  const first = open.find(({ served }) => served?.attestation !== undefined) ?? open[0]
  const { there } = first ?? burns.at(-1)!
  const network = displayNetwork(catalog.networks, there.chainId)
  if (!first) {
    const since = (await blockTime(rpc(chainId), blockNumber)) ?? 0
    const { nonce } = burns.at(-1)!.served!.burn
    const transaction = await mintTransaction(rpc(there.chainId), there, nonce, since)
    return { is: 'delivered', network, transaction }
  }
  const again = { next: advice`To see what it waits for: ${sluice('action explain', named)}` }
  const { served: attested } = first
  if (!attested?.attestation)
    throw new AppError(
      'OPERATION_UNFINISHED',
      `The bridge has not attested the transfer yet, so it cannot be delivered on ${network.name}`,
      again,
    )
  if (await isExpired(rpc(there.chainId), attested.burn))
    throw new AppError(
      'OPERATION_UNFINISHED',
      `The attestation of the transfer has expired, so it cannot be delivered on ${network.name} before it is signed again`,
      attested.reattestUrl
        ? { next: `${reattestCommand(attested.reattestUrl)}, then the same command` }
        : again,
    )
  const { attestation, message, burn } = attested
  const token = tokenAt(catalog.tokens, there.chainId, there.token)
  if (!token) throw nothingToDeliver(named)
  const minted = { token, recipient: burn.mintRecipient, amount: burn.amount - burn.feeExecuted }
  return {
    ...minted,
    is: 'deliverable',
    network,
    others: open.length - 1,
    leg: (wallet) => ({
      chainId: there.chainId,
      intent: {
        kind: 'deliver',
        wallet,
        chainFrom: chainId,
        burn: hash,
        message: first.message,
        ...minted,
      },
      transactions: [
        receiveMessage({
          chainId: there.chainId,
          transmitter: there.messageTransmitter,
          message,
          attestation,
        }),
      ],
    }),
  }
}

/** The contracts of a domain that the attestation service of `here` serves; USAGE if the catalogue has none. */
function farEnd(
  catalog: ExecutionContext['catalog'],
  here: CctpV2Constants,
  domain: number,
): CctpV2Constants {
  const there = contractsIn(catalog, cctpV2Contracts).find(
    (one) => one.domain === domain && one.attestation === here.attestation,
  )
  if (there) return there
  throw new AppError(
    'USAGE',
    `The transfer leads to the domain ${domain} of CCTP, which is not in the catalogue of this program`,
    { next: advice`The networks of the catalogue: ${sluice('networks list')}` },
  )
}

/** The leg of a delivery as its attestation is now, for an operation that is planned again. */
export async function deliveryAgain(
  context: Pick<ExecutionContext, 'rpc' | 'catalog'>,
  { wallet, chainFrom, burn }: DeliverIntent,
  named: string,
): Promise<ProposedLeg> {
  const found = await findTransaction(context.rpc(chainFrom), burn)
  const state = found?.ok
    ? await readDeliveryState(context, { ...found, chainId: chainFrom, named })
    : undefined
  if (state?.is === 'deliverable') return state.leg(wallet)
  throw new AppError(
    'OPERATION_UNFINISHED',
    state ? `Somebody else has delivered the transfer on ${state.network.name}` : 'The burn is not found now',
    { next: sluice('action abandon', named) },
  )
}
