import { strictTerms } from '../../../src/guard/user-limits-and-exemptions.ts'
import { simulatePlannedLeg } from '../../../src/planning/leg-simulation.ts'
import type { Catalog, StrategyEntry } from '../../../src/protocols/catalog-types.ts'
import { codeOf, engineOn } from '../engine.ts'
import type { TestSandbox } from '../use-sandbox.ts'

/**
 * Simulates the calldata of a deposit against two intents, without sending it: one for its amount, and one for an amount 2 percent
 * higher. Returns the error code of each simulation.
 */
export async function deposited(
  sandbox: TestSandbox,
  { catalog, entry, amount }: { catalog: Catalog; entry: StrategyEntry; amount: bigint },
): Promise<{ whole: string | undefined; part: string | undefined }> {
  const { chainId, slug } = entry
  const { address: wallet } = sandbox.user
  const { service } = engineOn(sandbox, { catalog })
  const { bytecode } = await service.strategyBytecode({ id: slug, action: 'lend', amount, wallet })
  const ground = { rpc: (id: number) => sandbox.chain(id).rpc, catalog }
  const tried = (wanted: bigint) => {
    const intent = { kind: 'deposit', wallet, strategy: entry, amount: wanted } as const
    return codeOf(simulatePlannedLeg(ground, { chainId, intent, transactions: bytecode }, strictTerms))
  }
  return { whole: await tried(amount), part: await tried((amount * 51n) / 50n) }
}
