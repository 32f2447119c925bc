import { decodeErrorResult, parseAbi } from 'viem/utils'

import type { Hex } from '../../domain/address.ts'
import { plain } from '../../domain/text.ts'

/** Errors that the contracts served here throw by type: OpenZeppelin 5 (ERC-20, ERC-4626, Pausable), and StakeWise v3 (stakewise/v3-core, Errors.sol). */
const errors = parseAbi([
  'error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)',
  'error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)',
  'error ERC20InvalidReceiver(address receiver)',
  'error ERC20InvalidSpender(address spender)',
  'error ERC4626ExceededMaxDeposit(address receiver, uint256 assets, uint256 max)',
  'error ERC4626ExceededMaxMint(address receiver, uint256 shares, uint256 max)',
  'error ERC4626ExceededMaxWithdraw(address owner, uint256 assets, uint256 max)',
  'error ERC4626ExceededMaxRedeem(address owner, uint256 shares, uint256 max)',
  'error SafeERC20FailedOperation(address token)',
  'error EnforcedPause()',
  'error ReentrancyGuardReentrantCall()',
  'error CapacityExceeded()',
  'error ExitRequestNotProcessed()',
  'error LowLtv()',
  'error NotHarvested()',
])

/** What short reasons mean. Numbers: Aave v3 (`@aave/core-v3`, Errors.sol). Words: Uniswap v3 and its router. */
const meanings: Readonly<Record<string, string>> = {
  26: 'the amount must be above zero',
  27: 'the reserve is not active',
  28: 'the reserve is frozen',
  29: 'the reserve is paused',
  32: 'more than the available balance',
  35: 'the health factor would fall below the liquidation threshold',
  43: 'there is nothing supplied to withdraw',
  51: 'the supply cap of the reserve is reached',
  59: 'the price oracle does not allow it now',
  77: 'a zero address was given',
  82: 'the asset is not listed',
  'Too little received': 'the price moved: less would come out than the minimum',
  'Too much requested': 'the price moved: more would be spent than the maximum',
  'Transaction too old': 'the deadline has passed',
  STF: 'the token could not be taken: balance or allowance is too small',
  EnforcedPause: 'the contract is paused',
  ERC20InsufficientBalance: 'the token balance is too small',
  ERC20InsufficientAllowance: 'the allowance is too small',
  ERC4626ExceededMaxDeposit: 'more than the vault takes now',
  ERC4626ExceededMaxWithdraw: 'more than the vault gives now',
  ERC4626ExceededMaxRedeem: 'more shares than the vault takes back now',
  CapacityExceeded: 'more than the vault takes',
  ExitRequestNotProcessed: 'the request is not paid yet, or has not waited long enough',
  LowLtv: 'it stands for osTokens that were minted: burn some first, or withdraw less',
  NotHarvested: 'the newest rewards of the vault must be brought in first',
}

/** Why a call reverted, in words. `data` is what it returned, if anything; `message` is what the node says about it. */
export function revertReason(data: Hex | undefined, message = ''): string {
  if (data !== undefined && data !== '0x') {
    try {
      const { errorName, args = [] } = decodeErrorResult({ abi: errors, data }) as {
        errorName: string
        args?: readonly unknown[]
      }
      if (errorName === 'Panic')
        return `it stopped at an internal check (panic 0x${BigInt(String(args[0])).toString(16)})`
      const said = errorName === 'Error' ? plain(String(args[0])) : errorName
      const meaning = meanings[said]
      const shown =
        errorName === 'Error' || args.length === 0 ? said : `${said}(${args.map(String).join(', ')})`
      return meaning === undefined ? shown : `${meaning} (${shown})`
    } catch {
      return `it threw an error of a kind not known here (${data.slice(0, 10)})`
    }
  }
  return message === '' ? 'it gave no reason' : plain(message)
}
