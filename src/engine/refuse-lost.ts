import type { Address } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import { whyLost } from '../domain/lost.ts'
import type { Context } from './context.ts'

/** What a swap brings is paid to nobody from whom it would never come back. */
export function refuseLost(
  { catalog }: Pick<Context, 'catalog'>,
  chainId: number,
  to: Address | null | undefined,
  who = 'recipient',
): void {
  const lost = to && whyLost(catalog, chainId, to)
  if (lost)
    throw new AppError('INVALID_ADDRESS', `The ${who} is ${lost}: what is sent there is lost`, {
      hint: 'Name an address that somebody has the key of.',
    })
}
