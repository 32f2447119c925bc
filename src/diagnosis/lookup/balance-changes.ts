import { size } from 'viem/utils'
import { transferTopic } from '../../chain/erc20.ts'
import { findTransaction } from '../../chain/finality/find-mined-transaction.ts'
import { undefinedIfUnanswered, withTimeout } from '../../chain/rpc/timeouts.ts'
import { type Address, type Hex, nativeAddress, sameAddress } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import { type Network, publicNetworks, sandboxNetworks } from '../../domain/networks.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import type { Token } from '../../domain/token.ts'
import type { ExecutionContext } from '../../planning/execution-context-types.ts'
import type { EvidenceLine } from '../verdict.ts'
import { foreignTransfer } from './foreign-transfer.ts'
import { lookUpTransaction, unansweredText } from './transaction-lookup.ts'

/**
 * The named transactions of an operation that this machine did not start: its hashes, the bridge delivery, the owners of the
 * funds, and the network of each hash (its name or chain id), if it is stated.
 */
export type NamedTransactions = {
  hashes: readonly Hex[]
  delivery: Hex | null
  whose: readonly Address[]
  networkOf?: (hash: Hex) => string | number | null
}

/**
 * The balance changes of an operation started elsewhere, by the receipts from our own nodes: what left and reached the owners (the
 * signers, if none are named), in catalogue tokens and in native coins as far as the transactions carry them. `evidence` has a line
 * for each transaction, `burn` explains a transfer among them. A transaction that could not be looked up, because its network
 * has no RPC or does not answer, is not called missing; `withoutRpc` has the stated networks that have no RPC here.
 */
export async function balanceChanges(
  context: ExecutionContext,
  { hashes, delivery, whose, networkOf = () => null }: NamedTransactions,
): Promise<{
  funds: string
  evidence: EvidenceLine[]
  burn: Awaited<ReturnType<typeof foreignTransfer>>
  withoutRpc: readonly Network[]
}> {
  const all = [...new Set([...hashes, ...(delivery === null ? [] : [delivery])])]
  const looks = await Promise.all(
    all.map((hash) => movesOf(context, hash, { whose, delivery, named: networkOf(hash) })),
  )
  const seen = looks.flatMap(({ moves }) => moves ?? [])
  const unseen = looks.filter(({ moves }) => moves === undefined).length
  const unasked = [...new Set(looks.flatMap(({ unasked }) => unasked ?? []))]
  const isOpen = looks.some(({ isFinal }) => !isFinal)
  const sums = new Map<string, { move: Move; sum: bigint }>()
  for (const move of seen) {
    const key = `${move.network.name} ${move.token.address} ${move.owner}`.toLowerCase()
    sums.set(key, { move, sum: (sums.get(key)?.sum ?? 0n) + move.units })
  }
  const texts = [...sums.values()].flatMap(({ move: { network, token, owner }, sum }) => {
    if (sum === 0n) return []
    const amount = formatAmount(sum < 0n ? -sum : sum, token)
    return [`${amount} ${sum < 0n ? 'left' : 'reached'} ${owner} on ${network.name}`]
  })
  const words = [
    texts.length > 0
      ? `On chain: ${texts.join('; ')}.`
      : unseen > 0
        ? 'Not known.'
        : 'On chain, no token of the catalogue was moved, and no native coin except for fees.',
    ...(isOpen && unseen < looks.length ? ['Not all of it is final.'] : []),
    ...(unseen === 0
      ? []
      : unasked.length > 0
        ? [`${unseen} of its ${all.length} transactions could not be looked up: ${unasked.join('; ')}.`]
        : [
            `${unseen} of its ${all.length} transactions ${unseen === 1 ? 'was' : 'were'} not found on any network here.`,
          ]),
  ]
  return {
    funds: words.join(' '),
    evidence: looks.map(({ text }) => ({ source: 'chain', text })),
    burn: looks.find(({ burn }) => burn !== undefined)?.burn,
    withoutRpc: [...new Set(looks.flatMap(({ withoutRpc }) => withoutRpc ?? []))],
  }
}

/** A token amount in its smallest unit that an owner received, negative if it left. */
type Move = {
  network: Network
  token: Pick<Token, 'address' | 'symbol' | 'decimals'>
  owner: Address
  units: bigint
}

/** Why the network that a service names was not searched: it has no RPC here (`lacking`), or this version does not know it. */
function unsearched(named: string | number): { text: string; lacking: readonly Network[] } {
  const known = [...publicNetworks, ...sandboxNetworks].find(
    ({ name, chainId }) => named === name || named === chainId,
  )
  return known
    ? { text: unansweredText([{ network: known, is: 'unasked', why: '' }]), lacking: [known] }
    : { text: `this version has no network ${sanitizeText(String(named))}`, lacking: [] }
}

/** What a transaction moved; `unasked` says why it could not be looked up, `withoutRpc` is its network if that has no RPC. */
type Look = {
  moves: Move[] | undefined
  isFinal: boolean
  text: string
  unasked?: string
  withoutRpc?: readonly Network[]
  burn?: Awaited<ReturnType<typeof foreignTransfer>>
}

async function movesOf(
  context: ExecutionContext,
  hash: Hex,
  {
    whose,
    delivery,
    named,
  }: Pick<NamedTransactions, 'whose' | 'delivery'> & { named: string | number | null },
): Promise<Look> {
  const { found, silent } = await lookUpTransaction(context, hash, undefined)
  if (!found) {
    // If its network is stated, only that one counts.
    const its = silent.filter(({ network: { name, chainId } }) => named === name || named === chainId)
    const lacking = its.length > 0 ? its : named === null ? silent : []
    const isHere = ({ name, chainId }: Network) => named === name || named === chainId
    const other =
      named === null || lacking.length > 0 || context.catalog.networks.some(isHere)
        ? undefined
        : unsearched(named)
    const unasked = lacking.length > 0 ? unansweredText(lacking) : other?.text
    const withoutRpc = other?.lacking ?? its.flatMap(({ network, is }) => (is === 'unasked' ? [network] : []))
    const text =
      unasked === undefined
        ? `${hash} was not found on any network here`
        : `${hash} could not be looked up: ${unasked}`
    return { moves: undefined, isFinal: false, text, withoutRpc, ...(unasked !== undefined && { unasked }) }
  }
  const burn = hash === delivery ? undefined : await foreignTransfer(context, hash, found, delivery)
  const { network, from: signer, call, described, block } = found
  const owners = whose.length > 0 ? whose : [signer]
  if (!block)
    return { moves: [], isFinal: false, text: `${hash} is pending on ${network.name}: it ${described.text}` }
  const text = `${hash} ${described.text}, and ${block.succeeded ? 'succeeded' : 'reverted'} in block ${block.number} of ${network.name}${block.isFinal ? '' : ', which is not final yet'}`
  const receipt = await undefinedIfUnanswered(
    withTimeout(findTransaction(context.rpc(network.chainId), hash)),
  )
  const coin = { ...network.native, address: nativeAddress }
  const carried = owners.flatMap((owner): Move[] => {
    const came = call.to !== null && sameAddress(call.to, owner) ? call.value : 0n
    const units = came - (sameAddress(signer, owner) ? call.value : 0n)
    return units === 0n || !block.succeeded ? [] : [{ network, token: coin, owner, units }]
  })
  const moves = (receipt?.ok ? receipt.logs : []).flatMap(({ address, topics: [event, from, to], data }) => {
    const token = tokenOf(context, network, address)
    if (event !== transferTopic || !token || from === undefined || to === undefined || size(data) !== 32)
      return []
    return owners.flatMap((owner): Move[] => {
      const units = (isOwner(to, owner) ? BigInt(data) : 0n) - (isOwner(from, owner) ? BigInt(data) : 0n)
      return units === 0n ? [] : [{ network, token, owner, units }]
    })
  })
  return {
    moves: receipt || !block.succeeded ? [...carried, ...moves] : undefined,
    isFinal: block.isFinal,
    text,
    burn,
  }
}

const isOwner = (topic: string, owner: Address): boolean => sameAddress(`0x${topic.slice(26)}`, owner)

const tokenOf = ({ catalog }: ExecutionContext, { chainId }: Network, address: Address): Token | undefined =>
  [...(catalog.tokens as readonly Token[]), ...catalog.strategies.map(({ receipt }) => receipt)].find(
    (token) => token.chainId === chainId && sameAddress(token.address, address),
  )
