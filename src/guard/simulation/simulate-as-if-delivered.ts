import { ask } from '../../chain/ask.ts'
import { encodeCall } from '../../chain/call.ts'
import type { ChainClient } from '../../chain/chain-client.ts'
import type { Head } from '../../chain/head.ts'
import { revertReason } from '../../chain/reverts/reason.ts'
import { isHttpRefusal } from '../../chain/rpc/errors.ts'
import { hexQuantity, quantity } from '../../chain/rpc/quantities.ts'
import { requestAtBlock } from '../../chain/rpc/request-at-block.ts'
import type { Address, Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import type { Token } from '../../domain/token.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import { mintCall, minterCall } from '../../swaps/cctp-v2/simulated-mint.ts'
import { gasLimitFor } from './simulate.ts'
import { balanceRead, firstWord } from './wallet-state-before-simulation.ts'

/**
 * A leg that waits for a bridge delivery: `amount` of `token`, minted by the bridge of `messenger`; `receipt` is what it should
 * bring.
 */
type LaterQuestion = {
  rpc: ChainClient
  head: Head
  network: string
  wallet: Address
  transactions: readonly Transaction[]
  token: Address
  amount: bigint
  messenger: Address
  receipt: Token
}

/** The result of simulating a leg before its funds arrive: sufficient gas limits, and the receipt balance before and after. */
export type LaterLegSimulation = { gas: bigint[]; before: bigint; after: bigint }

type CallResult = {
  status: string
  gasUsed: string
  returnData: Hex
  error?: { message?: string; data?: Hex }
}

/**
 * Simulates a leg as if the bridge had delivered: in one block the bridge's minter mints to the wallet, and the leg follows. The
 * wallet needs no coin. `undefined` if the node cannot simulate it or mints nothing; SIMULATION_REVERTED if a step fails. It is not
 * relied on later: the leg is simulated again in full once the funds are there.
 */
export async function simulateLater(question: LaterQuestion): Promise<LaterLegSimulation | undefined> {
  const { rpc, head, network, wallet, transactions, token, amount, messenger, receipt } = question
  const givers = [...(await minterOf(rpc, messenger)), messenger]
  const reading = { from: wallet, ...encodeCall(balanceRead(receipt, wallet)) }
  const calls = [
    ...givers.map((from) => ({ from, ...mintCall(token, wallet, amount) })),
    reading,
    ...transactions.map(({ to, data, value }) => ({ from: wallet, to, data, value: hexQuantity(value) })),
    reading,
  ]
  const results = await simulated(rpc, head, calls)
  if (results?.length !== calls.length) return undefined
  if (!results.slice(0, givers.length).some(isWell)) return undefined
  const [first, ...rest] = results.slice(givers.length)
  const [last, ...steps] = [rest.at(-1), ...rest.slice(0, -1)]
  const failed = steps.findIndex((step) => !isWell(step))
  if (failed >= 0) {
    const { error, returnData } = steps[failed]!
    const data = error?.data !== undefined && error.data !== '0x' ? error.data : returnData
    const reason = revertReason(data, error?.message)
    throw new AppError(
      'SIMULATION_REVERTED',
      `After the bridge delivers the funds on ${network}, step ${failed + 1} of ${steps.length} there would fail: ${reason}`,
      { details: { index: failed, reason, data } },
    )
  }
  return {
    gas: steps.map(({ gasUsed }) => gasLimitFor(quantity(gasUsed, 'the gas used'))),
    before: firstWord(first?.returnData, 'a token balance'),
    after: firstWord(last?.returnData, 'a token balance'),
  }
}

const isWell = ({ status }: CallResult): boolean => status === '0x1'

/** The minter of the bridge; `undefined` if unknown. */
async function minterOf(rpc: ChainClient, messenger: Address): Promise<Address[]> {
  const minter = await unlessRefused(ask(rpc, minterCall(messenger)))
  return minter === undefined ? [] : [minter]
}

async function simulated(
  rpc: ChainClient,
  head: Head,
  calls: readonly object[],
): Promise<CallResult[] | undefined> {
  const question = { blockStateCalls: [{ calls }], validation: false }
  const answer = await unlessRefused(
    requestAtBlock(rpc, head, (at) => rpc.request('eth_simulateV1', [question, at])),
  )
  return Array.isArray(answer) ? (answer[0] as { calls?: CallResult[] } | undefined)?.calls : undefined
}

/** A node's answer; `undefined` if it refuses. */
const unlessRefused = <T>(work: Promise<T>): Promise<T | undefined> =>
  work.catch((error: unknown) => {
    if ((error instanceof AppError && error.code === 'RPC_ERROR') || isHttpRefusal(error)) return undefined
    throw error
  })
