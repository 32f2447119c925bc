import { type Address, EvmAddress, type Hex, sameAddress } from '../../domain/address.ts'
import { acrossOn, isSupportedPair } from '../../swaps/across/pairs.ts'
import type { LoopbackAnswer } from '../loopback-server.ts'
import { readBalance, readBlockTime } from '../node-reads.ts'
import type { StandInOptions } from '../stand-in-option-types.ts'

/** Inputs of the stand-in: the catalogue, the nodes and the address of the relayer. */
type FeeInputs = Pick<StandInOptions, 'catalog' | 'chains' | 'makesBlocks'> & { relayer: Address }

/** Fee of a fill, in parts per 100,000, rounded up. */
const feeParts = 30n
/** How long only the relayer may fill a deposit, in seconds after it. */
const exclusiveSeconds = 30
/**
 * Time in which a deposit can be filled, and the age from which the newest block is too old for a quote timestamp, in
 * seconds.
 */
const [fillSeconds, staleSeconds] = [4 * 3_600, 1_800]

const refused = (code: string, message: string): LoopbackAnswer => ({
  status: 400,
  body: { type: 'AcrossApiError', code, status: 400, message },
})

/** Answers `/suggested-fees` like the Across API, with 503 while a node is down; `undefined` for another path. */
export const suggestedFees = async (url: URL, asked: FeeInputs): Promise<LoopbackAnswer | undefined> =>
  url.pathname === '/suggested-fees'
    ? feesOf(url, asked).catch(() => ({ status: 503, body: { code: 'UNAVAILABLE', status: 503 } }))
    : undefined

async function feesOf(url: URL, asked: FeeInputs): Promise<LoopbackAnswer> {
  const given = (name: string) => url.searchParams.get(name) ?? ''
  const [origin, destination] = [Number(given('originChainId')), Number(given('destinationChainId'))]
  const tokens = [
    EvmAddress.safeParse(given('inputToken')).data,
    EvmAddress.safeParse(given('outputToken')).data,
  ]
  const [inputToken, outputToken] = tokens
  if (!inputToken || !outputToken || !/^[0-9]{1,60}$/.test(given('amount')))
    return refused('INVALID_PARAM', 'A token or the amount is missing')
  const ends = [
    { chainId: origin, address: inputToken },
    { chainId: destination, address: outputToken },
  ] as const
  const { catalog, chains, relayer, makesBlocks } = asked
  const nodeOf = (id: number) => chains.find(({ network }) => network.chainId === id)!.rpc
  if (!isSupportedPair(catalog, ...ends)) return refused('ROUTE_NOT_ENABLED', 'There is no such route')
  const amount = BigInt(given('amount'))
  if (amount === 0n) return refused('INVALID_PARAM', 'The amount is missing')
  const fee = (amount * feeParts + 99_999n) / 100_000n
  const [here, there] = [origin, destination].map((id) => acrossOn(catalog, id)!)
  const shown = ends.map(({ chainId, address }) => {
    const { symbol, decimals } = catalog.tokens.find(
      (token) => token.chainId === chainId && sameAddress(token.address, address),
    )!
    return { address, symbol, decimals, chainId }
  })
  const least = 10n ** BigInt(Math.max(0, shown[0]!.decimals - 3))
  const timeOf = (chainId: number, tag: 'latest' | 'pending') => readBlockTime(nodeOf(chainId), tag)
  // An idle chain has no recent block whose time a deposit can use, so mine one.
  const isStale = (await timeOf(origin, 'pending')) - (await timeOf(origin, 'latest')) > staleSeconds
  if (isStale && makesBlocks(origin)) await nodeOf(origin).request('evm_mine')
  const most = await readBalance(nodeOf(destination), outputToken, relayer)
  const none = { pct: '0', total: '0' }
  const whole = { pct: String((fee * 10n ** 18n) / amount), total: String(fee) }
  return {
    status: 200,
    body: {
      estimatedFillTimeSec: 2,
      capitalFeePct: whole.pct,
      capitalFeeTotal: whole.total,
      relayGasFeePct: '0',
      relayGasFeeTotal: '0',
      relayFeePct: whole.pct,
      relayFeeTotal: whole.total,
      lpFeePct: '0',
      timestamp: String(await timeOf(origin, 'latest')),
      isAmountTooLow: amount < least || fee >= amount,
      quoteBlock: String(Number(await nodeOf(origin).request<Hex>('eth_blockNumber'))),
      exclusiveRelayer: relayer,
      exclusivityDeadline: exclusiveSeconds,
      spokePoolAddress: here!.spokePool,
      destinationSpokePoolAddress: there!.spokePool,
      totalRelayFee: whole,
      relayerCapitalFee: whole,
      relayerGasFee: none,
      lpFee: none,
      limits: {
        minDeposit: String(least),
        maxDeposit: String(most),
        maxDepositInstant: String(most),
        maxDepositShortDelay: String(most),
        recommendedDepositInstant: String(most),
      },
      fillDeadline: String((await timeOf(destination, 'pending')) + fillSeconds),
      outputAmount: String(amount - fee),
      inputToken: shown[0],
      outputToken: shown[1],
    },
  }
}
