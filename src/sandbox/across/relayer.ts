import {
  encodeAbiParameters,
  encodeEventTopics,
  encodeFunctionData,
  keccak256,
  numberToHex,
} from 'viem/utils'
import { ask } from '../../chain/ask.ts'
import { contract } from '../../chain/call.ts'
import type { ChainClient } from '../../chain/chain-client.ts'
import { readHeader } from '../../chain/head.ts'
import type { Address, Hex } from '../../domain/address.ts'
import { spokePoolAbi as events } from '../../swaps/across/abi.ts'
import type { AcrossConstants } from '../../swaps/across/constants-schema.ts'
import {
  accountOf,
  type Deposit,
  depositIn,
  relayHash,
} from '../../swaps/across/deposit-and-payout-events.ts'
import { isSupportedPair } from '../../swaps/across/pairs.ts'
import { acrossContract } from '../genesis/artifacts.ts'
import { sendMined } from '../mined-transactions.ts'
import { type NodeBlock, newestBlock, readBlockTime } from '../node-reads.ts'
import type { StandInOptions } from '../stand-in-option-types.ts'

/** A pool and the node of its chain. */
type PoolEnd = { pool: AcrossConstants; rpc: ChainClient }

/** Faults of Across: no fills, fills only after a delay in ms, or no refunds. */
export type AcrossFault = { isUnfilled: boolean; fillDelayMs: number; isUnrefunded: boolean }

/**
 * Inputs of the relayer. `relayer` fills deposits, `owner` sends the refund bundles; the nodes hold the keys of both.
 */
type RelayerOptions = Omit<StandInOptions, 'chains'> & {
  ends: readonly PoolEnd[]
  relayer: Address
  owner: Address
  fault: () => AcrossFault
}

type Log = { address: Address; topics: Hex[]; data: Hex; transactionHash: Hex }
type OpenDeposit = { deposit: Deposit; seenAt: number; failedAt: number }

const retryAfterMs = 5_000
const word = (value: number | bigint): Hex => numberToHex(value, { size: 32 })

/**
 * Fills Across deposits and refunds expired ones, each in its own bundle. Returns the function that does one round:
 * it reads the new blocks, or the whole chain again after a reorganisation or reset, sends what is due, and returns
 * whether a deposit is open.
 */
export function startRelayer(options: RelayerOptions): () => Promise<boolean> {
  const { ends, catalog, relayer, owner, now, fault, makesBlocks } = options
  const { abi } = acrossContract('Ethereum_SpokePool')
  const [deposited] = encodeEventTopics({ abi: events, eventName: 'FundsDeposited' })
  const [refunded] = encodeEventTopics({ abi: events, eventName: 'ExecutedRelayerRefundRoot' })
  const followed = ends.map(() => ({
    last: undefined as NodeBlock | undefined,
    open: new Map<Hex, OpenDeposit>(),
  }))

  /** Reads the new deposits of one end. */
  const follow = async (index: number): Promise<NodeBlock> => {
    const { pool, rpc } = ends[index]!
    const end = followed[index]!
    const latest = await newestBlock(rpc)
    if (latest.hash === end.last?.hash) return latest
    const old = end.last && (await readHeader(rpc, end.last.number))
    const isSame = old?.hash === end.last?.hash && end.last !== undefined
    if (!isSame) end.open.clear()
    const logs = await rpc.request<Log[]>('eth_getLogs', [
      {
        address: pool.spokePool,
        topics: [deposited],
        fromBlock: isSame ? numberToHex(BigInt(end.last!.number) + 1n) : '0x0',
        toBlock: latest.number,
      },
    ])
    for (const log of logs) {
      const deposit = depositIn([log], pool)
      if (deposit) end.open.set(relayHash(deposit), { deposit, seenAt: now(), failedAt: 0 })
    }
    end.last = latest
    return latest
  }

  const send = async (
    rpc: ChainClient,
    from: Address,
    to: Address,
    name: string,
    args: readonly unknown[],
  ) => {
    const data = encodeFunctionData({ abi, functionName: name, args: [...args] })
    return (await sendMined(rpc, from, { to, data }, 1_000_000)).isDone
  }

  /** Whether this relayer fills a deposit: both tokens are the same asset, and the output is at most the input. */
  const isFair = ({ inputToken, outputToken, inputAmount, outputAmount, ...deposit }: Deposit): boolean =>
    deposit.message === '0x' &&
    [0n, BigInt(relayer)].includes(BigInt(deposit.exclusiveRelayer)) &&
    outputAmount <= inputAmount &&
    isSupportedPair(
      catalog,
      { chainId: deposit.originChainId, address: accountOf(inputToken) },
      { chainId: deposit.destinationChainId, address: accountOf(outputToken) },
    )

  const fill = (deposit: Deposit, { rpc, pool }: PoolEnd): Promise<boolean> => {
    const { destinationChainId: _, originChainId, ...rest } = deposit
    const relayData = { ...rest, originChainId: BigInt(originChainId) }
    const repaid = [BigInt(pool.chainId), word(BigInt(relayer))]
    return send(rpc, relayer, pool.spokePool, 'fillRelay', [relayData, ...repaid])
  }

  /** Refunds a deposit with a bundle that holds only this refund: its leaf is the root, so it needs no proof. */
  const refund = async (deposit: Deposit, { rpc, pool }: PoolEnd): Promise<void> => {
    const leafId = Number(deposit.depositId)
    const done = await rpc.request<Log[]>('eth_getLogs', [
      { address: pool.spokePool, topics: [refunded, null, null, word(leafId)], fromBlock: '0x0' },
    ])
    if (done.length > 0) return
    const leaf = {
      amountToReturn: 0n,
      chainId: BigInt(pool.chainId),
      refundAmounts: [deposit.inputAmount],
      leafId,
      l2TokenAddress: accountOf(deposit.inputToken),
      refundAddresses: [accountOf(deposit.depositor)],
    }
    const execute = abi.find((item) => item.type === 'function' && item.name === 'executeRelayerRefundLeaf')
    const [, shape] = execute?.type === 'function' ? execute.inputs : []
    const root = keccak256(encodeAbiParameters([shape!], [leaf]))
    const bundles = await rpc.request<Log[]>('eth_getLogs', [
      { address: pool.spokePool, topics: [encodeEventTopics({ abi: bundled })[0]], fromBlock: '0x0' },
    ])
    await send(rpc, owner, pool.spokePool, 'relayRootBundle', [root, word(0)])
    await send(rpc, owner, pool.spokePool, 'executeRelayerRefundLeaf', [bundles.length, leaf, []])
  }

  const settle = async (
    hash: Hex,
    one: OpenDeposit,
    from: PoolEnd,
    open: Map<Hex, OpenDeposit>,
  ): Promise<void> => {
    const { deposit } = one
    const index = ends.findIndex(({ pool }) => pool.chainId === deposit.destinationChainId)
    const to = ends[index]
    if (!to || now() - one.failedAt < retryAfterMs) return
    const status = contract(to.pool.spokePool, events)<bigint>('fillStatuses', hash)
    if ((await ask(to.rpc, status)) === 2n) return void open.delete(hash)
    const { isUnfilled, fillDelayMs, isUnrefunded } = fault()
    const isPast = (await readBlockTime(to.rpc, 'latest')) > deposit.fillDeadline
    if (isPast) {
      if (isUnrefunded || !makesBlocks(from.pool.chainId)) return
      await refund(deposit, from)
      open.delete(hash)
    } else if (
      !isUnfilled &&
      now() - one.seenAt >= fillDelayMs &&
      makesBlocks(to.pool.chainId) &&
      isFair(deposit)
    )
      if (!(await fill(deposit, to))) one.failedAt = now()
  }

  return async () => {
    for (const index of ends.keys()) await follow(index)
    for (const [index, { open }] of followed.entries())
      for (const [hash, one] of open) await settle(hash, one, ends[index]!, open)
    return followed.some(({ open }) => open.size > 0)
  }
}

/**
 * The event of a refund bundle sent to a pool (SpokePool of `@across-protocol/contracts` 5.0.27). Bundle ids count
 * from zero.
 */
const bundled = [
  {
    type: 'event',
    name: 'RelayedRootBundle',
    inputs: [
      { name: 'rootBundleId', type: 'uint32', indexed: true },
      { name: 'relayerRefundRoot', type: 'bytes32', indexed: true },
      { name: 'slowRelayRoot', type: 'bytes32', indexed: true },
    ],
  },
] as const
