import type { Cli } from '../../cli/command-run-types.ts'
import type { List } from '../../cli/output/view-types.ts'
import type { positionJson } from '../../cli/views/json-documents.ts'
import type { Report } from '../../diagnosis/report-from-journal.ts'
import type { Address } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import { AppError } from '../../domain/errors.ts'
import { tokenNamed } from '../../domain/token.ts'
import type { StrategyEntry } from '../../protocols/catalog-types.ts'
import { isNearlyEqual, isSameRate, netTransferred, rawChain } from './checks-without-engine.ts'

/** Prints a check of the chain; a failed one ends the demo. */
export type Check = (result: never, holds: (claim: string, holds: boolean) => void) => Promise<void> | void

/** Runs a command of the demo and checks its effects. */
export type Play = {
  cli: Cli
  /** The sandbox's own account, which signs. */
  me: Address
  run: <result>(title: string, command: string, check?: Check) => Promise<result>
}

/** A transaction that the demo sent or received. */
export type Sent = { chainId: number; hash: string }

type Shown = { slug: string; apy: number | null }
type Recommended = { strategy: Shown }
type Positions = { positions: ReturnType<typeof positionJson>[] }

/** The main job, step by step. Gives back every transaction that touched the wallet. */
export async function steps({ cli, me, run }: Play): Promise<Sent[]> {
  const catalog = await cli.backend.catalog()
  const chain = rawChain(cli.backend)
  const one = catalog.networks[0]!
  const two = catalog.networks[1]!
  const [usdc, weth, usdcTwo] = [
    tokenNamed(catalog.tokens, one, 'USDC'),
    tokenNamed(catalog.tokens, one, 'WETH'),
    tokenNamed(catalog.tokens, two, 'USDC'),
  ]
  const sent: Sent[] = []
  const keep = (report: Report) => {
    sent.push(...report.transactions.map(({ chainId, hash }) => ({ chainId, hash: hash! })))
    if (report.destinationTxHash) sent.push({ chainId: two.chainId, hash: report.destinationTxHash })
  }
  const entry = (slug: string): StrategyEntry => {
    const found = catalog.strategies.find((strategy) => strategy.slug === slug)
    if (!found) throw new AppError('DEMO_FAILED', `The sandbox has no strategy ${slug}`)
    return found
  }
  const first = entry('aave-v3-usdc-sandbox-one')
  const held = (strategy: StrategyEntry) => chain.balance(strategy.receipt, me)

  const reserves = catalog.strategies.filter(({ constants }) => constants.family === 'aave-v3')
  const rateOf = ({ chainId, constants, asset }: StrategyEntry) =>
    constants.family === 'aave-v3'
      ? chain.supplyApy(chainId, constants.pool, asset.address)
      : Promise.resolve(Number.NaN)
  await run<List<Shown>>('List strategies', 'strategies list', async ({ items }: List<Shown>, holds) => {
    const shown = items.filter(({ slug }) => reserves.some((reserve) => reserve.slug === slug))
    const rates = await Promise.all(shown.map(({ slug }) => rateOf(entry(slug))))
    holds(
      `the ${shown.length} Aave v3 rates shown match the pools`,
      shown.length > 0 && shown.every(({ apy }, at) => isSameRate(apy, rates[at]!)),
    )
  })
  await run<Recommended>(
    'Find the best strategy for USDC',
    'yield recommend USDC',
    async ({ strategy }: Recommended, holds) => {
      const rates = await Promise.all(reserves.filter(({ asset }) => asset.symbol === 'USDC').map(rateOf))
      holds('no USDC reserve in any pool pays more', isSameRate(strategy.apy, Math.max(...rates)))
    },
  )

  const [usdcBefore, heldBefore] = [await chain.balance(usdc, me), await held(first)]
  const deposit = await run<Report>(
    'Deposit 100 USDC into Aave v3 on the first chain',
    'deposit aave-v3-usdc-sandbox-one --amount 100 --yes',
    async (_, holds) => {
      holds('the wallet has 100 USDC less', usdcBefore - (await chain.balance(usdc, me)) === 100_000000n)
      holds('and holds 100 aUSDC more', (await held(first)) - heldBefore >= 100_000000n - 2n)
    },
  )
  keep(deposit)
  const clocks = () => Promise.all([one, two].map(({ chainId }) => chain.time(chainId)))
  const timeBefore = await clocks()
  await run('Move the clocks forward by thirty days', 'sandbox warp 30d', async (_, holds) => {
    const timeAfter = await clocks()
    holds(
      'the newest block of both chains is thirty days later',
      timeAfter.every((time, at) => time - timeBefore[at]! >= 30 * 86_400),
    )
  })
  await run<Positions>(
    'Show the positions of the wallet',
    'wallet show',
    async (result: Positions, holds) => {
      const position = result.positions.find(({ strategy }) => strategy.slug === first.slug)
      const balance = await held(first)
      holds(
        `the aToken balance shown matches the chain: ${formatAmount(balance, first.asset)}`,
        isNearlyEqual(BigInt(position?.balance?.raw ?? 0), balance),
      )
    },
  )
  await run<List<{ txHash: string }>>(
    'Show the history of the position',
    'history aave-v3-usdc-sandbox-one',
    async ({ items }: List<{ txHash: string }>, holds) => {
      const receipt = await chain.receipt(one.chainId, items[0]?.txHash ?? '')
      const isOurs = items[0]?.txHash === deposit.transactions.at(-1)?.hash
      holds(
        'the newest entry is the deposit, whose receipt moved 100 USDC',
        isOurs && netTransferred(receipt, usdc.address, me) === -100_000000n,
      )
    },
  )

  const [wethBefore, paidBefore] = [await chain.balance(weth, me), await chain.balance(usdc, me)]
  keep(
    await run<Report>(
      'Swap 100 USDC for WETH on one chain',
      'swap execute --from sandbox-one --token-in USDC --token-out WETH --amount-in 100 --yes',
      async (report: Report, holds) => {
        const [got, paid] = [
          (await chain.balance(weth, me)) - wethBefore,
          paidBefore - (await chain.balance(usdc, me)),
        ]
        holds(
          `100 USDC went out and ${formatAmount(got, weth)} came in, exactly as quoted`,
          paid === 100_000000n && got.toString() === report.amounts.out?.raw,
        )
      },
    ),
  )

  const arrivedBefore = await chain.balance(usdcTwo, me)
  const bridged = await run<Report>(
    'Move 50 USDC to the other chain',
    'swap execute --from sandbox-one --to sandbox-two --token-in USDC --token-out USDC --amount-in 50 --yes',
    async (report: Report, holds) => {
      const got = (await chain.balance(usdcTwo, me)) - arrivedBefore
      holds(
        `${formatAmount(got, usdcTwo)} arrived on ${two.name}, exactly as quoted`,
        got.toString() === report.amounts.out?.raw,
      )
    },
  )
  keep(bridged)
  await run<{ destinationTxHash: string }>(
    'Show the status of the swap',
    `swap status ${bridged.id} --watch`,
    async (status: { destinationTxHash: string | null }, holds) => {
      const receipt = await chain.receipt(two.chainId, status.destinationTxHash ?? '')
      holds(
        `the destination transaction minted ${formatAmount(netTransferred(receipt, usdcTwo.address, me), usdcTwo)} to the wallet`,
        netTransferred(receipt, usdcTwo.address, me) > 0n,
      )
    },
  )

  const second = entry('aave-v3-usdc-sandbox-two')
  const secondBefore = await held(second)
  keep(
    await run<Report>(
      'Deposit on the second chain with funds from the first: bridge, then deposit',
      'deposit aave-v3-usdc-sandbox-two --amount 25 --from sandbox-one --yes',
      async (_, holds) => {
        const got = (await held(second)) - secondBefore
        holds(`${formatAmount(got, second.asset)} are in Aave v3 on ${two.name}`, got >= 24_997500n - 2n)
      },
    ),
  )
  for (const strategy of [first, second])
    keep(
      await run<Report>(
        `Withdraw everything on ${strategy.network}`,
        `withdraw ${strategy.slug} --amount max --yes`,
        async (_, holds) => {
          holds('the position is empty, without dust', (await held(strategy)) === 0n)
        },
      ),
    )
  await run<Report>(
    'Show the first deposit',
    `action show ${deposit.id}`,
    async ({ transactions }: Report, holds) => {
      const receipts = await Promise.all(
        transactions.map(({ chainId, hash }) => chain.receipt(chainId, hash ?? '')),
      )
      const agrees = transactions.every(
        ({ blockNumber }, at) =>
          receipts[at]!.status === '0x1' && Number(receipts[at]!.blockNumber) === blockNumber,
      )
      holds('its receipts are in the named blocks, and succeeded', agrees)
    },
  )
  return sent
}
