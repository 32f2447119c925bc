import { AppError } from '../domain/errors.ts'
import { didYouMean } from '../domain/nearest.ts'
import type { Globals } from './globals.ts'
import type { Place, World } from './world.ts'

type Needs = { place: Pick<Place, 'catalog' | 'kind'>; world: Pick<World, 'completions'>; globals: Globals }

/**
 * A failure to find a strategy, with the one that was probably meant: out of the catalogue and of the last list that was shown, both of this machine.
 * Other failures come back as they are.
 */
export async function meant(cli: Needs, error: unknown, command: string, typed: unknown): Promise<unknown> {
  if (!(error instanceof AppError) || error.code !== 'STRATEGY_NOT_FOUND' || typeof typed !== 'string')
    return error
  const guess = didYouMean(typed, await knownTo(cli, command))
  const { code, message, details, hint } = error
  return new AppError(code, `${message}${guess}`, {
    cause: error,
    ...(details && { details }),
    ...(hint !== undefined && { hint }),
  })
}

/** What may stand there: assets and categories for a recommendation, ids and slugs otherwise. Where even that fails, nothing is guessed. */
async function knownTo({ place, world, globals }: Needs, command: string): Promise<string[]> {
  try {
    // Our own catalogue says nothing of what another deployment has.
    const strategies = place.kind === 'remote' ? [] : (await place.catalog()).strategies
    if (command === 'recommend')
      return [...strategies.map(({ asset }) => asset.symbol), ...strategies.map(({ category }) => category)]
    const given = globals.profile === undefined ? {} : { '--profile': globals.profile }
    const seen =
      (await (await world.completions())({ command: 'deposit', name: '<id>', given, before: [] })) ?? []
    return [...strategies.flatMap(({ slug, id }) => [slug, id]), ...seen.map(([slug]) => slug)]
  } catch (error) {
    // What was not found is the failure, not what could not be guessed.
    if (error instanceof AppError) return []
    throw error
  }
}
