import type { StrategyBytecode, StrategyBytecodeInput } from '../api/bytecode.ts'
import { AppError } from '../domain/errors.ts'
import { shellOperand } from '../domain/shell.ts'
import type { Cli } from './cli.ts'

/**
 * The transactions of a deposit. What takes no deposits now and is not paused is still among those that are not: the next step is to look what
 * it takes then.
 */
export async function depositAsked({ service }: Cli, ask: StrategyBytecodeInput): Promise<StrategyBytecode> {
  try {
    return await (await service()).strategyBytecode(ask)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'STRATEGY_PAUSED') throw error
    const { paused, actions } = await (await service()).getStrategy({ id: ask.id }).catch(() => {
      throw error
    })
    if (paused !== false || actions?.includes('lend')) throw error
    throw new AppError(error.code, error.message, {
      cause: error,
      ...(error.details && { details: error.details }),
      hint: `What it takes now: sluice strategies show ${shellOperand(ask.id)}`,
    })
  }
}
