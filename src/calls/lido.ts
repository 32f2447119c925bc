import { encodeFunctionData, parseAbi } from 'viem/utils'

import { type Address, nativeAddress, sameAddress } from '../domain/address.ts'
import { formatAmount } from '../domain/amount.ts'
import { AppError } from '../domain/errors.ts'
import type { Intent } from '../domain/intent.ts'
import type { LidoConstants } from '../domain/market-constants.ts'
import type { Token } from '../domain/token.ts'
import type { Transaction } from '../domain/transaction.ts'
import { printed, refuse, strictDecode, type Verdict } from './decode.ts'
import { isUnits } from './units.ts'

/** stETH and the token that wraps it, to read (source: lidofinance/core, Lido.sol, StETH.sol, WstETH.sol). */
export const lidoAbi = parseAbi([
  'function sharesOf(address account) view returns (uint256)',
  'function getPooledEthByShares(uint256 shares) view returns (uint256)',
  'function isStakingPaused() view returns (bool)',
  'function getCurrentStakeLimit() view returns (uint256)',
  'function getTotalPooledEther() view returns (uint256)',
  'function getStETHByWstETH(uint256 wstETHAmount) view returns (uint256)',
  'function getWstETHByStETH(uint256 stETHAmount) view returns (uint256)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event TransferShares(address indexed from, address indexed to, uint256 sharesValue)',
])

const stake = parseAbi(['function submit(address referral) payable returns (uint256)'])
const stakeWrapped = parseAbi(['function stakeETH(address referral) payable returns (uint256)'])
const request = parseAbi([
  'function requestWithdrawals(uint256[] amounts, address owner) returns (uint256[] requestIds)',
])
const requestWrapped = parseAbi([
  'function requestWithdrawalsWstETH(uint256[] amounts, address owner) returns (uint256[] requestIds)',
])

type Place = { chainId: number; constants: LidoConstants }

/** Where a deposit goes: what wraps stETH is given by a contract beside it (source: WstethReferralStaker.sol). */
export const entranceOf = (constants: LidoConstants): Address =>
  constants.holds === 'stETH' ? constants.stEth : constants.staker

/** Stakes an amount of the native coin, without a referral; what is held goes to the sender. */
export const submit = ({ chainId, constants, amount }: Place & { amount: bigint }): Transaction => ({
  to: entranceOf(constants),
  data:
    constants.holds === 'stETH'
      ? encodeFunctionData({ abi: stake, functionName: 'submit', args: [nativeAddress] })
      : encodeFunctionData({ abi: stakeWrapped, functionName: 'stakeETH', args: [nativeAddress] }),
  value: amount,
  chainId,
})

/** The least and the most of stETH that one request is for (source: WithdrawalQueue, MIN_ and MAX_STETH_WITHDRAWAL_AMOUNT). */
const leastRequest = 100n
const mostRequest = 1_000n * 10n ** 18n

/** An amount of what is held as requests that the queue takes: one of the token that wraps stETH is worth more, and less than two. */
function requestsFor({ holds }: Pick<LidoConstants, 'holds'>, amount: bigint): bigint[] {
  if (amount < leastRequest)
    throw new AppError('VALIDATION_ERROR', `A withdrawal from Lido is for at least ${leastRequest} wei`, {
      details: { errors: [{ path: 'amount', message: `is for at least ${leastRequest} wei` }] },
    })
  const most = holds === 'stETH' ? mostRequest : mostRequest / 2n
  const parts: bigint[] = []
  for (let left = amount; left > 0n; ) {
    const rest = left - most
    // What is left for the last one may not be less than one is for.
    const part = rest <= 0n ? left : rest < leastRequest ? most - leastRequest : most
    parts.push(part)
    left -= part
  }
  return parts
}

/**
 * How many wei of the receipt a request for all of it may leave with the owner: stETH is counted in shares and taken by its amount, so that each
 * part rounds down to whole shares. What wraps it is taken to the last unit.
 */
export const leftOfAll = (constants: LidoConstants, amount: bigint): bigint =>
  constants.holds === 'stETH' ? 2n * ((amount + mostRequest - 1n) / mostRequest) : 0n

/** Asks the queue, on behalf of the sender, to pay for so much of what is held. */
export function requestWithdrawals({
  chainId,
  constants,
  amount,
  owner,
}: Place & { amount: bigint; owner: Address }): Transaction {
  const args = [requestsFor(constants, amount), owner] as const
  return {
    to: constants.queue,
    data:
      constants.holds === 'stETH'
        ? encodeFunctionData({ abi: request, functionName: 'requestWithdrawals', args })
        : encodeFunctionData({ abi: requestWrapped, functionName: 'requestWithdrawalsWstETH', args }),
    value: 0n,
    chainId,
  }
}

/** Binds a call of Lido to the deposit, or to the request for a withdrawal, that was asked for. */
export function bindLido(
  { to, data }: Transaction,
  intent: Extract<Intent, { kind: 'deposit' | 'withdraw' }>,
  asset: Token,
  receipt: Token,
  constants: LidoConstants,
): Verdict {
  const isDeposit = intent.kind === 'deposit'
  if (!sameAddress(to, isDeposit ? entranceOf(constants) : constants.queue))
    return refuse('POLICY_CONTRACT_NOT_ALLOWED', `The contract ${to} is not the one that does this here`)
  if (isDeposit) return boundStake(data, intent, asset, constants)
  const isPlain = constants.holds === 'stETH'
  const found = strictDecode(isPlain ? request : requestWrapped, data)
  if (!found) return refuse('POLICY_DECODE', 'It is not a request for a withdrawal from Lido')
  const [amounts, owner] = found.args
  if (!sameAddress(owner, intent.wallet))
    return refuse('POLICY_RECIPIENT', `It asks on behalf of ${owner}, not of ${intent.wallet}`)
  const sum = amounts.reduce((all, one) => all + one, 0n)
  const isMeant = isPlain ? sum === (intent.shares ?? intent.amount) : isUnits(sum, intent)
  if (!isMeant)
    return refuse('POLICY_AMOUNT', `It asks for ${sum} of ${receipt.symbol}, which is not what was asked for`)
  // Each request is claimed by itself: more of them than are needed only cost gas, now and then.
  const most = isPlain ? mostRequest : mostRequest / 2n
  const needed = sum <= most ? 1 : Number((sum + most - 1n) / most)
  if (amounts.length !== needed)
    return refuse('POLICY_SHAPE', `It makes ${amounts.length} requests of what ${needed} would do`)
  const rest = leftOfAll(constants, sum)
  const all = `all ${receipt.symbol}${rest === 0n ? '' : `, but for up to ${rest} wei that its rounding to shares leaves`}`
  const much = intent.shares === undefined ? formatAmount(intent.amount, asset) : all
  return {
    bound: {
      name: found.functionName,
      args: printed({ amounts: amounts.join(), owner }),
      text: `Request the withdrawal of ${much}, to be claimed later`,
      value: 0n,
      spends: { token: receipt.address, amount: sum },
    },
  }
}

function boundStake(
  data: Transaction['data'],
  { amount }: Extract<Intent, { kind: 'deposit' }>,
  asset: Token,
  { holds }: LidoConstants,
): Verdict {
  const found = strictDecode(holds === 'stETH' ? stake : stakeWrapped, data)
  if (!found) return refuse('POLICY_DECODE', 'It is not a call that stakes with Lido')
  const [referral] = found.args
  if (!sameAddress(referral, nativeAddress))
    return refuse('POLICY_RECIPIENT', `It names ${referral} as whoever brought the deposit`)
  return {
    bound: {
      name: found.functionName,
      args: printed({ referral }),
      text: `Stake ${formatAmount(amount, asset)} with Lido, for ${holds}`,
      value: amount,
    },
  }
}
