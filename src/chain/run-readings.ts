import { createClient, custom, parseAbi } from 'viem'
import { multicall } from 'viem/actions'
import { AppError } from '../domain/errors.ts'
import { type Answer, both, type Read, type Reading } from './composable-reading.ts'
import type { Rounds } from './contract-query.ts'
import { callMulticall } from './multicall.ts'
import type { Chain } from './network-client.ts'
import { readPriceAges } from './read-oracle-price-age.ts'
import { isExecutionError, transportFaultOf } from './rpc/errors.ts'

/** A block reference, so that several reads use the same block. */
export type BlockRef = { number: bigint; hash: string; timestamp: number }

/**
 * Reads everything in one multicall, at the latest or a given block. A refused read is `undefined`; a chain without an answer
 * throws. A contract that burns all gas fails its whole call: the parts are then read separately, down to the single one.
 */
export async function read<value>(
  chain: Chain,
  { reads, parse }: Reading<value>,
  blockNumber?: bigint,
): Promise<value> {
  const [plain, ages] = [reads.filter(({ code }) => !code), reads.filter(({ code }) => code)]
  const [answers, renewed] = await Promise.all([
    answersTo(chain, plain, blockNumber),
    readPriceAges(chain.rpc, ages, blockNumber),
  ])
  let [nextPlain, nextAge] = [0, 0]
  return parse(
    reads.map(({ code, refused }) => (code ? renewed[nextAge++] : answers[nextPlain++]) ?? refused),
  )
}

/** Into how many parts a failed call is split: one bad contract among a thousand is found in four rounds. */
const splitFactor = 8

async function answersTo(chain: Chain, reads: readonly Read[], blockNumber?: bigint): Promise<Answer[]> {
  const most = maxReadsPerCall(chain)
  // Reads beyond one call go into several parallel calls, which take no longer.
  if (reads.length > most) return readInParts(chain, reads, Math.ceil(reads.length / most), blockNumber)
  if (reads.length === 0) return []
  const { multicall3 } = chain.network
  try {
    const answers = multicall3 && (await callMulticall(chain.rpc, multicall3, reads, blockNumber))
    if (answers) return answers
    // A local chain or an old block may lack that contract.
    if (multicall3)
      return answersTo({ ...chain, network: { ...chain.network, multicall3: undefined } }, reads, blockNumber)
    return await withOwnCode(chain, reads, blockNumber)
  } catch (error) {
    const fault = transportFaultOf(error)
    if (!fault || !isExecutionError(fault)) throw fault ?? error
    return reads.length === 1 ? [undefined] : readInParts(chain, reads, splitFactor, blockNumber)
  }
}

/** The same on a chain without Multicall3: the call brings the code. */
async function withOwnCode({ rpc }: Chain, reads: readonly Read[], blockNumber?: bigint): Promise<Answer[]> {
  const request = ({ method, params }: { method: string; params?: unknown }) =>
    rpc.request(method, (params ?? []) as unknown[])
  const client = createClient({ transport: custom({ request }, { retryCount: 0 }), cacheTime: 0 })
  const results = (await multicall(client, {
    contracts: reads as never,
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
  reads: readonly Read[],
  parts: number,
  blockNumber?: bigint,
): Promise<Answer[]> {
  const size = Math.ceil(reads.length / parts)
  const cut = Array.from({ length: Math.ceil(reads.length / size) }, (_, at) =>
    reads.slice(at * size, (at + 1) * size),
  )
  return (await Promise.all(cut.map((part) => answersTo(chain, part, blockNumber)))).flat()
}

/** The newest block. */
export async function latestBlock({ rpc, network }: Chain): Promise<BlockRef> {
  const [block] = await Promise.all([
    rpc.request<{ number: string; hash: string; timestamp: string } | null>('eth_getBlockByNumber', [
      'latest',
      false,
    ]),
    rpc.refresh(),
  ])
  if (!block)
    throw new AppError('RPC_INCONSISTENT', `The node at ${rpc.host} knows no latest block`, {
      details: { host: rpc.host, network: network.name },
    })
  return { number: BigInt(block.number), hash: block.hash, timestamp: Number(block.timestamp) }
}

/** The block that a Multicall3 runs on (source: the contract, github.com/mds1/multicall3). */
const blockNumberAbi = parseAbi(['function getBlockNumber() view returns (uint256)'])

/**
 * Reads everything at the newest block, in one exchange: the multicall names the block that it ran on, and where that is not the
 * newest one (a block came in between, or the chain numbers its blocks otherwise) it is read again at that.
 */
export async function readAtHead<value>(
  chain: Chain,
  reading: Reading<value>,
): Promise<{ head: BlockRef; value: value }> {
  const { multicall3 } = chain.network
  if (!multicall3 || reading.reads.length >= maxReadsPerCall(chain)) {
    const head = await latestBlock(chain)
    return { head, value: await read(chain, reading, head.number) }
  }
  const ranOn: Reading<unknown> = {
    reads: [{ address: multicall3, abi: blockNumberAbi, functionName: 'getBlockNumber' }],
    parse: ([number]) => number,
  }
  const reads = read(chain, both(ranOn, reading))
  reads.catch(() => undefined) // Awaited below: a chain without a newest block is told first.
  const head = await latestBlock(chain)
  const [number, value] = await reads
  return { head, value: number === head.number ? value : await read(chain, reading, head.number) }
}

/** Answers several sequences of rounds in parallel: one call for each round of all. */
export async function answerRounds<value>(
  chain: Chain,
  lines: readonly Rounds<value>[],
): Promise<readonly value[]> {
  let steps = lines.map((line) => line.next())
  for (;;) {
    const asked = steps.map(({ done, value }) => (done ? [] : value))
    if (asked.every((queries) => queries.length === 0) && steps.every(({ done }) => done))
      return steps.map(({ value }) => value as value)
    const all = await read(chain, { reads: asked.flat(), parse: (answers) => answers })
    let at = 0
    steps = steps.map((step, line) => {
      if (step.done) return step
      const first = at
      at += asked[line]!.length
      return lines[line]!.next(all.slice(first, at))
    })
  }
}
