import { ask } from '../chain/ask.ts'
import { both, known } from '../chain/call.ts'
import { openChain } from '../chain/network-client.ts'
import type { Cli } from '../cli/command-run-types.ts'
import type { SigningOptions } from '../cli/options/signer-and-safety-options.ts'
import type { AskedAmount } from '../cli/signing-flow/amount-of-balance.ts'
import type { RequestedStrategy } from '../cli/signing-flow/strategy-lookup.ts'
import type { Address } from '../domain/address.ts'
import { amountHelp, formatAmount, shareOfBalance } from '../domain/amount.ts'
import { AppError } from '../domain/errors.ts'
import { networkNamed } from '../domain/networks.ts'
import { sanitizeText } from '../domain/text/terminal-sanitizing.ts'
import type { StoredPlan } from '../guard/stored-plan.ts'
import { marketOf } from '../protocols/registry.ts'

/**
 * The amount of the asset that a share such as `50%` of a position means now, by the contracts of the strategy over this machine's own RPC; what
 * is staked is not in it. A repeated key has the amount of its first run. `undefined` for any other text, and for the whole position;
 * INSUFFICIENT_FUNDS if there is nothing to take.
 */
export async function amountOfPosition(
  cli: Cli,
  text: string | undefined,
  { strategy, wallet }: { strategy: RequestedStrategy; wallet: () => Promise<Address> },
  { idempotencyKey }: Pick<SigningOptions, 'idempotencyKey'>,
): Promise<AskedAmount | undefined> {
  const share = shareOfBalance(text)
  if (share === undefined || share === 10_000n) return undefined
  const asked = text!.trim()
  const { journal, catalog, rpc } = await cli.backend.context()
  const earlier = idempotencyKey === undefined ? undefined : journal.findByIdempotencyKey(idempotencyKey)
  const planned = (earlier?.plan as StoredPlan | undefined)?.intents[0]?.amount
  if (typeof planned === 'string') return { amount: BigInt(planned), asked }
  const entry = catalog.strategies.find(({ slug }) => slug === strategy.slug)
  if (!entry)
    throw new AppError(
      'USAGE',
      `${sanitizeText(strategy.slug)} is not in the catalogue of this version, so name the amount`,
      {
        next: amountHelp(strategy.asset),
      },
    )
  const network = networkNamed(catalog.networks, entry.chainId)
  const owner = await wallet()
  const chain = openChain(network, rpc(entry.chainId))
  const market = marketOf(entry)
  const [shares, staked = 0n] = await ask(
    chain,
    both(market.shares(owner), market.staking?.shares(owner) ?? known(0n)),
  )
  const free = shares === undefined ? undefined : shares - staked
  const held = free === undefined || free === 0n ? free : await ask(chain, market.worth(free))
  if (held === undefined)
    throw new AppError(
      'RPC_INCONSISTENT',
      `The contracts of ${entry.slug} do not state the value of the position`,
    )
  const amount = (held * share) / 10_000n
  const unit = { ...entry.asset, symbol: sanitizeText(entry.asset.symbol) }
  if (amount === 0n)
    throw new AppError('INSUFFICIENT_FUNDS', `${owner} has ${formatAmount(held, unit)} in ${entry.slug}`, {
      details: { symbol: unit.symbol, held: held.toString(), strategy: entry.slug },
    })
  cli.notice(`${asked} of ${formatAmount(held, unit)} in ${entry.slug} is ${formatAmount(amount, unit)}`)
  return { amount, asked }
}
