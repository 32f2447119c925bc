import { expect, test } from 'vitest'
import { printError } from '../../src/app/main.ts'
import { afterSigning } from '../../src/cli/errors-after-signing.ts'
import { readCommandLine } from '../../src/domain/command-line/read-command-line.ts'
import { AppError } from '../../src/domain/errors.ts'
import { type Advice, advice, type Flags, sameWith, sluice } from '../../src/domain/text/next-step.ts'

test.each([
  ['resume', 'resume op-1'],
  ['cancel', 'cancel op-1 --yes'],
  ['revoke', 'revoke op-1 --yes'],
])('an interruption after signing hints at the command that was interrupted: %s', (verb, line) => {
  const operation = { id: 'op-1', state: 'EXECUTING', steps: [{ state: 'BROADCAST' }] } as never
  const signed = { operation, report: {} as never, again: { '--key-file': 'k' }, verb } as never
  const told = afterSigning(new AppError('INTERRUPTED', 'Interrupted'), signed)
  expect(told).toMatchObject({ code: 'PENDING', hint: `sluice action ${line} --key-file k` })
})

test.each([
  ['resume', 'did not resume it'],
  ['speed-up', 'did not raise its fee'],
  ['cancel', 'did not cancel it'],
  ['replan', 'made no new plan for its rest'],
  ['revoke', 'revoked none of its allowances'],
] as const)('a failed %s after signing says that the command %s', (verb, words) => {
  const error = new AppError('RPC_UNREACHABLE', 'The node cannot be reached')
  expect(afterSigning(error, { operation: waiting, report: {} as never, again: {}, verb }).message).toBe(
    `op-1 has signed transactions, and this command ${words}: The node cannot be reached`,
  )
})

const waiting = { id: 'op-1', state: 'EXECUTING', steps: [{ state: 'BROADCAST' }] } as never
const hintOf = (error: AppError, verb: 'resume' | 'revoke', again: Flags = {}) =>
  afterSigning(error, { operation: waiting, report: {} as never, again, verb }).hint

test('the hint adds a missing signer or idempotency key to the command as a placeholder', () => {
  const nobody = new AppError('KEY_REQUIRED', 'No signer given', { details: { named: false } })
  expect(hintOf(nobody, 'resume')).toBe('sluice action resume op-1 --wallet NAME')
  const unkeyed = new AppError('IDEMPOTENCY_KEY_REQUIRED', 'It needs a key')
  expect(hintOf(unkeyed, 'revoke', { '--key-file': 'k' })).toBe(
    'sluice action revoke op-1 --yes --key-file k --idempotency-key KEY',
  )
  expect(hintOf(unkeyed, 'revoke')).toBe('sluice action revoke op-1 --yes --idempotency-key KEY')
})

test('what to do about a node is told first, unless it is another form of the line that ran', () => {
  const failure = (next: Advice) => new AppError('RPC_UNREACHABLE', 'The node cannot be reached', { next })
  expect(hintOf(failure(advice`In the sandbox: ${sluice('sandbox status')}`), 'resume')).toBe(
    'In the sandbox: sluice sandbox status. sluice action resume op-1',
  )
  expect(hintOf(failure(advice`More time: ${sameWith({ '--timeout': '10m' })}`), 'resume')).toBe(
    'sluice action resume op-1',
  )
})

test('a duplicate closed in favour of an operation with signed transactions reports PENDING, not DECLINED', () => {
  const dropped = new AppError('DECLINED', 'Operation op-0 was given up before anything of it was signed', {
    details: { operation: 'op-0' },
  })
  const told = afterSigning(dropped, { operation: waiting, report: {} as never, again: {}, verb: undefined })
  expect(told).toMatchObject({ code: 'PENDING', hint: 'sluice action resume op-1' })
  expect(told.message).toMatch(/^op-0 was closed .* as op-1, which has signed transactions$/)
})

test.each([
  ['an interactive terminal', true, [], ''],
  ['an interactive terminal with --yes', true, ['--yes'], ' --yes'],
  ['an interactive terminal with --no-input', true, ['--no-input'], ' --yes'],
  ['no terminal', false, [], ' --yes'],
])('%s: the hint keeps --yes unless the user can be asked', (_, canAsk, flags, yes) => {
  let said = ''
  const out = { write: (text: string) => (said += text), isTerminal: false }
  const error = new AppError('PENDING', 'It is not over', {
    next: sluice('action revoke', 'op-1', { '--yes': true, '--key-file': 'k' }),
  })
  printError(error, readCommandLine(['action', 'revoke', 'op-1', '--json', ...flags]), {
    io: { out, canAsk } as never,
  })
  expect(JSON.parse(said).error.hint).toBe(`sluice action revoke op-1${yes} --key-file k`)
})
