import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, test } from 'vitest'
import { askNumber } from '../../src/chain/ask.ts'
import type { ChainClient } from '../../src/chain/chain-client.ts'
import { openChain } from '../../src/chain/network-client.ts'
import { queuedLine, queuedOf } from '../../src/cli/signing-flow/withdrawal-queue-notes.ts'
import { type Address, nativeAddress } from '../../src/domain/address.ts'
import { maxUint256 } from '../../src/domain/amount.ts'
import { AppError } from '../../src/domain/errors.ts'
import { networkNamed } from '../../src/domain/networks.ts'
import { adviceText } from '../../src/domain/text/next-step.ts'
import { nativeToken, type Token } from '../../src/domain/token.ts'
import type { Transaction } from '../../src/domain/transaction-types.ts'
import { marketFaults } from '../../src/engine/catalog-checks/contract-check.ts'
import { checkLeg } from '../../src/guard/calldata-against-intent.ts'
import { readClaim } from '../../src/guard/claim-payout-reads.ts'
import { balanceRead } from '../../src/guard/simulation/wallet-state-before-simulation.ts'
import { strictTerms } from '../../src/guard/user-limits-and-exemptions.ts'
import { readReceiptUnits, refuseQueueRestart } from '../../src/guard/withdrawal-queue-reads.ts'
import { simulatePlannedLeg } from '../../src/planning/leg-simulation.ts'
import type { Catalog, StrategyEntry } from '../../src/protocols/catalog-types.ts'
import type { Intent } from '../../src/protocols/intent.ts'
import type { MarketConstants } from '../../src/protocols/market-constants-union.ts'
import { marketOf, queueOf } from '../../src/protocols/registry.ts'
import { claimExitedAssets } from '../../src/protocols/stakewise/queue.ts'
import { sandboxAddress } from '../../src/sandbox/accounts.ts'
import { engineMigrations, engineStore } from '../../src/store/engine/store.ts'
import { sqliteSql } from '../../src/store/sql/sqlite.ts'
import { deployedFrom } from '../support/contracts/compile-contract.ts'
import { deposited } from '../support/contracts/deposit-brings-its-worth.ts'
import { codeOf, engineOn, perform } from '../support/engine.ts'
import { useCommands } from '../support/use-commands.ts'
import { calldata, useSandbox } from '../support/use-sandbox.ts'

// The contracts of these tests are ours with the published interfaces: they show that sluice calls those interfaces correctly.
const sandbox = useSandbox()
let commandsKnow: Catalog | undefined
const { run } = useCommands(sandbox, { catalog: () => commandsKnow ?? sandbox.world.catalog() })
const chainId = 31337
const wallet = sandbox.user.address
const day = 86_400
const ether = 10n ** 18n

type Kind =
  | 'ether-fi'
  | 'frax-ether'
  | 'rocket-pool'
  | 'stader'
  | 'lista'
  | 'benqi-staking'
  | 'ethena'
  | 'stakewise'

const constantsOf: Record<Kind, (place: Address, queue: Address) => MarketConstants> = {
  'ether-fi': (place, queue) => ({
    family: 'ether-fi',
    token: place,
    pool: place,
    depositAdapter: place,
    withdrawAdapter: queue,
    requests: queue,
  }),
  'frax-ether': (place, queue) => ({ family: 'frax-ether', token: place, minter: place, queue }),
  'rocket-pool': (place) => ({ family: 'rocket-pool', token: place, storage: place, depositPool: place }),
  stader: (place) => ({ family: 'stader', token: place, manager: place, withdrawals: place }),
  lista: (place) => ({ family: 'lista', token: place, manager: place }),
  'benqi-staking': (place) => ({ family: 'benqi-staking', token: place }),
  ethena: (place) => ({ family: 'ethena', vault: place }),
  stakewise: (place) => ({ family: 'stakewise', vault: place, keeper: place, registry: place }),
}

/** A market of a protocol with funds to pay rewards. */
async function opened(kind: Kind, takes: 'coin' | 'token' = kind === 'ethena' ? 'token' : 'coin') {
  const isVault = takes === 'token'
  const asset = isVault
    ? sandbox.token(chainId, 'USDC')
    : nativeToken(networkNamed(sandbox.world.catalog().networks, chainId))
  const source = { ethena: 'CooldownVault.sol', stakewise: 'StakewiseLike.sol' }[kind as string]
  const file = join(import.meta.dirname, 'contracts', source ?? 'StakedLike.sol')
  const place = await deployedFrom(sandbox, chainId, file, source ? [asset.address] : [])
  const hasTickets = kind === 'ether-fi' || kind === 'frax-ether'
  const tickets = join(import.meta.dirname, 'contracts/TicketQueueLike.sol')
  const queue = hasTickets ? await deployedFrom(sandbox, chainId, tickets, [place]) : place
  if (!isVault) await sandbox.sendAs(chainId, sandboxAddress(3), { to: queue, value: 50n * ether })
  const entry: StrategyEntry = {
    ...sandbox.strategy('aave-v3-USDC-sandbox-one'),
    id: `${kind}-${asset.symbol}-sandbox-one`,
    slug: `${kind}-${asset.symbol.toLowerCase()}-sandbox-one`,
    startDate: null,
    asset,
    receipt: {
      chainId,
      address: place,
      symbol: 'receipt',
      decimals: isVault ? asset.decimals : 18,
      name: 'receipt',
      ...(kind === 'stakewise' && { isShares: true as const }),
    },
    implementationSelector: `${kind}@1`,
    constants: constantsOf[kind](place, queue),
  }
  const known = sandbox.world.catalog()
  const catalog: Catalog = { ...known, strategies: [...known.strategies, entry] }
  const { service } = engineOn(sandbox, { catalog })
  const { rpc } = sandbox.chain(chainId)
  const ground = { rpc: () => rpc, catalog }
  const ask = (method: string, params: readonly unknown[]) => rpc.request(method, params as unknown[])
  const made = async (action: 'lend' | 'withdraw' | 'claim', amount: bigint) =>
    (await service.strategyBytecode({ id: entry.slug, action, amount, wallet })).bytecode
  /** Checks a leg with the guard, simulates it as the wallet does before signing, and sends it. */
  const done = async (intent: Intent, transactions: readonly Transaction[]) => {
    checkLeg({ intent, chainId, transactions, catalog })
    await simulatePlannedLeg(ground, { chainId, intent, transactions }, strictTerms)
    await perform(sandbox, wallet, transactions)
  }
  const own = { wallet, strategy: entry }
  const shares = async () => askNumber(rpc, balanceRead(entry.receipt, wallet), 'shares')
  const withdrawing = async (amount: bigint): Promise<Intent> => {
    if (amount === maxUint256) return { kind: 'withdraw', ...own, amount, shares: await shares() }
    const units = await readReceiptUnits(entry, amount, ask)
    return { kind: 'withdraw', ...own, amount, ...(units !== undefined && { units }) }
  }
  const claiming = async (proposed: readonly Transaction[]): Promise<Extract<Intent, { kind: 'claim' }>> => {
    const { ids, amount } = await readClaim(entry, wallet, ask, proposed)
    return { kind: 'claim', ...own, amount, ids }
  }
  return {
    entry,
    catalog,
    place,
    queue,
    service,
    made,
    ask,
    shares,
    amount: isVault ? 1_234_567_891n : 3n * ether + 7n,
    done,
    claiming,
    withdrawing,
    deposit: async (amount: bigint) => done({ kind: 'deposit', ...own, amount }, await made('lend', amount)),
    withdraw: async (amount: bigint) => {
      const transactions = await made('withdraw', amount)
      await done(await withdrawing(amount), transactions)
      return transactions
    },
    claim: async () => {
      const transactions = await made('claim', maxUint256)
      const intent = await claiming(transactions)
      await done(intent, transactions)
      return { intent, transactions }
    },
    held: () =>
      isVault ? sandbox.balanceOf(chainId, asset.address, wallet) : sandbox.nativeBalanceOf(chainId, wallet),
    tell: (signature: string, args: readonly unknown[], to = place) =>
      perform(sandbox, wallet, [{ to, data: calldata(signature, args), value: 0n, chainId }]),
    position: async () =>
      (await service.getWallet({ address: wallet })).positions.find(
        ({ strategy }) => strategy.id === entry.id,
      ),
  }
}

/** Clients of both chains; the first returns no logs while `fails` returns true. */
const withoutLogs =
  (fails: () => boolean) =>
  (id: number): ChainClient => {
    const { rpc } = sandbox.chain(id)
    if (id !== chainId) return rpc
    const refuse = (methods: readonly string[]) => {
      if (fails() && methods.includes('eth_getLogs'))
        throw new AppError('RPC_ERROR', 'no logs', { details: { code: -32000, message: 'no logs' } })
    }
    return {
      ...rpc,
      batch: async (calls) => {
        refuse(calls.map(([method]) => method))
        return rpc.batch(calls)
      },
      request: async (method, params) => {
        refuse([method])
        return rpc.request(method, params)
      },
    }
  }

const set = 'function set(uint256,bool,bool,address)'
const priced = (rate: bigint, place: Address) => [rate, false, false, place] as const
/** Makes the withdrawal requests of a protocol claimable. */
const ready: Partial<Record<Kind, (market: Awaited<ReturnType<typeof opened>>) => Promise<unknown>>> = {
  'ether-fi': ({ tell, queue }) => tell('function finalize(uint256)', [100n], queue),
  'frax-ether': ({ tell, queue }) => tell('function finalize(uint256)', [100n], queue),
  stader: ({ tell }) => tell('function finalize(uint256)', [100n]),
  lista: ({ tell }) => tell('function finalize(uint256)', [100n]),
  'benqi-staking': () => sandbox.world.warp(16 * day),
  ethena: () => sandbox.world.warp(8 * day),
  stakewise: async ({ tell }) => {
    await tell('function finalize(uint256)', [maxUint256])
    await sandbox.world.warp(day)
  },
}
const gas = ether / 100n

describe.each(['ether-fi', 'frax-ether', 'stader', 'lista', 'benqi-staking', 'ethena', 'stakewise'] as const)(
  'the withdrawal queue of %s',
  (kind) => {
    let market: Awaited<ReturnType<typeof opened>>
    beforeEach(async () => {
      market = await opened(kind)
    })

    test('accepts a stake, queues a partial and a full withdrawal, and pays the claimed amount', async () => {
      const { amount, deposit, withdraw, claim, shares, held, position, place, tell, service, entry } = market
      await deposit(amount)
      if (kind !== 'ethena') await tell(set, priced((ether * 12n) / 10n, place))
      const grown = (await position())!
      if (kind !== 'ethena') expect(grown.profit! > amount / 12n).toBe(true)
      await withdraw(amount / 3n)
      await ready[kind]!(market)
      const first = (await position())!
      expect(first.pending).toEqual([])
      const [request] = first.claimable!
      // Frax keeps a fee of 0.2 %.
      const part = kind === 'frax-ether' ? 0.998 : 1
      expect(Number(request!.amount) / Number(amount / 3n)).toBeCloseTo(part, 7)
      const before = await held()
      const { intent } = await claim()
      expect(Number((await held()) - before + gas) / Number(intent.amount + gas)).toBeCloseTo(1, 2)
      expect(Number(intent.amount) / Number(amount / 3n)).toBeCloseTo(part, 7)
      await withdraw(maxUint256)
      expect(await shares()).toBe(0n)
      const rest = (await position())!
      expect([rest.balance, rest.principal, rest.pending!.length + rest.claimable!.length]).toEqual([
        0n,
        0n,
        1,
      ])
      const history = (await service.walletHistory({ address: wallet, strategyId: entry.slug })).items
      // Not every contract logs the owner of a claim.
      const isLogged = kind === 'stader' || kind === 'benqi-staking' || kind === 'stakewise'
      expect(history.map(({ type }) => type)).toEqual([
        'withdraw',
        ...(isLogged ? ['claim'] : []),
        'withdraw',
        'deposit',
      ])
      if (isLogged) expect(history[1]!.amount).toBe(intent.amount)
    })

    test('the guard refuses a deposit that delivers less than its worth, also at a grown price', async () => {
      const { amount, entry, tell, place, deposit } = market
      await deposit(amount)
      if (kind !== 'ethena') await tell(set, priced((ether * 12n) / 10n, place))
      expect(await deposited(sandbox, { catalog: market.catalog, entry, amount })).toEqual({
        whole: undefined,
        part: 'POLICY_SIMULATION',
      })
    })

    test('has nothing to claim before a request is ready, and states its waiting time', async () => {
      const { amount, deposit, withdraw, made, service, entry } = market
      await deposit(amount)
      expect(await codeOf(made('claim', maxUint256))).toBe('NOTHING_CLAIMABLE')
      await withdraw(amount / 2n)
      expect(await codeOf(made('claim', maxUint256))).toBe('NOTHING_CLAIMABLE')
      expect(await codeOf(made('claim', 5n))).toBe('VALIDATION_ERROR')
      const asked = await service.strategyBytecode({
        id: entry.slug,
        action: 'withdraw',
        amount: amount / 4n,
        wallet,
      })
      const seconds = { 'frax-ether': 15 * day, 'benqi-staking': 15 * day, ethena: 7 * day }
      expect(asked.queued).toEqual({ seconds: kind in seconds ? seconds[kind as 'ethena'] : null })
    })

    test('the simulation refuses a claim that pays the wallet nothing', async () => {
      const { amount, deposit, withdraw, claiming, made, done, tell, place, queue } = market
      await deposit(amount)
      await withdraw(amount / 2n)
      await ready[kind]!(market)
      const transactions = await made('claim', maxUint256)
      const intent = await claiming(transactions)
      if (kind === 'ethena') await tell('function set(uint24,address)', [7n * BigInt(day), sandboxAddress(4)])
      else if (queue !== place) await tell('function set(bool)', [true], queue)
      else await tell(set, [(ether * 11n) / 10n, false, true, place])
      expect(await codeOf(done(intent, transactions))).toBe('POLICY_SIMULATION')
    })

    test('the guard refuses a claim for another owner, request, contract, value or function', async () => {
      const { amount, deposit, withdraw, claiming, made, done } = market
      await deposit(amount)
      await withdraw(amount / 2n)
      await ready[kind]!(market)
      const [transaction] = await made('claim', maxUint256)
      const intent = await claiming([transaction!])
      const other =
        kind === 'stakewise'
          ? claimExitedAssets({ chainId, vault: market.place, id: '7-7', index: 0n })
          : (queueOf(market.entry)!.claim(sandboxAddress(4), [
              { id: '7', amount: 1n, requestedAt: null, availableAt: null },
            ]) as Transaction)
      if (kind === 'ethena' || kind === 'frax-ether')
        expect(await codeOf(done(intent, [other]))).toBe('POLICY_RECIPIENT')
      else if (kind !== 'benqi-staking') expect(await codeOf(done(intent, [other]))).toBe('POLICY_AMOUNT')
      const elsewhere = { ...transaction!, to: sandboxAddress(4) }
      expect(await codeOf(done(intent, [elsewhere]))).toBe('POLICY_CONTRACT_NOT_ALLOWED')
      expect(await codeOf(done(intent, [{ ...transaction!, value: 1n }]))).toBe('POLICY_VALUE')
      expect(await codeOf(done(intent, [{ ...transaction!, data: '0x12345678' }]))).toBe('POLICY_DECODE')
    })
  },
)

test('a new sUSDe cooldown restarts pending ones, and is refused unless none is pending or it is accepted', async () => {
  const { entry, amount, deposit, withdraw, position, ask } = await opened('ethena')
  await deposit(amount)
  const may = (accepted: boolean) => codeOf(refuseQueueRestart(entry, wallet, ask, accepted))
  expect(await may(false)).toBeUndefined()
  await withdraw(amount / 3n)
  await sandbox.world.warp(5 * day)
  expect(await may(false)).toBe('WITHDRAWAL_PENDING')
  expect(await may(true)).toBeUndefined()
  await withdraw(amount / 3n)
  await sandbox.world.warp(3 * day)
  const { pending, claimable } = (await position())!
  expect([pending!.length, claimable!.length]).toEqual([1, 0])
  expect(pending![0]!.amount).toBe((amount / 3n) * 2n)
  const stader = await opened('stader')
  await stader.deposit(ether)
  await stader.withdraw(ether / 2n)
  expect(await codeOf(refuseQueueRestart(stader.entry, wallet, stader.ask, false))).toBeUndefined()
})

test('requests of a shared queue belong to its first strategy when logs cannot be read', async () => {
  const { service } = engineOn(sandbox, { rpc: withoutLogs(() => true) })
  const id = 'sandbox-lido-wsteth-eth-sandbox-one'
  const done = async (action: 'lend' | 'withdraw', amount: bigint) =>
    perform(sandbox, wallet, (await service.strategyBytecode({ id, action, amount, wallet })).bytecode)
  await done('lend', 3n * ether)
  await done('withdraw', ether)
  const { positions } = await service.getWallet({ address: wallet })
  const asked = positions.filter(({ pending }) => pending!.length > 0)
  expect(asked.map(({ strategy }) => strategy.slug)).toEqual(['sandbox-lido-eth-sandbox-one'])
})

test('sUSDe with a cooldown of zero refuses withdrawals', async () => {
  const { tell, service, entry, made } = await opened('ethena')
  await tell('function set(uint24,address)', [0n, nativeAddress])
  expect((await service.getStrategy({ id: entry.slug })).actions).toEqual(['lend', 'claim'])
  expect(await codeOf(made('withdraw', 5n))).toBe('STRATEGY_PAUSED')
})

test('an sAVAX withdrawal states its claim window in advance, and a lapsed claim returns the shares', async () => {
  const { deposit, position, entry, catalog, place, shares, held, ask } = await opened('benqi-staking')
  await deposit(ether)
  commandsKnow = catalog
  const back = `redeemOverdueShares() of ${place}`
  const told = { json: { queued: { seconds: 15 * day, window: { seconds: 2 * day, back } } } }
  expect(await run(`withdraw ${entry.slug} --amount 0.5 --dry-run --json`)).toMatchObject(told)
  const { err, ...done } = await run(`withdraw ${entry.slug} --amount 0.5 --yes --json`)
  expect(done).toMatchObject(told)
  expect(err).toContain('They are ready after 15 days, and the claim lapses 2 days later')
  expect(err).toContain('After it lapses, the same command returns receipt')
  const left = await shares()
  const isoOf = (seconds: number) => new Date(seconds * 1000).toISOString()
  const [waiting] = (await position())!.pending!
  const [asked, from] = [waiting!.requestedAt!, waiting!.availableAt!].map((at) => Date.parse(at) / 1000)
  expect([from! - asked!, waiting!.until, waiting!.back]).toEqual([15 * day, isoOf(from! + 2 * day), null])
  await sandbox.world.warp(16 * day)
  expect((await position())!.claimable).toMatchObject([{ until: waiting!.until, back: null }])
  expect((await run('wallet show')).out).toMatch(/ready .* to claim until 20.*: sluice withdraw \S+ --claim/)
  await sandbox.world.warp(2 * day)
  const { pending, claimable } = (await position())!
  expect(claimable).toEqual([])
  expect(pending).toMatchObject([{ availableAt: null, until: waiting!.until, back }])
  expect((await run('wallet show')).out).toMatch(
    /lapsed 0\.5\S* ETH .*claim lapsed 20.*: sluice withdraw benqi-staking-eth-sandbox-one --claim/,
  )
  // A request made meanwhile has not lapsed, and stays.
  await run(`withdraw ${entry.slug} --amount 0.2 --yes --json`)
  const kept = await shares()
  const coins = await held()
  const given = (1n * ether * ether) / (11n * 10n ** 17n) - left
  const claim = await run(`withdraw ${entry.slug} --claim --yes --json`)
  expect([claim.exit, claim.json.amounts.out.symbol, claim.json.amounts.out.raw]).toEqual([
    0,
    'receipt',
    given.toString(),
  ])
  expect(claim.err).toMatch(/Request 0 has lapsed: this returns 0\.45\d* receipt and no ETH/)
  expect(claim.err).toMatch(/request it again: sluice withdraw \S+ --amount 0\.(5|49{9}\d*)/)
  expect(await shares()).toBe(kept + given)
  expect(await held()).toBeLessThan(coins)
  const after = (await position())!
  expect([after.pending!.length, after.pending![0]!.back, after.claimable]).toEqual([1, null, []])
  expect(await readClaim(entry, wallet, ask, [])).toMatchObject({ ids: [], lapsed: 0 })
  // The command in the message repeats the request.
  const again = await run(/again: sluice (withdraw \S+ --amount [\d.]+)/.exec(claim.err)![1] + ' --yes')
  expect(again.exit).toBe(0)
})

test.each([
  [2.5 * day, 'lapses 60 hours later'],
  [1.99 * day, 'lapses 47 hours later'],
  [7_199.5, 'lapses 119 minutes later'],
])('a claim window of %d seconds is never rounded up', (seconds, words) => {
  const entry = sandbox.strategy('aave-v3-USDC-sandbox-one')
  const said = adviceText(queuedLine(entry, queuedOf(entry, 1n, 2.5 * day, { seconds, back: 'nothing' })))
  expect(said).toContain('ready after 60 hours')
  expect(said).toContain(words)
})

describe('Rocket Pool', () => {
  test('pays withdrawals at once from its balance', async () => {
    const { amount, deposit, withdraw, shares, held, position, service, entry } = await opened('rocket-pool')
    await deposit(amount)
    const { actions } = await service.getStrategy({ id: entry.slug })
    expect(actions).toEqual(['lend', 'withdraw'])
    expect((await position())!.claimable).toEqual([])
    const before = await held()
    const [burn] = await withdraw(ether)
    expect(burn!.data.slice(0, 10)).toBe('0x42966c68')
    expect(before + ether - (await held())).toBeLessThan(gas)
    await withdraw(maxUint256)
    expect(await shares()).toBe(0n)
  })

  test('keeps a deposit fee below one percent, and the guard refuses a higher one', async () => {
    const { amount, catalog, entry, tell, deposit } = await opened('rocket-pool')
    for (const [fee, whole] of [
      [5n, undefined],
      [99n, undefined],
      [105n, 'POLICY_SIMULATION'],
    ] as const) {
      await tell('function keep(uint256)', [fee])
      const tried = await deposited(sandbox, { catalog, entry, amount })
      expect({ fee, ...tried }).toEqual({ fee, whole, part: 'POLICY_SIMULATION' })
    }
    await tell('function keep(uint256)', [5n])
    await deposit(amount)
  })

  test('fails the simulation when it pays nothing, and refuses more than the wallet holds', async () => {
    const { deposit, made, withdrawing, done, tell, place } = await opened('rocket-pool')
    await deposit(ether)
    const [intent, transactions] = [await withdrawing(ether / 2n), await made('withdraw', ether / 2n)]
    await tell(set, [(ether * 11n) / 10n, false, true, place])
    expect(await codeOf(done(intent, transactions))).toBe('POLICY_SIMULATION')
    expect(await codeOf(made('withdraw', 5_000n * ether))).toBe('INSUFFICIENT_FUNDS')
  })

  test('uses the new address of a moved deposit pool, which the guard refuses unless it is allowed', async () => {
    const { entry, made, tell, deposit } = await opened('rocket-pool')
    const moved = sandboxAddress(4)
    await tell(set, priced((ether * 11n) / 10n, moved))
    const [stake] = await made('lend', ether)
    expect(stake).toMatchObject({ to: moved, value: ether })
    expect(await codeOf(deposit(ether))).toBe('POLICY_CONTRACT_NOT_ALLOWED')
    const intent: Intent = { kind: 'deposit', wallet, strategy: entry, amount: ether }
    const catalog = { ...sandbox.world.catalog(), strategies: [entry] }
    const vouched = { allow: [moved], allowTokens: [] }
    const question = { intent, chainId, transactions: [stake!], catalog, vouched }
    expect(checkLeg(question)).toHaveLength(1)
  })
})

describe.each(['ether-fi', 'frax-ether'] as const)('withdrawal tickets of %s', (kind) => {
  test('belong to their current owner, and a claim skips transferred ones', async () => {
    const { entry, deposit, withdraw, made, ask, position, tell, queue, held, claim } = await opened(kind)
    const friend = sandboxAddress(2)
    await deposit(3n * ether)
    for (const _ of [1, 2]) await withdraw(ether)
    await tell('function finalize(uint256)', [100n], queue)
    expect((await position())!.claimable!.map(({ id }) => id)).toEqual(['1', '2'])
    const first = await made('claim', maxUint256)
    expect((await readClaim(entry, wallet, ask, first)).ids).toEqual(['1'])
    await tell('function transferFrom(address,address,uint256)', [wallet, friend, 1n], queue)
    expect((await readClaim(entry, wallet, ask, first)).ids).toEqual([])
    expect((await position())!.claimable!.map(({ id }) => id)).toEqual(['2'])
    const before = await held()
    expect((await claim()).intent.ids).toEqual(['2'])
    expect((await held()) - before).toBeGreaterThan((ether * 9n) / 10n)
    expect((await position())!.claimable).toEqual([])
  })

  test('are null when logs cannot be read', async () => {
    const { entry, deposit, withdraw } = await opened(kind)
    await deposit(3n * ether)
    await withdraw(ether)
    const known = sandbox.world.catalog()
    const { service } = engineOn(sandbox, {
      catalog: { ...known, strategies: [...known.strategies, entry] },
      rpc: withoutLogs(() => true),
    })
    const { positions } = await service.getWallet({ address: wallet })
    const mine = positions.find(({ strategy }) => strategy.id === entry.id)!
    expect([mine.pending, mine.claimable, mine.principal]).toEqual([null, null, null])
  })
})

describe('StakeWise', () => {
  const requests = ['pending', 'claimable'] as const

  test('pays a token request in parts, each with its own ticket and the time of the request', async () => {
    const { entry, deposit, withdraw, claim, made, tell, position, held } = await opened('stakewise', 'token')
    await deposit(900_000n)
    expect(await sandbox.balanceOf(chainId, entry.asset.address, entry.receipt.address)).toBe(900_000n)
    const [exit] = await withdraw(600_000n)
    expect(exit!.data.slice(0, 10)).toBe('0x8ceab9aa')
    await tell('function finalize(uint256)', [200_000n])
    const early = (await position())!
    const [{ id, amount }] = [early.pending![0]!]
    expect([early.balance, early.principal, early.claimable]).toEqual([300_000n, 300_000n, []])
    expect(early.pending!.map((one) => one.amount)).toEqual([200_000n, 400_000n])
    expect(await codeOf(made('claim', maxUint256))).toBe('NOTHING_CLAIMABLE')
    await sandbox.world.warp(day)
    const later = (await position())!
    for (const of of requests) expect(later[of]!.map((one) => one.id)).toEqual([id])
    expect(later.claimable![0]!.amount).toBe(amount)
    const before = await held()
    expect((await claim()).intent.ids).toEqual([id])
    expect((await held()) - before).toBe(200_000n)
    await tell('function finalize(uint256)', [maxUint256])
    const [place, time] = id.split('-')
    const rest = (await position())!
    expect(rest.claimable).toMatchObject([{ id: `${BigInt(place!) + 200_000n}-${time}`, amount: 400_000n }])
    await claim()
    expect((await held()) - before).toBe(600_000n)
    expect((await position())!.claimable).toEqual([])
  })

  test('delivers shares at its price, and the guard refuses a deposit that delivers one share', async () => {
    const { deposit, tell, place, shares } = await opened('stakewise')
    await deposit(ether)
    await tell(set, priced((ether * 13n) / 10n, place))
    await deposit(ether + 7n)
    expect(await shares()).toBe(ether + ((ether + 7n) * 10n) / 13n + 1n)
    await tell(set, [(ether * 13n) / 10n, false, true, place])
    expect(await codeOf(deposit(ether))).toBe('POLICY_SIMULATION')
  })

  test('pays one request per claim, oldest first', async () => {
    const { deposit, withdraw, claim, tell, held } = await opened('stakewise', 'token')
    await deposit(900_000n)
    await withdraw(100_000n)
    await withdraw(300_000n)
    await tell('function finalize(uint256)', [maxUint256])
    await sandbox.world.warp(day)
    const paid: bigint[] = []
    for (let before = await held(); paid.length < 2; before = await held()) {
      expect((await claim()).intent.ids).toHaveLength(1)
      paid.push((await held()) - before)
    }
    expect(paid).toEqual([100_000n, 300_000n])
  })

  test('with unharvested rewards refuses deposits with the reason, and accepts withdrawals', async () => {
    const { deposit, withdraw, made, tell, place, service, entry } = await opened('stakewise')
    await deposit(ether)
    await tell(set, [ether, true, false, place])
    const shown = await service.getStrategy({ id: entry.slug })
    expect([shown.actions, shown.paused]).toEqual([['withdraw', 'claim'], false])
    await expect(made('lend', ether)).rejects.toThrow(/once its rewards are updated/)
    expect(await codeOf(made('lend', ether))).toBe('STRATEGY_PAUSED')
    await withdraw(ether / 2n)
  })

  test('refuses deposits above its capacity, and withdrawals before it has validators', async () => {
    const { deposit, made, tell } = await opened('stakewise')
    await deposit(ether)
    await tell('function limit(uint256,bool)', [ether * 2n, true])
    expect(await codeOf(made('lend', ether + 1n))).toBe('STRATEGY_CAP_REACHED')
    expect(await made('lend', ether)).toHaveLength(1)
    await expect(made('withdraw', ether / 2n)).rejects.toThrow(/has no validators yet/)
    for (const most of [ether, ether / 2n]) {
      await tell('function limit(uint256,bool)', [most, false])
      await expect(made('lend', 1n)).rejects.toThrow(/accepts no deposits now$/)
      expect(await codeOf(made('lend', 1n))).toBe('STRATEGY_CAP_REACHED')
    }
    expect(await made('withdraw', ether / 2n)).toHaveLength(1)
  })

  test('says why shares behind minted osTokens, or with unharvested rewards, cannot be withdrawn', async () => {
    const { deposit, withdraw, tell, place } = await opened('stakewise')
    await deposit(ether)
    await tell('function mint(uint256)', [ether / 2n])
    await expect(withdraw(maxUint256)).rejects.toThrow(/backs minted osTokens/)
    await withdraw(ether / 4n)
    await tell(set, [ether, true, false, place])
    await expect(withdraw(ether / 8n)).rejects.toThrow(/rewards of the vault must be updated/)
  })

  test('has no principal when the wallet received fee shares, whose log has no owner topic', async () => {
    const { deposit, tell, position } = await opened('stakewise')
    await deposit(ether)
    expect((await position())!.principal).toBe(ether)
    await tell('function charge(address,uint256)', [wallet, ether])
    const { balance, principal, profit } = (await position())!
    expect([balance, principal, profit]).toEqual([2n * ether, null, null])
  })

  test('counts shares migrated from the older StakeWise, for their receiver only', async () => {
    const { deposit, tell, position, service, entry, place } = await opened('stakewise')
    await tell('function migrate(address,uint256)', [wallet, ether])
    // A wallet that only migrated has a history, and no error.
    const only = await service.walletHistory({ address: wallet, strategyId: entry.slug })
    expect([only.isWhole, only.items.map(({ type }) => type)]).toEqual([true, ['transfer_in']])
    await tell('function migrate(address,uint256)', [sandboxAddress(3), ether])
    await deposit(ether)
    await tell(set, [2n * ether, false, false, place])
    const { balance, principal, profit } = (await position())!
    expect([balance, principal, profit]).toEqual([4n * ether, 2n * ether, 2n * ether])
    const { items } = await service.walletHistory({ address: wallet, strategyId: entry.slug })
    expect(items.map(({ type, amount }) => [type, amount])).toEqual([
      ['deposit', ether],
      ['transfer_in', ether],
    ])
  })

  test('marks the history as incomplete after fee shares, and still finds queued requests', async () => {
    const { deposit, withdraw, tell, entry, catalog } = await opened('stakewise')
    await deposit(ether)
    await tell('function charge(address,uint256)', [wallet, ether])
    const history = async () => {
      const { service } = engineOn(sandbox, { catalog })
      const { items, isWhole } = await service.walletHistory({ address: wallet, strategyId: entry.slug })
      return { isWhole, types: items.map(({ type }) => type), service }
    }
    expect(await history()).toMatchObject({ isWhole: false, types: ['deposit'] })
    commandsKnow = catalog
    expect((await run(`history ${entry.slug}`)).err).toMatch(/does not account for the whole position/)
    expect((await run(`history ${entry.slug} --all --json`)).json).toMatchObject({ isWhole: false, total: 1 })
    await withdraw(maxUint256)
    const { service, ...told } = await history()
    expect(told).toEqual({ isWhole: false, types: ['withdraw', 'deposit'] })
    const { positions, unsearched } = await service.getWallet({ address: wallet })
    expect(unsearched).toEqual([])
    expect(positions.find(({ strategy }) => strategy.id === entry.id)).toMatchObject({ pending: [{}] })
  })

  test('reads its history again when a node does not know the newest block yet', async () => {
    const { deposit, entry, catalog } = await opened('stakewise')
    await deposit(ether)
    const { rpc } = sandbox.chain(chainId)
    let behind = 0
    const several: ChainClient = {
      ...rpc,
      request: async (method, params = []) => {
        if (method === 'eth_call' && params[1] !== 'latest' && behind++ === 0)
          throw new AppError('RPC_ERROR', 'no', { details: { code: -32000, message: 'header not found' } })
        return rpc.request(method, params)
      },
    }
    const { service } = engineOn(sandbox, {
      catalog,
      rpc: (id) => (id === chainId ? several : sandbox.chain(id).rpc),
    })
    const { items, isWhole } = await service.walletHistory({ address: wallet, strategyId: entry.slug })
    expect([items.length, isWhole, behind > 1]).toEqual([1, true, true])
  })

  test('shows position and history while another process holds the store', async () => {
    const { deposit, withdraw, entry, catalog } = await opened('stakewise')
    await deposit(ether)
    await withdraw(ether / 2n)
    const dir = mkdtempSync(join(tmpdir(), 'sluice-held-'))
    const file = join(dir, 'engine.db')
    const store = engineStore(sqliteSql(file, { migrations: engineMigrations }))
    const { service } = engineOn(sandbox, { catalog, store })
    await service.getStrategy({ id: entry.slug })
    const holder = new DatabaseSync(file)
    holder.exec('BEGIN IMMEDIATE')
    const [history, { positions }] = await Promise.all([
      service.walletHistory({ address: wallet, strategyId: entry.slug }),
      service.getWallet({ address: wallet }),
    ])
    expect(history.items.map(({ type }) => type)).toEqual(['withdraw', 'deposit'])
    expect(positions.find(({ strategy }) => strategy.id === entry.id)).toMatchObject({ pending: [{}] })
    holder.exec('ROLLBACK')
    holder.close()
    await store.close()
    rmSync(dir, { recursive: true, force: true })
  })

  test('lists a full exit of another engine as unsearched until its claim or history is requested', async () => {
    const { deposit, withdraw, position, entry, catalog } = await opened('stakewise')
    await deposit(ether)
    await withdraw(maxUint256)
    expect((await position())!.pending).toMatchObject([{ amount: ether }])
    const another = () => {
      const logs = { fail: false }
      const { service } = engineOn(sandbox, { catalog, rpc: withoutLogs(() => logs.fail) })
      const shown = async (address = wallet) => {
        const { positions, unsearched } = await service.getWallet({ address })
        return { position: positions.find(({ strategy }) => strategy.id === entry.id), unsearched }
      }
      return { service, logs, shown }
    }
    const one = another()
    const never = { position: undefined, unsearched: [{ strategy: entry.slug, searchedAt: null }] }
    // On every read, and for an address without transactions.
    const nobody = `0x${'7e'.repeat(20)}` as const
    for (const address of [wallet, wallet, nobody]) expect(await one.shown(address)).toEqual(never)
    const asked = { id: entry.slug, action: 'claim', amount: maxUint256, wallet } as const
    expect(await codeOf(one.service.strategyBytecode(asked))).toBe('NOTHING_CLAIMABLE')
    const found = { position: { balance: 0n, pending: [{ amount: ether }] }, unsearched: [] }
    expect(await one.shown()).toMatchObject(found)

    // The history finds it too. When there is nothing, the wallet states when it was searched.
    const other = another()
    await other.service.walletHistory({ address: wallet, strategyId: entry.slug })
    expect(await other.shown()).toMatchObject(found)
    await other.service.walletHistory({ address: nobody, strategyId: entry.slug })
    const searchedAt = (await other.shown(nobody)).unsearched![0]!.searchedAt!
    expect(Math.abs(Date.parse(searchedAt) - Date.now())).toBeLessThan(60_000)
    // Known requests that cannot be read are null, not empty.
    await sandbox.chain(chainId).rpc.request('evm_mine')
    other.logs.fail = true
    expect((await other.shown()).position).toMatchObject({ balance: 0n, pending: null, claimable: null })
  })

  test('finds a full exit of another engine for a wallet that this engine has seen with a position', async () => {
    const { deposit, withdraw, entry, catalog } = await opened('stakewise')
    await deposit(ether)
    const { service } = engineOn(sandbox, { catalog })
    const shown = async () => {
      const { positions, unsearched } = await service.getWallet({ address: wallet })
      return { position: positions.find(({ strategy }) => strategy.id === entry.id), unsearched }
    }
    expect(await shown()).toMatchObject({ position: { balance: expect.any(BigInt) }, unsearched: [] })
    // Requested through another engine: this one has only the chain.
    await withdraw(maxUint256)
    expect(await shown()).toMatchObject({
      position: { balance: 0n, pending: [{ amount: ether }] },
      unsearched: [],
    })
  })

  test('the contract check reports another asset, another vault kind, missing validators and an unregistered vault', async () => {
    const { entry, tell } = await opened('stakewise')
    const network = networkNamed(sandbox.world.catalog().networks, chainId)
    const chain = openChain(network, sandbox.chain(chainId).rpc)
    const faults = async (asset: Token) =>
      (await marketFaults(chain, [marketOf({ ...entry, asset })])).flatMap((one) => one.faults)
    expect(await faults(entry.asset)).toEqual([])
    expect(await faults(sandbox.token(chainId, 'USDC'))).toEqual([
      expect.stringMatching(/^the kind of the vault is 0x/),
    ])
    await tell('function limit(uint256,bool)', [ether, true])
    expect(await faults(entry.asset)).toEqual(['whether the vault has validators is false, not true'])
    await tell('function limit(uint256,bool)', [ether, false])
    await tell('function forget()', [])
    expect(await faults(entry.asset)).toEqual(['whether StakeWise made the vault is false, not true'])
  })
})
