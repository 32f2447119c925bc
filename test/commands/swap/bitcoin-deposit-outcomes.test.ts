import { formatUnits } from 'viem/utils'
import { afterEach, describe, expect, test } from 'vitest'
import { type Address, nativeAddress } from '../../../src/domain/address.ts'
import { derivedAddress, payer } from '../../../src/sandbox/bitcoin/chain.ts'
import { campaignSeed, cells, seeded } from '../../support/engine.ts'
import { type Document, useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
/** True while no provider is reachable. */
let isSilent = false
const { run } = useCommands(sandbox, {
  catalog: () => {
    const { bitcoin, ...rest } = sandbox.world.catalog()
    const nobody = 'http://127.0.0.1:1'
    const silent = { ...bitcoin!, thornode: nobody, oneClick: { ...bitcoin!.oneClick!, api: nobody } }
    return { ...rest, bitcoin: isSilent ? silent : bitcoin! }
  },
})
afterEach(() => {
  isSilent = false
})
const friend: Address = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
type Provider = 'near-intents' | 'thorchain'

/**
 * A final state of a swap from Bitcoin. `pays` lists the payments in percent of the amount, each made after the one before was found;
 * `how` is a deviation of the payment. `first` is the exit code of `swap status --watch` after the first payment, `said` the situation
 * of `action explain` then; `last` and `finally` are the same after all payments and without faults. `got` is the amount of the
 * recipient, `back` the refund to the payer.
 */
type End = {
  providers: readonly Provider[]
  faults?: readonly string[]
  pays: readonly number[]
  how?: 'late' | 'replaced' | 'without memo' | 'provider silent'
  first: number
  said: string
  last: number
  finally: string
  got: 'what was promised' | '97 %' | 'nothing'
  back: 'all but the fee' | 'nothing'
}

const both: readonly Provider[] = ['near-intents', 'thorchain']
const delivered = {
  providers: both,
  pays: [100],
  first: 0,
  said: 'DONE',
  last: 0,
  finally: 'DONE',
  got: 'what was promised',
  back: 'nothing',
} as const satisfies End
const waits = { ...delivered, first: 20, said: 'BRIDGE_WAITING' } as const
const refunded = {
  ...delivered,
  first: 25,
  said: 'BRIDGE_REFUNDED',
  last: 25,
  finally: 'BRIDGE_REFUNDED',
  got: 'nothing',
  back: 'all but the fee',
} as const

const ends: Readonly<Record<string, End>> = {
  delivered,
  refunded: { ...refunded, faults: ['bitcoin-refund'] },
  'delivered in part': {
    ...delivered,
    faults: ['bitcoin-short 3'],
    first: 25,
    said: 'BRIDGE_SHORT',
    last: 25,
    finally: 'BRIDGE_SHORT',
    got: '97 %',
  },
  'falsely reported as paid out': { ...waits, faults: ['bitcoin-lies'] },
  'falsely reported as refunded': { ...waits, faults: ['bitcoin-refund-lies'] },
  'processed late': { ...waits, faults: ['bitcoin-stuck'] },
  'mined late': { ...waits, faults: ['bitcoin-unmined'] },
  'replaced by a payment with a higher fee': { ...waits, faults: ['bitcoin-unmined'], how: 'replaced' },
  'provider unreachable at first': { ...waits, how: 'provider silent', first: 6, said: 'none' },
  'never paid': {
    ...delivered,
    how: 'late',
    pays: [],
    first: 4,
    said: 'QUOTE_DEAD',
    last: 4,
    finally: 'QUOTE_DEAD',
    got: 'nothing',
  },
  'paid late': { ...delivered, how: 'late', first: 0 },
  overpaid: { ...delivered, pays: [150] },
  'paid in two parts': { ...waits, providers: ['near-intents'], pays: [40, 60] },
  'underpaid and late': { ...refunded, providers: ['near-intents'], how: 'late', pays: [60] },
  underpaid: { ...refunded, providers: ['thorchain'], pays: [60] },
  'paid without the memo': {
    ...refunded,
    providers: ['thorchain'],
    how: 'without memo',
    first: 20,
    said: 'QUOTE_OPEN',
  },
}

const random = seeded(campaignSeed(70))
const all = Object.entries(ends).flatMap(([name, { providers }]) =>
  providers.map((provider) => ({ name, provider })),
)
// Each seed shuffles the cases, so that a slice covers all kinds.
const order = all
  .map((one) => ({ one, key: random() }))
  .toSorted((a, b) => a.key - b.key)
  .map(({ one }) => one)
const campaign = Array.from({ length: cells(5, 200) }, (_, at) => ({
  at,
  ...order[at % order.length]!,
  symbol: ['USDC', 'WETH', 'WBTC', 'ETH'][Math.floor(random() * 4)]!,
  to: random() < 0.5 ? (31337 as const) : (31338 as const),
  satoshi: BigInt(Math.round(100_000 * Math.exp(random() * Math.log(50)))),
  recipient: random() < 0.3 ? friend : undefined,
}))
const fees: Readonly<Record<Provider, bigint>> = { 'near-intents': 1_500n, thorchain: 2_000n }
const networks = { 31337: 'sandbox-one', 31338: 'sandbox-two' } as const

/** Total paid to an address on Bitcoin, in satoshi; with a memo, only of transactions that carry it. */
async function paidOn(address: string, memo?: string): Promise<bigint> {
  const { esplora } = sandbox.world.catalog().bitcoin!
  let sum = 0n
  for (let after = ''; ; ) {
    const page = (await (await fetch(`${esplora}/address/${address}/txs${after}`)).json()) as Document[]
    for (const { vout } of page) {
      const isIt =
        memo === undefined || vout.some(({ scriptpubkey }: Document) => scriptpubkey.endsWith(memo))
      for (const { scriptpubkey_address: to, value } of vout) if (isIt && to === address) sum += BigInt(value)
    }
    if (page.length < 25) return sum
    after = `/chain/${page.at(-1)!.txid}`
  }
}

const hex = (text: string) => Buffer.from(text).toString('hex')

describe('final state of a swap from Bitcoin', () => {
  test.each(campaign)(
    '$at: $provider, $name: $satoshi satoshi for $symbol on $to, with the expected balances on both chains',
    async ({ at, name, provider, symbol, to, satoshi, recipient }) => {
      const { faults = [], pays, how, ...end } = ends[name]!
      const payee = recipient ?? sandbox.user.address
      const token = symbol === 'ETH' ? nativeAddress : sandbox.token(to, symbol).address
      const held = () =>
        symbol === 'ETH' ? sandbox.nativeBalanceOf(to, payee) : sandbox.balanceOf(to, token, payee)
      const refund = derivedAddress(`refund ${at}`)
      const line = [
        `swap quote --from bitcoin --token-in BTC --to ${networks[to]} --token-out ${symbol} --provider ${provider}`,
        `--amount-in ${formatUnits(satoshi, 8)} --refund ${refund} --json`,
        ...(recipient ? [`--destination ${recipient}`] : []),
      ].join(' ')
      const { json: quote, err } = await run(line)
      expect(quote.provider, err).toBe(provider)
      const id = quote.id as string
      const { deposit } = (await run(`swap execute ${id} --dry-run --json`)).json
      const before = await held()
      if (how === 'late') await run('sandbox fault stale-quote --json')
      for (const fault of faults) expect((await run(`sandbox fault ${fault} --json`)).exit).toBe(0)

      const hashes: string[] = []
      /** Total of the first `count` payments. */
      const upTo = (count: number): bigint =>
        (satoshi * BigInt(pays.slice(0, count).reduce((sum, share) => sum + share, 0))) / 100n
      const pay = async (at: number, more: readonly string[] = []): Promise<string> => {
        const memo = deposit.memo === null || how === 'without memo' ? [] : ['--memo', deposit.memo]
        const amount = formatUnits(upTo(at + 1) - upTo(at), 8)
        const { json } = await run([
          'sandbox',
          'pay-bitcoin',
          deposit.address,
          amount,
          ...memo,
          ...more,
          '--json',
        ])
        expect(json.txid).toMatch(/^[0-9a-f]{64}$/)
        hashes.push(json.txid)
        return json.txid
      }
      const watched = (timeout: string, more = '') =>
        run(`swap status --watch --interval 100ms --timeout ${timeout} --json ${more} ${id}`)
      const explained = async () => (await run(`action explain ${id} --json`)).json.situation as string
      if (pays.length > 0) await pay(0)
      if (how === 'replaced') await pay(0, ['--replace', hashes.pop()!])
      isSilent = how === 'provider silent'
      const looked = isSilent
        ? await run(`swap status --json ${id}`)
        : await watched(end.first === 20 ? '900ms' : '20s')
      expect(looked.exit, `${looked.err}${looked.out}`).toBe(end.first)
      if (!isSilent) expect(await explained()).toBe(end.said)
      isSilent = false
      if (end.first === 20) expect((await held()) - before).toBe(0n)
      await run('sandbox fault clear --json')
      if (pays.length > 1) await pay(1)
      const over = await watched('20s', how === 'without memo' ? `--btc-tx ${hashes[0]}` : '')
      expect(over.exit, `${over.err}${over.out}`).toBe(end.last)
      expect(await explained()).toBe(end.finally)

      const paid = upTo(pays.length)
      if (deposit.memo === null) expect(await paidOn(deposit.address)).toBe(paid)
      const back =
        provider === 'near-intents'
          ? await paidOn(refund)
          : hashes[0] === undefined
            ? 0n
            : await paidOn(payer, hex(`REFUND:${hashes[0].toUpperCase()}`))
      expect(back).toBe(end.back === 'nothing' ? 0n : paid - fees[provider])
      const [out, least] = [quote.tokenOut.amount.raw, quote.minAmountOut.raw].map(BigInt) as [bigint, bigint]
      const got = (await held()) - before
      if (end.got === 'nothing') expect(got).toBe(0n)
      else if (end.got === '97 %') expect(got < least && got >= (out * 96n) / 100n).toBe(true)
      else if (provider === 'near-intents') expect(got).toBe(out)
      else expect(got).toBeGreaterThanOrEqual(least)
    },
    60_000,
  )
})
