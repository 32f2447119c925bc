import { setTimeout as sleep } from 'node:timers/promises'
import { formatUnits } from 'viem/utils'
import { describe, expect, test } from 'vitest'
import { transfer } from '../../../src/chain/erc20.ts'
import type { Address, Hex } from '../../../src/domain/address.ts'
import { groupedDigits } from '../../../src/domain/amount.ts'
import type { Token } from '../../../src/domain/token.ts'
import { roles, sandboxAddress } from '../../../src/sandbox/accounts.ts'
import { relayOn } from '../../../src/swaps/relay/order.ts'
import { campaignSeed, cells, seeded } from '../../support/engine.ts'
import { useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run } = useCommands(sandbox)
const friend: Address = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const wallet = () => sandbox.user.address
const networks = { 31337: 'sandbox-one', 31338: 'sandbox-two' } as const
type ChainId = keyof typeof networks

/**
 * A final state of a transfer to another chain, or of a ramp, which pays out later on the same chain. The faults are set before the
 * command; `isCleared` clears them after it, `warps` moves the clock past the expiry. `first` is the exit code of the command, `said` the
 * situation of `action explain` then; `last` and `finally` are the same after `action resume`. `paid` and `got` are the amounts that left
 * and arrived; `isBackThere`: most of it is refunded in USDC on the destination chain.
 */
type End = {
  provider: 'cctp' | 'across' | 'avenia' | 'lifi' | 'relay'
  faults: readonly string[]
  first: number
  said: string
  warps?: true
  isCleared?: true
  last: number
  finally: string
  paid: 'all' | 'the fee' | 'nothing'
  got: 'all' | 'nine tenths' | 'nothing'
  isBackThere?: true
  /** A third party pays one unit with the order number before the end. */
  isTouched?: true
}

const arrives = {
  faults: [],
  first: 0,
  said: 'DONE',
  last: 0,
  finally: 'DONE',
  paid: 'all',
  got: 'all',
} as const
const waits = { ...arrives, first: 20, isCleared: true } as const

const ends: Readonly<Record<string, End>> = {
  'cctp, delivered': { ...arrives, provider: 'cctp' },
  'cctp, attested late': {
    ...waits,
    provider: 'cctp',
    faults: ['bridge stuck'],
    said: 'BRIDGE_WAITING',
  },
  'cctp, delivered late': {
    ...waits,
    provider: 'cctp',
    faults: ['bridge undelivered'],
    said: 'BRIDGE_UNDELIVERED',
  },
  'cctp, delivered in part': {
    ...arrives,
    provider: 'cctp',
    faults: ['bridge short 10%'],
    first: 25,
    said: 'BRIDGE_SHORT',
    last: 25,
    finally: 'BRIDGE_SHORT',
    got: 'nine tenths',
  },
  'across, filled': { ...arrives, provider: 'across' },
  'across, filled late': { ...arrives, provider: 'across', faults: ['bridge slow-fill 400ms'] },
  'across, first not filled, then filled': {
    ...waits,
    provider: 'across',
    faults: ['bridge unfilled'],
    said: 'BRIDGE_WAITING',
  },
  'across, expired and refunded late': {
    ...waits,
    provider: 'across',
    faults: ['bridge unfilled', 'bridge unrefunded'],
    warps: true,
    said: 'BRIDGE_EXPIRED',
    last: 25,
    finally: 'BRIDGE_REFUNDED',
    paid: 'nothing',
    got: 'nothing',
  },
  'across, expired and refunded': {
    ...waits,
    provider: 'across',
    faults: ['bridge unfilled'],
    warps: true,
    said: 'BRIDGE_REFUNDED',
    last: 25,
    finally: 'BRIDGE_REFUNDED',
    paid: 'nothing',
    got: 'nothing',
  },
  'ramp, paid out': { ...arrives, provider: 'avenia' },
  'ramp, paid out late': { ...arrives, provider: 'avenia', faults: ['ramp slow 1s'] },
  'ramp, held at first': { ...waits, provider: 'avenia', faults: ['ramp held'], said: 'RAMP_WAITING' },
  'ramp, falsely reported as paid': {
    ...waits,
    provider: 'avenia',
    faults: ['ramp lies'],
    said: 'RAMP_WAITING',
    last: 20,
    finally: 'RAMP_WAITING',
    got: 'nothing',
  },
  'ramp, rejected': {
    ...arrives,
    provider: 'avenia',
    faults: ['ramp rejected'],
    first: 25,
    said: 'BRIDGE_REFUNDED',
    last: 25,
    finally: 'BRIDGE_REFUNDED',
    paid: 'nothing',
    got: 'nothing',
  },
  'ramp, paid out in part': {
    ...arrives,
    provider: 'avenia',
    faults: ['ramp short 10%'],
    first: 25,
    said: 'BRIDGE_SHORT',
    last: 25,
    finally: 'BRIDGE_SHORT',
    got: 'nine tenths',
  },
  'relay, paid out': { ...arrives, provider: 'relay' },
  'relay, paid out late': { ...arrives, provider: 'relay', faults: ['relay slow 1s'] },
  'relay, stuck, then paid out': {
    ...waits,
    provider: 'relay',
    faults: ['relay stuck'],
    said: 'BRIDGE_WAITING',
  },
  'relay, falsely reported as paid out': {
    ...waits,
    provider: 'relay',
    faults: ['relay lies'],
    said: 'BRIDGE_WAITING',
  },
  'relay, stuck, third party pays one unit': {
    ...waits,
    provider: 'relay',
    faults: ['relay stuck'],
    said: 'BRIDGE_WAITING',
    isTouched: true,
  },
  'relay, failed': { ...waits, provider: 'relay', faults: ['relay failed'], said: 'BRIDGE_STUCK' },
  'relay, refunded on the destination chain': {
    ...arrives,
    provider: 'relay',
    faults: ['relay refund'],
    first: 25,
    said: 'BRIDGE_REFUNDED',
    last: 25,
    finally: 'BRIDGE_REFUNDED',
    got: 'nothing',
    isBackThere: true,
  },
  'relay, refunded on the origin chain': {
    ...arrives,
    provider: 'relay',
    faults: ['relay refund-origin'],
    first: 25,
    said: 'BRIDGE_REFUNDED',
    last: 25,
    finally: 'BRIDGE_REFUNDED',
    paid: 'the fee',
    got: 'nothing',
  },
  'lifi, filled': { ...arrives, provider: 'lifi' },
  'lifi, false fill report, then filled': {
    ...waits,
    provider: 'lifi',
    faults: ['bridge unfilled', 'lifi lies'],
    said: 'BRIDGE_WAITING',
  },
  'lifi, false fill report, refunded late': {
    ...waits,
    provider: 'lifi',
    faults: ['bridge unfilled', 'bridge unrefunded', 'lifi lies'],
    warps: true,
    said: 'BRIDGE_EXPIRED',
    last: 25,
    finally: 'BRIDGE_REFUNDED',
    paid: 'the fee',
    got: 'nothing',
  },
}

const random = seeded(campaignSeed(60))
const names = Object.keys(ends)
const campaign = Array.from({ length: cells(names.length, 200) }, (_, at) => {
  const name = names[at % names.length]!
  const { provider, isBackThere } = ends[name]!
  const isRamp = provider === 'avenia'
  // Relay refunds on the destination chain in USDC.
  const isUsdc = provider === 'cctp' || (random() < 0.5 && !isBackThere)
  const symbol = isUsdc ? 'USDC' : isRamp ? 'BRLA' : 'USDT'
  const from: ChainId = random() < 0.5 ? 31337 : 31338
  // In millionths of a token. A ramp has narrow limits, and Relay a fixed fee that consumes a small transfer.
  const [least, most] = isRamp ? [120e6, 35] : provider === 'relay' ? [25e6, 400] : [2e6, 5_000]
  return {
    at,
    name,
    symbol,
    symbolOut: isRamp ? (symbol === 'USDC' ? 'BRLA' : 'USDC') : symbol,
    from,
    to: isRamp ? from : from === 31337 ? (31338 as const) : (31337 as const),
    exact: random() < 0.5 || provider === 'lifi' || provider === 'relay' ? ('in' as const) : ('out' as const),
    amount: BigInt(Math.round(least * Math.exp(random() * Math.log(most)))),
    recipient: random() < 0.3 && !isRamp ? friend : undefined,
    speed: provider === 'cctp' ? (random() < 0.5 ? 'fast' : 'standard') : null,
  }
})

/** Pays one unit of a token from an account that is not the solver, with the newest order number after the calldata. */
async function payUnit(from: ChainId, { chainId, address: token }: Token, payee: Address): Promise<void> {
  const { depository } = relayOn(sandbox.world.catalog(), from)!
  const logs = await sandbox
    .chain(from)
    .rpc.request<{ data: Hex }[]>('eth_getLogs', [{ address: depository, fromBlock: '0x0' }])
  const number = logs.at(-1)!.data.slice(-64)
  const { to, data } = transfer({ chainId, token, to: payee, amount: 1n })
  const { status } = await sandbox.sendAs(chainId, sandboxAddress(roles.relayer), {
    to,
    data: `${data}${number}`,
  })
  expect(status).toBe('0x1')
}

describe('final state of a bridge or ramp transfer', () => {
  test.each(campaign)(
    '$at: $name: $symbol from $from, exact $exact, with the expected balances on both chains',
    async ({ name, symbol, symbolOut, from, to, exact, amount, recipient, speed }) => {
      const {
        provider,
        faults,
        first,
        said,
        warps,
        isCleared,
        last,
        finally: becomes,
        paid,
        got,
        isBackThere,
        isTouched,
      } = ends[name]!
      const payee = recipient ?? wallet()
      const [sold, bought] = [sandbox.token(from, symbol), sandbox.token(to, symbolOut)]
      const held = ({ chainId, address }: typeof sold, owner: Address) =>
        sandbox.balanceOf(chainId, address, owner)
      const units = 10n ** BigInt((exact === 'in' ? sold : bought).decimals - 6)
      for (const fault of faults) expect((await run(`sandbox fault ${fault} --json`)).exit).toBe(0)
      const before = [await held(sold, wallet()), await held(bought, payee)] as const
      const usdc = sandbox.token(to, 'USDC')
      const usdcBefore = await held(usdc, payee)
      const line = [
        `swap execute --from ${networks[from]} --to ${networks[to]} --token-in ${symbol} --token-out ${symbolOut}`,
        `--amount-${exact} ${formatUnits(amount, 6)} --provider ${provider} --yes --json`,
        `--timeout ${first === 20 ? '1500ms' : '20s'}`,
        ...(recipient ? [`--destination ${recipient}`] : []),
        ...(speed ? [`--speed ${speed}`] : []),
      ].join(' ')
      const ran = await run(line)
      expect(ran.exit, ran.err).toBe(first)
      const id = (ran.json.id ?? ran.json.error.details.operation) as string
      const { json: quote } = await run(['swap', 'status', id, '--json'])
      expect(quote.provider).toBe(provider)
      if (warps) await run('sandbox warp 3h')
      const explained = async () => (await run(['action', 'explain', id, '--json'])).json.situation as string
      const until = async (situation: string) => {
        for (let look = 0; look < 400 && (await explained()) !== situation; look++) await sleep(20)
        expect(await explained()).toBe(situation)
      }
      await until(said)
      if (isTouched) {
        await payUnit(from, bought, payee)
        expect(await explained()).toBe(said)
        const line = ['action', 'resume', id, '--json', '--timeout', '1s']
        expect((await run(line)).exit).toBe(20)
      }
      if (isCleared) await run('sandbox fault clear --json')
      if (becomes === 'BRIDGE_REFUNDED') await until(becomes)
      const over = await run(['action', 'resume', id, '--json', '--timeout', last === 20 ? '1s' : '20s'])
      expect(over.exit, over.err).toBe(last)
      expect(await explained()).toBe(becomes)
      if (becomes === 'BRIDGE_REFUNDED' && (provider === 'relay' || provider === 'across')) {
        const { note } = (await run(['swap', 'status', id, '--json'])).json
        const { amount: back, network, hash } = over.json.error.details
        expect(note).toBe(
          `Paid back: ${groupedDigits(back.formatted)} ${back.symbol} on ${network} in ${hash}`,
        )
      }

      const action = (await run(['action', 'show', id, '--json'])).json
      const sent = BigInt(action.amounts.in.raw)
      const lost = before[0] - (await held(sold, wallet()))
      const back = paid === 'all' ? 0n : BigInt(over.json.error.details.amount.raw)
      expect(lost).toBe(sent - back)
      expect(lost > 0n).toBe(paid !== 'nothing')
      if (isBackThere) {
        const returned = BigInt(over.json.error.details.amount.raw)
        expect(returned).toBeGreaterThan(sent / 2n)
        expect((await held(usdc, payee)) - usdcBefore).toBe(returned)
      }
      const gained = (await held(bought, payee)) - before[1] - (isTouched ? 1n : 0n)
      if (got === 'nothing') expect(gained).toBe(0n)
      else if (got === 'nine tenths')
        expect(gained).toBeLessThan((BigInt(over.json.error.details.minimum.raw) * 91n) / 100n)
      else expect(gained).toBe(BigInt(action.amounts.out.raw))
      if (got === 'all' && exact === 'out') expect(gained).toBeGreaterThanOrEqual(amount * units)
      if (exact === 'in') expect(sent).toBe(amount * units)
      if (symbol === symbolOut) expect(gained).toBeLessThanOrEqual(sent)
    },
    60_000,
  )
})
