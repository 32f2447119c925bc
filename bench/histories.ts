import { randomUUID } from 'node:crypto'
import { encodeFunctionData, parseAbi } from 'viem/utils'
import type { Service } from '../src/api/service-type.ts'
import type { ChainClient } from '../src/chain/chain-client.ts'
import type { Address, Hex } from '../src/domain/address.ts'
import { maxUint256 } from '../src/domain/amount.ts'
import { AppError } from '../src/domain/errors.ts'
import type { Transaction } from '../src/domain/transaction-types.ts'
import { createEngineContext, createEngineService, type EngineInputs } from '../src/engine/engine.ts'
import { setOperatorFees } from '../src/engine/fees/fee-settings.ts'
import type { StatedFee } from '../src/engine/fees/service-fee-charges.ts'
import type { StrategyEntry } from '../src/protocols/catalog-types.ts'
import { sandboxAddress } from '../src/sandbox/accounts.ts'
import type { SandboxWorld } from '../src/sandbox/world.ts'
import { engineMigrations, engineStore } from '../src/store/engine/store.ts'
import { sqliteSql } from '../src/store/sql/sqlite.ts'
import type { Act } from './history-acts.ts'
import { type Replay, replay, worthAt } from './history-replay.ts'
import { sabotaged } from './history-sabotage.ts'
import { type HistoryWorld, slugs } from './history-world.ts'

const chainId = 31337
const collector: Address = '0x7777777777777777777777777777777777777777'
const feeBps = 500
const erc20 = parseAbi([
  'function transfer(address,uint256)',
  'function balanceOf(address) view returns (uint256)',
  'function aToken() view returns (address)',
])

/** Runs one interleaving on real contracts and compares the engine with the replay after each act. Returns the differences, and reverts the world. */
export async function historyCell(
  { world, catalog, earns }: HistoryWorld,
  acts: readonly Act[],
  sabotage?: string,
): Promise<string[]> {
  const snapshot = await world.snapshot()
  try {
    const { rpc } = world.chains[0]!
    const optionsOver = (over: ChainClient): EngineInputs => ({
      catalog,
      rpc: (id) => (id === chainId ? over : world.chains[1]!.rpc),
      store: engineStore(sqliteSql(':memory:', { migrations: engineMigrations })),
      customer: 'campaign',
      now: Date.now,
      newId: randomUUID,
    })
    const engine = createEngineService(optionsOver(sabotaged(rpc, sabotage)))
    const charging = async () => {
      const options = optionsOver(rpc)
      await setOperatorFees(createEngineContext(options), {
        performanceFeeBps: feeBps,
        operatorCollector: collector,
      })
      return createEngineService(options)
    }
    const entries = slugs.map((slug) => catalog.strategies.find((entry) => entry.slug === slug)!)
    const wrong: string[] = []
    for (const [at, act] of acts.entries()) {
      const entry = entries[act.market]!
      const paid = () => balanceOf(rpc, entry.asset.address, collector)
      const [before, { taken }] = [await paid(), await replay(rpc, entry, sandboxAddress())]
      const done = await doneBy(
        world,
        { free: createEngineService(optionsOver(rpc)), charging: await charging() },
        entries,
        act,
      )
      const [fee, expected] = [(await paid()) - before, feeOn(taken, done?.withdrawn ?? 0n)]
      if (fee !== expected) wrong.push(`after act ${at} (${told(act)}): paid ${fee} and not ${expected}`)
      if (act.do === 'wait' && slugs[act.market]!.startsWith('across')) await earns()
      const found = await held(rpc, engine, entries)
      for (const one of found) wrong.push(`after act ${at} (${told(act)}): ${one}`)
      if (wrong.length > 0) break
    }
    return wrong
  } finally {
    await world.revert(snapshot)
  }
}

/**
 * The performance fee of a withdrawal, derived from all that was taken out before: 5 % of what is taken out beyond all that was put in and
 * beyond all that paid before, rounded in the sum. A withdrawal as small as its fee pays none.
 */
function feeOn({ now, most }: Replay['taken'], withdrawn: bigint): bigint {
  const on = (profit: bigint) => (profit * BigInt(feeBps)) / 10_000n
  const fee = now + withdrawn > most ? on(now + withdrawn) - on(most) : 0n
  return fee < withdrawn ? fee : 0n
}

const told = (act: Act) =>
  JSON.stringify(act, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value))

/** The errors in current positions and histories. */
async function held(rpc: ChainClient, engine: Service, entries: readonly StrategyEntry[]): Promise<string[]> {
  const wallet = sandboxAddress()
  // Closed positions count only after their history has been read.
  for (const entry of entries) await shownOf(engine, entry, wallet)
  const { positions, realised: allRealised } = await engine.getWallet({ address: wallet })
  const wrong: string[] = []
  for (const entry of entries) {
    const { principal, realised: whileOpen, events, taken } = await replay(rpc, entry, wallet)
    const position = positions.find(({ strategy }) => strategy.slug === entry.slug)
    const shown = await shownOf(engine, entry, wallet)
    if (shown.join() !== events.join())
      wrong.push(`${entry.slug}: the history is ${shown.join(', ')} and not ${events.join(', ')}`)
    const shares = await balanceOf(rpc, entry.receipt.address, wallet)
    if (shares > 0n !== (position !== undefined))
      wrong.push(`${entry.slug}: ${shares} shares, and ${position ? 'a' : 'no'} position`)
    const realised = shares === 0n ? whileOpen - principal : whileOpen
    const told = allRealised!.find(({ strategy }) => strategy === entry.slug)
    // What left, before the fees that were paid from it.
    const out = (told?.realised ?? 0n) + (told?.feesPaid ?? 0n)
    if (out !== realised && shown[0] !== 'HISTORY_UNREAD')
      wrong.push(`${entry.slug}: realised ${out} and not ${realised}`)
    if (!position) continue
    const worth = await worthAt(rpc, entry, shares, 'latest')
    if (position.balance !== worth) wrong.push(`${entry.slug}: balance ${position.balance} and not ${worth}`)
    if (position.principal !== principal)
      wrong.push(`${entry.slug}: principal ${position.principal} and not ${principal}`)
    if (position.principal === null || position.profit === null) continue
    // The profit before the fee that a withdrawal of everything would pay.
    const gain = position.profit + (position.performanceFee ?? 0n)
    if (position.principal + gain !== worth)
      wrong.push(`${entry.slug}: ${position.principal} and ${gain} are not ${worth}`)
    if (gain + out !== worth + taken.now)
      wrong.push(`${entry.slug}: profits ${gain} and ${out} are not ${worth} and ${taken.now}`)
  }
  return wrong
}

/** The events of the engine, oldest first, or the reason why it has none. */
async function shownOf(
  engine: Service,
  { slug: strategyId }: StrategyEntry,
  address: Address,
): Promise<string[]> {
  try {
    const { items } = await engine.walletHistory({ address, strategyId, limit: 100 })
    return items.map(({ type, amount }) => `${type} ${amount}`).reverse()
  } catch (error) {
    if (error instanceof AppError && error.code === 'HISTORY_UNREAD') return [error.code]
    throw error
  }
}

async function balanceOf(rpc: ChainClient, token: Address, owner: Address): Promise<bigint> {
  const data = encodeFunctionData({ abi: erc20, functionName: 'balanceOf', args: [owner] })
  return BigInt(await rpc.request<Hex>('eth_call', [{ to: token, data }, 'latest']))
}

/**
 * Executes one act with the bytecode of the engine; an act refused for an empty position or by a reserve is skipped. Returns the amount of a
 * withdrawal that may be charged. A `turn` is made with another tool, which charges nothing.
 */
async function doneBy(
  world: SandboxWorld,
  { free, charging }: Record<'free' | 'charging', Service>,
  entries: readonly StrategyEntry[],
  act: Act,
): Promise<{ withdrawn: bigint } | undefined> {
  const { rpc } = world.chains[0]!
  const [wallet, stranger] = [sandboxAddress(), sandboxAddress(2)]
  const entry = entries[act.market]!
  const token = entry.receipt.address
  const order = async (who: Address, action: 'lend' | 'withdraw', amount: bigint) => {
    if (amount === 0n) return
    const engine = who === wallet ? charging : free
    const { bytecode, fees } = await engine.strategyBytecode({ id: entry.slug, action, amount, wallet: who })
    for (const { to, data, value } of bytecode)
      if (!(await sent(rpc, { from: who, to, data, value: `0x${value.toString(16)}` }))) return
    if (action === 'lend') return
    return { withdrawn: fees?.[0] === undefined ? amount : BigInt((fees[0] as StatedFee).of) }
  }
  const given = async (from: Address, to: Address, part: number) => {
    const amount = ((await balanceOf(rpc, token, from)) * BigInt(part)) / 1_000n
    if (amount === 0n) return
    await sent(rpc, {
      from,
      to: token,
      data: encodeFunctionData({ abi: erc20, functionName: 'transfer', args: [to, amount] }),
    })
  }
  const some = async (who: Address, part: number) =>
    ((await worthAt(rpc, entry, await balanceOf(rpc, token, who), 'latest')) * BigInt(part)) / 1_000n
  try {
    if (act.do === 'lend') await order(wallet, 'lend', act.amount)
    if (act.do === 'withdraw') return await order(wallet, 'withdraw', await some(wallet, act.part))
    if (act.do === 'harvest') {
      const { principal } = await replay(rpc, entry, wallet)
      const profit = (await some(wallet, 1_000)) - principal
      return await order(
        wallet,
        'withdraw',
        profit > 0n ? principal + (profit * BigInt(act.part)) / 1_000n : 0n,
      )
    }
    if (act.do === 'leave') {
      const all = await some(wallet, 1_000)
      const left = await order(wallet, 'withdraw', all === 0n ? 0n : maxUint256)
      return left && { withdrawn: left.withdrawn === maxUint256 ? all : left.withdrawn }
    }
    if (act.do === 'lose') await lost(rpc, entry, act.part)
    if (act.do === 'turn') {
      const all = await some(wallet, 1_000)
      const out = (all * BigInt(act.part)) / 1_000n
      // An amount as small as rounding errors may or may not count as a position.
      if (all > out && all - out < 100n) return
      const turned = async (action: 'lend' | 'withdraw', amount: bigint) =>
        (await free.strategyBytecode({ id: entry.slug, action, amount, wallet })).bytecode
      const steps = out === 0n ? [] : await turned('withdraw', out === all ? maxUint256 : out)
      await inOneBlock(rpc, wallet, [...steps, ...(await turned('lend', act.amount))])
    }
    if (act.do === 'give') await given(wallet, stranger, act.part)
    if (act.do === 'take') {
      await order(stranger, 'lend', 1_000_003n)
      await given(stranger, wallet, act.part)
    }
    if (act.do === 'stranger') {
      await order(stranger, 'lend', act.amount)
      await order(stranger, 'withdraw', await some(stranger, act.part))
    }
    if (act.do === 'wait') await world.warp(act.seconds)
  } catch (error) {
    const fine = ['INSUFFICIENT_FUNDS', 'INSUFFICIENT_LIQUIDITY', 'STRATEGY_CAP_REACHED', 'STRATEGY_PAUSED']
    if (!(error instanceof AppError && (fine.includes(error.code) || error.code === 'RPC_ERROR'))) throw error
  }
  return undefined
}

/** Takes a part of everything that a vault lent; only the vault over Aave can lose. */
async function lost(rpc: ChainClient, { slug, receipt }: StrategyEntry, part: number): Promise<void> {
  if (!slug.startsWith('sandbox-vault')) return
  const call = { to: receipt.address, data: encodeFunctionData({ abi: erc20, functionName: 'aToken' }) }
  const aToken: Address = `0x${(await rpc.request<Hex>('eth_call', [call, 'latest'])).slice(26)}`
  const amount = ((await balanceOf(rpc, aToken, receipt.address)) * BigInt(part)) / 1_000n
  if (amount === 0n) return
  await rpc.request('anvil_impersonateAccount', [receipt.address])
  await rpc.request('anvil_setBalance', [receipt.address, '0xde0b6b3a7640000'])
  const data = encodeFunctionData({ abi: erc20, functionName: 'transfer', args: [sandboxAddress(4), amount] })
  await sent(rpc, { from: receipt.address, to: aToken, data })
}

/** Sends all of these, and then mines one block. */
async function inOneBlock(rpc: ChainClient, from: Address, all: readonly Transaction[]): Promise<void> {
  await rpc.request('evm_setAutomine', [false])
  try {
    for (const { to, data, value } of all) {
      const tx = { from, to, data, value: `0x${value.toString(16)}`, gas: '0x4c4b40' }
      await rpc.request('eth_sendTransaction', [tx])
    }
    await rpc.request('evm_mine')
  } finally {
    await rpc.request('evm_setAutomine', [true])
  }
}

/** Sends, waits for the block, and says whether it succeeded; reverted transactions have no effect. */
async function sent(
  rpc: ChainClient,
  tx: { from: Address; to: Address; data: Hex; value?: string },
): Promise<boolean> {
  const hash = await rpc.request<Hex>('eth_sendTransaction', [{ ...tx, gas: '0x4c4b40' }])
  for (;;) {
    const receipt = await rpc.request<{ status: Hex } | null>('eth_getTransactionReceipt', [hash])
    if (receipt) return receipt.status === '0x1'
  }
}
