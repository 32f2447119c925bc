/**
 * The responses of a deployment, written from the interface specification alone and without code of the program, to check
 * the program's reading of the API against the specification.
 */

/** A JSON document of the API. */
export type Json = unknown
type Row = Record<string, Json>

/**
 * The choices of a deployment where the interface specification allows several.
 */
export type Variant = {
  /** The envelope of the list of strategies. */
  envelope: 'reference' | 'quickstart' | 'older' | 'flat' | 'as quotes'
  /** The shape of strategies: detail (APY in percent), id-composite (a fraction), or the fields of the quickstart. */
  strategy: 'detail' | 'composite' | 'quickstart'
  wallet: 'A' | 'B' | 'C'
  casing: 'lower' | 'upper' | 'title'
  chainId: 'number' | 'text'
  deadline: 'seconds' | 'iso' | 'date alone'
  /** The current quote, the older one, or one without an envelope. */
  quote: 'current' | 'older' | 'bare'
  swapData: 'object' | 'array'
  gasLimit: boolean
  /** The value in place of transactions that were not requested. */
  placeholder: 'text' | 'object'
  /** The form of optional fields. */
  optional: 'sent' | 'null' | 'missing'
  /** Status and type words that the specification does not contain. */
  words: 'known' | 'new'
  /** Whether current endpoints exist, or only the legacy ones. */
  pages: 'current' | 'older'
  /** The number of strategies. */
  strategies: number
}

/** The reference variant. */
export const reference: Variant = {
  envelope: 'reference',
  strategy: 'detail',
  wallet: 'A',
  casing: 'lower',
  chainId: 'number',
  deadline: 'seconds',
  quote: 'current',
  swapData: 'object',
  gasLimit: true,
  placeholder: 'text',
  optional: 'sent',
  words: 'known',
  pages: 'current',
  strategies: 1,
}

/** A token by its contract. */
export type OtherToken = { symbol: string; contract: string; decimals: number; chainId: number }

/** The data of the deployment. `calls` are the transactions of a deposit. */
export type Known = {
  wallet: string
  network: string
  tokenIn: OtherToken
  tokenOut: OtherToken
  slug: string
  protocol: string
  calls: readonly { to: string; data: string; value: string }[]
}

const id = '0f8fad5b-d9cb-469f-a165-70867728950e'
const deadline = Date.UTC(2033, 4, 18, 3, 33, 20) / 1000
const hash = (digit: string) => `0x${digit.repeat(64)}`

/** The response to a request; `undefined` for an unknown path. */
export function answer(known: Known, variant: Variant, line: string, query: URLSearchParams): Json {
  const pages: [path: RegExp, answers: () => Json][] = [
    [/^GET \/strategies$/, () => page(variant.envelope, strategies(known, variant), query)],
    [/^GET \/strategies\/analytics$/, () => analytics(known, variant)],
    [/^GET \/strategies\/[^/]+$/, () => strategy(known, variant)],
    [/^GET \/strategies\/[^/]+\/bytecode$/, () => strategyBytecode(known, variant)],
    [/^GET \/yield\/[^/]+$/, () => recommendation(known, variant, query)],
    [/^GET \/wallets\/\w+$/, () => wallet(known, variant)],
    [/^GET \/wallets\/\w+\/history\/[^/]+$/, () => history(variant, query)],
    [/^GET \/actions\/[^/]+$/, () => action(known, variant)],
    [/^GET \/quotes$/, () => quotes(known, variant)],
    [/^GET \/v2\/swap\/quote$/, () => quoteAnswer(known, variant)],
    [/^POST \/v2\/swap\/bytecode$/, () => swapBytecode(known, variant)],
    [/^GET \/v2\/swap\/status\/[^/]+$/, () => swapStatus(variant)],
  ]
  const older = { ...variant, envelope: 'older', strategy: 'composite' } as const
  const olderPages: typeof pages = [
    [/^GET \/v1\/strategies$/, () => page('older', strategies(known, older), query)],
    [/^GET \/v1\/strategies\/[^/]+$/, () => strategy(known, older)],
    [/^GET \/v1\/yield\/[^/]+$/, () => recommendation(known, older, query)],
    [/^GET \/v1\/wallets\/\w+$/, () => walletC(known)],
    [/^GET \/v1\/swap\/quote$/, () => ({ quote: olderQuote(known) })],
    [/^GET \/v1\/swap\/status\/[^/]+$/, () => swapStatus(variant)],
  ]
  const gone = variant.pages === 'older' ? /strategies$|strategies\/[^/]+$|yield|swap/ : /^$/
  const there = [...pages.filter(() => !gone.test(line)), ...olderPages]
  return there.find(([path]) => path.test(line))?.[1]()
}

const chain = ({ chainId }: Variant, value: number): Json => (chainId === 'number' ? value : String(value))

const cased = ({ casing }: Variant, word: string): string =>
  casing === 'lower'
    ? word.toLowerCase()
    : casing === 'upper'
      ? word.toUpperCase()
      : word[0]!.toUpperCase() + word.slice(1).toLowerCase()

/** A word of the specification in the casing of the variant, or one that the specification does not contain. */
const word = (variant: Variant, known: string, other: string): string =>
  variant.words === 'new' ? other : cased(variant, known)

const optionally = ({ optional }: Variant, row: Row): Row =>
  optional === 'sent'
    ? row
    : optional === 'null'
      ? Object.fromEntries(Object.keys(row).map((name) => [name, null]))
      : {}

function strategy(known: Known, variant: Variant): Row {
  const { tokenIn, slug, protocol, network } = known
  const quickstart = {
    id: `${protocol}-${tokenIn.symbol}-${network}`,
    protocol,
    assetName: tokenIn.symbol,
    network,
    asset: tokenIn.contract,
    assetDecimals: tokenIn.decimals,
    apy: 0.0525,
    paused: false,
    fee: '0',
    availableActions: ['lend', 'withdraw'],
  }
  if (variant.strategy === 'quickstart') return quickstart
  if (variant.strategy === 'composite')
    return {
      ...quickstart,
      networkId: String(tokenIn.chainId),
      underlyingAsset: tokenIn.contract,
      underlyingDecimals: tokenIn.decimals,
      inceptionApy: 0.05,
      avgApy: 0.051,
      performanceFeeBps: '500',
      isDefault: true,
      metadata: { en: { risk: 'low' } },
      logourl: 'https://example.org/logo.png',
      implementationSelector: 'v3',
      startDate: '2025-01-01T00:00:00.000Z',
    }
  return {
    _id: '65f0c0ffee',
    name: 'A strategy',
    slug,
    protocol,
    network,
    asset: { symbol: tokenIn.symbol, contract: tokenIn.contract, decimals: tokenIn.decimals },
    paused: false,
    ...optionally(variant, {
      protocolInfo: { anything: 1 },
      chain: network,
      assetToken: [],
      underlyingToken: 'x',
      apy: 5.25,
      tvl: '1234.56',
    }),
  }
}

const strategies = (known: Known, variant: Variant): Row[] =>
  Array.from({ length: variant.strategies }, (_, at) =>
    strategy(at === 0 ? known : { ...known, slug: `${known.slug}-${at}` }, variant),
  )

function page(envelope: Variant['envelope'], all: Row[], query: URLSearchParams): Row {
  const [page, limit, total] = [Number(query.get('page') ?? 1), Number(query.get('limit') ?? 10), all.length]
  const items = all.slice((page - 1) * limit, page * limit)
  const totalPages = Math.ceil(total / limit)
  const [hasNextPage, hasPrevPage] = [page < totalPages, page > 1]
  if (envelope === 'reference')
    return { docs: items, totalDocs: total, limit, page, totalPages, hasNextPage, hasPrevPage }
  if (envelope === 'as quotes') return { docs: items, totalDocs: total, page, limit }
  if (envelope === 'quickstart')
    return { data: items, pagination: { page, limit, total, totalPages, hasMore: hasNextPage } }
  if (envelope === 'flat') return { data: items, total, totalPages, hasMore: hasNextPage, page, limit }
  return {
    data: items,
    pagination: {
      totalRecords: total,
      offset: (page - 1) * limit,
      limit,
      totalPages,
      page,
      hasPrevPage,
      hasNextPage,
      prevPage: hasPrevPage ? page - 1 : null,
      nextPage: hasNextPage ? page + 1 : null,
    },
  }
}

function analytics(known: Known, variant: Variant): Row {
  const {
    protocolInfo: _,
    chain: __,
    assetToken: ___,
    underlyingToken: ____,
    ...top
  } = strategy(known, {
    ...variant,
    strategy: 'detail',
  })
  return { totalTVL: '1234.56', averageAPY: 5.25, strategyCount: 1, topStrategies: [top] }
}

const calls = (known: Known, variant: Variant): Row[] =>
  known.calls.map((call) => ({ ...call, chainId: chain(variant, known.tokenIn.chainId) }))

function strategyBytecode(known: Known, variant: Variant): Row {
  const here = chain(variant, known.tokenIn.chainId)
  return {
    id,
    feeCharged: '0',
    chainIdIn: here,
    chainIdOut: here,
    crossChain: { isCrossChain: false, chainIdIn: here, chainIdOut: here },
    quote: null,
    bytecode: calls(known, variant),
  }
}

function recommendation(known: Known, variant: Variant, query: URLSearchParams): Row {
  const message = 'Send wallet and amount.'
  const best = strategy(
    known,
    variant.strategy === 'detail' ? { ...variant, strategy: 'composite' } : variant,
  )
  return {
    recommendedStrategyId: best.id,
    destinationChain: known.network,
    bytecodeExecution:
      query.has('wallet') && query.has('amount')
        ? calls(known, variant)
        : variant.placeholder === 'text'
          ? message
          : { message },
    strategy: best,
    ...optionally(variant, { spotPosition: { apy: 0.0525, tvl: '1234.56', liquidity: '1000000' } }),
  }
}

function wallet(known: Known, variant: Variant): Row {
  const { symbol, decimals } = known.tokenIn
  if (variant.wallet === 'C') return walletC(known)
  if (variant.wallet === 'A')
    return {
      address: known.wallet,
      positions: [
        {
          strategy: strategy(known, { ...variant, strategy: 'detail' }),
          balance: '101000000',
          balanceUSD: '101',
          earned: '1000000',
          earnedUSD: '1',
        },
      ],
      totalValueUSD: '101',
    }
  const amount = (value: string) => ({
    value,
    decimals,
    humanized: String(Number(value) / 10 ** decimals),
    symbol,
  })
  const { id, assetName, protocol, network, asset, assetDecimals } = strategy(known, {
    ...variant,
    strategy: 'quickstart',
  })
  return {
    positions: [
      {
        strategy: { id, assetName, protocol, network, asset, assetDecimals },
        spotPosition: {
          currentPosition: amount('101000000'),
          profit: amount('1000000'),
          principal: amount('100000000'),
          underlyingBalanceUSD: 101,
          apy: 0.0525,
        },
      },
    ],
    summary: { totalUnderlyingBalanceUSD: 101 },
  }
}

function walletC({ wallet, tokenIn, tokenOut }: Known): Row {
  const item = ({ contract, symbol, decimals }: OtherToken, raw: string, humanized: string) => ({
    asset: { address: contract, decimals, symbol, name: symbol },
    balance: { raw, humanized, decimals },
    balanceUSD: 1000,
  })
  return {
    address: wallet,
    stats: {
      underlying: [{ ...item(tokenIn, '1000000000', '1000'), price: 1, liquidationThreshold: 0.8 }],
      debt: [{ ...item(tokenOut, '100000000000000000', '0.1'), borrowRate: 0.03 }],
      healthFactor: 2.5,
      ltv: 0.32,
      liquidationPrice: 0.4,
      maxBorrowValue: -1.5,
    },
  }
}

function history(variant: Variant, query: URLSearchParams): Row {
  const item = (digit: string, type: string, status: string) => ({
    txHash: hash(digit),
    timestamp: '2026-01-01T00:00:00.000Z',
    type,
    amount: '100000000',
    status,
  })
  return {
    transactions: [
      item('1', word(variant, 'deposit', 'Harvest'), word(variant, 'confirmed', 'Settled')),
      item('2', word(variant, 'withdraw', 'Harvest'), word(variant, 'confirmed', 'Settled')),
    ],
    page: Number(query.get('page') ?? 1),
    totalPages: 1,
  }
}

function action(known: Known, variant: Variant): Row {
  return {
    id,
    type: 'CROSSCHAIN_INVESTMENT_DEPOSIT',
    status: word(variant, 'pending', 'Parked'),
    ...optionally(variant, {
      strategyId: '65f0c0ffee',
      strategySlug: known.slug,
      originAddress: known.wallet,
      receiverAddress: known.wallet,
      amounts: { anything: ['goes'] },
      transactions: [{ txHash: hash('3'), chainId: chain(variant, known.tokenIn.chainId) }],
      createdAt: '2026-01-01T00:00:00.000Z',
      updatedAt: '2026-01-01T00:00:01.000Z',
    }),
    finishedAt: null,
  }
}

function quoteOf(known: Known, variant: Variant): Row {
  const { tokenIn, tokenOut, network } = known
  const side = ({ chainId, ...token }: OtherToken, amount: string, priceUSD: string) => ({
    ...token,
    amount,
    chainId: chain(variant, chainId),
    priceUSD,
  })
  const iso = new Date(deadline * 1000).toISOString()
  return {
    id,
    quoteId: id,
    originChain: network,
    destinationChain: network,
    tokenIn: side(tokenIn, '100000000', '1.00'),
    tokenOut: side(tokenOut, '40000000000000000', '2500.00'),
    provider: 'a-provider',
    ...(variant.deadline === 'seconds' && { deadline }),
    ...(variant.deadline === 'iso' && { deadline: iso }),
    deadlineDate: iso,
    chainIdIn: chain(variant, tokenIn.chainId),
    chainIdOut: chain(variant, tokenOut.chainId),
    rawQuote: { theirs: [1, 'two'] },
    status: word(variant, 'pending', 'Simmering'),
    feeSponsorship: false,
    customer: 'somebody',
  }
}

const olderQuote = ({ network }: Known): Row => ({
  fromChain: network,
  toChain: network,
  expectedAmountOut: '40000000000000000',
  provider: 'a-provider',
  theirOwn: { route: 'x' },
})

function quoteAnswer(known: Known, variant: Variant): Row {
  if (variant.quote === 'older') return { quote: olderQuote(known) }
  return variant.quote === 'bare' ? quoteOf(known, variant) : { quote: quoteOf(known, variant) }
}

function quotes(known: Known, variant: Variant): Row {
  const { rawQuote: _, ...quote } = quoteOf(known, { ...variant, deadline: 'iso' })
  return { docs: [quote], totalDocs: 1, page: 1, limit: 10 }
}

function swapBytecode(known: Known, variant: Variant): Row {
  const call = { ...known.calls[1]!, ...(variant.gasLimit && { gasLimit: '210000' }) }
  return {
    type: 'same-chain EVM swap',
    provider: 'a-provider',
    chainId: chain(variant, known.tokenIn.chainId),
    transactionData: variant.swapData === 'array' ? [call] : call,
    ...(variant.optional !== 'missing' && {
      approveData: variant.swapData === 'array' ? [known.calls[0]] : known.calls[0],
    }),
    ...optionally(variant, { swapDetails: { any: 1 }, rawSwapData: { any: 2 }, message: 'Done' }),
  }
}

const swapStatus = (variant: Variant): Row => ({
  status: word(variant, 'fulfilled', 'Teleported'),
  ...optionally(variant, {
    originTxHash: hash('4'),
    destinationTxHash: hash('5'),
    provider: 'a-provider',
  }),
})

/** The 28 codes of the specification with their HTTP statuses. */
export const specificationCodes: readonly (readonly [code: string, status: number])[] = [
  ['QUOTE_NOT_FOUND', 404],
  ['QUOTE_EXPIRED', 400],
  ['QUOTE_GENERATION_FAILED', 400],
  ['QUOTE_VALIDATION_ERROR', 400],
  ['NO_ROUTE_FOUND', 400],
  ['INVALID_PREFERRED_PROVIDER', 400],
  ['PREFERRED_PROVIDER_NOT_ELIGIBLE', 400],
  ['PREFERRED_PROVIDER_QUOTE_UNAVAILABLE', 400],
  ['PROVIDER_NOT_FOUND', 404],
  ['BYTECODE_GENERATION_FAILED', 500],
  ['SWAP_EXECUTION_FAILED', 500],
  ['INVALID_AMOUNT_PARAMS', 400],
  ['MISSING_AMOUNT_PARAMS', 400],
  ['INVALID_SLIPPAGE', 400],
  ['AMOUNT_IN_TOO_LOW_OFFRAMP', 400],
  ['AMOUNT_IN_TOO_HIGH_OFFRAMP', 400],
  ['AMOUNT_OUT_TOO_LOW_OFFRAMP', 400],
  ['AMOUNT_OUT_TOO_HIGH_OFFRAMP', 400],
  ['AMOUNT_IN_TOO_LOW_ONRAMP', 400],
  ['AMOUNT_IN_TOO_HIGH_ONRAMP', 400],
  ['AMOUNT_OUT_TOO_LOW_ONRAMP', 400],
  ['AMOUNT_OUT_TOO_HIGH_ONRAMP', 400],
  ['TRANSFER_VALIDATION_FAILED', 400],
  ['INSUFFICIENT_AMOUNT_FOR_REFUND', 400],
  ['DEPOSIT_NOT_FOUND', 404],
  ['INTERNAL_SERVER_ERROR', 500],
  ['PROVIDER_API_ERROR', 502],
  ['RATE_LIMITED', 429],
]
