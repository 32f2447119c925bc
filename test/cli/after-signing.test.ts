import { expect, test } from 'vitest'

import { afterSigning } from '../../src/cli/after-signing.ts'
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
