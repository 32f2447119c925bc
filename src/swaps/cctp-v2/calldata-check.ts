import { padHex } from 'viem/utils'
import { jsonArguments, strictDecode } from '../../chain/strict-calldata-decoding.ts'
import { sameAddress } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import { displayNetwork } from '../../domain/networks.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import { type CalldataVerdict, refuse } from '../../protocols/calldata-verdict.ts'
import type { SwapIntent } from '../../protocols/intent.ts'
import { anyCaller, burnAbi, finality, forwardHook } from './abi.ts'
import type { CctpV2Constants } from './constants-schema.ts'

/** Checks a burn against the requested transfer. `here` and `there` are the contracts on both chains. */
export function checkCctpV2Calldata(
  { data }: Transaction,
  intent: SwapIntent,
  { here, there }: { here: CctpV2Constants; there: CctpV2Constants },
): CalldataVerdict {
  const { tokenIn, tokenOut } = intent
  const call = strictDecode(burnAbi, data)
  if (!call) return refuse('POLICY_DECODE', 'It is not a burn by TokenMessengerV2')
  const [amount, domain, mintRecipient, burnToken, destinationCaller, maxFee, threshold, hookData] = call.args
  if (!sameAddress(tokenIn.address, here.token) || !sameAddress(tokenOut.address, there.token))
    return refuse('POLICY_QUOTE_DRIFT', `The bridge does not carry ${tokenIn.symbol} to ${tokenOut.symbol}`)
  if (!sameAddress(burnToken, tokenIn.address))
    return refuse('POLICY_AMOUNT', `It burns the token ${burnToken}, not ${tokenIn.address}`)
  if (domain !== there.domain)
    return refuse(
      'POLICY_CHAIN',
      `It sends to the domain ${domain}, and chain ${there.chainId} is ${there.domain}`,
    )
  if (mintRecipient !== padHex(intent.recipient, { size: 32 }).toLowerCase())
    return refuse('POLICY_RECIPIENT', `It mints to ${mintRecipient}, not to ${intent.recipient}`)
  if (destinationCaller !== anyCaller)
    return refuse('POLICY_RECIPIENT', `Only ${destinationCaller} could complete it on the other chain`)
  if (hookData !== undefined && hookData !== forwardHook)
    return refuse('POLICY_DECODE', 'Its hook does not request delivery by Circle')
  if (threshold !== finality.fast && threshold !== finality.standard)
    return refuse(
      'POLICY_QUOTE_DRIFT',
      `It requests the finality ${threshold}, which is neither fast nor standard`,
    )
  if (intent.speed && threshold !== finality[intent.speed])
    return refuse('POLICY_QUOTE_DRIFT', `It is not the requested ${intent.speed} transfer`)
  if (intent.exact === 'in' ? amount !== intent.amountIn : amount > intent.amountIn)
    return refuse(
      'POLICY_AMOUNT',
      `It burns ${formatAmount(amount, tokenIn)}, not ${formatAmount(intent.amountIn, tokenIn)}`,
    )
  if (maxFee >= amount || amount - maxFee < intent.amountOut)
    return refuse(
      'POLICY_MIN_OUT',
      `After a fee of ${formatAmount(maxFee, tokenIn)} it may deliver less than ${formatAmount(intent.amountOut, tokenOut)}`,
    )
  return {
    bound: {
      name: call.functionName,
      args: jsonArguments({
        amount,
        destinationDomain: domain,
        mintRecipient,
        burnToken,
        destinationCaller,
        maxFee,
        minFinalityThreshold: threshold,
        ...(hookData !== undefined && { hookData }),
      }),
      text: `Send ${formatAmount(amount, tokenIn)} to ${displayNetwork([], there.chainId).name}, at least ${formatAmount(amount - maxFee, tokenOut)} arrive for ${intent.recipient}${hookData === undefined ? ', once somebody delivers it there' : ''}`,
      value: 0n,
      spends: { token: tokenIn.address, amount },
    },
  }
}
