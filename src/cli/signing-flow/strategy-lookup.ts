import type { Strategy } from '../../api/strategy.ts'
import { sameAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import type { ExecutionContext } from '../../planning/execution-context-types.ts'
import type { StrategyEntry } from '../../protocols/catalog-types.ts'
import type { Cli } from '../command-run-types.ts'

/** The fields of a strategy that a command that signs needs. */
export type RequestedStrategy = Pick<Strategy, 'id' | 'slug' | 'network' | 'chainId' | 'asset'>

/** A strategy by id or slug, where the service is in this process: it has it from the same catalogue. */
export async function catalogStrategy(
  { backend }: Pick<Cli, 'backend'>,
  id: string,
): Promise<StrategyEntry | undefined> {
  if (backend.kind === 'remote') return undefined
  const { strategies } = await backend.catalog()
  return strategies.find(({ slug, ...entry }) => slug === id.toLowerCase() || entry.id === id)
}

/**
 * The strategy of an id. Only a remote service is asked. If the local catalogue knows it, the service may not answer with another strategy or other
 * decimals, because the amount would be another. An operation with the same key needs no service.
 */
export async function requestedStrategy(
  cli: Cli,
  id: string,
  key: string | undefined,
): Promise<RequestedStrategy> {
  const own = await catalogStrategy(cli, id)
  if (own) return own
  const { strategies } = await cli.backend.catalog()
  const named = (name: string) =>
    strategies.find((entry) => entry.slug === name.toLowerCase() || entry.id === name)
  const known = named(id)
  if (known && key !== undefined && isBegun(await cli.backend.context(), key)) return known
  const strategy = await (await cli.service()).getStrategy({ id })
  const given = named(strategy.slug) ?? named(strategy.id)
  if (known && known !== given)
    throw new AppError(
      'POLICY_CONTRACT_NOT_ALLOWED',
      `Requested strategy ${known.slug}, but the service returned ${sanitizeText(strategy.slug)}`,
      { next: 'The service is faulty or malicious. Nothing was signed.' },
    )
  if (!given) return strategy
  const { asset } = given
  if (asset.decimals !== strategy.asset.decimals || !sameAddress(asset.address, strategy.asset.address))
    throw new AppError(
      'POLICY_TOKEN_METADATA',
      `${given.slug} uses ${asset.symbol} ${asset.address} with ${asset.decimals} decimals, but the service names another asset`,
    )
  if (strategy.chainId !== null && strategy.chainId !== given.chainId)
    throw new AppError(
      'POLICY_CHAIN',
      `${given.slug} is on chain ${given.chainId}, but the service says ${strategy.chainId}`,
    )
  return given
}

const isBegun = ({ journal }: ExecutionContext, key: string): boolean =>
  journal.findByIdempotencyKey(key) !== undefined
