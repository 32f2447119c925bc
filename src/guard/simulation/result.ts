import type { Fees } from '../../chain/fees.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import type { Address } from '../../domain/address.ts'
import type { Unit } from '../../domain/amount.ts'
import type { Token } from '../../domain/token.ts'
import type { Transaction } from '../../domain/transaction.ts'

/**
 * What is to be tried. `tokens` are those whose balances are watched; `needs` is what the leg takes from the wallet;
 * `allowances` are those that are watched beside the approved ones. `until`, in Unix seconds, is the latest time at which
 * it may be included: it is tried then, too. `network` is how the chain is called where something lacks there. `maxFeePerGas` is the most that a unit of gas may cost, in wei, and `typedFee` what of that the person typed.
 */
export type SimulationQuestion = {
  rpc: Rpc
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
}

/** Who may take which token. */
export type Allowance = { token: Address; spender: Address }

/**
 * What a leg would do to the wallet, and how that was found out. `gas` are limits that were enough; there are none, and no
 * changes, where nothing could be simulated. `coin` is the change of the native coin, fees included. `behind` is the endpoint that did
 * not have the newest block, for which an older one was taken; `silent` are endpoints that did not answer and are left out, and `endpoints` how many showed this. `dataFee` is what a rollup takes beside the gas, in wei, as it is now; there is none elsewhere, and `null` is not
 * known. `unsaid` is what the market would not say of it beforehand, in words.
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
  fees: Fees
  dataFee?: bigint | null
  unsaid?: string
}
