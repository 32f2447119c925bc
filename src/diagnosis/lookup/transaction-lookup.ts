import { firstMatching, searchNodes } from '../../chain/ask-all-nodes.ts'
import type { ChainClient } from '../../chain/chain-client.ts'
import { checkFinality, type FinalityDepth, requiredDepth } from '../../chain/finality/finality.ts'
import { findTransaction, type MinedTransaction } from '../../chain/finality/find-mined-transaction.ts'
import { type Disagreement, lookupTimeoutMs } from '../../chain/finality/quorum.ts'
import { readHeader, timeOf } from '../../chain/head.ts'
import { quantity } from '../../chain/rpc/quantities.ts'
import { type Address, EvmAddress, type Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { type Network, publicNetworks, rpcVariable, sandboxNetworks } from '../../domain/networks.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import type { ExecutionContext } from '../../planning/execution-context-types.ts'
import type { DescribedCall } from '../../protocols/call-description.ts'
import { describeCall } from '../calls/describe-call.ts'

/** The call of a transaction; `to` is null for a contract creation. */
type Call = { to: Address | null; input: Hex; value: bigint }

/**
 * A transaction as its network shows it; `block` is `null` while pending, `at` in epoch ms; `isFinal` if all answering nodes
 * agree at depth; `unlike` is one that differs.
 */
export type FoundTransaction = {
  network: Network
  from: Address
  nonce: number
  call: Call
  described: DescribedCall
  block: {
    number: number
    at: number
    mined: MinedTransaction
    succeeded: boolean
    isFinal: boolean
    unlike?: Disagreement | undefined
  } | null
}

/** A network without an answer: no RPC configured, no response, another chain, or an unusable answer. */
export type UnansweredNetwork = {
  network: Network
  is: 'unasked' | 'silent' | 'another' | 'odd'
  why: string
}

/**
 * Why some networks could not be searched for a transaction, in a few words: those without an answer, those with an unusable one, and those
 * without an RPC, of which at most three are named, with the variables to set.
 */
export function unansweredText(silent: readonly UnansweredNetwork[]): string {
  const those = (is: UnansweredNetwork['is']) => silent.filter((one) => one.is === is)
  const mute = those('silent').map(({ network }) => network.name)
  const unasked = those('unasked').map(({ network }) => network)
  const far =
    unasked.length > 3
      ? `${unasked.length} others, such as ${unasked
          .slice(0, 2)
          .map(({ name }) => name)
          .join(', ')}`
      : unasked.map((network) => `${network.name} (${rpcVariable(network)})`).join(', ')
  return [
    ...(mute.length > 0 ? [`${mute.join(', ')} did not answer`] : []),
    ...[...those('another'), ...those('odd')].map(
      ({ network, why }) => `${network.name}: ${sanitizeText(why)}`,
    ),
    ...(unasked.length > 0 ? [`no RPC is set for ${far}`] : []),
  ].join('; ')
}

/**
 * Finds a transaction by hash on any network, final at the given or usual depth; `silent` are the networks without an answer, if
 * none has it.
 */
export async function lookUpTransaction(
  context: ExecutionContext,
  hash: Hex,
  depth: FinalityDepth | undefined,
): Promise<{ found: FoundTransaction | undefined; silent: UnansweredNetwork[] }> {
  const asked = everyNetwork(context).map((network) =>
    findOnNetwork(context, network, hash, depth).catch((error: unknown) => unansweredBy(network, error)),
  )
  // A found transaction does not wait for silent networks.
  const found = await firstMatching(asked, (answer) => answer !== null && 'described' in answer)
  if (found && 'described' in found) return { found, silent: [] }
  const answers = await Promise.all(asked)
  return { found: undefined, silent: answers.flatMap((one) => (one && 'why' in one ? one : [])) }
}

/** Every network that has a transaction with a hash, or one of them alone; `silent` are the networks without an answer. */
export async function findEverywhere(
  context: ExecutionContext,
  hash: Hex,
  only: number | undefined,
): Promise<{ found: FoundTransaction[]; silent: UnansweredNetwork[] }> {
  const asked = everyNetwork(context).filter(({ chainId }) => only === undefined || chainId === only)
  const answers = await Promise.all(
    asked.map((network) =>
      findOnNetwork(context, network, hash, undefined).catch((error: unknown) =>
        unansweredBy(network, error),
      ),
    ),
  )
  return {
    found: answers.flatMap((one) => (one && 'described' in one ? [one] : [])),
    silent: answers.flatMap((one) => (one && 'why' in one ? [one] : [])),
  }
}

/** Every network of this version, with or without an RPC; only the embedded networks in the sandbox. */
function everyNetwork({ catalog: { networks } }: ExecutionContext): readonly Network[] {
  const isIn = (some: readonly Network[]) => (one: Network) =>
    some.some(({ chainId }) => chainId === one.chainId)
  const isSandbox = networks.length > 0 && networks.every(isIn(sandboxNetworks))
  const others = (isSandbox ? sandboxNetworks : publicNetworks).filter((one) => !isIn(networks)(one))
  return [...networks, ...others]
}

/** Why a network has no answer. */
function unansweredBy(network: Network, error: unknown): UnansweredNetwork {
  if (!(error instanceof AppError)) throw error
  const { code, message: why } = error
  if (code === 'CONFIG_INVALID' || code === 'UNKNOWN_NETWORK') return { network, is: 'unasked', why }
  if (code === 'CHAIN_ID_MISMATCH') return { network, is: 'another', why }
  if (code === 'RPC_UNREACHABLE') return { network, is: 'silent', why }
  if (code.startsWith('RPC_')) return { network, is: 'odd', why }
  throw error
}

/** The transaction on one network, mined if any node shows it so; `null` only if all nodes lack it. */
const findOnNetwork = async (
  { rpc, catalog }: ExecutionContext,
  network: Network,
  hash: Hex,
  depth: FinalityDepth | undefined,
): Promise<FoundTransaction | null> =>
  searchNodes(
    rpc(network.chainId),
    (node) => findOnNode(node, catalog, network, hash, depth),
    ({ block }) => block !== null,
  )

type ShownTransaction = { from: Address; nonce: number } & Call

/** Parses a transaction of a node; RPC_INCONSISTENT if it is malformed. */
function parseShownTransaction(
  host: string,
  hash: Hex,
  answer: unknown,
): ShownTransaction & { isInBlock: boolean } {
  const response = Object(answer) as Record<string, unknown>
  if (String(response.hash).toLowerCase() !== hash.toLowerCase())
    throw new AppError('RPC_INCONSISTENT', `The node at ${host} returns another transaction`)
  const [from, to] = [EvmAddress.safeParse(response.from), EvmAddress.nullable().safeParse(response.to)]
  if (!from.success || !to.success || !/^0x([0-9a-f]{2})*$/i.test(String(response.input)))
    throw new AppError(
      'RPC_INCONSISTENT',
      `The node at ${host} returns ${hash} without its sender or its call`,
    )
  return {
    from: from.data,
    to: to.data,
    input: response.input as Hex,
    value: quantity(response.value, 'its value'),
    nonce: Number(quantity(response.nonce, 'the nonce')),
    isInBlock: typeof response.blockNumber === 'string',
  }
}

async function findOnNode(
  node: ChainClient,
  catalog: ExecutionContext['catalog'],
  network: Network,
  hash: Hex,
  depth: FinalityDepth | undefined,
): Promise<FoundTransaction | null> {
  const answer = await node.request('eth_getTransactionByHash', [hash])
  if (answer === null) return null
  const { from, nonce, isInBlock, ...call } = parseShownTransaction(node.host, hash, answer)
  const found = await findTransaction(node, hash)
  // A mined transaction is not pending, and without its receipt its outcome is unknown.
  if (!found && isInBlock)
    throw new AppError(
      'RPC_INCONSISTENT',
      `The node at ${node.host} returns ${hash} in a block, but no receipt`,
      { details: { host: node.host, hash } },
    )
  const block = found ? await blockOf(node, network, found, depth) : null
  const { to, input: data, value } = call
  const described = describeCall(catalog, network, { to, data, value }, from)
  return { network, from, nonce, call, described, block }
}

async function blockOf(
  node: ChainClient,
  { depth: usual }: Network,
  found: MinedTransaction,
  depth: FinalityDepth | undefined,
): Promise<FoundTransaction['block']> {
  const { blockNumber, ok } = found
  const block = await readHeader(node, blockNumber)
  const shown = { ...found, by: node.host }
  const { deep, unlike } = await checkFinality(node, shown, requiredDepth(usual, depth), lookupTimeoutMs)
  return {
    number: blockNumber,
    at: timeOf(block, 'the time of the block') * 1000,
    mined: found,
    succeeded: ok,
    isFinal: deep,
    unlike,
  }
}
