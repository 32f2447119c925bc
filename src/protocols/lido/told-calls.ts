import { parseAbi } from 'viem/utils'
import type { Address } from '../../domain/address.ts'
import { type Teller, teller, type Words } from '../call-description.ts'
import { request, requestWrapped, stakeCoin, stakeWrapped } from './abi.ts'

/** wstETH (`lidofinance/core`, WstETH.sol). */
const wrapping = parseAbi([
  'function wrap(uint256 _stETHAmount) returns (uint256)',
  'function unwrap(uint256 _wstETHAmount) returns (uint256)',
])

/** Further functions of the queue and of stETH (`lidofinance/core`, WithdrawalQueue.sol and StETH.sol). */
const others = parseAbi([
  'function requestWithdrawalsWithPermit(uint256[] _amounts, address _owner, (uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s) _permit) returns (uint256[] requestIds)',
  'function requestWithdrawalsWstETHWithPermit(uint256[] _amounts, address _owner, (uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s) _permit) returns (uint256[] requestIds)',
  'function claimWithdrawals(uint256[] _requestIds, uint256[] _hints)',
  'function claimWithdrawalsTo(uint256[] _requestIds, uint256[] _hints, address _recipient)',
  'function claimWithdrawal(uint256 _requestId)',
  'function transferShares(address _recipient, uint256 _sharesAmount) returns (uint256)',
])

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, one) => total + one, 0n)

const parts = ({ length }: readonly unknown[]): string =>
  length === 1 ? 'one request' : `${length} requests`

/** A request at the queue; without an owner it is the caller's (WithdrawalQueue.sol). */
const requested =
  (token: Address) => (args: readonly [readonly bigint[], Address, ...unknown[]], say: Words) => {
    const [amounts, owner] = args
    return {
      text: `requests the withdrawal of ${say.amount(token, sum(amounts))} from Lido in ${parts(amounts)}${BigInt(owner) === 0n ? '' : say.forWhom(owner)}; it is claimed later`,
      gives: [{ token, units: sum(amounts) }],
    }
  }

/** What calls of the contract of stETH do. */
export const stEthTellers: readonly Teller[] = [
  teller(stakeCoin, 'submit', 'deposit', (_, say) => ({
    text: `stakes ${say.coin(say.call.value)} with Lido for stETH`,
  })),
  teller(others, 'transferShares', 'transfer', ([to, shares], say) => ({
    text: `sends ${shares} shares of ${say.token(say.call.to)} to ${to}`,
    holders: [to],
  })),
]

/** What calls of the contract that stakes the coin for wstETH do. */
export const lidoStakerTellers: readonly Teller[] = [
  teller(stakeWrapped, 'stakeETH', 'deposit', (_, say) => ({
    text: `stakes ${say.coin(say.call.value)} with Lido for wstETH`,
  })),
]

/** What calls of wstETH do. */
export const wstEthTellers = (stEth: Address, wstEth: Address): readonly Teller[] => [
  teller(wrapping, 'wrap', 'other', ([units], say) => ({
    text: `wraps ${say.upTo(stEth, units)} into ${say.token(wstEth)}`,
    gives: [{ token: stEth, units }],
  })),
  teller(wrapping, 'unwrap', 'other', ([units], say) => ({
    text: `unwraps ${say.upTo(wstEth, units)} into ${say.token(stEth)}`,
    gives: [{ token: wstEth, units }],
  })),
]

/** What calls of the withdrawal queue do; without the address of wstETH, requests in it are not described. */
export const lidoQueueTellers = (stEth: Address, wstEth: Address | undefined): readonly Teller[] => [
  teller(request, 'requestWithdrawals', 'withdraw', requested(stEth)),
  teller(others, 'requestWithdrawalsWithPermit', 'withdraw', requested(stEth)),
  ...(wstEth
    ? [
        teller(requestWrapped, 'requestWithdrawalsWstETH', 'withdraw', requested(wstEth)),
        teller(others, 'requestWithdrawalsWstETHWithPermit', 'withdraw', requested(wstEth)),
      ]
    : []),
  teller(others, 'claimWithdrawals', 'claim', ([ids]) => ({
    text: `claims ${ids.length} finished ${ids.length === 1 ? 'withdrawal' : 'withdrawals'} of Lido; the amount is not in the call`,
    paysCoinTo: 'caller',
  })),
  teller(others, 'claimWithdrawalsTo', 'claim', ([ids, , to], say) => ({
    text: `claims ${ids.length} finished ${ids.length === 1 ? 'withdrawal' : 'withdrawals'} of Lido${say.toWhom(to)}; the amount is not in the call`,
    holders: [to],
    paysCoinTo: to,
  })),
  teller(others, 'claimWithdrawal', 'claim', ([id]) => ({
    text: `claims the finished withdrawal ${id} of Lido; the amount is not in the call`,
    paysCoinTo: 'caller',
  })),
]
