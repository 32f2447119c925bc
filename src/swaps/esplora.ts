import { z } from 'zod'
import type { AddressHistory, BitcoinReader, BitcoinTransaction } from './bitcoin-reader.ts'
import { providerApi, unusableResponseError } from './provider-api.ts'
import type { SwapDependencies } from './provider-dependencies.ts'
import { statusRefusals } from './service-answers/service-refusals.ts'

const Output = z.object({
  scriptpubkey: z.string(),
  scriptpubkey_address: z.string().optional(),
  value: z.int().min(0),
})
/** A transaction input; a coinbase input has no `prevout`. */
const Input = z.object({ prevout: z.object({ scriptpubkey_address: z.string().optional() }).nullish() })
const Transaction = z.object({
  txid: z.string().regex(/^[0-9a-f]{64}$/),
  vin: z.array(Input),
  vout: z.array(Output),
  status: z.object({
    confirmed: z.boolean(),
    block_height: z.int().nullish(),
    block_time: z.int().nullish(),
  }),
})
const Height = z.int().min(0)

const name = 'esplora'

/** The minimum number of confirmed transactions on a full page, and the maximum number of pages that are read. */
const pageSize = 25
const mostPages = 40

/** Reads Bitcoin through an Esplora API (Blockstream/esplora API.md). PROVIDER_API_ERROR if the API fails. */
export function esplora(base: string, exchangeJson: SwapDependencies['exchangeJson']): BitcoinReader {
  const label = 'Bitcoin (Esplora)'
  const api = providerApi(
    {
      provider: name,
      label,
      service: name,
      base: base.replace(/\/$/, ''),
      headers: {},
      refusals: statusRefusals,
    },
    exchangeJson,
  )
  const strange = (status: number) =>
    unusableResponseError(name, `The service of ${label} returned invalid data`, status)
  return {
    transaction: async (txid) => {
      const { status, body } = await api.get(`/tx/${txid}`)
      if (status === 404) return undefined
      const read = Transaction.safeParse(body)
      if (!read.success || read.data.txid !== txid) throw strange(status)
      return transactionOf(read.data)
    },
    addressHistory: async (address, isLast): Promise<AddressHistory> => {
      const transactions: BitcoinTransaction[] = []
      let after = ''
      for (let page = 0; page < mostPages; page++) {
        const { status, body } = await api.get(`/address/${address}/txs${after}`)
        const read = z.array(Transaction).safeParse(body)
        if (!read.success) throw strange(status)
        const found = read.data.map(transactionOf)
        transactions.push(...found)
        const inBlocks = found.filter(({ height }) => height !== null)
        if (inBlocks.length < pageSize || found.some(isLast)) return { transactions, isCutOff: false }
        after = `/chain/${inBlocks.at(-1)!.txid}`
      }
      return { transactions, isCutOff: true }
    },
    confirmations: async ({ height }) => {
      if (height === null) return 0
      const { status, body } = await api.get('/blocks/tip/height')
      const read = Height.safeParse(body)
      if (!read.success) throw strange(status)
      return Math.max(1, read.data - height + 1)
    },
  }
}

const transactionOf = ({ txid, vin, vout, status }: z.output<typeof Transaction>): BitcoinTransaction => ({
  txid,
  outputs: vout.map((one) => ({ address: one.scriptpubkey_address ?? null, value: BigInt(one.value) })),
  memo: vout.map((one) => memoOf(one.scriptpubkey)).find((memo) => memo !== null) ?? null,
  height: status.confirmed ? (status.block_height ?? null) : null,
  time: status.confirmed && status.block_time ? status.block_time * 1000 : null,
  senders: [...new Set(vin.flatMap(({ prevout }) => prevout?.scriptpubkey_address ?? []))],
})

/** The text of an OP_RETURN script with one push: 6a, length (preceded by 4c above 75 bytes), text. */
function memoOf(script: string): string | null {
  const [, length, data] = /^6a(?:4c)?([0-9a-f]{2})((?:[0-9a-f]{2})*)$/.exec(script) ?? []
  if (length === undefined || data === undefined || data.length !== 2 * Number.parseInt(length, 16))
    return null
  return Buffer.from(data, 'hex').toString('utf8')
}
