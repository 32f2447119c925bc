import type { ChainClient } from '../../chain/chain-client.ts'
import type { ChainSnapshot } from '../../chain/consistent-head.ts'
import type { GasFees } from '../../chain/gas-fees.ts'
import type { Address } from '../../domain/address.ts'
import type { Token, Unit } from '../../domain/token.ts'
import type { Transaction } from '../../domain/transaction-types.ts'

/**
 * The input of a simulation. `tokens`: whose balances are watched; `needs`: what the leg spends; `allowances`: those watched beside
 * the approved ones. `until` (Unix seconds): the latest inclusion time, which is simulated too. `network`: the chain's name for
 * messages. `maxFeePerGas`: the gas price limit in wei; `typedFee`: the part of it that the person typed. `snapshot`: the block and
 * the tips that were just read.
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
}

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
