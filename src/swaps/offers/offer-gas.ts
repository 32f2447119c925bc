import { nativeAddress, sameAddress } from '../../domain/address.ts'
import type { Offer, OfferRequest, SwapProvider } from '../provider.ts'

/** The gas of an ERC-20 approval, in units: of USDC, a proxy, from zero; measured on the contract. */
const approvalGas = 56_000n
/** The gas of an approval at Permit2, in units, measured on the contract. */
const permitGas = 48_000n
/** The gas of a service fee, in units, measured on the contracts: paid by the swap's own call, by a transfer of a token, or of the coin. */
const feeGas = { inside: 35_000n, step: 50_000n, coinStep: 21_000n }

/**
 * The gas of the transactions of a swap besides its own call, in units: the approvals, unless the wallet is known to have given them, and
 * the service fees, of which there are `fees`.
 */
export function gasBesideSwap(
  { tokenIn }: Pick<OfferRequest, 'tokenIn'>,
  { needsNoApproval, needsTwoApprovals }: Pick<SwapProvider, 'needsNoApproval' | 'needsTwoApprovals'>,
  { paysFees }: Pick<Offer, 'paysFees'>,
  { isApproved, fees }: { isApproved: boolean; fees: number },
): bigint {
  const isCoin = sameAddress(tokenIn.address, nativeAddress)
  const fee = paysFees ? feeGas.inside : isCoin ? feeGas.coinStep : feeGas.step
  const paid = fee * BigInt(fees)
  if (isCoin || needsNoApproval) return paid
  return paid + (isApproved ? 0n : approvalGas) + (needsTwoApprovals ? permitGas : 0n)
}
