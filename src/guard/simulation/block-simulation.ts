import { randomBytes } from 'node:crypto'
import { encodeCall } from '../../chain/call.ts'
import type { ChainClient } from '../../chain/chain-client.ts'
import type { GasFees } from '../../chain/gas-fees.ts'
import type { Head } from '../../chain/head.ts'
import { revertReason } from '../../chain/reverts/reason.ts'
import { hexQuantity, quantity } from '../../chain/rpc/quantities.ts'
import { requestAtBlock } from '../../chain/rpc/request-at-block.ts'
import type { Address, Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import type { Log } from '../../protocols/market-adapter.ts'
import type { Allowance, SimulationQuestion } from './simulate.ts'
import { firstWord, walletStateReads } from './wallet-state-before-simulation.ts'

/** A leg to simulate on a block. */
export type SimulationInput = Omit<SimulationQuestion, 'allowances'> & {
  allowances: readonly Allowance[]
  head: Head
}

/** What the transactions will be signed with: the first nonce, the fees, and a gas limit for each. */
export type SignedAs = { nonce: number; fees: GasFees; gas: readonly bigint[] }

/** The state after the last step. `value` is the total of the steps' values. */
export type SimulationOutcome = {
  balances: bigint[]
  allowed: bigint[]
  coin: bigint
  codeHash: Hex
  gasUsed: bigint[]
  value: bigint
  logs: Log[]
}

/** The probe accounts of one simulation that only read. They are random, so no contract can recognise them. */
type ProbeAccounts = { reader: Address; coinOf: Address; codeOf: Address; random: Hex }

/** New random probe accounts. */
export const newProbeAccounts = (): ProbeAccounts => {
  const some = (bytes: number): Hex => `0x${randomBytes(bytes).toString('hex')}`
  return { reader: some(20), coinOf: some(20), codeOf: some(20), random: some(32) }
}

/** EVM code that returns the balance (0x31) or code hash (0x3f) of the account in the first calldata word. */
const accountReaderCode = (opcode: '31' | '3f'): Hex => `0x600035${opcode}60005260206000f3`

type CallResult = {
  status: string
  gasUsed: string
  returnData: Hex
  logs?: Log[]
  error?: { message?: string; data?: Hex }
}

/**
 * Simulates a leg and the reads after it as one block. Alone it measures the gas; with `signed` everything is as it will be signed:
 * nonce, gas, fees, validation, the last block's producer, new randomness.
 */
export async function simulateBlock(
  block: SimulationInput,
  signed: SignedAs | undefined,
  time: number,
  strangers = newProbeAccounts(),
): Promise<SimulationOutcome> {
  const { rpc, transactions, tokens, wallet, head } = block
  const reads = walletStateReads(block).map(encodeCall)
  const padded = `0x${wallet.slice(2).toLowerCase().padStart(64, '0')}` as const
  const probes = [{ to: strangers.coinOf, data: padded }, { to: strangers.codeOf, data: padded }, ...reads]
  const fees = signed && {
    maxFeePerGas: hexQuantity(signed.fees.maxFeePerGas),
    maxPriorityFeePerGas: hexQuantity(signed.fees.maxPriorityFeePerGas),
  }
  const calls = [
    ...transactions.map(({ to, data, value }, i) => ({
      from: wallet,
      to,
      data,
      value: hexQuantity(value),
      ...(signed && { nonce: hexQuantity(signed.nonce + i), gas: hexQuantity(signed.gas[i]!), ...fees }),
    })),
    ...probes.map((probe, i) => ({
      from: strangers.reader,
      ...probe,
      ...(signed && { nonce: hexQuantity(i), gas: hexQuantity(500_000), ...fees }),
    })),
  ]
  const results = await simulated(rpc, head, { calls, strangers, time, validation: signed !== undefined })
  for (const i of transactions.keys()) if (results[i]!.status !== '0x1') throw reverted(block, i, results[i]!)
  const [coin, code, ...after] = probes.map((_, i) => results[transactions.length + i]!.returnData)
  const values = after.map((data) => firstWord(data, 'a token balance'))
  return {
    coin: firstWord(coin, 'the balance'),
    codeHash: code ?? '0x',
    balances: values.slice(0, tokens.length),
    allowed: values.slice(tokens.length),
    gasUsed: transactions.map((_, i) => quantity(results[i]!.gasUsed, 'the gas used')),
    value: transactions.reduce((sum, transaction) => sum + transaction.value, 0n),
    logs: transactions.flatMap((_, i) => results[i]!.logs ?? []),
  }
}

type Run = { calls: readonly object[]; strangers: ProbeAccounts; time: number; validation: boolean }

async function simulated(
  rpc: ChainClient,
  head: Head,
  { calls, strangers, time, validation }: Run,
): Promise<CallResult[]> {
  const { reader, coinOf, codeOf, random } = strangers
  const state = {
    stateOverrides: {
      [reader]: { balance: hexQuantity(10n ** 24n) },
      [coinOf]: { code: accountReaderCode('31') },
      [codeOf]: { code: accountReaderCode('3f') },
    },
    blockOverrides: {
      number: hexQuantity(head.number + 1n),
      time: hexQuantity(time),
      ...(head.miner && { feeRecipient: head.miner }),
      prevRandao: random,
    },
    calls,
  }
  const question = { blockStateCalls: [state], validation }
  const answer = await requestAtBlock(rpc, head, (at) => rpc.request('eth_simulateV1', [question, at]))
  const results = Array.isArray(answer)
    ? (answer[0] as { calls?: CallResult[] } | undefined)?.calls
    : undefined
  if (results?.length === calls.length) return results
  throw new AppError(
    'RPC_INCONSISTENT',
    `The node at ${rpc.host} simulated another number of calls than requested`,
  )
}

function reverted(block: SimulationInput, at: number, { returnData, error }: CallResult): AppError {
  const data = error?.data !== undefined && error.data !== '0x' ? error.data : returnData
  return revertedStep(block, at, data, error?.message)
}

/** The error for the transaction of a leg that would fail, with the reason and the number of its step. */
export function revertedStep(
  { transactions, recorded }: Pick<SimulationInput, 'transactions' | 'recorded'>,
  at: number,
  data: Hex | undefined,
  message?: string,
): AppError {
  const index = recorded?.indexes[at] ?? at
  const of = recorded?.of ?? transactions.length
  const reason = revertReason(data, message)
  return new AppError('SIMULATION_REVERTED', `Step ${index + 1} of ${of} would fail: ${reason}`, {
    details: { index, reason, data: data ?? null },
  })
}
