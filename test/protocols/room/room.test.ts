import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { encodeFunctionData, encodeFunctionResult } from 'viem/utils'
import { describe, expect, test } from 'vitest'
import { catalogOfFile } from '../../../src/app/profiles/catalog-file.ts'
import type { Call, Rounds } from '../../../src/chain/call.ts'
import { erc20Abi } from '../../../src/chain/erc20.ts'
import { openChain } from '../../../src/chain/network-client.ts'
import { type Address, type Hex, nativeAddress, sameAddress } from '../../../src/domain/address.ts'
import { readMarketsOnChain } from '../../../src/engine/strategies/market-state.ts'
import { strategyOf } from '../../../src/engine/strategies/strategy-answer.ts'
import type { StrategyEntry } from '../../../src/protocols/catalog-types.ts'
import type { MarketConstants } from '../../../src/protocols/market-constants-union.ts'
import { marketOf } from '../../../src/protocols/registry.ts'
import { codeSaying } from '../../engine/catalog-checks/scripted-contract-code.ts'
import { codeOf, engineOn } from '../../support/engine.ts'
import { useSandbox } from '../../support/use-sandbox.ts'
import { type Answers, type RoomLaw, stateNames } from './law-type.ts'
import { roomLaws } from './room-laws.ts'

// Contracts that answer as those of each protocol do while it is paused, closed, full or illiquid, at the addresses of one market of
// the catalogue for each.
const sandbox = useSandbox()
const chainId = 31337
const wallet = sandbox.user.address

const folder = join(import.meta.dirname, '../../../src/engine/catalog')
const entries = readdirSync(folder).flatMap(
  (file) => catalogOfFile(JSON.parse(readFileSync(join(folder, file), 'utf8'))).strategies,
)
/** A market of the catalogue, as if it were on the sandbox. */
function meant(family: string, { isMeant = () => true }: RoomLaw): StrategyEntry {
  const found = entries.find((entry) => entry.constants.family === family && isMeant(entry))!
  const here = { chainId, network: 'sandbox-one' }
  return { ...found, ...here, asset: { ...found.asset, chainId }, receipt: { ...found.receipt, chainId } }
}

/** The answer of a table to a read; `undefined` is a refusal. */
function answered({ asset, constants }: StrategyEntry, table: Answers, read: Call): unknown {
  const { address, functionName: name } = read
  const pooled = constants.family === 'across' ? (constants.wrapped ?? asset.address) : undefined
  const key = [
    ...(sameAddress(address, asset.address) ? [`asset.${name}`] : []),
    ...(pooled && sameAddress(address, pooled) ? [`pool.${name}`] : []),
    name,
  ].find((one) => one in table)
  if (key === undefined && name === 'allowance') return 0n
  if (key === undefined && !('refused' in read))
    throw new Error(`the law does not answer ${name} of ${address}`)
  const value = key === undefined ? undefined : table[key]
  return typeof value === 'function' ? value(read) : value
}

/** All reads of a market that a deposit or a withdrawal of this amount makes before it is refused. */
function readsOf(entry: StrategyEntry, table: Answers, amount: bigint): Call[] {
  const market = marketOf(entry)
  const reads: Call[] = [...market.state.reads, ...market.shares(wallet).reads]
  const shares = market
    .shares(wallet)
    .parse(market.shares(wallet).reads.map((read) => answered(entry, table, read)))
  reads.push(
    ...market.worth(shares ?? 0n).reads,
    ...(market.units?.(amount).reads ?? []),
    ...(market.entrance?.reads ?? []),
  )
  const follow = (rounds: Rounds<unknown> | undefined) => {
    for (let step = rounds?.next(); step && !step.done; ) {
      reads.push(...step.value)
      step = rounds!.next(step.value.map((read) => answered(entry, table, read)))
    }
  }
  follow(market.mostIn?.(wallet))
  follow(market.mostOut?.(wallet))
  return reads
}

/** Gives the contracts of a market these answers. */
async function tell(entry: StrategyEntry, table: Answers, amount: bigint): Promise<void> {
  const { rpc } = sandbox.chain(chainId)
  const said = new Map<Address, Map<Hex, Hex>>()
  const spenders = Object.values(entry.constants).filter((one) => /^0x\w{40}$/.test(String(one))) as Address[]
  const allowances = [entry.asset.address, entry.receipt.address].flatMap((address) =>
    spenders.map(
      (spender): Call => ({ address, abi: erc20Abi, functionName: 'allowance', args: [wallet, spender] }),
    ),
  )
  for (const read of [...readsOf(entry, table, amount), ...allowances]) {
    const { address, abi, functionName, args = [] } = read
    const answers = said.get(address) ?? new Map<Hex, Hex>()
    said.set(address, answers)
    const value = answered(entry, table, read)
    if (value === undefined) continue
    const data = encodeFunctionData({ abi, functionName, args: [...args] })
    answers.set(data, encodeFunctionResult({ abi, functionName, result: value } as never))
  }
  for (const [at, answers] of said)
    if (at !== nativeAddress) await rpc.request('anvil_setCode', [at, codeSaying(answers)])
}

/** What the engine says of a market: the strategy, and the errors of a deposit and of a withdrawal of ten. */
async function saidOf(entry: StrategyEntry) {
  const known = sandbox.world.catalog()
  const catalog = { ...known, strategies: [entry] }
  const chain = openChain(
    catalog.networks.find((one) => one.chainId === chainId)!,
    sandbox.chain(chainId).rpc,
  )
  const [row] = await readMarketsOnChain(catalog, chain, [marketOf(entry)])
  expect(row!.state, `the state of ${entry.slug}`).toBeDefined()
  const { paused, actions } = strategyOf({ ...row!, at: 0 })
  const order = (action: 'lend' | 'withdraw') =>
    codeOf(
      engineOn(sandbox, { catalog }).service.strategyBytecode({
        id: entry.slug,
        action,
        amount: 10n * 10n ** BigInt(entry.asset.decimals),
        wallet,
      }),
    )
  const refusals = ['STRATEGY_PAUSED', 'STRATEGY_CAP_REACHED', 'INSUFFICIENT_LIQUIDITY']
  const only = (code: string | undefined) => (code !== undefined && refusals.includes(code) ? code : 'open')
  return { paused, actions, lend: only(await order('lend')), withdraw: only(await order('withdraw')) }
}

/** What has to be said in each state. */
const laws = {
  open: { paused: false, lend: 'open', withdraw: 'open', actions: ['lend', 'withdraw'] },
  paused: { paused: true, lend: 'STRATEGY_PAUSED', withdraw: 'STRATEGY_PAUSED', actions: [] },
  closed: { lend: expect.stringMatching(/^STRATEGY_(PAUSED|CAP_REACHED)$/), withdraw: 'open' },
  full: { lend: 'STRATEGY_CAP_REACHED', withdraw: 'open', actions: ['lend', 'withdraw'] },
  illiquid: { paused: false, lend: 'open', withdraw: 'INSUFFICIENT_LIQUIDITY' },
}

describe.each(Object.keys(roomLaws) as MarketConstants['family'][])('the markets of %s', (family) => {
  test('are said to be paused, closed, full or illiquid when their contracts say so, before anything is signed', async () => {
    for (const law of roomLaws[family]) {
      const entry = meant(family, law)
      const units = 10n ** BigInt(entry.asset.decimals)
      const open = law.open(units, entry)
      const held = async (name: keyof typeof laws, how: string, more: Answers) => {
        await tell(entry, { ...open, ...more }, 10n * units)
        const { actions, ...said } = await saidOf(entry)
        const plain = { ...said, actions: actions?.filter((one) => one !== 'claim') }
        expect(plain, `${entry.slug}, ${name}${how}`).toMatchObject(laws[name])
      }
      await held('open', '', {})
      for (const name of stateNames) {
        const more = law.states[name](units)
        if (typeof more !== 'string') await held(name, '', more)
      }
      for (const { state, how, say } of law.more ?? []) await held(state, ` ${how}`, say(units))
    }
  })
})
