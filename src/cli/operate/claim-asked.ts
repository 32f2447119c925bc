import type { StrategyBytecodeInput } from '../../api/bytecode.ts'
import type { Service } from '../../api/service.ts'
import { AppError } from '../../domain/errors.ts'
import { shellOperand } from '../../domain/shell.ts'
import { paysLater } from '../../wallet/guard/ticket.ts'
import type { Cli } from '../cli.ts'

const words = /^(VALIDATION_ERROR|BAD_REQUEST|NOT_FOUND|METHOD_NOT_ALLOWED)$/

/**
 * The transactions of a claim. The specification has none: where a deployment refuses the word itself for a market that
 * pays later, our own engine makes them over the RPCs that sign.
 */
export async function claimAsked(
  { place, notice, service }: Cli,
  ask: StrategyBytecodeInput,
): Promise<Awaited<ReturnType<Service['strategyBytecode']>>> {
  try {
    return await (await service()).strategyBytecode(ask)
  } catch (error) {
    if (!(error instanceof AppError) || !words.test(error.code)) throw error
    const { strategies } = await place.catalog()
    const entry = strategies.find((one) => one.slug === ask.id)
    if (entry && !paysLater(entry) && error.code === 'VALIDATION_ERROR')
      throw new AppError(error.code, error.message, {
        cause: error,
        ...(error.details && { details: error.details }),
        hint: `Leave --claim out: sluice withdraw ${shellOperand(entry.slug)} --amount max`,
      })
    if (!entry || !paysLater(entry) || place.kind !== 'remote' || !place.reference) throw error
    notice('This deployment makes no claims: the engine of this program does, over your RPCs')
    return (await place.reference()).strategyBytecode({ ...ask, id: entry.slug })
  }
}
