import { keccak256, parseTransaction, recoverAddress, serializeTransaction } from 'viem/utils'
import type { Hex } from '../../../src/domain/address.ts'
import { AppError } from '../../../src/domain/errors.ts'
import { nonceAt, pendingNonce, type SimBlock, type SimTransaction } from './chain.ts'
import type { SimView } from './views.ts'

/**
 * The properties of a node: the distance of its finalized block from the head (`null`: none known), whether it can return the
 * transaction of a nonce, whether it answers a send with the receipt, and whether it serves no pending nonce count.
 */
export type NodeKind = {
  chainId: number
  finalizedLag: number | null
  knowsOwners: boolean
  sendsSync: boolean
  lacksPending: boolean
  payees: string
}

/** The time of the first block, in Unix seconds. */
export const genesisTime = 1_700_000_000

const hex = (value: number | bigint): Hex => `0x${value.toString(16)}`

/** An error reply of a node. */
export const refusal = (method: string, message: string): AppError =>
  new AppError('RPC_ERROR', `${method} failed: ${message}`, {
    details: { code: -32000, message, data: null },
  })

const known = new Map<Hex, SimTransaction>()

/** Decodes signed bytes and recovers their sender. Results are cached by bytes. */
export async function readRaw(raw: Hex): Promise<SimTransaction> {
  const sent = known.get(raw) ?? (await parsed(raw))
  if (known.size < 50_000) known.set(raw, sent)
  return sent
}

async function parsed(raw: Hex): Promise<SimTransaction> {
  const { r, s, v: _, yParity, ...read } = parseTransaction(raw as `0x02${string}`)
  const unsigned = serializeTransaction({ ...read, type: 'eip1559' })
  const from = await recoverAddress({
    hash: keccak256(unsigned),
    signature: { r: r!, s: s!, yParity: yParity! },
  })
  return {
    hash: keccak256(raw),
    from,
    to: read.to!,
    data: read.data ?? '0x',
    value: read.value ?? 0n,
    nonce: read.nonce ?? 0,
    gas: read.gas ?? 0n,
    maxFeePerGas: read.maxFeePerGas ?? 0n,
    maxPriorityFeePerGas: read.maxPriorityFeePerGas ?? 0n,
    signature: { r: r!, s: s!, yParity: yParity! },
  }
}

const shownBlock = ({ number, hash, time, baseFee, transactions }: SimBlock, full: boolean) => ({
  number: hex(number),
  hash,
  timestamp: hex(genesisTime + Math.floor(time / 1000)),
  baseFeePerGas: hex(baseFee),
  miner: `0x${'22'.repeat(20)}`,
  transactions: transactions.map(({ transaction }) => (full ? shown(transaction, number) : transaction.hash)),
})

const shown = (transaction: SimTransaction, blockNumber: number | null) => ({
  type: '0x2',
  hash: transaction.hash,
  from: transaction.from,
  to: transaction.to,
  input: transaction.data,
  value: hex(transaction.value),
  nonce: hex(transaction.nonce),
  gas: hex(transaction.gas),
  maxFeePerGas: hex(transaction.maxFeePerGas),
  maxPriorityFeePerGas: hex(transaction.maxPriorityFeePerGas),
  accessList: [],
  // Transactions added by the model itself have no signature, like the system transactions of some chains.
  r: transaction.signature?.r ?? '0x0',
  s: transaction.signature?.s ?? '0x0',
  yParity: hex(transaction.signature?.yParity ?? 0),
  v: hex(transaction.signature?.yParity ?? 0),
  blockNumber: blockNumber === null ? null : hex(blockNumber),
})

/** The receipt of a transaction in a block. */
export const receiptIn = (block: SimBlock, hash: Hex) => {
  const at = block.transactions.findIndex((one) => one.transaction.hash === hash)
  const { ok, transaction } = block.transactions[at]!
  return {
    transactionIndex: hex(at),
    from: transaction.from,
    to: transaction.to,
    transactionHash: hash,
    blockNumber: hex(block.number),
    blockHash: block.hash,
    status: ok ? '0x1' : '0x0',
    gasUsed: '0x5208',
    effectiveGasPrice: hex(block.baseFee),
    logs: [],
  }
}

/**
 * The reply of a node `lag` blocks behind the head to a read, or to decoded signed bytes. Throws where a
 * node returns an error.
 */
export function answer(
  chain: SimView,
  kind: NodeKind,
  method: string,
  params: readonly unknown[],
  { lag = 0, sent }: { lag?: number; sent?: SimTransaction },
): unknown {
  const top = Math.max(0, chain.blocks.length - 1 - lag)
  const head = chain.blocks[top]!
  const blockOf = (hash: Hex) =>
    chain.blocksOf(hash).find((block) => chain.isOn(block) && block.number <= top)
  const numbered = (tag: string): SimBlock | undefined => {
    if (tag === 'latest' || tag === 'pending') return head
    if (tag !== 'safe' && tag !== 'finalized')
      return Number(tag) > top ? undefined : chain.blocks[Number(tag)]
    return kind.finalizedLag === null ? chain.blocks[0] : chain.blocks[Math.max(0, top - kind.finalizedLag)]
  }
  switch (method) {
    case 'eth_chainId':
      return hex(kind.chainId)
    case 'eth_blockNumber':
      return hex(top)
    case 'eth_getBlockByNumber': {
      const block = numbered(String(params[0]))
      return block ? shownBlock(block, params[1] === true) : null
    }
    case 'eth_getTransactionCount':
      if (kind.lacksPending && params[1] === 'pending')
        throw refusal(method, 'the pending block is not available')
      return hex(
        params[1] === 'pending' && lag === 0
          ? pendingNonce(chain, String(params[0]))
          : nonceAt(numbered(String(params[1])) ?? head, String(params[0])),
      )
    case 'eth_maxPriorityFeePerGas':
      return hex(10n ** 8n)
    case 'eth_feeHistory':
      return { reward: [[hex(10n ** 8n)]] }
    case 'eth_estimateGas':
      if (chain.weather.fails && String((params[0] as { to: string }).to).startsWith(kind.payees))
        throw refusal(method, 'execution reverted')
      return hex(40_000)
    case 'eth_getTransactionReceipt': {
      const block = blockOf(params[0] as Hex)
      return block ? receiptIn(block, params[0] as Hex) : null
    }
    case 'eth_getTransactionByHash':
      return shownWhere(({ hash }) => hash === params[0])
    case 'eth_getTransactionBySenderAndNonce':
      if (!kind.knowsOwners) throw refusal(method, 'the method does not exist')
      return shownWhere(({ nonce }) => nonce === Number(params[1]))
    case 'eth_sendRawTransaction': {
      const refused = chain.receive(sent!)
      if (refused !== undefined) throw refusal(method, refused)
      return sent!.hash
    }
    default:
      throw new Error(`the simulated node does not know ${method}`)
  }

  function shownWhere(is: (transaction: SimTransaction) => boolean): unknown {
    for (let at = top; at >= 0; at--)
      for (const { transaction } of chain.blocks[at]!.transactions)
        if (is(transaction)) return shown(transaction, at)
    const waiting = lag === 0 ? chain.pool().find(is) : undefined
    return waiting ? shown(waiting, null) : null
  }
}
