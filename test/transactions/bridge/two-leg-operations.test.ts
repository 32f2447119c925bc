import { join } from 'node:path'
import { padHex } from 'viem/utils'
import { describe, expect, it } from 'vitest'
import { approve, transfer } from '../../../src/chain/erc20.ts'
import { failoverRpc, httpRpc } from '../../../src/chain/rpc/failover.ts'
import type { Hex } from '../../../src/domain/address.ts'
import { AppError } from '../../../src/domain/errors.ts'
import { sandboxNetworks } from '../../../src/domain/networks.ts'
import { supply } from '../../../src/protocols/aave-v3/encode.ts'
import { privateKeySigner } from '../../../src/signing/keystore/private-key-signer.ts'
import type { Journal } from '../../../src/store/journal/journal-interface.ts'
import { finality } from '../../../src/swaps/cctp-v2/abi.ts'
import { cctpV2Contracts } from '../../../src/swaps/cctp-v2/constants-schema.ts'
import { depositForBurn } from '../../../src/swaps/cctp-v2/encode.ts'
import { contractsIn } from '../../../src/swaps/swap-contracts.ts'
import { checkDelivery } from '../../../src/transactions/bridge/delivery-check.ts'
import { executeOperation } from '../../../src/transactions/execution/execute-operation.ts'
import { fileLocks } from '../../../src/transactions/nonces/wallet-lock.ts'
import type { Execution } from '../../../src/transactions/run.ts'
import { attemptsOf } from '../../support/attempts-of.ts'
import { withAttestation } from '../../support/changed-catalogs.ts'
import { laggingNode } from '../../support/nodes/lagging-node.ts'
import { provider } from '../../support/nodes/proxy-node.ts'
import { useHome } from '../../support/use-journal-and-chain.ts'
import { topicOf, useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const [one, two] = [31337, 31338]
const amount = 50_000_000n
const maxFee = 10_000n
let home: string
let journal: Journal
useHome((made) => {
  ;({ home, journal } = made)
})

const bridge = (chainId: number) =>
  contractsIn(sandbox.world.catalog(), cctpV2Contracts).find((entry) => entry.chainId === chainId)!
const there = () => sandbox.strategy('aave-v3-USDC-sandbox-two')

function plan(id: string): void {
  const wallet = sandbox.user.address
  const { asset, constants } = there()
  if (constants.family !== 'aave-v3') throw new Error('not a pool')
  const { tokenMessenger: messenger, token } = bridge(one)
  const arriving = amount - maxFee
  const step = (role: string, text: string, transaction: ReturnType<typeof approve>) => ({
    role,
    text,
    transaction,
  })
  journal.insert({
    id,
    idemKey: id,
    request: { id },
    kind: 'deposit',
    wallet,
    legs: [
      {
        chainId: one,
        steps: [
          step('approve', 'Approve', approve({ chainId: one, token, spender: messenger, amount })),
          step(
            'action',
            'Burn',
            depositForBurn({
              chainId: one,
              messenger,
              amount,
              domain: bridge(two).domain,
              recipient: wallet,
              burnToken: token,
              maxFee,
              minFinalityThreshold: finality.fast,
            }),
          ),
        ],
      },
      {
        chainId: two,
        arrival: { token: asset.address, minimum: arriving, recipient: wallet },
        steps: [
          step(
            'approve',
            'Approve',
            approve({ chainId: two, token: asset.address, spender: constants.pool, amount: arriving }),
          ),
          step(
            'action',
            'Supply',
            supply({
              chainId: two,
              pool: constants.pool,
              asset: asset.address,
              amount: arriving,
              onBehalfOf: wallet,
            }),
          ),
        ],
      },
    ],
  })
}

/** The latest transaction that minted to the wallet on the second chain, from the node's logs. */
async function mint(): Promise<Hex | undefined> {
  const filter = {
    fromBlock: '0x0',
    address: bridge(two).tokenMessenger,
    topics: [topicOf('MintAndWithdraw(address,uint256,address,uint256)'), padHex(sandbox.user.address)],
  }
  const logs = await sandbox.chain(two).rpc.request<{ transactionHash: Hex }[]>('eth_getLogs', [filter])
  return logs.at(-1)?.transactionHash
}

const run = (id: string, more: Partial<Execution> = {}) =>
  executeOperation({
    journal,
    operationId: id,
    signer: privateKeySigner(sandbox.user.key),
    rpc: (chainId) => httpRpc(sandbox.chain(chainId).rpcUrl),
    networks: sandboxNetworks,
    lock: fileLocks(join(home, 'locks')),
    timeoutMs: 30_000,
    reportedDelivery: mint,
    checkDelivery: broughtIn(id),
    ...more,
  })
/** The delivery that both chains and the bridge show for an operation. */
const broughtIn =
  (id: string, rpc = (chainId: number) => httpRpc(sandbox.chain(chainId).rpcUrl)) =>
  (told: Hex | null) =>
    checkDelivery({ rpc, catalog: sandbox.world.catalog(), now: Date.now, journal }, journal.find(id)!, told)
/** Empty values for the optional fields of a fault. */
const noMore = { network: null, method: null, amount: null, times: null, at: null, reason: null }
const supplied = () => sandbox.balanceOf(two, there().receipt.address, sandbox.user.address)

describe('an operation over two chains', () => {
  it('names the endpoint that keeps the delivery from being final, and is resumed without it', async () => {
    plan('stalled')
    const { rpcUrl } = sandbox.chain(two)
    const at = Number(await httpRpc(rpcUrl).request('eth_blockNumber'))
    const stalled = await laggingNode(rpcUrl, (newest) => Math.max(0, newest - at))
    const rpc = (chainId: number) =>
      chainId === two
        ? failoverRpc([rpcUrl, stalled.url], { retries: 0 })
        : httpRpc(sandbox.chain(chainId).rpcUrl)
    const unnamed = { reportedDelivery: async () => undefined, timeoutMs: 3_000 }
    await expect(
      run('stalled', { ...unnamed, checkDelivery: broughtIn('stalled', rpc) }),
    ).rejects.toMatchObject({
      code: 'PENDING',
      details: { unseen: 'disputed', host: new URL(stalled.url).host },
      hint: expect.stringMatching(/SLUICE_RPC_SANDBOX_TWO, then: sluice action resume stalled$/),
    })
    await stalled.close()
    expect((await run('stalled', { checkDelivery: broughtIn('stalled') })).state).toBe('DONE')
  })

  it('accepts a delivery once it is final, and ignores one whose event is in another transaction', async () => {
    plan('shallow')
    const unnamed = {
      reportedDelivery: async () => undefined,
      checkDelivery: async () => undefined,
      timeoutMs: 3_000,
    }
    await expect(run('shallow', unnamed)).rejects.toMatchObject({ code: 'PENDING' })
    await expect.poll(mint).toBeDefined()
    const ground = { catalog: sandbox.world.catalog(), now: Date.now, journal }
    const rpc = (chainId: number) => httpRpc(sandbox.chain(chainId).rpcUrl)
    const brought = (depth?: number, by = rpc) =>
      checkDelivery({ ...ground, rpc: by }, journal.find('shallow')!, null, depth)
    expect(await brought(1_000)).toMatchObject({ unseen: 'shallow' })
    const { transactionHash: other } = await sandbox.sendAs(two, sandbox.user.address, {
      to: sandbox.user.address,
      value: 1n,
    })
    const node = await provider(sandbox.chain(two).rpcUrl, async ({ method, params }, ask) =>
      method === 'eth_getLogs'
        ? {
            result: ((await ask(method, params)) as object[]).map((log) => ({
              ...log,
              transactionHash: other,
            })),
          }
        : undefined,
    )
    expect(await brought(1, (chainId) => (chainId === two ? httpRpc(node.url) : rpc(chainId)))).toEqual({
      unseen: 'unfound',
    })
    expect(node.asked).toContain('eth_getLogs')
    await node.close()
    expect(await brought(1)).toEqual({ arrived: await mint() })
    expect((await run('shallow')).state).toBe('DONE')
  })

  it('bridges, waits for the delivery, and deposits it', async () => {
    plan('both')
    const before = await supplied()
    const checked: number[] = []
    const done = await run('both', {
      beforeLeg: async ({ leg }) => {
        checked.push(leg)
      },
    })
    expect(done.state).toBe('DONE')
    expect(checked).toEqual([0, 1])
    expect(done.legs[1]!.arrival!.hash).toBe(await mint())
    expect(journal.operationOfHash((await mint())!)).toBe('both')
    const gained = (await supplied()) - before
    expect(gained >= amount - maxFee - 2n && gained <= amount - maxFee).toBe(true)
  })

  it.each([
    ['with a known attestation', true],
    ['without an attestation service', false],
  ])(
    'does not accept an earlier delivery or an ordinary transfer that the provider names, %s',
    async (_, isAttested) => {
      plan('earlier')
      expect(await run('earlier')).toMatchObject({ state: 'DONE' })
      const earlier = (await mint())!
      const paid = await sandbox.sendAs(two, sandbox.user.address, {
        ...transfer({ chainId: two, token: there().asset.address, to: sandbox.user.address, amount }),
      })
      await sandbox.world.faults.set({ kind: 'bridge-stuck', ...noMore })
      plan('mine')
      const catalog = isAttested ? sandbox.world.catalog() : withAttestation(sandbox.world.catalog(), null)
      const rpc = (chainId: number) => httpRpc(sandbox.chain(chainId).rpcUrl)
      for (const hash of [earlier, paid.transactionHash]) {
        const named = {
          reportedDelivery: async () => hash,
          checkDelivery: (told: Hex | null) =>
            checkDelivery({ rpc, catalog, now: Date.now, journal }, journal.find('mine')!, told),
        }
        expect(await run('mine', { ...named, timeoutMs: 1_500 }).catch((e: unknown) => e)).toMatchObject({
          code: 'PENDING',
        })
        expect(attemptsOf(journal, 'mine', 2)).toEqual([])
        expect(journal.find('mine')!.legs[1]!.arrival!.hash).toBeNull()
      }
      await sandbox.world.faults.clear()
      expect(await run('mine', { reportedDelivery: async () => earlier })).toMatchObject({ state: 'DONE' })
      expect(journal.find('mine')!.legs[1]!.arrival!.hash).not.toBe(earlier)
    },
  )

  it('accepts a delivery for one operation only, also without an attestation service', async () => {
    // Blocks mined faster than one a second put this chain's clock ahead of the other chain's.
    await sandbox.chain(31338).rpc.request('evm_increaseTime', [600])
    plan('taken')
    expect(await run('taken')).toMatchObject({ state: 'DONE' })
    const hash = (await mint())!
    const ground = {
      rpc: (chainId: number) => httpRpc(sandbox.chain(chainId).rpcUrl),
      catalog: withAttestation(sandbox.world.catalog(), null),
      now: Date.now,
      journal,
    }
    const { steps, legs } = journal.find('taken')!
    const again = {
      ...journal.find('taken')!,
      legs: legs.map((leg) => ({ ...leg, arrival: leg.arrival && { ...leg.arrival, hash: null } })),
    }
    expect(steps[1]!.state).toBe('FINAL_OK')
    expect(await checkDelivery(ground, again, hash)).toEqual({ arrived: hash })
    expect(await checkDelivery(ground, { ...again, id: 'another' }, hash)).toBeUndefined()
  })

  it("does not start the second leg on the provider's report alone", async () => {
    plan('lied')
    await sandbox.world.faults.set({ kind: 'bridge-stuck', ...noMore })
    const burn = () => journal.find('lied')!.steps[1]!.inclusion?.hash
    const error = await run('lied', {
      reportedDelivery: async () => burn(),
      rpc: (chainId) => httpRpc(sandbox.chain(chainId).rpcUrl),
      timeoutMs: 1_500,
    }).catch((caught: unknown) => caught)
    expect(error).toMatchObject({ code: 'PENDING' })
    expect(attemptsOf(journal, 'lied', 2)).toEqual([])
    await sandbox.world.faults.clear()
    expect((await run('lied')).state).toBe('DONE')
  })

  it.each([
    ['names no delivery', async () => undefined],
    [
      'is unreachable',
      async () => {
        throw new AppError('SERVICE_UNREACHABLE', 'gone')
      },
    ],
    [
      'no longer knows the transfer',
      async () =>
        (await mint()) ? Promise.reject(new AppError('QUOTE_NOT_FOUND', 'no such quote')) : undefined,
    ],
  ])('finds the delivery on chain when the provider %s', async (what, arrived) => {
    plan(what)
    const done = await run(what, { reportedDelivery: arrived, checkDelivery: broughtIn(what) })
    expect(done).toMatchObject({ state: 'DONE', legs: [{}, { arrival: { hash: await mint() } }] })
  })

  it('stays PENDING when the provider rejects the status request, and names its error at the timeout', async () => {
    plan('refused')
    const refusal = new AppError('QUOTE_NOT_FOUND', 'no such quote')
    let asked = 0
    let looks = 0
    const arrived = () => {
      asked++
      return Promise.reject(refusal)
    }
    // Signed beforehand, so that the whole time limit is spent waiting.
    await expect(run('refused', { noWait: true })).rejects.toMatchObject({ code: 'PENDING' })
    const early = await run('refused', {
      reportedDelivery: arrived,
      checkDelivery: async () => void looks++,
      timeoutMs: 2_500,
    }).catch((error: unknown) => error)
    expect(early).toMatchObject({
      code: 'PENDING',
      message: expect.stringMatching(/have not arrived yet, .*: no such quote$/),
      hint: 'sluice action resume refused',
    })
    // The chains are checked as rarely as with a provider that names no delivery.
    expect(looks).toBeGreaterThan(1)
    expect(looks).toBe(Math.ceil(asked / 4))
    expect(journal.find('refused')!.state).toBe('EXECUTING')
    expect(
      await run('refused', { reportedDelivery: arrived, checkDelivery: broughtIn('refused') }),
    ).toMatchObject({ state: 'DONE' })
  })

  it('is not signed further by a speed-up, though the previous step is final', async () => {
    plan('faster')
    const only = { replacement: 'bump', onlySigned: true, noWait: true } as const
    const end = (more: Partial<Execution>) => run('faster', more).catch((caught: unknown) => caught)
    const signed = () => [0, 1, 2].map((index) => attemptsOf(journal, 'faster', index).length)
    expect(await end({ noWait: true })).toMatchObject({ code: 'PENDING' })
    expect(await end(only)).toMatchObject({ code: 'PENDING', hint: 'sluice action resume faster' })
    expect(signed()).toEqual([1, 0, 0])
    expect(await end({ noWait: true })).toMatchObject({ code: 'PENDING' })
    await expect.poll(mint, { timeout: 10_000 }).toBeDefined()
    expect(await end(only)).toMatchObject({ code: 'PENDING' })
    expect(signed()).toEqual([1, 1, 0])
    expect(journal.find('faster')).toMatchObject({
      state: 'EXECUTING',
      steps: [{}, { state: 'FINAL_OK' }, {}, {}],
    })
    expect(await run('faster')).toMatchObject({ state: 'DONE' })
  })

  it('ends in PARTIAL without waiting when the burn is mined before its cancel', async () => {
    plan('late')
    const told: string[] = []
    for (const more of [{ noWait: true }, { noWait: true }, { replacement: 'cancel' } as const]) {
      const end = await run('late', {
        ...more,
        reportedDelivery: async () => undefined,
        timeoutMs: 2_000,
        onProgress: ({ kind }) => void told.push(kind),
      }).catch((caught: unknown) => caught)
      expect(end).toMatchObject({ code: 'replacement' in more ? 'PARTIAL' : 'PENDING' })
    }
    expect(told).not.toContain('waiting')
    expect(journal.find('late')!.state).toBe('PARTIAL')
  })

  it('ends when it is abandoned while it waits for the bridge', async () => {
    plan('closed')
    const error = await run('closed', {
      reportedDelivery: async () => undefined,
      timeoutMs: 3_600_000,
      onProgress: ({ kind }) => {
        if (kind === 'waiting') journal.settle('closed', 'CANCELLED', 'given up by the person', 21)
      },
    }).catch((caught: unknown) => caught)
    expect(error).toMatchObject({ code: 'PARTIAL' })
    expect(attemptsOf(journal, 'closed', 2)).toEqual([])
  })

  it('fails when the bridge delivers less than the minimum, whatever arrives later', async () => {
    plan('short')
    await sandbox.world.faults.set({
      kind: 'bridge-short',
      amount: 20,
      network: null,
      method: null,
      times: null,
      at: null,
      reason: null,
    })
    const wallet = sandbox.user.address
    const gift = async (much: bigint) => {
      const call = { chainId: two, token: there().asset.address, to: wallet, amount: much }
      return (await sandbox.sendAs(two, wallet, transfer(call))).transactionHash
    }
    const end = (more: Partial<Execution>) =>
      run('short', { checkDelivery: broughtIn('short'), ...more }).catch((caught: unknown) => caught)
    // A provider that names another transaction decides nothing, though the attestation is known.
    const other = await gift(1n)
    expect(
      await end({
        reportedDelivery: async () => other,
        checkDelivery: async () => undefined,
        timeoutMs: 1_500,
      }),
    ).toMatchObject({
      code: 'PENDING',
    })
    expect(
      await end({ reportedDelivery: async () => ((await mint()) ? other : undefined), timeoutMs: 1_500 }),
    ).toMatchObject({
      code: 'ARRIVED_SHORT',
      details: { hash: await mint(), brought: { formatted: '40' }, minimum: { formatted: '49.99' } },
    })
    expect(journal.find('short')).toMatchObject({ state: 'FAILED', exit: 25 })
    expect(await end({})).toMatchObject({ code: 'ARRIVED_SHORT' })
    expect(attemptsOf(journal, 'short', 2)).toEqual([])
    const rest = await gift(amount)
    expect(await end({ reportedDelivery: async () => rest })).toMatchObject({ code: 'ARRIVED_SHORT' })
    expect(attemptsOf(journal, 'short', 2)).toEqual([])
  })

  it('ends in PARTIAL when its second leg is refused, and can be resumed', async () => {
    plan('half')
    const before = await supplied()
    const error = await run('half', {
      beforeLeg: async ({ leg }) => {
        if (leg === 1) throw new AppError('POLICY_AMOUNT', 'not this')
      },
    }).catch((caught: unknown) => caught)
    expect(error).toMatchObject({ code: 'PARTIAL' })
    expect(journal.find('half')).toMatchObject({ state: 'PARTIAL', exit: 21 })
    expect(await supplied()).toBe(before)
    expect((await run('half')).state).toBe('DONE')
  })
})
