import type { Json } from './other-deployment-answers.ts'

/**
 * The responses of a deployment whose actions can be executed. A source builds the transactions; each field that
 * the interface specification does not name is removed. No code of the program is used here.
 */
export type Live = (line: string, query: URLSearchParams, body: Json) => Promise<Json>

/** The source of transactions: maps a request to a response. */
export type Source = (
  method: 'GET' | 'POST',
  path: string,
  sent: object,
) => Promise<{ status: number; body: Row }>

// biome-ignore lint/suspicious/noExplicitAny: the specification gives the fields, not a type.
type Row = any

/** False answers of a deployment: it changes the request to its source, or the response. */
export type Lies = {
  asks?: Readonly<Record<string, string>>
  quote?: (quote: Row) => Row
  swapBytecode?: (made: Row) => Row
  strategyBytecode?: (made: Row) => Row
}

const only =
  (...names: string[]) =>
  (row: Row): Row =>
    Object.fromEntries(names.flatMap((name) => (row[name] === undefined ? [] : [[name, row[name]]])))

const token = only('contract', 'symbol', 'decimals', 'amount', 'chainId', 'priceUSD')
const quoteFields = only(
  'id',
  'quoteId',
  'originChain',
  'destinationChain',
  'tokenIn',
  'tokenOut',
  'provider',
  'deadline',
  'deadlineDate',
  'chainIdIn',
  'chainIdOut',
  'rawQuote',
  'status',
  'feeSponsorship',
  'customer',
)
const call = only('to', 'data', 'value', 'chainId')
const swapCall = only('to', 'data', 'value', 'gasLimit')
const strategyFields = only('_id', 'name', 'slug', 'protocol', 'network', 'asset', 'paused', 'apy', 'tvl')
const bytecodeFields = only('id', 'feeCharged', 'chainIdIn', 'chainIdOut')

/** A quote with the fields of the specification. Fields of the provider are dropped. */
const quoteOf = (row: Row): Row => ({
  ...quoteFields(row),
  tokenIn: token(row.tokenIn),
  tokenOut: token(row.tokenOut),
  rawQuote: { theirs: true },
})

const strategyOf = (row: Row): Row => ({
  ...strategyFields(row),
  asset: only('symbol', 'contract', 'decimals')(row.asset),
})

const strategyBytecodeOf = (row: Row): Row => ({
  ...bytecodeFields(row),
  crossChain: only('isCrossChain', 'chainIdIn', 'chainIdOut')(row.crossChain),
  quote: row.quote && quoteOf(row.quote),
  bytecode: row.bytecode.map(call),
})

const swapBytecodeOf = (row: Row): Row => ({
  ...only('type', 'provider', 'chainId')(row),
  transactionData: swapCall(row.transactionData),
  ...(row.approveData && { approveData: swapCall(row.approveData) }),
  swapDetails: {},
  rawSwapData: {},
  message: 'Done',
})

/** A deployment over a source. `fundsOn` is the network of the funds for a deposit; `lies` are read at every request. */
export function live(source: Source, lies: () => Lies, fundsOn: string): Live {
  /** The quotes as the source knows them, so that the source does not detect a false quote. */
  const quoted = new Map<string, Row>()
  const asked = async (method: 'GET' | 'POST', path: string, sent: object) => {
    const { status, body } = await source(method, path, sent)
    return status === 200 ? body : undefined
  }
  return async (line, query, body) => {
    const path = line.split(' ')[1]!
    const { asks, quote, swapBytecode, strategyBytecode } = lies()
    if (/^\/strategies\/[^/]+$/.test(path)) {
      const found = await asked('GET', path, {})
      return found && strategyOf(found)
    }
    if (/^\/strategies\/[^/]+\/bytecode$/.test(path)) {
      // The specification has three parameters; the deployment must know the network of the funds.
      const { action, amount, wallet } = Object.fromEntries(query)
      const made = await asked('GET', path, { action, amount, wallet, from: fundsOn })
      if (!made) return undefined
      const told = strategyBytecodeOf(made)
      const changed = quote && told.quote ? { ...told, quote: quote(told.quote) } : told
      return strategyBytecode ? strategyBytecode(changed) : changed
    }
    if (path === '/v2/swap/quote') {
      const made = await asked('GET', path, { ...Object.fromEntries(query), ...asks })
      if (!made) return undefined
      quoted.set(made.quote.id, made.quote)
      const told = quoteOf(made.quote)
      return { quote: quote ? quote(told) : told }
    }
    if (path === '/v2/swap/bytecode') {
      const { quote: back, ...rest } = body as Row
      const made = await asked('POST', path, { ...rest, quote: quoted.get(back.id) })
      const told = made && swapBytecodeOf(made)
      return told && swapBytecode ? swapBytecode(told) : told
    }
    if (path.startsWith('/v2/swap/status/')) {
      const found = await asked('GET', path, {})
      return found && only('status', 'originTxHash', 'destinationTxHash', 'provider')(found)
    }
    return undefined
  }
}
