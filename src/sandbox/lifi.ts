import { encodeFunctionData, numberToHex, padHex, parseAbi } from 'viem/utils'
import { z } from 'zod'
import { erc20Abi } from '../chain/erc20.ts'
import { type Address, CatalogAddress, type Hex, nativeAddress, sameAddress } from '../domain/address.ts'
import type { Catalog } from '../protocols/catalog-types.ts'
import { depositIn, fillQuery } from '../swaps/across/deposit-and-payout-events.ts'
import { acrossOn } from '../swaps/across/pairs.ts'
import { diamondAbi } from '../swaps/lifi/abi.ts'
import { lifiContracts } from '../swaps/lifi/constants-schema.ts'
import { contractsOn } from '../swaps/swap-contracts.ts'
import type { LoopbackAnswer } from './loopback-server.ts'
import { readBlockTime } from './node-reads.ts'
import { bestOf, chainOfNode, openExchanges, quotesOf, tokenOf } from './pool-quotes.ts'
import type { SandboxNode } from './stand-in-option-types.ts'

/** Path of the service below the base URL of the sandbox services. */
export const lifiPath = '/lifi/v1'

/** Fees of a swap and of a transfer, in basis points. It is never the best offer in the sandbox. */
const [swapFee, transferFee] = [30n, 5n]
/** Time in which a deposit can be filled, in seconds. */
const fillSeconds = 7_200
/** Gas of the diamond in addition to the exchange, and gas of a whole transfer: about as on the contract. */
const [diamondGas, transferGas] = [110_000n, 200_000n]

/** The fee collector of the stand-in for the diamond. */
const collectorAbi = parseAbi(['function collectNativeFees(address collector, uint256 fee) payable'])

const QuoteRequest = z.object({
  fromChain: z.coerce.number().int(),
  toChain: z.coerce.number().int(),
  fromToken: CatalogAddress,
  toToken: CatalogAddress,
  fromAmount: z.string().regex(/^[1-9]\d{0,76}$/),
  fromAddress: CatalogAddress,
  toAddress: CatalogAddress,
  slippage: z.coerce.number().min(0).max(1),
})
type QuoteRequest = z.output<typeof QuoteRequest>

const Fees = z.object({ outputAmount: z.string(), timestamp: z.string() })
type Log = { address: Address; topics: Hex[]; data: Hex; transactionHash: Hex }

/**
 * Inputs of the stand-in: `fees` answers as the Across API, `collector` receives the fees. With `isLying` every
 * transfer is reported as done.
 */
type LifiOptions = {
  catalog: Catalog
  chains: readonly SandboxNode[]
  collector: Address
  fees: (url: URL) => Promise<LoopbackAnswer | undefined>
  isLying: () => boolean
}

const refused = (status: number, code: number, message: string): LoopbackAnswer => ({
  status,
  body: { message, code, errors: [] },
})
const none = refused(404, 1002, 'No available quotes for the requested transfer')

/**
 * Stands in for the service of LI.FI, with the shapes of its API: swaps through the best exchange of a chain after
 * its fee, transfers to another chain through Across, and reports the status of a transfer.
 */
export function lifiAnswer(
  options: LifiOptions,
): (request: { url: URL }) => Promise<LoopbackAnswer | undefined> {
  const { catalog, chains, collector } = options
  const exchanges = new Map(
    chains.map((chain) => [
      chain.network.chainId,
      // The diamond cannot pay an exchange through Permit2.
      openExchanges(catalog, chainOfNode(catalog, chain)).filter(({ name }) => name !== 'uniswap-v4'),
    ]),
  )
  const chainOf = (chainId: number) => chains.find(({ network }) => network.chainId === chainId)!
  const diamondOf = (chainId: number) => contractsOn(catalog, lifiContracts, chainId)!.diamond

  return async ({ url }) => {
    const given = Object.fromEntries(url.searchParams)
    if (url.pathname === `${lifiPath}/status`) return status(given)
    if (url.pathname !== `${lifiPath}/quote`) return undefined
    const asked = QuoteRequest.safeParse(given).data
    const isKnown = [asked?.fromChain, asked?.toChain].every((id) => exchanges.has(id ?? 0))
    if (!asked || !isKnown) return refused(400, 1011, 'bad request')
    return asked.fromChain === asked.toChain ? swap(asked) : transfer(asked)
  }

  /** Builds a quote in the shape of the API, with its call and gas estimate. */
  function step(
    asked: QuoteRequest,
    tool: string,
    out: { amount: bigint; least: bigint },
    { data, gas, fee }: { data: Hex; gas: bigint; fee: bigint },
  ) {
    const token = (chainId: number, address: Address) => ({
      address,
      chainId,
      symbol: '',
      decimals: 18,
      name: '',
    })
    const to = diamondOf(asked.fromChain)
    const isCoin = sameAddress(asked.fromToken, nativeAddress)
    return {
      id: '00000000-0000-4000-8000-000000000000',
      type: 'lifi',
      tool,
      action: {
        fromChainId: asked.fromChain,
        toChainId: asked.toChain,
        fromToken: token(asked.fromChain, asked.fromToken),
        toToken: token(asked.toChain, asked.toToken),
        fromAmount: asked.fromAmount,
        slippage: asked.slippage,
        fromAddress: asked.fromAddress,
        toAddress: asked.toAddress,
      },
      estimate: {
        tool,
        fromAmount: asked.fromAmount,
        toAmount: String(out.amount),
        toAmountMin: String(out.least),
        approvalAddress: to,
        executionDuration: 2,
        feeCosts: [
          {
            name: 'LIFI Fixed Fee',
            description: 'Fixed LIFI fee, independent of any other fee',
            token: token(asked.fromChain, asked.fromToken),
            amount: String(fee),
            amountUSD: '0',
            percentage: String(Number(fee) / Number(asked.fromAmount)),
            included: true,
          },
        ],
        gasCosts: [{ type: 'SEND', estimate: String(gas), amount: '0' }],
      },
      transactionRequest: {
        from: asked.fromAddress,
        to,
        chainId: asked.fromChain,
        data,
        value: numberToHex(isCoin ? BigInt(asked.fromAmount) : 0n),
      },
    }
  }

  async function swap(asked: QuoteRequest): Promise<LoopbackAnswer> {
    const { network, rpc } = chainOf(asked.fromChain)
    const [whole, diamond] = [BigInt(asked.fromAmount), diamondOf(asked.fromChain)]
    const fee = (whole * swapFee) / 10_000n
    const [tokenIn, tokenOut] = [asked.fromToken, asked.toToken].map((one) => tokenOf(network.chainId, one))
    const route = { from: network, to: network, tokenIn: tokenIn!, tokenOut: tokenOut! }
    const best = bestOf(await quotesOf(exchanges.get(network.chainId)!, route, whole - fee))
    if (!best) return none
    const { transaction, needs } = await best.exchange.build(
      route,
      { ...best.offer, minAmountOut: 0n },
      { wallet: diamond, recipient: diamond, deadline: (await readBlockTime(rpc, 'pending')) + 3_600 },
    )
    const [isCoinIn, isCoinOut] = [asked.fromToken, asked.toToken].map((one) =>
      sameAddress(one, nativeAddress),
    )
    // The fee step takes the whole input and leaves the rest to the exchange.
    const exchangeStep = {
      callTo: transaction.to,
      approveTo: needs?.spender ?? transaction.to,
      sendingAssetId: asked.fromToken,
      receivingAssetId: asked.toToken,
      fromAmount: whole - fee,
      callData: transaction.data,
      requiresDeposit: fee === 0n,
    }
    const paid = [collector, fee] as const
    const feeStep = {
      ...exchangeStep,
      callTo: isCoinIn ? diamond : asked.fromToken,
      approveTo: isCoinIn ? diamond : asked.fromToken,
      receivingAssetId: asked.fromToken,
      fromAmount: whole,
      callData: isCoinIn
        ? encodeFunctionData({ abi: collectorAbi, functionName: 'collectNativeFees', args: paid })
        : encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: paid }),
      requiresDeposit: true,
    }
    const amount = best.offer.amountOut
    const least = (amount * BigInt(Math.round((1 - asked.slippage) * 1e6))) / 1_000_000n
    const way = `${isCoinIn ? 'Native' : 'ERC20'}To${isCoinOut ? 'Native' : 'ERC20'}`
    const data = encodeFunctionData({
      abi: diamondAbi,
      functionName: `swapTokens${fee === 0n ? 'Single' : 'Multiple'}V3${way}`,
      args: [
        padHex('0x01', { size: 32 }),
        'sandbox',
        '',
        asked.toAddress,
        least,
        fee === 0n ? exchangeStep : [feeStep, exchangeStep],
      ],
    } as never)
    const gas = (best.offer.gas ?? 0n) + diamondGas
    return { status: 200, body: step(asked, best.exchange.name, { amount, least }, { data, gas, fee }) }
  }

  async function transfer(asked: QuoteRequest): Promise<LoopbackAnswer> {
    const [whole, unit] = [BigInt(asked.fromAmount), 10n ** 18n]
    const fee = (whole * transferFee) / 10_000n
    const sent = whole - fee
    const query = new URLSearchParams({
      originChainId: String(asked.fromChain),
      destinationChainId: String(asked.toChain),
      inputToken: asked.fromToken,
      outputToken: asked.toToken,
      amount: String(sent),
    })
    const answer = await options.fees(new URL(`http://127.0.0.1/suggested-fees?${query}`))
    const fees = answer?.status === 200 ? Fees.parse(answer.body) : undefined
    const multiplier = ((BigInt(fees?.outputAmount ?? 0) - 1n) * unit) / sent
    const amount = (sent * multiplier) / unit
    if (!fees || amount <= 0n) return none
    const word = (address: Address) => padHex(address, { size: 32 })
    const bridge = {
      transactionId: padHex('0x01', { size: 32 }),
      bridge: 'across',
      integrator: 'sandbox',
      referrer: nativeAddress,
      sendingAssetId: asked.fromToken,
      receiver: asked.toAddress,
      minAmount: sent,
      destinationChainId: BigInt(asked.toChain),
      hasSourceSwaps: fee > 0n,
      hasDestinationCall: false,
    }
    const across = {
      receiverAddress: word(asked.toAddress),
      refundAddress: word(asked.fromAddress),
      sendingAssetId: word(asked.fromToken),
      receivingAssetId: word(asked.toToken),
      outputAmount: amount,
      outputAmountMultiplier: multiplier,
      exclusiveRelayer: word(nativeAddress),
      quoteTimestamp: Number(fees.timestamp),
      fillDeadline: (await readBlockTime(chainOf(asked.toChain).rpc, 'pending')) + fillSeconds,
      exclusivityParameter: 0,
      message: '0x',
    } as const
    // The fee step receives the whole amount and transfers only the fee.
    const feeStep = {
      callTo: asked.fromToken,
      approveTo: asked.fromToken,
      sendingAssetId: asked.fromToken,
      receivingAssetId: asked.fromToken,
      fromAmount: whole,
      callData: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [collector, fee] }),
      requiresDeposit: true,
    }
    const call =
      fee > 0n
        ? ({
            functionName: 'swapAndStartBridgeTokensViaAcrossV4',
            args: [bridge, [feeStep], across],
          } as const)
        : ({ functionName: 'startBridgeTokensViaAcrossV4', args: [bridge, across] } as const)
    const data = encodeFunctionData({ abi: diamondAbi, ...call } as never)
    return {
      status: 200,
      body: step(asked, 'across', { amount, least: amount }, { data, gas: transferGas, fee }),
    }
  }

  async function status(given: Record<string, string>): Promise<LoopbackAnswer> {
    const [hash, from, to] = [given.txHash as Hex, Number(given.fromChain), Number(given.toChain)]
    if (!/^0x[0-9a-f]{64}$/.test(hash) || !exchanges.has(from) || !exchanges.has(to))
      return refused(400, 1011, 'bad request')
    const said = (word: string, substatus: string, txHash?: Hex): LoopbackAnswer => ({
      status: 200,
      body: {
        sending: { txHash: hash, chainId: from },
        ...(txHash && { receiving: { txHash, chainId: to } }),
        tool: 'across',
        status: word,
        substatus,
      },
    })
    if (options.isLying()) return said('DONE', 'COMPLETED', hash)
    const [here, there] = [from, to].map((id) => acrossOn(catalog, id)!)
    const receipt = await chainOf(from).rpc.request<{ logs: Log[] } | null>('eth_getTransactionReceipt', [
      hash,
    ])
    const deposit = receipt ? depositIn(receipt.logs, here!) : undefined
    if (!deposit) return said('NOT_FOUND', 'UNKNOWN_ERROR')
    const { address, topics } = fillQuery(there!.spokePool, deposit)
    const [fill] = await chainOf(to).rpc.request<Log[]>('eth_getLogs', [
      { address, topics, fromBlock: '0x0' },
    ])
    return fill
      ? said('DONE', 'COMPLETED', fill.transactionHash)
      : said('PENDING', 'WAIT_DESTINATION_TRANSACTION')
  }
}
