import { parseAbi, serializeTransaction } from 'viem/utils'
import type { Address } from '../domain/address.ts'
import type { Transaction } from '../domain/transaction-types.ts'
import { ask } from './ask.ts'
import { type Call, contract } from './call.ts'
import type { ChainClient } from './chain-client.ts'
import type { GasFees } from './gas-fees.ts'

/**
 * The function that returns a rollup's data fee of a transaction, in wei. Source: `viem/op-stack`; the same on Scroll,
 * `@scroll-tech/contracts`.
 */
const dataFeeAbi = parseAbi(['function getL1Fee(bytes _data) view returns (uint256)'])

const opStack: Address = '0x420000000000000000000000000000000000000F'

/**
 * The data fee contract of each chain. Sources: the contract `gasPriceOracle` of `viem/chains`; docs.scroll.io, "Transaction Fees
 * on Scroll". Other chains charge it as gas.
 */
export const dataFeeOracles: ReadonlyMap<number, Address> = new Map([
  ...[10, 130, 8453, 84532, 11155420].map((chainId) => [chainId, opStack] as const),
  [534352, '0x5300000000000000000000000000000000000002'],
])

/** The fields that determine the size of a signed transaction. */
type Form = { nonce: number; gas: bigint; maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }

/** The read of a transaction's data fee. */
export const dataFeeCall = (oracle: Address, transaction: Transaction, form: Form): Call<bigint> =>
  contract(oracle, dataFeeAbi)('getL1Fee', serializeTransaction({ type: 'eip1559', ...transaction, ...form }))

/**
 * The current data fee of transactions beside their gas, in wei, with these gas limits and nonces from `nonce` on. Zero on a chain
 * without one; `null` if the node does not answer.
 */
export async function readDataFee(
  rpc: ChainClient,
  chainId: number,
  transactions: readonly Transaction[],
  { nonce, gas, fees }: { nonce: number; gas: readonly bigint[]; fees: GasFees },
): Promise<bigint | null | undefined> {
  const to = dataFeeOracles.get(chainId)
  if (!to || transactions.length === 0) return undefined
  const said = await ask(
    rpc,
    transactions.map((transaction, at) =>
      dataFeeCall(to, transaction, { ...fees, nonce: nonce + at, gas: gas[at] ?? 0n }),
    ),
  )
  return said.reduce<bigint | null>((sum, fee) => (sum === null || fee === undefined ? null : sum + fee), 0n)
}
