import { feesAt, readTips } from '../../chain/gas-fees.ts'
import { readHead } from '../../chain/head.ts'
import { readDataFee } from '../../chain/rollup-data-fee.ts'
import { balanceOfToken } from '../../diagnosis/wallet-balances.ts'
import { type Address, nativeAddress, sameAddress } from '../../domain/address.ts'
import { amountHelp, formatAmount, shareOfBalance } from '../../domain/amount.ts'
import { AppError } from '../../domain/errors.ts'
import { type Network, networkNamed } from '../../domain/networks.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { type Token, tokenNamed } from '../../domain/token.ts'
import type { StoredPlan } from '../../guard/stored-plan.ts'
import type { Cli } from '../command-run-types.ts'
import type { SigningOptions } from '../options/signer-and-safety-options.ts'
import type { RequestedStrategy } from './strategy-lookup.ts'

/** The gas that `max` leaves aside for the transactions of a command: units of gas, above what each of them uses. */
export const gasLeftAside = { transfer: 100_000n, deposit: 800_000n, swap: 1_000_000n } as const

/** The calldata of the dearest transaction of a command, in bytes, for the data fee of a rollup. */
const calldataBytes = 1_500

/** An amount as a command and an idempotency key have it: `asked` is the word that was typed, or the amount itself. */
export type AskedAmount = { amount: bigint; asked: string }

/**
 * The amount that `max` or a share such as `50%` means now: a part of what the wallet has, of the coin without the gas, which a notice states. A
 * repeated key has the amount of its first run. `undefined` for any other text; INSUFFICIENT_FUNDS if there is nothing to take.
 */
export async function amountOfBalance(
  cli: Cli,
  text: string | undefined,
  {
    token: tokenOf,
    use,
    wallet,
  }: { token: () => Token | Promise<Token>; use: keyof typeof gasLeftAside; wallet: () => Promise<Address> },
  { idempotencyKey }: Partial<Pick<SigningOptions, 'idempotencyKey'>> = {},
): Promise<AskedAmount | undefined> {
  const share = shareOfBalance(text)
  if (share === undefined) return undefined
  const token = await tokenOf()
  const asked = share === 10_000n ? 'max' : text!.trim()
  const context = await cli.backend.context()
  const earlier =
    idempotencyKey === undefined ? undefined : context.journal.findByIdempotencyKey(idempotencyKey)
  const planned = (earlier?.plan as StoredPlan | undefined)?.about.amounts.in
  if (planned) return { amount: BigInt(planned.raw), asked }
  const rpc = context.rpc(token.chainId)
  const owner = await wallet()
  const isCoin = sameAddress(token.address, nativeAddress)
  const [held, gas] = await Promise.all([
    balanceOfToken(rpc, token, owner),
    isCoin ? gasOf(cli, token.chainId, use) : 0n,
  ])
  const { name } = networkNamed(context.catalog.networks, token.chainId)
  const unit = { ...token, symbol: sanitizeText(token.symbol) }
  const amount = held <= gas ? 0n : ((held - gas) * share) / 10_000n
  if (amount === 0n)
    throw new AppError(
      'INSUFFICIENT_FUNDS',
      `${owner} has ${formatAmount(held, unit)} on ${name}${gas === 0n ? '' : `, and ${formatAmount(gas, unit)} is left aside for gas`}`,
      { details: { symbol: token.symbol, held: held.toString(), network: name } },
    )
  const aside = gas === 0n ? '' : `; ${formatAmount(gas, unit)} is left aside for gas`
  cli.notice(`${asked} of ${formatAmount(held, unit)} on ${name} is ${formatAmount(amount, unit)}${aside}`)
  return { amount, asked }
}

/** What the gas of a command may cost at most at current prices, in wei: twice the price now, and twice the data fee of a rollup. */
async function gasOf(cli: Cli, chainId: number, use: keyof typeof gasLeftAside): Promise<bigint> {
  const rpc = (await cli.backend.context()).rpc(chainId)
  const [head, tips] = await Promise.all([readHead(rpc, chainId), readTips(rpc)])
  const fees = feesAt(head, tips)
  const data = `0x${'ff'.repeat(calldataBytes)}` as const
  const dearest = { to: nativeAddress, data, value: 0n, chainId }
  const gas = gasLeftAside[use]
  const dataFee = await readDataFee(rpc, chainId, [dearest], { nonce: 0, gas: [gas], fees })
  return gas * fees.maxFeePerGas + 2n * (dataFee ?? 0n)
}

/** The token that a deposit takes: the asset of the strategy, on another network the token of its symbol. USAGE if its decimals differ there. */
export async function depositedToken(
  cli: Cli,
  { asset, chainId }: Pick<RequestedStrategy, 'asset' | 'chainId'>,
  origin: Network | undefined,
): Promise<Token> {
  const { networks, tokens } = await cli.backend.catalog()
  if (chainId === null || (origin && origin.chainId !== chainId)) {
    const network = origin ?? networkNamed(networks, chainId ?? '')
    const token = tokenNamed(tokens, network, asset.symbol)
    if (token.decimals === asset.decimals) return token
    throw new AppError('USAGE', `${asset.symbol} has other decimals on ${network.name}, so name the amount`, {
      next: amountHelp(asset),
    })
  }
  return {
    chainId,
    address: asset.address,
    symbol: asset.symbol,
    decimals: asset.decimals,
    name: asset.symbol,
  }
}
