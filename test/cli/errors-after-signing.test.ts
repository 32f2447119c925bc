import { expect, test } from 'vitest'
import { printError } from '../../src/app/main.ts'
import { afterSigning } from '../../src/cli/errors-after-signing.ts'
import { AppError } from '../../src/domain/errors.ts'

test.each([
  ['resume', 'resume op-1'],
  ['cancel', 'cancel op-1 --yes'],
  ['revoke', 'revoke op-1 --yes'],
])('what is interrupted is gone on with by what it was to do: %s', (verb, line) => {
  const operation = { id: 'op-1', state: 'EXECUTING', steps: [{ state: 'BROADCAST' }] } as never
  const signed = { operation, report: {} as never, again: '--key-file k', verb }
  const told = afterSigning(new AppError('INTERRUPTED', 'Interrupted'), signed)
  expect(told).toMatchObject({ code: 'PENDING', hint: `sluice action ${line} --key-file k` })
})

const waiting = { id: 'op-1', state: 'EXECUTING', steps: [{ state: 'BROADCAST' }] } as never
const hintOf = (error: AppError, verb: string, again = '') =>
  afterSigning(error, { operation: waiting, report: {} as never, again, verb }).hint

test('what was missing on a line is named on the next one, and nobody is told to type the same again', () => {
  const nobody = new AppError('KEY_REQUIRED', 'No signer given', { details: { named: false } })
  expect(hintOf(nobody, 'resume')).toBe('sluice action resume op-1 --wallet NAME')
  const unkeyed = new AppError('IDEMPOTENCY_KEY_REQUIRED', 'It needs a key')
  expect(hintOf(unkeyed, 'revoke', '--key-file k')).toBe(
    'sluice action revoke op-1 --yes --key-file k --idempotency-key KEY',
  )
  expect(hintOf(unkeyed, 'revoke')).toBe('sluice action revoke op-1 --yes --idempotency-key KEY')
})

test('what gave way to another one with its key while it was to be gone on with is told as that, and not as what a person declined', () => {
  const dropped = new AppError('DECLINED', 'Operation op-0 was given up before anything of it was signed', {
    details: { operation: 'op-0' },
  })
  const told = afterSigning(dropped, { operation: waiting, report: {} as never, again: '', verb: undefined })
  expect(told).toMatchObject({ code: 'PENDING', hint: 'sluice action resume op-1' })
  expect(told.message).toMatch(/^op-0 was closed .* as op-1, which has signed transactions$/)
})

test.each([
  ['somebody is there to be asked', true, [], ''],
  ['somebody is there, and has answered', true, ['--yes'], ' --yes'],
  ['somebody is there, and is not to be asked', true, ['--no-input'], ' --yes'],
  ['nobody is there', false, [], ' --yes'],
])('%s: the next step answers no question that its reader did not', (_, canAsk, flags, yes) => {
  let said = ''
  const out = { write: (text: string) => (said += text), isTerminal: false }
  const error = new AppError('PENDING', 'It is not over', {
    hint: 'sluice action revoke op-1 --yes --key-file k',
  })
  printError(error, ['action', 'revoke', 'op-1', '--json', ...flags], { io: { out, canAsk } as never })
  expect(JSON.parse(said).error.hint).toBe(`sluice action revoke op-1${yes} --key-file k`)
})
