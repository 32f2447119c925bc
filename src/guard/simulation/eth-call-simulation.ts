import { concatHex, numberToHex, size } from 'viem/utils'
import { type Call, encodeCall } from '../../chain/call.ts'
import { ethCall } from '../../chain/eth-call.ts'
import { isUnsupportedMethod } from '../../chain/rpc/errors.ts'
import { requestAtBlock } from '../../chain/rpc/request-at-block.ts'
import type { Hex } from '../../domain/address.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import { newProbeAccounts, revertedStep, type SimulationInput } from './block-simulation.ts'
import type { Simulation } from './simulate.ts'
import { firstWord, type WalletState, walletStateReads } from './wallet-state-before-simulation.ts'

/** The first word of an answer in which every step succeeded. */
const successWord = 2n ** 256n - 1n

/**
 * The weaker simulation for nodes without block simulation: one `eth_call` in which the wallet carries, by state override, code
 * that makes the calls in order and then reads. It shows balances and allowances, but no gas or logs, and a contract can detect it.
 * If that is not supported either, nothing is simulated.
 */
export async function simulateByEthCall(
  block: SimulationInput,
  before: WalletState,
): Promise<Omit<Simulation, 'gas' | 'behind' | 'silent' | 'endpoints'>> {
  const { rpc, wallet, transactions, tokens, allowances } = block
  const base = { blockNumber: before.head.number, nonce: before.nonce, fees: before.fees, gasUsed: [] }
  const nothing = { ...base, how: 'unavailable', changes: [], allowances: [], coin: 0n } as const
  let answer: Hex
  try {
    answer = await requestAtBlock(rpc, before.head, (at) =>
      rpc.request<Hex>(
        ...ethCall({ from: newProbeAccounts().reader, to: wallet }, at, {
          [wallet]: { code: batchCode(transactions, walletStateReads(block)) },
        }),
      ),
    )
  } catch (error) {
    if (isUnsupportedMethod(error)) return { ...nothing, changes: [], allowances: [] }
    throw error
  }
  // That code always returns data: an empty result means that the node ignored the override.
  if (answer === '0x') return { ...nothing, changes: [], allowances: [] }
  const failed = firstWord(answer, 'the outcome')
  if (failed !== successWord) throw revertedStep(block, Number(failed), `0x${answer.slice(66)}` as Hex)
  const values = [...tokens, ...allowances].map((_, i) =>
    firstWord(`0x${answer.slice(66 + 64 * i)}`, 'a token balance'),
  )
  return {
    ...base,
    how: 'eth_call',
    changes: tokens.map((token, i) => ({
      token,
      before: before.balances[i]!,
      delta: values[i]! - before.balances[i]!,
    })),
    allowances: allowances.map((allowance, i) => ({
      ...allowance,
      before: before.allowed[i]!,
      after: values[tokens.length + i]!,
    })),
    coin: -transactions.reduce((sum, { value }) => sum + value, 0n),
  }
}

/** The memory offset of the answer, behind any calldata that is copied to the start. */
const answerOffset = 0x10000

/**
 * EVM code that makes calls in order, with calldata from the code itself, and returns `successWord` and a word for each read; or the
 * number of the failed step and its error.
 */
function batchCode(steps: readonly Transaction[], reads: readonly Call[]): Hex {
  const calls = [...steps, ...reads.map((read) => ({ ...encodeCall(read), value: 0n }))]
  const length = calls.reduce(
    (sum, call, i) => sum + size(callCode(call, i, i >= steps.length, 0, 0, steps.length)),
    0,
  )
  const end = endCode(reads.length)
  let data = length + size(end)
  let code = 0
  const parts = calls.map((call, i) => {
    const part = callCode(call, i, i >= steps.length, code, data, steps.length)
    code += size(part)
    data += size(call.data)
    return part
  })
  return concatHex([...parts, end, ...calls.map((call) => call.data)])
}

const push = (value: number): Hex => concatHex(['0x62', numberToHex(value, { size: 3 })])

/** The code of one call: copies the calldata, calls, and on failure returns number and reason. */
function callCode(
  { to, data, value }: Pick<Transaction, 'to' | 'data' | 'value'>,
  index: number,
  isRead: boolean,
  codeAt: number,
  dataAt: number,
  steps: number,
): Hex {
  const out = isRead ? [push(32), push(answerOffset + 32 + 32 * (index - steps))] : [push(0), push(0)]
  const calling = concatHex([
    ...[push(size(data)), push(dataAt), push(0), '0x39' as Hex], // CODECOPY
    ...out,
    ...[push(size(data)), push(0)],
    concatHex(['0x7f', numberToHex(value, { size: 32 })]),
    concatHex(['0x73', to]),
    '0x5af1', // GAS CALL
  ])
  const failing = concatHex([
    ...[push(index), push(0), '0x52' as Hex], // MSTORE the number of the step
    '0x3d', // RETURNDATASIZE
    ...[push(0), push(32), '0x3e' as Hex], // RETURNDATACOPY behind it
    ...['0x3d' as Hex, push(32), '0x01' as Hex, push(0), '0xf3' as Hex], // RETURN both
  ])
  const jump = size(calling) + 4 + 1 + size(failing)
  return concatHex([calling, push(codeAt + jump), '0x57', failing, '0x5b'])
}

const endCode = (reads: number): Hex =>
  concatHex([
    ...['0x5f19' as Hex, push(answerOffset), '0x52' as Hex], // NOT 0, MSTORE
    ...[push(32 + 32 * reads), push(answerOffset), '0xf3' as Hex], // RETURN
  ])
