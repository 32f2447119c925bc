import type { Address, Hex } from '../../domain/address.ts'
import type { Exit } from '../../domain/error-table.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import { attemptHash } from './event-chain.ts'
import type { Attempt, EventKind, JournalEvent, Leg, Operation, Step } from './operation-types.ts'
import type { SendAnswer } from './send-answer.ts'
import type { OperationState, StepState } from './states.ts'

/** A row of SQLite. The file is ours alone and its constraints hold, so the columns are trusted. */
export type Row = Record<string, string | number | null>

const hex = (value: unknown): Hex => value as Hex
const text = (value: unknown): string => value as string
const number = (value: unknown): number => value as number
const numberOrNull = (value: unknown): number | null => value as number | null

const transactionOf = (row: Row) => ({
  to: hex(row.target),
  data: hex(row.data),
  value: BigInt(text(row.value)),
  chainId: number(row.chain_id),
})

export const columnsOf = ({ to, data, value, chainId }: Transaction) => ({
  target: to,
  data,
  value: value.toString(),
  chain_id: chainId,
})

/** An audit event from its row. */
export const eventOf = (row: Row): JournalEvent => ({
  seq: number(row.seq),
  operation: text(row.operation),
  index: numberOrNull(row.idx),
  was: text(row.was),
  becomes: text(row.becomes),
  why: text(row.why),
  kind: text(row.kind) as EventKind,
  ref: row.ref === null ? null : text(row.ref),
  at: number(row.at),
})

/** A step from its row. */
const stepOf = (row: Row, { attempts, endedBefore }: Pick<Step, 'attempts' | 'endedBefore'>): Step => ({
  index: number(row.idx),
  leg: number(row.leg),
  role: text(row.role),
  text: text(row.text),
  wallet: hex(row.wallet),
  transaction: transactionOf(row),
  nonce: numberOrNull(row.nonce),
  fromBlock: numberOrNull(row.from_block),
  state: row.state as StepState,
  inclusion:
    row.final_hash === null
      ? null
      : {
          hash: hex(row.final_hash),
          blockNumber: number(row.block_number),
          blockHash: hex(row.block_hash),
          gasUsed: BigInt(text(row.gas_used)),
          gasPrice: BigInt(text(row.gas_price)),
        },
  attempts,
  endedBefore,
})

/** An attempt from its row. */
const attemptOf = (row: Row): Attempt => ({
  hash: hex(row.hash),
  raw: hex(row.raw),
  kind: row.kind as Attempt['kind'],
  nonce: number(row.nonce),
  transaction: transactionOf(row),
  gas: BigInt(text(row.gas)),
  maxFeePerGas: BigInt(text(row.max_fee)),
  maxPriorityFeePerGas: BigInt(text(row.max_priority)),
  created: number(row.created),
  sends: number(row.sends),
  lastAnswer: row.answer_class === null ? null : answerOf(row),
})

const answerOf = (row: Row): SendAnswer => ({
  is: row.answer_class as SendAnswer['is'],
  words: text(row.last_answer),
  ...(row.demanded_fee !== null && {
    demands: {
      maxFeePerGas: BigInt(text(row.demanded_fee)),
      maxPriorityFeePerGas: BigInt(text(row.demanded_tip)),
    },
  }),
})

const legOf = (row: Row): Leg => ({
  leg: number(row.leg),
  chainId: number(row.chain_id),
  arrival:
    row.arrival_token === null
      ? null
      : {
          token: row.arrival_token as Address,
          minimum: BigInt(text(row.arrival_minimum)),
          recipient: hex(row.arrival_recipient),
          hash: row.arrival_hash as Hex | null,
        },
  ...(row.deposit_amount !== null && {
    deposit: {
      address: row.deposit_address as string | null,
      memo: row.deposit_memo as string | null,
      amount: BigInt(text(row.deposit_amount)),
      until: number(row.deposit_until),
      hash: row.deposit_hash as string | null,
    },
  }),
})

/** The rows of an operation below its own; `trail` has the events of its steps that record a signature or an end, the oldest first. */
export type RowsOfOperation = Readonly<Record<'legs' | 'steps' | 'attempts' | 'trail', readonly Row[]>>

/** What was signed for each step, and whether it ended before. */
function historyOf({
  attempts,
  trail,
}: RowsOfOperation): (step: Row) => Pick<Step, 'attempts' | 'endedBefore'> {
  const order = new Map(trail.flatMap(({ kind, ref }, at) => (kind === 'signed' ? [[ref, at] as const] : [])))
  const placeOf = (row: Row) => order.get(attemptHash(row)) ?? -1
  return ({ idx }) => {
    const signed = attempts.filter((row) => row.idx === idx)
    if (signed.length > 1) signed.sort((one, other) => placeOf(one) - placeOf(other))
    return {
      attempts: signed.map(attemptOf),
      endedBefore: trail.some((event) => event.idx === idx && isEndWithoutEffect(text(event.becomes))),
    }
  }
}

/** Whether a state of a step is final without effect. */
const isEndWithoutEffect = (state: string): boolean => state === 'FINAL_REVERTED' || state === 'CANCELLED'

export const operationOf = (row: Row, below: RowsOfOperation): Operation => {
  const history = historyOf(below)
  return {
    id: text(row.id),
    idemKey: text(row.idem_key),
    requestHash: text(row.request_hash),
    request: JSON.parse(text(row.request)) as unknown,
    plan: JSON.parse(text(row.plan)) as unknown,
    kind: text(row.kind),
    wallet: hex(row.wallet),
    state: row.state as OperationState,
    exit: row.exit as Exit | null,
    result: row.result === null ? null : (JSON.parse(text(row.result)) as unknown),
    created: number(row.created),
    updated: number(row.updated),
    legs: below.legs.map(legOf),
    steps: below.steps.map((step) => stepOf(step, history(step))),
  }
}
