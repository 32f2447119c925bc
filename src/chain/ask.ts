import { createClient, custom, parseAbi } from 'viem'
import { multicall } from 'viem/actions'
import { AppError } from '../domain/errors.ts'
import { both, type Call, contract, decodeAnswer, encodeCall, type Reading, type Rounds } from './call.ts'
import { ethCall, type Node, sendTo } from './eth-call.ts'
import { type BlockRef, latestBlock } from './head.ts'
import { callMulticall } from './multicall.ts'
import type { Chain } from './network-client.ts'
import { readPriceAges } from './read-oracle-price-age.ts'
import { isExecutionError, transportFaultOf } from './rpc/errors.ts'
import { hexQuantity } from './rpc/quantities.ts'

/**
 * What is asked: a chain, whose reads share one multicall; a client, whose reads share one batch of `eth_call`; or a function that
 * sends one request, as to the node of a wallet's own machine.
 */
type Asked = Chain | Node

/**
 * Reads contracts, at the latest or a given block, in one exchange as far as the chain allows. A call that the contract refuses, or
 * answers with something that its function does not return, is `undefined`. A node that does not answer throws: no answer is not a
 * refusal.
 */
export function ask<T>(asked: Asked, call: Call<T>, blockNumber?: bigint): Promise<T | undefined>
export function ask<T>(
  asked: Asked,
  calls: readonly Call<T>[],
  blockNumber?: bigint,
): Promise<(T | undefined)[]>
export function ask<value>(
  asked: Asked,
  question: Reading<value> | Rounds<value>,
  blockNumber?: bigint,
): Promise<value>
export async function ask(
  asked: Asked,
  question: Call | readonly Call[] | Reading<unknown> | Rounds<unknown>,
  blockNumber?: bigint,
): Promise<unknown> {
  if ('next' in question) return (await askRounds(asked, [question], blockNumber))[0]
  if ('reads' in question) return question.parse(await answersTo(asked, question.reads, blockNumber))
  if ('abi' in question) return (await answersTo(asked, [question], blockNumber))[0]
  return answersTo(asked, question, blockNumber)
}

/** The number that a contract returns; RPC_INCONSISTENT names `what` if it returns none. */
export async function askNumber(
  asked: Asked,
  question: Call<bigint> | Reading<bigint | undefined>,
  what: string,
  blockNumber?: bigint,
): Promise<bigint> {
  const answer = await ask(asked, question as Reading<bigint | undefined>, blockNumber)
  if (answer !== undefined) return answer
  throw new AppError('RPC_INCONSISTENT', `The node returns no number for ${what}`)
}

/** Answers several sequences of rounds side by side: one exchange for each round of all. */
export async function askRounds<value>(
  asked: Asked,
  lines: readonly Rounds<value>[],
  blockNumber?: bigint,
): Promise<readonly value[]> {
  let steps = lines.map((line) => line.next())
  for (;;) {
    const calls = steps.map(({ done, value }) => (done ? [] : value))
    if (calls.every((some) => some.length === 0) && steps.every(({ done }) => done))
      return steps.map(({ value }) => value as value)
    const all = await ask(asked, calls.flat(), blockNumber)
    let at = 0
    steps = steps.map((step, line) => {
      if (step.done) return step
      const first = at
      at += calls[line]!.length
      return lines[line]!.next(all.slice(first, at))
    })
  }
}

/** The block that a Multicall3 runs on (source: the contract, github.com/mds1/multicall3). */
const blockNumberAbi = parseAbi(['function getBlockNumber() view returns (uint256)'])

/**
 * Reads everything at the newest block, in one exchange: the multicall names the block that it ran on, and where that is not the
 * newest one (a block came in between, or the chain numbers its blocks otherwise) it is read again at that.
 */
export async function askAtHead<value>(
  chain: Chain,
  reading: Reading<value>,
): Promise<{ head: BlockRef; value: value }> {
  const { multicall3 } = chain.network
  if (!multicall3 || reading.reads.length >= maxReadsPerCall(chain)) {
    const head = await latestBlock(chain)
    return { head, value: await ask(chain, reading, head.number) }
  }
  const ranOn: Reading<unknown> = {
    reads: [contract(multicall3, blockNumberAbi)('getBlockNumber')],
    parse: ([number]) => number,
  }
  const reads = ask(chain, both(ranOn, reading))
  reads.catch(() => undefined) // Awaited below: a chain without a newest block is told first.
  const head = await latestBlock(chain)
  const [number, value] = await reads
  return { head, value: number === head.number ? value : await ask(chain, reading, head.number) }
}

async function answersTo(asked: Asked, calls: readonly Call[], blockNumber?: bigint): Promise<unknown[]> {
  const [plain, ages] = [calls.filter(({ code }) => !code), calls.filter(({ code }) => code)]
  const [answers, renewed] = await Promise.all([
    'network' in asked ? answersOfChain(asked, plain, blockNumber) : answersOfNode(asked, plain, blockNumber),
    readPriceAges('network' in asked ? asked.rpc : asked, ages, blockNumber),
  ])
  let [nextPlain, nextAge] = [0, 0]
  return calls.map(({ code, refused }) => (code ? renewed[nextAge++] : answers[nextPlain++]) ?? refused)
}

/** Each call by itself, in one batch of a client. A node that refuses the batch for one call is asked each of them. */
async function answersOfNode(node: Node, calls: readonly Call[], blockNumber?: bigint): Promise<unknown[]> {
  const at = blockNumber === undefined ? 'latest' : hexQuantity(blockNumber)
  const requests = calls.map((call) => ethCall(encodeCall(call), at))
  const each = () =>
    Promise.all(
      requests.map((request, index) =>
        sendTo(node, request).catch((error) => undefinedIfRefused(error, calls[index])),
      ),
    )
  const isBatched = typeof node !== 'function' && calls.length > 1
  const answers = isBatched
    ? await node.batch(requests).catch((error) => undefinedIfRefused(error) ?? each())
    : await each()
  return calls.map((call, index) => {
    const answer = answers[index]
    return typeof answer === 'string' ? decodeAnswer(call, answer as `0x${string}`) : undefined
  })
}

/** An error of a node to one call is a refusal; where a refusal has a meaning of its own, only that of an execution. */
function undefinedIfRefused(error: unknown, call?: Call): undefined {
  if (!(error instanceof AppError && error.code === 'RPC_ERROR')) throw error
  if (call?.refused !== undefined && !isExecutionError(error)) throw error
}

/** Into how many parts a failed call is split: one bad contract among a thousand is found in four rounds. */
const splitFactor = 8

/** All calls in one multicall. A contract that burns all gas fails the whole: the parts are then read separately, down to the single one. */
async function answersOfChain(
  chain: Chain,
  calls: readonly Call[],
  blockNumber?: bigint,
): Promise<unknown[]> {
  const most = maxReadsPerCall(chain)
  // Reads beyond one call go into several parallel calls, which take no longer.
  if (calls.length > most) return readInParts(chain, calls, Math.ceil(calls.length / most), blockNumber)
  if (calls.length === 0) return []
  const { multicall3 } = chain.network
  try {
    const answers = multicall3 && (await callMulticall(chain.rpc, multicall3, calls, blockNumber))
    if (answers) return answers
    // A local chain or an old block may lack that contract.
    if (multicall3)
      return answersOfChain(
        { ...chain, network: { ...chain.network, multicall3: undefined } },
        calls,
        blockNumber,
      )
    return await withOwnCode(chain, calls, blockNumber)
  } catch (error) {
    const fault = transportFaultOf(error)
    if (!fault || !isExecutionError(fault)) throw fault ?? error
    return calls.length === 1 ? [undefined] : readInParts(chain, calls, splitFactor, blockNumber)
  }
}

/** The same on a chain without Multicall3: the call brings the code. */
async function withOwnCode({ rpc }: Chain, calls: readonly Call[], blockNumber?: bigint): Promise<unknown[]> {
  const request = ({ method, params }: { method: string; params?: unknown }) =>
    rpc.request(method, (params ?? []) as unknown[])
  const client = createClient({ transport: custom({ request }, { retryCount: 0 }), cacheTime: 0 })
  const results = (await multicall(client, {
    contracts: calls as never,
    deployless: true,
    batchSize: 0,
    allowFailure: true,
    ...(blockNumber !== undefined && { blockNumber }),
  })) as { status: string; result?: unknown; error?: unknown }[]
  const fault = results.map(({ error }) => transportFaultOf(error)).find((one) => one !== undefined)
  if (fault) throw fault
  return results.map(({ status, result }) => (status === 'success' ? result : undefined))
}

/**
 * How many reads fit into one call: a node allows about 50 M gas a call. A call that brings its code is limited to 49,152 bytes in
 * and 24,576 out (EIP-3860, EIP-170).
 */
const maxReadsPerCall = ({ network }: Chain): number => (network.multicall3 ? 500 : 40)

async function readInParts(
  chain: Chain,
  calls: readonly Call[],
  parts: number,
  blockNumber?: bigint,
): Promise<unknown[]> {
  const size = Math.ceil(calls.length / parts)
  const cut = Array.from({ length: Math.ceil(calls.length / size) }, (_, at) =>
    calls.slice(at * size, (at + 1) * size),
  )
  return (await Promise.all(cut.map((part) => answersOfChain(chain, part, blockNumber)))).flat()
}
