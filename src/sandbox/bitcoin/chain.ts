import { createHash } from 'node:crypto'
import { chainOfBitcoinAddress, sandboxBitcoinAddress } from '../../domain/bitcoin.ts'
import { AppError } from '../../domain/errors.ts'
import { advice, sluice } from '../../domain/text/next-step.ts'
import type { LoopbackAnswer } from '../loopback-server.ts'

/**
 * A payment on the sandbox's Bitcoin: `amount` in satoshi; `replaces` is the hash of an unconfirmed payment whose
 * coin it spends instead.
 */
export type BitcoinPayment = {
  address: string
  amount: bigint
  memo?: string | undefined
  replaces?: string | undefined
}

/**
 * A transaction of the sandbox's Bitcoin; `height` and `time` (Unix seconds) are those of its block, `null` while
 * unconfirmed.
 */
export type SandboxTransaction = Required<Pick<BitcoinPayment, 'address' | 'amount'>> & {
  txid: string
  memo: string | null
  /** The coin it spends; a replacement spends the same one. */
  coin: string
  height: number | null
  time: number | null
}

/**
 * A stand-in for Bitcoin with the shapes of Esplora (Blockstream/esplora API.md). It has no scripts and no
 * signatures.
 */
export type SandboxBitcoin = {
  /**
   * Sends a payment and returns its hash. USAGE for an address of another chain, or if the replaced payment is
   * missing or confirmed.
   */
  pay: (payment: BitcoinPayment) => string
  /** Whether the chain has no payment yet. */
  isEmpty: () => boolean
  /** Puts all unconfirmed payments into a block. */
  mine: () => void
  /** Payments to an address, newest first. */
  to: (address: string) => SandboxTransaction[]
  find: (txid: string) => SandboxTransaction | undefined
  /** Answers a request below `/bitcoin/api`; `undefined` for another path. */
  answer: (path: string) => LoopbackAnswer | undefined
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Derives an address of the sandbox's Bitcoin from a word; it has no key. */
export const derivedAddress = (word: string): string =>
  sandboxBitcoinAddress(Buffer.from(hashOf(word), 'hex').subarray(0, 20))

/** The sender of all payments on the sandbox's Bitcoin. */
export const payer = derivedAddress('payer')

/** Height of the first block. */
const firstHeight = 100

const fee = 1_000

/** Number of confirmed transactions in a page of Esplora. */
const pageSize = 25

/** Starts an empty chain. `seed` makes its hashes unique. */
export function openBitcoin(seed: string, now: () => number): SandboxBitcoin {
  const all = new Map<string, SandboxTransaction>()
  let tip = firstHeight
  let count = 0
  const newest = () => [...all.values()].toReversed()
  const to = (address: string) => newest().filter((one) => one.address === address)

  const pay = ({ address, amount, memo, replaces }: BitcoinPayment): string => {
    if (chainOfBitcoinAddress(address) !== 'test')
      throw new AppError(
        'USAGE',
        `${address.slice(0, 100)} is not an address on the Bitcoin chain of the sandbox`,
        {
          next: advice`Addresses of the sandbox begin with bcrt1. To get one: ${sluice('swap execute', { '--help': true })}`,
        },
      )
    const replaced = replaces === undefined ? undefined : all.get(replaces)
    if (replaces !== undefined && replaced?.height !== null)
      throw new AppError('USAGE', 'Only a payment that is not in a block yet can be replaced', {
        next: advice`To keep payments waiting: ${sluice('sandbox fault', 'bitcoin-unmined')}`,
      })
    if (replaced) all.delete(replaced.txid)
    count += 1
    const coin = replaced?.coin ?? hashOf(`${seed} coin ${count}`)
    const txid = hashOf(`${seed} ${count} ${address} ${amount} ${memo}`)
    all.set(txid, { txid, address, amount, memo: memo ?? null, coin, height: null, time: null })
    return txid
  }

  const statusOf = ({ height, time }: SandboxTransaction) =>
    height === null
      ? { confirmed: false }
      : {
          confirmed: true,
          block_height: height,
          block_hash: hashOf(`${seed} block ${height}`),
          block_time: time,
        }

  /** A transaction in the shape of Esplora. Its scripts are placeholders, except an OP_RETURN with the memo. */
  const shown = (one: SandboxTransaction) => ({
    txid: one.txid,
    version: 2,
    locktime: 0,
    vin: [
      {
        txid: one.coin,
        vout: 0,
        is_coinbase: false,
        sequence: 4_294_967_293,
        prevout: { scriptpubkey_address: payer, value: Number(one.amount) + fee },
      },
    ],
    vout: [
      {
        scriptpubkey: '0014',
        scriptpubkey_type: 'v0_p2wpkh',
        scriptpubkey_address: one.address,
        value: Number(one.amount),
      },
      ...(one.memo === null
        ? []
        : [{ scriptpubkey: returnScript(one.memo), scriptpubkey_type: 'op_return', value: 0 }]),
    ],
    size: 222,
    weight: 561,
    fee,
    status: statusOf(one),
  })

  return {
    pay,
    to,
    isEmpty: () => all.size === 0,
    find: (txid) => all.get(txid),
    mine: () => {
      const waiting = [...all.values()].filter(({ height }) => height === null)
      if (waiting.length === 0) return
      tip += 1
      for (const one of waiting) Object.assign(one, { height: tip, time: Math.floor(now() / 1000) })
    },
    answer: (path) => {
      const [, kind = '', id = ''] = /^\/bitcoin\/api\/(tx|address|blocks)\/([\w/]+)$/.exec(path) ?? []
      if (kind === 'blocks' && id === 'tip/height') return { status: 200, body: tip }
      const [name = '', ...rest] = id.split('/')
      const found = kind === 'tx' ? all.get(name) : undefined
      if (kind === 'address' && rest[0] === 'txs')
        return { status: 200, body: pageOf(to(name), rest[2]).map(shown) }
      if (kind === 'tx' && found)
        return { status: 200, body: rest[0] === 'status' ? statusOf(found) : shown(found) }
      return path.startsWith('/bitcoin/') ? { status: 404, body: 'Transaction not found' } : undefined
    },
  }
}

/**
 * Returns the first page of an address's transactions, unconfirmed ones included, or the page after a given
 * transaction.
 */
function pageOf(all: readonly SandboxTransaction[], after: string | undefined): SandboxTransaction[] {
  const inBlocks = all.filter(({ height }) => height !== null)
  const from = inBlocks.findIndex(({ txid }) => txid === after) + 1
  const waiting = after === undefined ? all.filter(({ height }) => height === null) : []
  return [...waiting, ...inBlocks.slice(from, from + pageSize)]
}

/** Encodes an OP_RETURN script that pushes a text. */
function returnScript(text: string): string {
  const data = Buffer.from(text)
  const length = data.length.toString(16).padStart(2, '0')
  return `6a${data.length > 75 ? '4c' : ''}${length}${data.toString('hex')}`
}
