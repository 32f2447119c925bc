import { describe, expect, test } from 'vitest'
import { fromEnvelope, toEnvelope } from '../../src/api/error-envelope.ts'
import { exitCodes } from '../../src/cli/schema/exit-codes.ts'
import { errorTable } from '../../src/domain/error-table.ts'
import { AppError, type ErrorCode, errorRow, isErrorCode } from '../../src/domain/errors.ts'

/** The error table of the specification, typed by hand: code, HTTP status, and exit code of the command line. */
const specification: [ErrorCode, number, number][] = [
  ['QUOTE_NOT_FOUND', 404, 4],
  ['QUOTE_EXPIRED', 400, 4],
  ['QUOTE_GENERATION_FAILED', 400, 4],
  ['QUOTE_VALIDATION_ERROR', 400, 4],
  ['NO_ROUTE_FOUND', 400, 4],
  ['INVALID_PREFERRED_PROVIDER', 400, 4],
  ['PREFERRED_PROVIDER_NOT_ELIGIBLE', 400, 4],
  ['PREFERRED_PROVIDER_QUOTE_UNAVAILABLE', 400, 4],
  ['PROVIDER_NOT_FOUND', 404, 4],
  ['BYTECODE_GENERATION_FAILED', 500, 6],
  ['SWAP_EXECUTION_FAILED', 500, 6],
  ['INVALID_AMOUNT_PARAMS', 400, 4],
  ['MISSING_AMOUNT_PARAMS', 400, 4],
  ['INVALID_SLIPPAGE', 400, 4],
  ['AMOUNT_IN_TOO_LOW_OFFRAMP', 400, 4],
  ['AMOUNT_IN_TOO_HIGH_OFFRAMP', 400, 4],
  ['AMOUNT_OUT_TOO_LOW_OFFRAMP', 400, 4],
  ['AMOUNT_OUT_TOO_HIGH_OFFRAMP', 400, 4],
  ['AMOUNT_IN_TOO_LOW_ONRAMP', 400, 4],
  ['AMOUNT_IN_TOO_HIGH_ONRAMP', 400, 4],
  ['AMOUNT_OUT_TOO_LOW_ONRAMP', 400, 4],
  ['AMOUNT_OUT_TOO_HIGH_ONRAMP', 400, 4],
  ['TRANSFER_VALIDATION_FAILED', 400, 4],
  ['INSUFFICIENT_AMOUNT_FOR_REFUND', 400, 4],
  ['DEPOSIT_NOT_FOUND', 404, 4],
  ['INTERNAL_SERVER_ERROR', 500, 6],
  ['PROVIDER_API_ERROR', 502, 6],
  ['RATE_LIMITED', 429, 5],
]

/** Exit codes promised for further error codes. */
const promised: [ErrorCode, number][] = [
  ['UNAUTHORIZED', 3],
  ['VALIDATION_ERROR', 2],
  ['STRATEGY_NOT_FOUND', 4],
  ['STRATEGY_PAUSED', 10],
  ['INSUFFICIENT_FUNDS', 10],
  ['SIMULATION_REVERTED', 10],
  ['USAGE', 2],
  ['INVALID_AMOUNT', 2],
  ['KEY_REQUIRED', 2],
  ['SERVICE_UNREACHABLE', 6],
  ['RPC_UNREACHABLE', 7],
  ['RPC_INCONSISTENT', 7],
  ['CHAIN_ID_MISMATCH', 7],
  ['DECLINED', 9],
  ['WALLET_BUSY', 11],
  ['STATE_UNUSABLE', 12],
  ['STATE_NEWER_SCHEMA', 12],
  ['KEY_SOURCE', 13],
  ['WRONG_PASSWORD', 13],
  ['IDEMPOTENCY_KEY_REUSED', 14],
  ['PENDING', 20],
  ['PARTIAL', 21],
  ['REVERTED', 22],
  ['ACTION_FAILED', 22],
  ['SUPERSEDED', 23],
  ['CANCELLED', 24],
  ['REFUNDED', 25],
  ['ARRIVED_SHORT', 25],
  ['ORDER_UNFILLED', 25],
  ['JOURNAL_UNREADABLE', 26],
  ['INTERRUPTED', 130],
  ['BUG', 1],
]

const codes = Object.keys(errorTable) as ErrorCode[]
const served = codes.filter((code) => errorRow(code).status !== undefined)

describe('the error table', () => {
  test('starts with the 28 codes of the specification in their order', () => {
    expect(specification).toHaveLength(28)
    expect(codes.slice(0, 28)).toEqual(specification.map(([code]) => code))
  })

  test.each(specification)('%s has HTTP status %i and exit code %i', (code, status, exit) => {
    expect(errorRow(code)).toMatchObject({ status, exit })
  })

  test.each(promised)('%s has exit code %i', (code, exit) => {
    expect(errorRow(code).exit).toBe(exit)
  })

  test('gives every code a documented exit code, and every POLICY code exit 8', () => {
    for (const code of codes) expect(Object.keys(exitCodes).map(Number)).toContain(errorRow(code).exit)
    for (const code of codes.filter((one) => one.startsWith('POLICY_'))) expect(errorRow(code).exit).toBe(8)
  })

  test('uses every documented exit code except 0', () => {
    const used = new Set(codes.map((code) => errorRow(code).exit))
    expect(
      Object.keys(exitCodes)
        .map(Number)
        .filter((exit) => !used.has(exit as never)),
    ).toEqual([0])
  })

  test('marks PENDING as the only retryable code with exit 20 to 29', () => {
    const after = codes.filter((code) => errorRow(code).exit >= 20 && errorRow(code).exit < 30)
    expect(after.filter((code) => errorRow(code).retryable)).toEqual(['PENDING'])
  })

  test('uses only HTTP statuses from 400 to 599', () => {
    for (const code of served) expect(errorRow(code).status).toBeGreaterThanOrEqual(400)
    for (const code of served) expect(errorRow(code).status).toBeLessThan(600)
  })
})

describe('the error envelope', () => {
  test.each(served)('carries %s with message and details in both directions', (code) => {
    for (const details of [undefined, { errors: [{ path: 'a', message: 'b' }], retryAfter: 3 }]) {
      const { status, body } = toEnvelope(new AppError(code, 'What happened', details ? { details } : {}))
      expect(status).toBe(errorRow(code).status)
      expect(Object.keys(body)).toEqual(['error'])
      expect(Object.hasOwn(body.error, 'details')).toBe(details !== undefined)
      const back = fromEnvelope(status, JSON.parse(JSON.stringify(body)))
      expect(back).toMatchObject({ code, message: 'What happened' })
      expect(back.details).toEqual(details)
    }
  })

  test('answers INTERNAL_SERVER_ERROR without the message for codes that have no HTTP status', () => {
    const inside = codes.filter((code) => errorRow(code).status === undefined)
    const cause = new Error('the password is hunter2')
    for (const error of [
      ...inside.map((code) => new AppError(code, 'hunter2', { cause })),
      cause,
      'hunter2',
      undefined,
    ]) {
      const answer = toEnvelope(error)
      expect(answer.status).toBe(500)
      expect(answer.body.error.code).toBe('INTERNAL_SERVER_ERROR')
      expect(JSON.stringify(answer)).not.toContain('hunter2')
    }
  })

  test.each([
    [400, 'BAD_REQUEST'],
    [401, 'UNAUTHORIZED'],
    [403, 'UNAUTHORIZED'],
    [404, 'NOT_FOUND'],
    [409, 'BAD_REQUEST'],
    [422, 'VALIDATION_ERROR'],
    [429, 'RATE_LIMITED'],
    [500, 'INTERNAL_SERVER_ERROR'],
    [503, 'INTERNAL_SERVER_ERROR'],
  ])(
    'with status %i and an unknown code becomes %s and keeps the unknown code in details',
    (status, code) => {
      const body = { error: { code: 'SOMETHING_NEW', message: 'Says who', details: { a: 1 } } }
      expect(fromEnvelope(status, body)).toMatchObject({
        code,
        message: 'Says who',
        details: { a: 1, code: 'SOMETHING_NEW' },
      })
    },
  )

  test('maps a code without an HTTP status to BAD_REQUEST when a service sends it', () => {
    for (const code of codes.filter((one) => errorRow(one).status === undefined))
      expect(fromEnvelope(400, { error: { code, message: 'x' } }).code).toBe('BAD_REQUEST')
  })

  test('keeps its code and drops details that are not an object', () => {
    for (const details of [null, [], 'text', 5])
      expect(fromEnvelope(400, { error: { code: 'QUOTE_EXPIRED', message: 'x', details } })).toMatchObject({
        code: 'QUOTE_EXPIRED',
        details: undefined,
      })
  })

  test('with an invalid body becomes the error of its HTTP status', () => {
    for (const body of [undefined, null, 'oops', {}, { error: 'oops' }, { error: { code: 5 } }, []])
      expect(fromEnvelope(502, body)).toMatchObject({
        code: 'INTERNAL_SERVER_ERROR',
        message: 'The service answered 502',
      })
  })
})

test('isErrorCode accepts only own keys of the error table', () => {
  expect(isErrorCode('QUOTE_EXPIRED')).toBe(true)
  for (const word of ['', 'toString', '__proto__', 'constructor', 'quote_expired'])
    expect(isErrorCode(word)).toBe(false)
})

test('an AppError takes its hint from the table unless one is given', () => {
  expect(new AppError('QUOTE_NOT_FOUND', 'x').hint).toBe('sluice swap list')
  expect(new AppError('QUOTE_NOT_FOUND', 'x', { next: 'y' }).hint).toBe('y')
})

test('the advice of an AppError names the RPC setting of its network as soon as the network is known', () => {
  const error = new AppError('RPC_UNREACHABLE', 'No answer')
  expect(error.hint).toBe('Try again, or set another RPC in SLUICE_RPC_<NETWORK>.')
  expect(error.with({ details: { network: 'base-sepolia' } }).hint).toBe(
    'Try again, or set another RPC in SLUICE_RPC_BASE_SEPOLIA.',
  )
  const given = new AppError('RPC_UNREACHABLE', 'No answer', { next: (setting) => `Check ${setting}.` })
  expect(given.with({ details: { network: 'base' } }).hint).toBe('Check SLUICE_RPC_BASE.')
  expect(given.with({ details: { network: 'a b' } }).hint).toBe('Check SLUICE_RPC_<NETWORK>.')
  expect(given.with({ details: { network: 'base' }, next: 'Wait.' }).hint).toBe('Wait.')
})

test('the message of an AppError, whether it is a quote and that nothing was done stay when details or next steps are added', () => {
  const error = new AppError('NO_ROUTE_FOUND', 'There is no route', { nothing: 'signed', isQuote: true })
  expect(error.with({ details: { a: 1 } }).with({ details: { b: 2 }, next: 'Wait.' })).toMatchObject({
    ...{ message: 'There is no route. Nothing was signed.', brief: 'There is no route', isQuote: true },
    ...{ details: { a: 1, b: 2 }, hint: 'Wait.', cause: { cause: error } },
  })
})
