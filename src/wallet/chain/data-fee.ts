import { dataFeeCall, dataFeeOracles } from '../../calls/data-fee.ts'
import type { Transaction } from '../../domain/transaction.ts'
import type { Rpc } from '../../net/rpc.ts'
import { eachRead } from './each-read.ts'
import type { Fees } from './fees.ts'

/**
 * What a rollup takes for the data of transactions beside their gas, by what it costs now, in wei: with these gas limits, and nonces from `nonce` on.
 * Nothing on a chain that takes none; `null` where the node does not say how much.
 */
export async function dataFeeOf(
  rpc: Rpc,
  chainId: number,
  transactions: readonly Transaction[],
  { nonce, gas, fees }: { nonce: number; gas: readonly bigint[]; fees: Fees },
): Promise<bigint | null | undefined> {
  const to = dataFeeOracles.get(chainId)
  if (!to || transactions.length === 0) return undefined
  const said = await eachRead(
    rpc,
    transactions.map((transaction, at) => ({
      to,
      data: dataFeeCall(transaction, { ...fees, nonce: nonce + at, gas: gas[at] ?? 0n }),
    })),
  )
  return said.reduce<bigint | null>((sum, fee) => (sum === null || fee === undefined ? null : sum + fee), 0n)
}
