import { parseAbi } from 'viem/utils'
import type { Address } from '../../domain/address.ts'
import type { LidoConstants } from './constants-schema.ts'

/** stETH and wstETH, to read (source: lidofinance/core, Lido.sol, StETH.sol, WstETH.sol). */
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

/** Stakes the coin for stETH. */
export const stakeCoin = parseAbi(['function submit(address referral) payable returns (uint256)'])
/** Stakes the coin for wstETH. */
export const stakeWrapped = parseAbi(['function stakeETH(address referral) payable returns (uint256)'])
/** Asks the queue for a withdrawal of stETH. */
export const request = parseAbi([
  'function requestWithdrawals(uint256[] amounts, address owner) returns (uint256[] requestIds)',
])
/** Asks the queue for a withdrawal of wstETH. */
export const requestWrapped = parseAbi([
  'function requestWithdrawalsWstETH(uint256[] amounts, address owner) returns (uint256[] requestIds)',
])

/** The contract that takes deposits: another contract mints wstETH for the coin (source: WstethReferralStaker.sol). */
export const entranceOf = (constants: LidoConstants): Address =>
  constants.holds === 'stETH' ? constants.stEth : constants.staker
/** The largest single request of the queue, in wei of stETH. */
export const mostRequest = 1_000n * 10n ** 18n

/**
 * How many wei of the receipt a request for everything may leave with the owner: stETH is held in shares and requested by amount, so each
 * part is rounded down to whole shares. wstETH is requested to the last unit.
 */
export const leftOfAll = (constants: LidoConstants, amount: bigint): bigint =>
  constants.holds === 'stETH' ? 2n * ((amount + mostRequest - 1n) / mostRequest) : 0n
