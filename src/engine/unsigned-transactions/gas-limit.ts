import { z } from 'zod'
import type { Chain } from '../../chain/network-client.ts'
import { quantity } from '../../chain/rpc/quantities.ts'
import type { Address, Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import type { Transaction } from '../../domain/transaction-types.ts'

/** The gas limit of a transaction; `null` if it cannot be estimated, with the reason. */
type GasLimit = { gasLimit: bigint | null; gasLimitReason: string | null }

/**
 * Estimates the gas limit of the last transaction. Alone, it is the node's estimate plus a quarter. After others, all
 * are simulated in one block, and it is the gas used plus three quarters: up to a fifth is refunded only at the end
 * (EIP-3529), and a call keeps back a 64th.
 */
export async function estimateGasLimit(
  { rpc, network }: Chain,
  from: Address,
  transactions: readonly Transaction[],
): Promise<GasLimit> {
  const calls = transactions.map(({ to, data, value }) => ({
    from,
    to,
    data,
    value: `0x${value.toString(16)}`,
  }))
  try {
    if (calls.length === 1) {
      const estimate = await rpc.request<Hex>('eth_estimateGas', calls)
      return { gasLimit: (quantity(estimate, 'gas') * 5n) / 4n, gasLimitReason: null }
    }
    const question = { blockStateCalls: [{ calls }], validation: false }
    const answer = await rpc.request<unknown>('eth_simulateV1', [question, 'latest'])
    const ran = SimulationAnswer.safeParse(answer).data?.[0]?.calls ?? []
    const failed = ran.find(({ status }) => status !== '0x1')
    if (failed || ran.length !== calls.length)
      return noEstimate(failed?.error?.message ?? 'the simulation failed')
    return { gasLimit: (quantity(ran.at(-1)!.gasUsed, 'gas') * 7n) / 4n, gasLimitReason: null }
  } catch (error) {
    if (!(error instanceof AppError && error.code.startsWith('RPC_'))) throw error
    return noEstimate(`${network.name}: ${error.message}`)
  }
}

const SimulationAnswer = z.array(
  z.object({
    calls: z.array(
      z.object({
        status: z.unknown(),
        gasUsed: z.unknown(),
        error: z.object({ message: z.string() }).optional().catch(undefined),
      }),
    ),
  }),
)

const noEstimate = (why: string): GasLimit => ({
  gasLimit: null,
  gasLimitReason: `Gas could not be estimated: ${sanitizeText(why)}`,
})
