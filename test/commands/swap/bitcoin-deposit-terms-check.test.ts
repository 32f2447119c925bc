import { expect, test } from 'vitest'
import type { Quote } from '../../../src/api/quote.ts'
import type { Cli } from '../../../src/cli/command-run-types.ts'
import { payAndFollow } from '../../../src/commands/swap/bitcoin-deposit.ts'
import { openJournal } from '../../../src/store/journal/journal.ts'
import { codeOf, engineOn } from '../../support/engine.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

// A service returns a quote and its deposit: both are checked against the request and against each other.

const sandbox = useSandbox()
const friend = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const refund = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'

type Shown = { amounts: { least: { raw: string } } }

/** Runs `payAndFollow` on a quote that `seen` changes; `asked` is the slippage of the request. Returns the printed document. */
async function shown(
  provider: string,
  {
    slippage,
    seen = (quote) => quote,
    asked = null,
  }: { slippage?: number; seen?: (quote: Quote) => Quote; asked?: number | null },
): Promise<Shown> {
  const { service } = engineOn(sandbox)
  const { quote } = await service.quote({
    originChain: 'bitcoin',
    chainIdOut: 31337,
    tokenIn: '0x0000000000000000000000000000000000000000',
    tokenOut: sandbox.token(31337, 'USDC').address,
    amountIn: 1_000_000n,
    destinationAddress: friend,
    refundAddress: refund,
    preferredProvider: provider,
    ...(slippage !== undefined && { slippage }),
  } as never)
  const told: Shown[] = []
  const journal = openJournal(':memory:', Date.now)
  const cli = {
    io: { canAsk: false },
    globals: {},
    program: { policyPath: '/nowhere', now: Date.now },
    backend: {
      catalog: async () => sandbox.world.catalog(),
      prices: async () => [],
      context: async () => ({
        catalog: sandbox.world.catalog(),
        rpc: (chainId: number) => sandbox.world.chains.find((one) => one.network.chainId === chainId)!.rpc,
        journal,
      }),
    },
    service: async () => service,
    emit: (document: Shown) => told.push(document),
  } as unknown as Cli
  const order = {
    key: undefined,
    request: {},
    destination: friend,
    slippage: asked,
    least: null,
    isNew: true,
    options: { wait: false, dryRun: true },
  } as const
  await payAndFollow(cli, seen(quote), order)
  return told[0]!
}

const better = (quote: Quote): Quote => ({
  ...quote,
  tokenOut: { ...quote.tokenOut, amount: quote.tokenOut.amount + 1n },
})
const surer = (quote: Quote): Quote => ({ ...quote, minAmountOut: quote.minAmountOut! + 1n })
const forOther = (quote: Quote): Quote => ({ ...quote, destinationAddress: refund as never })

test.each(['near-intents', 'thorchain'])(
  'refuses a %s deposit that pays less than its quote or another recipient',
  async (provider) => {
    expect(BigInt((await shown(provider, {})).amounts.least.raw)).toBeGreaterThan(0n)
    for (const seen of [better, surer, forOther])
      expect(await codeOf(shown(provider, { seen }))).toBe('POLICY_QUOTE_DRIFT')
  },
)

test.each(['near-intents', 'thorchain'])(
  'refuses a %s minimum more than 0.5 percent below the output unless the request allowed that slippage',
  async (provider) => {
    // The quote has a slippage of two percent that the request did not allow.
    expect(await codeOf(shown(provider, { slippage: 0.02 }))).toBe('PROVIDER_API_ERROR')
    const { amounts } = await shown(provider, { slippage: 0.02, asked: 0.02 })
    expect(BigInt(amounts.least.raw)).toBeGreaterThan(0n)
  },
)
