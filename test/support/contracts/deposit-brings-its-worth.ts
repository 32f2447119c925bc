import { strictTerms } from '../../../src/guard/user-limits-and-exemptions.ts'
import { simulatePlannedLeg } from '../../../src/planning/leg-simulation.ts'
import type { Catalog, StrategyEntry } from '../../../src/protocols/catalog-types.ts'
import { codeOf, engineOn } from '../engine.ts'
import type { TestSandbox } from '../use-sandbox.ts'

/**
 * Tries the deposit of an amount on the contracts as they stand, nothing of which is sent: as what it is, and as one of two hundredths more, which it
 * does not bring. Answers with the code that each is refused with.
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
