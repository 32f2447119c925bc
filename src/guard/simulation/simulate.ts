import { setTimeout as sleep } from 'node:timers/promises'
import type { ChainClient } from '../../chain/chain-client.ts'
import {
  askBothNodes,
  type ChainSnapshot,
  type ConsistentHead,
  commonHead,
  lacksTransactions,
} from '../../chain/consistent-head.ts'
import { decodeApprove } from '../../chain/erc20.ts'
import type { GasFees } from '../../chain/gas-fees.ts'
import { decodeApproveThrough } from '../../chain/permit2.ts'
import { refuseExcessiveGas } from '../../chain/refuse-excessive-gas.ts'
import { readDataFee } from '../../chain/rollup-data-fee.ts'
import { isHttpRefusal, isUnsupportedMethod } from '../../chain/rpc/errors.ts'
import { retryDelays, retryingClient } from '../../chain/rpc/retry-unknown-block.ts'
import { type Address, nativeAddress, sameAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import type { Token, Unit } from '../../domain/token.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import {
  newProbeAccounts,
  type SignedAs,
  type SimulationInput,
  type SimulationOutcome,
  simulateBlock,
} from './block-simulation.ts'
import { simulateByEthCall } from './eth-call-simulation.ts'
import { refuseCodeChange, refuseGrantedAuthority } from './granted-authority.ts'
import { insufficientFunds, readWalletState, type WalletState } from './wallet-state-before-simulation.ts'

/**
 * The input of a simulation. `tokens`: whose balances are watched; `needs`: what the leg spends; `allowances`: those watched beside
 * the approved ones. `until` (Unix seconds): the latest inclusion time, which is simulated too. `network`: the chain's name for
 * messages. `maxFeePerGas`: the gas price limit in wei; `typedFee`: the part of it that the person typed. `snapshot`: the block and
 * the tips that were just read. `recorded`: which steps of an operation the transactions are, if it is in the journal already.
 */
export type SimulationQuestion = {
  rpc: ChainClient
  chainId: number
  network?: string
  native: Unit
  wallet: Address
  transactions: readonly Transaction[]
  tokens: readonly Token[]
  needs?: readonly { token: Token; amount: bigint }[]
  allowances?: readonly Allowance[]
  until?: number
  maxFeePerGas?: bigint | null
  typedFee?: bigint | null
  snapshot?: ChainSnapshot | undefined
  recorded?: RecordedSteps | undefined
}

/** The index of each transaction among the `of` steps of an operation. */
export type RecordedSteps = { indexes: readonly number[]; of: number }

/** An allowance of a spender for a token. */
export type Allowance = { token: Address; spender: Address }

/**
 * A leg's effects on the wallet, and how they were found. `gas`: sufficient limits; empty, like `changes`, if nothing could be
 * simulated. `coin`: the change of the native coin, fees included. `behind`: a node without the newest block, for which an
 * older one was used; `silent`: nodes without an answer; `endpoints`: how many agreed. `dataFee`: the current data fee of a
 * rollup in wei; missing elsewhere, `null` if unknown. `unsaid`: a note on what the market does not quote.
 */
export type Simulation = {
  how: 'eth_simulateV1' | 'eth_call' | 'unavailable'
  blockNumber: bigint
  behind: { host: string; blocks: number } | null
  silent: readonly string[]
  endpoints: number
  nonce: number
  changes: { token: Token; before: bigint; delta: bigint }[]
  allowances: { token: Address; spender: Address; before: bigint; after: bigint }[]
  coin: bigint
  gasUsed: bigint[]
  gas: bigint[]
  fees: GasFees
  dataFee?: bigint | null
  unsaid?: string
}

const textOf = (outcome: SimulationOutcome): string =>
  JSON.stringify(outcome, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value))

/**
 * Simulates a leg in one block on the newest one, each step on the previous state, with the nonce and fees that would be signed.
 * Effects are read from the tokens, never from logs, by accounts that no contract can know. INSUFFICIENT_FUNDS if something is
 * missing; SIMULATION_REVERTED with step and reason if one fails; POLICY_SIMULATION for unrequested authority. If another node
 * is slightly behind, the newest shared block is used, and a failure is retried on the newest one.
 */
export async function simulateLeg(asked: SimulationQuestion): Promise<Simulation> {
  const tokens = asked.tokens.filter((token) => !sameAddress(token.address, nativeAddress))
  const rpc = retryingClient(asked.rpc)
  const question = { ...asked, rpc, tokens, allowances: watchedAllowances(asked) }
  let common = asked.snapshot?.common ?? (await commonHead(rpc, asked))
  let { snapshot } = asked
  for (let tried = 0, isLast = false; ; ) {
    try {
      return await simulateOn({ ...question, snapshot }, common)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const pause = retryDelays[tried]
      if (lacksTransactions(error) && pause !== undefined) {
        tried++
        await sleep(pause)
        common = await commonHead(rpc, asked)
      } else {
        // The missing funds may just have arrived, or a snapshot may be some seconds old.
        const isEarly = error.code === 'INSUFFICIENT_FUNDS' || error.code === 'SIMULATION_REVERTED'
        if (isLast || !isEarly || !(common.behind || snapshot)) throw error
        isLast = true
        const later = await commonHead(rpc, asked, common.newest).catch(() => undefined)
        if (!later || later.head.hash === common.head.hash) throw error
        common = later
      }
      snapshot = undefined
    }
  }
}

async function simulateOn(
  question: SimulationQuestion & { allowances: readonly Allowance[] },
  common: ConsistentHead,
): Promise<Simulation> {
  const { head, second, behind, silent } = common
  const { timestamp } = head
  const block: SimulationInput = { ...question, head }
  // What the gas is does not depend on the wallet's state: it is asked beside it.
  const estimating = simulateBlock(block, undefined, timestamp + 1)
  estimating.catch(() => undefined)
  const before = await readWalletState(question, common)
  const { fees } = before
  const { typedFee = null } = question
  // A fee that the signer will refuse is not a lack of funds.
  refuseExcessiveGas({ gas: 0n, ...fees }, typedFee)
  const value = question.transactions.reduce((sum, transaction) => sum + transaction.value, 0n)
  if (value > before.coin) throw short(question, before.coin, value, 'needs')
  try {
    const estimate = await estimating
    const gas = estimate.gasUsed.map(gasLimitFor)
    for (const limit of gas) refuseExcessiveGas({ gas: limit, ...fees }, typedFee)
    const signed: SignedAs = { ...before, gas }
    const strangers = newProbeAccounts()
    const { until } = question
    // Now on both nodes, at the deadline, and what a rollup charges beside the gas: side by side, each told in its turn.
    const asking = {
      dataFee: readDataFee(question.rpc, question.chainId, question.transactions, signed),
      now: askBothNodes(
        question.rpc,
        second,
        (node) => simulateBlock({ ...block, rpc: node }, signed, timestamp + 1, strangers),
        textOf,
      ),
      late: until !== undefined && until > timestamp + 1 ? simulateBlock(block, signed, until) : undefined,
    }
    for (const one of Object.values(asking)) one?.catch(() => undefined)
    const dataFee = await asking.dataFee
    const cost = gas.reduce((sum, limit) => sum + limit, 0n) * fees.maxFeePerGas + (dataFee ?? 0n)
    if (value + cost > before.coin) throw short(question, before.coin, value + cost, 'needs, gas included,')
    const agreed = await asking.now
    const outcome = agreed.answer
    checkOutcome(question, before, outcome)
    const late = await asking.late
    if (late) checkOutcome(question, before, late)
    // After a failover the second node may have been asked twice.
    const isOfTwo = second && agreed.silent === undefined && question.rpc.endpoint === common.endpoint
    const costs = { gas, ...(dataFee !== undefined && { dataFee }) }
    return {
      how: 'eth_simulateV1',
      ...read(question, before, outcome),
      ...costs,
      behind,
      silent: agreed.silent === undefined ? silent : [...silent, agreed.silent],
      endpoints: isOfTwo ? 2 : 1,
    }
  } catch (error) {
    // A gateway may refuse this one call with an error page while its node answers others.
    if (!isUnsupportedMethod(error) && !isHttpRefusal(error)) throw error
    return { ...(await simulateByEthCall(block, before)), gas: [], behind, silent, endpoints: 1 }
  }
}

/** Checks an outcome by itself: no authority over the wallet was granted, and its code is unchanged. */
function checkOutcome(
  { wallet, allowances, transactions }: Pick<SimulationInput, 'wallet' | 'allowances' | 'transactions'>,
  before: WalletState,
  outcome: SimulationOutcome,
): void {
  refuseGrantedAuthority(outcome.logs, wallet, [...allowances, ...permitsIn(transactions)])
  refuseCodeChange(before.codeHash, outcome.codeHash, wallet)
  const paid = outcome.gasUsed.reduce((sum, used) => sum + used, 0n) * before.fees.maxFeePerGas
  const most = outcome.value + paid
  if (outcome.coin - before.coin >= -most) return
  throw new AppError(
    'POLICY_SIMULATION',
    'In the simulation, more of the native coin is taken than value and gas',
  )
}

const read = (
  { tokens, allowances }: Pick<SimulationInput, 'tokens' | 'allowances'>,
  before: WalletState,
  outcome: SimulationOutcome,
): Omit<Simulation, 'how' | 'gas' | 'behind' | 'silent' | 'endpoints'> => ({
  blockNumber: before.head.number,
  nonce: before.nonce,
  changes: tokens.map((token, i) => ({
    token,
    before: before.balances[i]!,
    delta: outcome.balances[i]! - before.balances[i]!,
  })),
  allowances: allowances.map((allowance, i) => ({
    ...allowance,
    before: before.allowed[i]!,
    after: outcome.allowed[i]!,
  })),
  coin: outcome.coin - before.coin,
  gasUsed: outcome.gasUsed,
  fees: before.fees,
})

/**
 * A sufficient gas limit for a used amount: up to a fifth is refunded at the end (EIP-3529), and each call level holds back a 64th
 * (EIP-150).
 */
export const gasLimitFor = (gasUsed: bigint): bigint => (gasUsed * 7n) / 4n

/** The allowances that the leg gives, and the named ones. */
function watchedAllowances({ transactions, allowances = [] }: SimulationQuestion): Allowance[] {
  const given = transactions.flatMap(({ to, data }) => {
    const approval = decodeApprove(data)
    return approval ? [{ token: to, spender: approval.spender }] : []
  })
  return [
    ...new Map(
      [...given, ...allowances].map((one) => [`${one.token} ${one.spender}`.toLowerCase(), one] as const),
    ).values(),
  ]
}

/** The approvals at Permit2 among transactions, which the guard has compared with the action. */
const permitsIn = (transactions: SimulationInput['transactions']) =>
  transactions.flatMap(({ to, data }) => {
    const permit = decodeApproveThrough(data)
    return permit ? [{ ...permit, permit2: to }] : []
  })

const short = (
  { wallet, native: unit, network }: SimulationQuestion,
  held: bigint,
  needed: bigint,
  verb: string,
): AppError => insufficientFunds({ wallet, unit, network, held, needed, verb })
