import { AppError } from '../domain/errors.ts'
import { paysLater } from '../wallet/ticket.ts'
import type { AskedStrategy } from './asked-for.ts'
import type { Cli } from './cli.ts'

const words = /^(VALIDATION_ERROR|BAD_REQUEST|NOT_FOUND|METHOD_NOT_ALLOWED)$/

/** The specification has no claims: where a deployment refuses the word itself for a market that pays later, our own engine makes one. */
export async function claimRefused(
  { place }: Cli,
  { slug }: Pick<AskedStrategy, 'slug'>,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof AppError) || place.kind !== 'remote' || !words.test(error.code)) return error
  const { strategies } = await place.catalog()
  const entry = strategies.find((one) => one.slug === slug.toLowerCase())
  if (!entry || !paysLater(entry)) return error
  return new AppError(error.code, `This deployment makes no claims: ${error.message}`, {
    cause: error,
    hint: `The engine of this program makes them over your RPCs: sluice withdraw ${entry.slug} --claim --profile engine`,
  })
}
