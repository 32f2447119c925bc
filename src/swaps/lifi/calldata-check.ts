import type { DecodeFunctionDataReturnType } from 'viem'
import { jsonArguments, strictDecode } from '../../chain/strict-calldata-decoding.ts'
import { type Address, type Hex, nativeAddress, sameAddress } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import type { Token } from '../../domain/token.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import { type CalldataVerdict, refuse } from '../../protocols/calldata-verdict.ts'
import type { SwapIntent } from '../../protocols/intent.ts'
import { checkDepositCalldata } from '../across/calldata-check.ts'
import type { SpokeDepositTerms } from '../across/deposit-terms.ts'
import { diamondAbi, longestWindow, multiplierUnit } from './abi.ts'

type Swap = SwapIntent

/** The terms of a diamond call: a same-chain swap with everything that it takes from the wallet, or a deposit for another chain. */
type Terms =
  | {
      kind: 'swap'
      tokenIn: Address
      tokenOut: Address
      receiver: Address
      minimum: bigint
      takes: readonly { token: Address; amount: bigint }[]
    }
  | {
      kind: 'deposit'
      name: string
      token: Address
      receiver: Address
      isPlain: boolean
      minimum: bigint
      /** The maximum fee that is kept from the input before the deposit. */
      kept: bigint
      deposit: SpokeDepositTerms
    }

/** Decodes the terms of a call; the zero address is the native coin. `undefined` for a call without recipient and minimum. */
export function decodeLifi(data: Hex): Terms | undefined {
  const call = strictDecode(diamondAbi, data)
  if (!call) return undefined
  if (call.functionName === 'startBridgeTokensViaAcrossV4') return depositOf(call.functionName, call.args)
  if (call.functionName === 'swapAndStartBridgeTokensViaAcrossV4') {
    const [bridge, steps, across] = call.args
    return depositOf(call.functionName, [bridge, across], steps)
  }
  const [, , , receiver, minimum, swaps] = call.args
  // A single swap always takes its input.
  const steps = 'callTo' in swaps ? [{ ...swaps, requiresDeposit: true }] : swaps
  const [first, last] = [steps[0], steps.at(-1)]
  if (!first || !last) return undefined
  const [tokenIn, tokenOut] = [first.sendingAssetId, last.receivingAssetId]
  const isCoin = (token: Address) => sameAddress(token, nativeAddress)
  const [isCoinIn, isCoinOut] = [/NativeTo/, /ToNative/].map((part) => part.test(call.functionName))
  if (isCoin(tokenIn) !== isCoinIn || isCoin(tokenOut) !== isCoinOut) return undefined
  return {
    kind: 'swap',
    tokenIn,
    tokenOut,
    receiver,
    minimum,
    // A step with a deposit takes from the wallet: a token by its allowance, the native coin by the call's value. Other steps spend what
    // earlier ones left: a fee step takes the whole input and returns the rest.
    takes: steps
      .filter(({ requiresDeposit }) => requiresDeposit)
      .map(({ sendingAssetId: token, fromAmount: amount }) => ({ token, amount })),
  }
}

type Args = Extract<
  DecodeFunctionDataReturnType<typeof diamondAbi>,
  { functionName: 'swapAndStartBridgeTokensViaAcrossV4' }
>['args']

/**
 * The terms of a deposit. `steps` are fee payments before it; `undefined` if one of them changes the token. After them, the diamond
 * deposits the rest, at least `minAmount`; the requested output is a multiple of the rest.
 */
function depositOf(
  name: string,
  [bridge, across]: readonly [Args[0], Args[2]],
  steps?: Args[1],
): Terms | undefined {
  const { receiverAddress, refundAddress, sendingAssetId, receivingAssetId, ...rest } = across
  const { outputAmountMultiplier, outputAmount, ...times } = rest
  const { sendingAssetId: token, minAmount } = bridge
  const isFee = (step: Args[1][number]) =>
    sameAddress(step.sendingAssetId, token) && sameAddress(step.receivingAssetId, token)
  if (steps && (steps.length === 0 || !steps.every(isFee))) return undefined
  const taken = steps?.reduce((sum, step) => (step.requiresDeposit ? sum + step.fromAmount : sum), 0n)
  const inputAmount = taken ?? minAmount
  const minimum = steps ? (minAmount * outputAmountMultiplier) / multiplierUnit : outputAmount
  return {
    kind: 'deposit',
    name,
    token,
    receiver: bridge.receiver,
    isPlain: bridge.hasSourceSwaps === (steps !== undefined) && !bridge.hasDestinationCall,
    minimum,
    kept: inputAmount - minAmount,
    deposit: {
      depositor: refundAddress,
      recipient: receiverAddress,
      inputToken: sendingAssetId,
      outputToken: receivingAssetId,
      inputAmount,
      outputAmount: minimum,
      destinationChainId: bridge.destinationChainId,
      ...times,
    },
  }
}

/**
 * Checks a call of LI.FI's diamond against the requested swap or transfer. The path is not checked: the diamond reverts if the recipient
 * gets less than the minimum.
 */
export function checkLifiCalldata({ data }: Pick<Transaction, 'data'>, intent: Swap): CalldataVerdict {
  if (intent.exact === 'out') return refuse('POLICY_DECODE', 'LI.FI cannot swap to an exact output')
  const terms = decodeLifi(data)
  const isNear = intent.tokenIn.chainId === intent.tokenOut.chainId
  if (!terms || (terms.kind === 'swap') !== isNear)
    return refuse('POLICY_DECODE', 'It is not a call of LI.FI that states its recipient and its minimum')
  return terms.kind === 'swap' ? checkSwapCalldata(terms, intent) : checkTransferCalldata(terms, intent)
}

function checkSwapCalldata(
  { tokenIn, tokenOut, receiver, minimum, takes }: Extract<Terms, { kind: 'swap' }>,
  intent: Swap,
): CalldataVerdict {
  const [paid, got] = [intent.tokenIn, intent.tokenOut]
  if (!sameAddress(tokenIn, paid.address) || !sameAddress(tokenOut, got.address))
    return refuse(
      'POLICY_QUOTE_DRIFT',
      `It swaps ${tokenIn} to ${tokenOut}, not ${paid.symbol} to ${got.symbol}`,
    )
  if (!sameAddress(receiver, intent.recipient))
    return refuse('POLICY_RECIPIENT', `It pays out to ${receiver}, not to ${intent.recipient}`)
  const amount = takes.reduce((sum, one) => sum + one.amount, 0n)
  const spent = formatAmount(amount, paid)
  if (amount !== intent.amountIn || takes.some(({ token }) => !sameAddress(token, paid.address)))
    return refuse('POLICY_AMOUNT', `It takes ${spent}, not ${formatAmount(intent.amountIn, paid)}`)
  const brought = formatAmount(minimum, got)
  if (minimum < intent.amountOut)
    return refuse(
      'POLICY_MIN_OUT',
      `It may return only ${brought}, less than ${formatAmount(intent.amountOut, got)}`,
    )
  const isCoinIn = sameAddress(tokenIn, nativeAddress)
  return {
    bound: {
      name: 'swapTokens',
      args: jsonArguments({ tokenIn, tokenOut, receiver, amount, minimum }),
      text: `Swap ${spent} for at least ${brought} by LI.FI`,
      value: isCoinIn ? amount : 0n,
      ...(!isCoinIn && { spends: { token: paid.address, amount } }),
    },
  }
}

/** Checks a transfer, an Across deposit by the diamond. Where the call repeats a term, both values are checked. */
function checkTransferCalldata(
  { name, token, receiver, isPlain, kept, deposit }: Extract<Terms, { kind: 'deposit' }>,
  intent: Swap,
): CalldataVerdict {
  if (!isPlain) return refuse('POLICY_QUOTE_DRIFT', 'It carries a swap or a call that was not requested')
  if (!sameAddress(token, intent.tokenIn.address))
    return refuse('POLICY_AMOUNT', `It takes the token ${token}, not ${intent.tokenIn.address}`)
  if (!sameAddress(receiver, intent.recipient))
    return refuse('POLICY_RECIPIENT', `It pays out to ${receiver}, not to ${intent.recipient}`)
  // A refund does not return the fee, so the deposit without the fee must be worth at least the output.
  const left = formatAmount(deposit.inputAmount - kept, intent.tokenIn)
  const isLess =
    kept < 0n ||
    (kept > 0n && isAbove(deposit.outputAmount, intent.tokenOut, deposit.inputAmount - kept, intent.tokenIn))
  if (isLess)
    return refuse(
      'POLICY_AMOUNT',
      `It deposits only ${left}, for ${formatAmount(deposit.outputAmount, intent.tokenOut)}`,
    )
  return checkDepositCalldata(deposit, intent, { name, window: longestWindow, kept })
}

/** Whether an amount of a token exceeds an amount of another token with the same value per token. */
const isAbove = (amount: bigint, token: Token, other: bigint, otherToken: Token): boolean =>
  amount * 10n ** BigInt(otherToken.decimals) > other * 10n ** BigInt(token.decimals)
