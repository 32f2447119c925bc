import { encodeAbiParameters, encodeErrorResult, parseAbi, toFunctionSelector } from 'viem/utils'
import { describe, expect, test } from 'vitest'
import { poolErrors } from '../../src/chain/reverts/lending-errors.ts'
import { meanings } from '../../src/chain/reverts/meanings.ts'
import { revertReason } from '../../src/chain/reverts/reason.ts'
import { stakingAndSwapErrors } from '../../src/chain/reverts/staking-and-swap-errors.ts'
import { vaultErrors } from '../../src/chain/reverts/vault-errors.ts'
import type { Hex } from '../../src/domain/address.ts'

const tables = { poolErrors, vaultErrors, stakingAndSwapErrors }
const rows = Object.values(tables).flatMap((table) => Object.entries(table))

/** The return data of a contract that reverts with this error. */
const thrown = (signature: string, args: readonly unknown[] = []): Hex => {
  const abi = parseAbi([`error ${signature}`] as readonly string[])
  return encodeErrorResult({ abi, args } as never)
}
const saying = (words: string): Hex =>
  `0x08c379a0${encodeAbiParameters([{ type: 'string' }], [words]).slice(2)}`

describe('the tables of protocol errors', () => {
  test('list each error under its own selector, and no selector twice', () => {
    expect(rows.length).toBeGreaterThan(350)
    for (const [selector, signature] of rows) expect(toFunctionSelector(signature), signature).toBe(selector)
    expect(new Set(rows.map(([selector]) => selector)).size).toBe(rows.length)
  })

  test('give every error a name in the revert reason', () => {
    for (const [selector, signature] of rows)
      expect(revertReason(selector as Hex), signature).toContain(signature.slice(0, signature.indexOf('(')))
  })

  test('explain only listed errors, numeric codes and known revert strings', () => {
    const names = new Set(rows.map(([, signature]) => signature.slice(0, signature.indexOf('('))))
    const inWords = [
      'Pausable: paused',
      'Blacklistable: account is blacklisted',
      'Return amount is not enough',
      'Too little received',
      'Too much requested',
      'Transaction too old',
      'too much loss',
      'UniswapV2Router: INSUFFICIENT_OUTPUT_AMOUNT',
      'UniswapV2Router: EXCESSIVE_INPUT_AMOUNT',
      'UniswapV2Router: EXPIRED',
      'BAL#304',
      'BAL#305',
      'BAL#402',
      'BAL#507',
      'BAL#508',
      'TRANSFER_FROM_FAILED',
      'TransferHelper: TRANSFER_FROM_FAILED',
      'STF',
      'STAKE_LIMIT',
    ]
    const others = [
      'STAKING_PAUSED',
      'exceed deposit limit',
      'insufficient liquidity',
      'ERC4626: deposit more than max',
    ]
    const unknown = Object.keys(meanings).filter(
      (said) => !names.has(said.split('(')[0]!) && !/^\d+$/.test(said),
    )
    expect(unknown.toSorted()).toEqual([...inWords, ...others].toSorted())
  })
})

describe('the revert reason', () => {
  test.each([
    [
      'HealthFactorLowerThanLiquidationThreshold()',
      [],
      'the health factor would fall below the liquidation threshold',
    ],
    ['SupplyCapExceeded()', [], 'the supply cap is reached'],
    ['ReservePaused()', [], 'the reserve is paused'],
    ['ReserveFrozen()', [], 'the reserve is frozen'],
    ['NotEnoughAvailableUserBalance()', [], 'more than the available balance'],
    ['NotEnoughLiquidity()', [], 'there is not enough liquidity to pay it out now'],
    ['AllCapsReached()', [], 'every market that the vault lends to has reached its cap'],
    ['E_InsufficientCash()', [], 'there is not enough liquidity to pay it out now'],
    ['E_SupplyCapExceeded()', [], 'the supply cap of the vault is reached'],
    ['E_OperationDisabled()', [], 'the vault has disabled this action'],
    ['Paused()', [], 'it is paused'],
    ['NotCollateralized()', [], 'the collateral would not cover the debt'],
    ['V3TooLittleReceived()', [], 'the price moved: the output would be below the minimum'],
  ])('explains %s with its name', (signature, args, words) => {
    expect(revertReason(thrown(signature, args))).toBe(`${words} (${signature.slice(0, -2)})`)
  })

  test('explains every numeric code of Aave v3, and no other number', () => {
    // Errors.sol of `@aave/core-v3` 1.19.3 has 1 to 91 without 48.
    const explained = [...Array(200).keys()].filter(
      (code) => revertReason(saying(String(code))) !== String(code),
    )
    expect(explained).toEqual([...Array(92).keys()].filter((code) => code > 0 && code !== 48))
    expect(revertReason(saying('34'))).toBe('the collateral balance is zero (34)')
    expect(revertReason(saying('034'))).toBe('034')
  })

  test('names an error without explanation, with its arguments', () => {
    expect(revertReason(thrown('E_NotSupported()'))).toBe('E_NotSupported')
    expect(revertReason(thrown('MarketNotEnabled(bytes32)', [`0x${'ab'.repeat(32)}`]))).toBe(
      `MarketNotEnabled(0x${'ab'.repeat(32)})`,
    )
  })

  test('explains a Fluid error code', () => {
    expect(revertReason(thrown('FluidLiquidityError(uint256)', [11_003n]))).toBe(
      'more than can be taken out now: the limit grows with time (FluidLiquidityError(11003))',
    )
    expect(revertReason(thrown('FluidLiquidityError(uint256)', [11_006n]))).toBe('FluidLiquidityError(11006)')
  })

  test('includes the reason of a wrapped error', () => {
    const inner = thrown('V3TooLittleReceived()')
    expect(revertReason(thrown('ExecutionFailed(uint256,bytes)', [0n, inner]))).toBe(
      'ExecutionFailed: the price moved: the output would be below the minimum (V3TooLittleReceived)',
    )
    expect(revertReason(thrown('TransferInFailed(bytes)', [saying('blacklisted')]))).toBe(
      'TransferInFailed: blacklisted',
    )
    expect(revertReason(thrown('TransferInFailed(bytes)', ['0x']))).toBe(
      'the token could not be taken: balance or allowance is too small (TransferInFailed(0x))',
    )
  })

  test('explains codes and revert strings, and repeats unknown ones', () => {
    expect(revertReason(saying('35'))).toBe(
      'the health factor would fall below the liquidation threshold (35)',
    )
    expect(revertReason(saying('STAKE_LIMIT'))).toBe('more than can be staked now (STAKE_LIMIT)')
    expect(revertReason('0x12345678')).toBe('it reverted with an unknown error (0x12345678)')
    expect(revertReason('0x', 'execution reverted')).toBe('execution reverted')
    expect(revertReason(undefined)).toBe('it gave no reason')
  })

  test('treats names of object properties as ordinary text', () => {
    for (const said of ['constructor', '__proto__', 'toString']) {
      expect(revertReason(saying(said))).toBe(said)
      expect(revertReason(said as Hex)).toContain('with an unknown error')
    }
  })

  test('limits nested errors and long texts', () => {
    let nested = saying('blacklisted')
    for (let level = 0; level < 50; level++) nested = thrown('TransferInFailed(bytes)', [nested])
    const reason = revertReason(nested)
    expect(reason.match(/TransferInFailed/g)).toHaveLength(5)
    const endless = 'no '.repeat(10_000)
    for (const told of [reason, revertReason(saying(endless)), revertReason('0x', endless)])
      expect(told.length).toBeLessThanOrEqual(1_001)
  })
})
