import { encodeFunctionData } from 'viem/utils'

import { decodeApprove, erc20Abi } from '../calls/erc20.ts'
import { type Address, type Hex, nativeAddress, sameAddress } from '../domain/address.ts'
import { formatAmount, type Unit } from '../domain/amount.ts'
import { AppError } from '../domain/errors.ts'
import type { Token } from '../domain/token.ts'
import type { Transaction } from '../domain/transaction.ts'
import { hexQuantity, quantity } from '../net/quantity.ts'
import type { Rpc } from '../net/rpc.ts'
import { currentFees, type Fees, readHead } from './fees.ts'
import { revertReason } from './revert.ts'

/** What is to be tried. `tokens` are those whose balances are watched; `needs` is what the leg takes from the wallet. */
export type SimulationQuestion = {
  rpc: Rpc
  chainId: number
  native: Unit
  wallet: Address
  transactions: readonly Transaction[]
  tokens: readonly Token[]
  needs?: readonly { token: Token; amount: bigint }[]
}

/** What a leg would do to the wallet. `gas` are limits that were enough. */
export type Simulation = {
  blockNumber: bigint
  changes: { token: Token; delta: bigint }[]
  allowances: { token: Address; spender: Address; before: bigint; after: bigint }[]
  gasUsed: bigint[]
  gas: bigint[]
  fees: Fees
}

/** A sender of the reads in the same block, funded by override: nobody's, and it holds nothing. */
const reader: Address = '0x5c1ce00000000000000000000000000000000001'

type CallResult = {
  status: string
  gasUsed: string
  returnData: Hex
  error?: { message?: string; data?: Hex }
}

type Read = { to: Address; data: Hex }
const balanceOf = (token: Address, account: Address): Read => ({
  to: token,
  data: encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [account] }),
})
const allowance = (token: Address, owner: Address, spender: Address): Read => ({
  to: token,
  data: encodeFunctionData({ abi: erc20Abi, functionName: 'allowance', args: [owner, spender] }),
})

const word = (data: unknown, what: string): bigint => {
  if (typeof data !== 'string' || !/^0x[0-9a-f]{64}/i.test(data))
    throw new AppError('RPC_INCONSISTENT', `The node gives no number for ${what}`)
  return BigInt(data.slice(0, 66))
}

/**
 * Runs a leg in one simulated block on top of the newest one, each step on the state that the step before left, with
 * the nonce and fees that would be signed; what it did is read from the tokens themselves, never from logs.
 * Too little of anything is INSUFFICIENT_FUNDS; a step that fails is SIMULATION_REVERTED and says which and why.
 */
export async function simulateLeg(question: SimulationQuestion): Promise<Simulation> {
  const { rpc, chainId, native, wallet, transactions, needs = [] } = question
  const tokens = question.tokens.filter((token) => !sameAddress(token.address, nativeAddress))
  const approvals = approvalsOf(transactions)
  const reads = [
    ...tokens.map((token) => balanceOf(token.address, wallet)),
    ...approvals.map(({ token, spender }) => allowance(token, wallet, spender)),
  ]
  const head = await readHead(rpc, chainId)
  const at = hexQuantity(head.number)
  const [fees, nonce, coin, ...before] = await Promise.all([
    currentFees(rpc, head),
    rpc
      .request('eth_getTransactionCount', [wallet, 'latest'])
      .then((value) => Number(quantity(value, 'the nonce'))),
    rpc.request('eth_getBalance', [wallet, at]).then((value) => quantity(value, 'the balance')),
    ...reads.map((read) =>
      rpc.request('eth_call', [read, at]).then((value) => word(value, 'a token balance')),
    ),
  ] as const)

  const value = transactions.reduce((sum, transaction) => sum + transaction.value, 0n)
  if (value > coin) throw short(wallet, native, coin, value, 'needs')
  for (const { token, amount } of needs) {
    const i = tokens.findIndex((known) => sameAddress(known.address, token.address))
    const held =
      i < 0
        ? word(await rpc.request('eth_call', [balanceOf(token.address, wallet), at]), 'a token balance')
        : before[i]!
    if (held < amount) throw short(wallet, token, held, amount, 'needs')
  }

  const run = async (gas: readonly bigint[] | undefined): Promise<CallResult[]> => {
    const calls = [
      ...transactions.map((transaction, i) => ({
        from: wallet,
        to: transaction.to,
        data: transaction.data,
        value: hexQuantity(transaction.value),
        ...(gas ? { nonce: hexQuantity(nonce + i), gas: hexQuantity(gas[i]!), ...hexFees(fees) } : {}),
      })),
      ...reads.map((read, i) => ({
        from: reader,
        ...read,
        ...(gas ? { nonce: hexQuantity(i), gas: hexQuantity(500_000), ...hexFees(fees) } : {}),
      })),
    ]
    const answer = await rpc.request('eth_simulateV1', [
      {
        blockStateCalls: [
          {
            stateOverrides: { [reader]: { balance: hexQuantity(10n ** 24n) } },
            ...(gas ? { blockOverrides: { time: hexQuantity(head.timestamp + 1) } } : {}),
            calls,
          },
        ],
        validation: gas !== undefined,
      },
      at,
    ])
    const results = Array.isArray(answer)
      ? (answer[0] as { calls?: CallResult[] } | undefined)?.calls
      : undefined
    if (results?.length !== calls.length)
      throw new AppError('RPC_INCONSISTENT', `The node at ${rpc.host} simulates another number of calls`)
    for (const [i] of transactions.entries())
      if (results[i]!.status !== '0x1') throw reverted(results[i]!, i, transactions.length)
    return results
  }

  const estimate = await run(undefined)
  const gas = transactions.map((_, i) => limitFor(quantity(estimate[i]!.gasUsed, 'the gas used')))
  const cost = gas.reduce((sum, limit) => sum + limit, 0n) * fees.maxFeePerGas
  if (value + cost > coin) throw short(wallet, native, coin, value + cost, 'needs, gas included,')
  const results = await run(gas)
  const after = reads.map((_, i) => word(results[transactions.length + i]!.returnData, 'a token balance'))
  return {
    blockNumber: head.number,
    changes: tokens.map((token, i) => ({ token, delta: after[i]! - before[i]! })),
    allowances: approvals.map((approval, i) => ({
      ...approval,
      before: before[tokens.length + i]!,
      after: after[tokens.length + i]!,
    })),
    gasUsed: transactions.map((_, i) => quantity(results[i]!.gasUsed, 'the gas used')),
    gas,
    fees,
  }
}

/**
 * A gas limit that is enough for what used this much: up to a fifth of the use is refunded only at the end (EIP-3529),
 * and each level of calls keeps a 64th back (EIP-150).
 */
const limitFor = (gasUsed: bigint): bigint => (gasUsed * 7n) / 4n

const hexFees = ({ maxFeePerGas, maxPriorityFeePerGas }: Fees) => ({
  maxFeePerGas: hexQuantity(maxFeePerGas),
  maxPriorityFeePerGas: hexQuantity(maxPriorityFeePerGas),
})

function approvalsOf(transactions: readonly Transaction[]): { token: Address; spender: Address }[] {
  const found = new Map<string, { token: Address; spender: Address }>()
  for (const { to, data } of transactions) {
    const approval = decodeApprove(data)
    if (approval)
      found.set(`${to} ${approval.spender}`.toLowerCase(), { token: to, spender: approval.spender })
  }
  return [...found.values()]
}

const short = (wallet: Address, unit: Unit, held: bigint, needed: bigint, verb: string): AppError =>
  new AppError(
    'INSUFFICIENT_FUNDS',
    `${wallet} has ${formatAmount(held, unit)} and ${verb} ${formatAmount(needed, unit)}`,
    { details: { symbol: unit.symbol, held: held.toString(), needed: needed.toString() } },
  )

function reverted({ returnData, error }: CallResult, index: number, of: number): AppError {
  const data = error?.data !== undefined && error.data !== '0x' ? error.data : returnData
  const reason = revertReason(data, error?.message)
  return new AppError('SIMULATION_REVERTED', `Step ${index + 1} of ${of} would fail: ${reason}`, {
    details: { index, reason, data: data ?? null },
  })
}
