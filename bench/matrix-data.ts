import type { FaultPoint } from '../src/transactions/run.ts'
import type { Rule } from '../test/support/nodes/faulty-rpc.ts'
import type { Act } from '../test/support/nodes/rpc-faults.ts'
import { seeded } from './seeded.ts'

/** One kill of an operation: the point, the node fault, and the number of payments. */
export type MatrixCell = {
  point: FaultPoint
  /** The visit to the point at which it is killed, from 1. */
  nth: number
  steps: number
  /** The node fault, for the killed process or for the resumed one. */
  rule: Rule
  during: 'killed' | 'resumed'
}

const points: readonly FaultPoint[] = [
  'after_op',
  'after_nonce',
  'after_sign',
  'after_journal',
  'after_broadcast',
  'after_receipt',
  'after_final',
  'before_done',
]

const acts: readonly (readonly [method: string, acts: readonly Act[]])[] = [
  [
    'eth_sendRawTransaction',
    [
      'drop-request',
      'drop-response',
      '429',
      '502',
      '502-after',
      'html200',
      'empty200',
      'truncated',
      'slow-drip',
      'hang',
      'redirect',
      'wrong-id',
      'no-result',
      'null-result',
      'fake-hash',
      'error-known',
      'error-nonce-low',
      'error-underpriced',
      'error-fee',
    ],
  ],
  [
    'eth_getTransactionReceipt',
    [
      'null-result',
      'drop-response',
      'html200',
      'wrong-id',
      'forged-receipt',
      'other-receipt',
      'split-brain',
      'hang',
    ],
  ],
  ['eth_getTransactionCount', ['stale-zero', 'drop-response', 'null-result']],
  ['eth_getBlockByNumber', ['null-result', 'split-brain', 'stale-head']],
  ['eth_estimateGas', ['drop-response', 'error-funds']],
  ['eth_chainId', ['wrong-chain']],
]

const times = [{ nth: 1 }, { nth: 2 }, { from: 1, to: 3 }] as const

const withValue = (act: Act) => (act === '429' ? { value: '1' } : act === 'stale-head' ? { value: 2 } : {})

/** All cells: kill points on the first and second visit, node faults and their times, and one to three payments. */
export const matrix: readonly MatrixCell[] = points.flatMap((point) =>
  [1, 2].flatMap((nth) =>
    [1, 2, 3].flatMap((steps) =>
      acts.flatMap(([method, all]) =>
        all.flatMap((act, at) =>
          times.map(
            (when, time): MatrixCell => ({
              point,
              nth,
              steps,
              rule: { method, act, ...withValue(act), ...when },
              during: (at + time) % 2 === 0 ? 'killed' : 'resumed',
            }),
          ),
        ),
      ),
    ),
  ),
)

/** The cells of the matrix in random order, so that the first ones are a fair sample. */
export function shuffledMatrix(seed: number): MatrixCell[] {
  const random = seeded(seed)
  return matrix
    .map((cell) => ({ cell, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ cell }) => cell)
}
