import { expect, test } from 'vitest'
import { unpainted } from '../../../src/cli/terminal/terminal-abilities.ts'
import { transactionLines } from '../../../src/cli/views/operation-view.ts'

const to = { write: () => undefined, isTerminal: false, columns: 80, paint: unpainted }
const timesOf = (signedAt: string, sentAt: string, minedAt: string | null, finalAt: string | null) =>
  transactionLines(
    {
      ...{
        kind: 'deposit',
        network: 'sandbox-one',
        hash: null,
        status: 'success',
        blockNumber: 1,
        error: null,
      },
      ...{ signedAt, sentAt, minedAt, finalAt },
    },
    to,
  )[1]
const at = (time: string) => `2026-11-29T${time}Z`

test.each([
  ['in one second', [at('13:14:59.100'), at('13:14:59.200'), at('13:14:59.300'), at('13:14:59.900')], ''],
  [
    'of which some are later',
    [at('13:14:59.100'), at('13:14:59.900'), at('13:15:01.000'), at('13:15:01.500')],
    ', seen in a block 2 seconds later',
  ],
  ['not yet in a block', [at('13:14:59.100'), at('13:15:00.100'), null, null], ', sent 1 second later'],
  [
    'by a clock that was set back',
    [at('13:14:59.100'), at('13:14:59.100'), at('13:14:50.000'), null],
    ', seen in a block 2026-11-29 13:14:50Z',
  ],
] as const)('the times of a step %s are the first one and the differences', (_, times, more) => {
  expect(timesOf(...(times as unknown as [string, string, string, string]))).toBe(
    `    signed 2026-11-29 13:14:59Z${more}`,
  )
})
