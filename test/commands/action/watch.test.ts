import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { acquireLock } from '../../../src/store/file-lock.ts'
import { openJournal } from '../../../src/store/journal/journal.ts'
import { cctpV2Contracts } from '../../../src/swaps/cctp-v2/constants-schema.ts'
import { contractsIn } from '../../../src/swaps/swap-contracts.ts'
import { type Document, useCommands } from '../../support/use-commands.ts'
import { topicOf, useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, home, signsNothing } = useCommands(sandbox)
const across =
  'swap execute --from sandbox-one --to sandbox-two --token-in USDC --token-out USDC --amount-in 100 --yes --json --no-wait'
/** A swap whose burn is sent, and that no process follows; returns its ID. */
const burned = async (): Promise<string> => {
  const { id } = (await run(across)).json.error.details
  expect(await run(['action', 'resume', id, '--json', '--no-wait'])).toMatchObject({ exit: 20 })
  return id
}
/** Runs action watch; returns its exit code and the documents that it printed. */
const watch = async (ids: string | string[], timeout = '20s') => {
  const line = ['action', 'watch', ...[ids].flat(), '--interval', '50ms', '--json', '--timeout', timeout]
  const { exit, out } = await signsNothing(() => run(line))
  const all: Document[] = out
    .trimEnd()
    .split('\n')
    .map((text) => JSON.parse(text))
  return { exit, all, last: all.findLast((one) => !one.error), error: all.at(-1).error }
}
/** What the journal has of an action: not how long it has waited, nor the price of the moment. */
const kept = (action: Document): Document =>
  JSON.parse(JSON.stringify(action), (name, value) =>
    ['waiting', 'gasFeeUsd', 'feeUsd'].includes(name) ? undefined : value,
  )
const shown = async (id: string) => kept((await run(['action', 'show', id, '--json'])).json)
/** The transaction that minted on the other chain, from the logs of its node. */
const mint = async (): Promise<string | undefined> => {
  const { tokenMessenger: address } = contractsIn(sandbox.world.catalog(), cctpV2Contracts).find(
    (end) => end.chainId === 31338,
  )!
  const topics = [topicOf('MintAndWithdraw(address,uint256,address,uint256)')]
  const logs = await sandbox
    .chain(31338)
    .rpc.request<{ transactionHash: string }[]>('eth_getLogs', [{ address, topics, fromBlock: '0x0' }])
  return logs.at(-1)?.transactionHash
}

test.each(['turn', 'chain'])(
  'action watch records a bridge delivery, but not while another process holds the lock: %s',
  async (which) => {
    const id = await burned()
    await expect.poll(mint, { timeout: 10_000 }).toBeDefined()
    const before = await shown(id)
    const wallet = sandbox.user.address.toLowerCase()
    const name = which === 'turn' ? `${wallet}.turn` : `31337-${wallet}.lock`
    const lock = await acquireLock(join(home(), 'data', 'sandbox', 'locks', name), 0)
    try {
      expect(await watch(id, '1500ms')).toMatchObject({ exit: 20, error: { code: 'PENDING' } })
      expect(await shown(id)).toEqual(before)
    } finally {
      lock!.release()
    }
    const { exit, last } = await watch(id)
    expect(exit).toBe(0)
    expect(last).toMatchObject({ id, status: 'SUCCESS', destinationTxHash: await mint() })
    expect(last.amounts.out).toMatchObject({ formatted: '100' })
    expect(await shown(id)).toEqual(kept(last))
  },
)

describe('the exit code of action watch', () => {
  const place = 'aave-v3-usdc-sandbox-one'
  const pay = 'transfer --network sandbox-one --token USDC --to 0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
  const rpc = () => sandbox.chain(31337).rpc
  const idOf = async (line: string): Promise<string> =>
    (await run(`${line} --yes --json`)).json.error.details.id
  const ended = async (ids: string | string[]) => {
    const { exit, error } = await watch(ids)
    return { exit, code: error.code, hint: error.hint }
  }
  /** A payment that is sent without mining; `meanwhile` runs before mining starts again. Returns its ID. */
  const waiting = async (amount: number, meanwhile: (id: string) => Promise<unknown>): Promise<string> => {
    await rpc().request('evm_setAutomine', [false])
    const id = await idOf(`${pay} --amount ${amount} --no-wait`)
    await meanwhile(id)
    await rpc().request('evm_setAutomine', [true])
    return id
  }
  /** An operation that a process left which died before the first signature, or that was dropped then. */
  const planned = (id: string, isDropped = false) => {
    const transaction = { chainId: 31337, to: sandbox.user.address, data: '0x', value: 1n } as const
    const journal = openJournal(join(home(), 'data', 'sandbox', 'journal.db'), Date.now)
    journal.insert({
      id,
      idemKey: id,
      request: {},
      plan: { intents: [null], about: { type: 'TRANSFER', amounts: {} }, terms: {} },
      kind: 'transfer',
      wallet: sandbox.user.address,
      legs: [{ chainId: 31337, steps: [{ role: 'action', text: 'Pay', transaction }] }],
    })
    if (isDropped) journal.settle(id, 'DROPPED', 'given up by the person', 130)
    journal.close()
  }
  const cancelled = () =>
    waiting(1, async (id) => {
      expect(await run(`action cancel ${id} --yes --no-wait --json`)).toMatchObject({ exit: 20 })
      await rpc().request('evm_mine')
    })

  test('is 24 for a cancelled action and 22 for a reverted one, also before the journal records it', async () => {
    const one = await cancelled()
    const { constants } = sandbox.strategy('aave-v3-USDC-sandbox-one')
    if (constants.family !== 'aave-v3') throw new Error('an Aave strategy was expected')
    await run(`sandbox fault revert ${constants.pool} --network sandbox-one --reason bang --times 1`)
    const two = await idOf(`deposit ${place} --amount 100`)
    const hint = (id: string) => `sluice action explain ${id}`
    expect(await ended(one)).toEqual({ exit: 24, code: 'CANCELLED', hint: hint(one) })
    expect(await shown(one)).toMatchObject({ status: 'FAILED', transactions: [{ status: 'cancelled' }] })
    expect(await ended(two)).toEqual({ exit: 22, code: 'REVERTED', hint: hint(two) })
    expect(await run(`action revoke ${two} --yes --json`)).toMatchObject({ exit: 0 })
  })

  test('is 20 for a dropped transaction, which watch does not resend', async () => {
    const id = await waiting(1, () => rpc().request('anvil_dropAllTransactions'))
    const { exit, error } = await watch(id, '1500ms')
    expect({ exit, code: error.code, hint: error.hint }).toEqual({
      exit: 20,
      code: 'PENDING',
      hint: `sluice action resume ${id}`,
    })
    expect(await run(`action resume ${id} --json`)).toMatchObject({ exit: 0 })
    expect(await watch(id)).toMatchObject({ exit: 0 })
  })

  test('is 21 for an action abandoned in part, 9 for a dropped one, and 21 for both', async () => {
    const part = await idOf(`deposit ${place} --amount 100 --no-wait`)
    await expect
      .poll(async () => (await run(`action abandon ${part} --yes --json`)).exit, { timeout: 10_000 })
      .toBe(0)
    expect(await ended(part)).toMatchObject({ exit: 21, code: 'PARTIAL' })
    planned('dropped-0001', true)
    expect(await ended('dropped-0001')).toMatchObject({ exit: 9, code: 'DECLINED' })
    // An exit code below 20 would mean that nothing was signed.
    expect(await ended(['dropped-0001', part])).toMatchObject({ exit: 21, code: 'PARTIAL' })
    expect(await run(`action revoke ${part} --yes --json`)).toMatchObject({ exit: 0 })
  })

  test('is 10 for an action that was never signed, and 20 while another process holds the wallet lock', async () => {
    const { operation } = (await run(`deposit ${place} --amount 5 --dry-run --json`)).json
    planned(operation.id)
    const hint = `sluice action resume ${operation.id}`
    expect(await ended(operation.id)).toEqual({ exit: 10, code: 'OPERATION_UNFINISHED', hint })
    const inWords = await signsNothing(() => run(['action', 'watch', operation.id, '--timeout', '20s']))
    expect(inWords).toMatchObject({ exit: 10, out: expect.stringContaining('INITIAL') })
    const name = `${sandbox.user.address.toLowerCase()}.turn`
    const lock = await acquireLock(join(home(), 'data', 'sandbox', 'locks', name), 0)
    const watched = await watch(operation.id, '300ms').finally(() => lock!.release())
    expect(watched).toMatchObject({ exit: 20, error: { code: 'PENDING' } })
    // The same for an action that only the journal of this machine has.
    planned('planned-0001')
    expect(await ended('planned-0001')).toMatchObject({ exit: 10, code: 'OPERATION_UNFINISHED' })
  })

  test('is 21 for a partly done action, and 20 while a step is pending or another process holds a lock', async () => {
    await rpc().request('evm_setAutomine', [false])
    const id = await idOf(`deposit ${place} --amount 7 --no-wait`)
    expect(await watch(id, '300ms')).toMatchObject({ exit: 20, error: { code: 'PENDING' } })
    await rpc().request('evm_setAutomine', [true])
    await rpc().request('evm_mine')
    const locks = join(home(), 'data', 'sandbox', 'locks')
    const wallet = sandbox.user.address.toLowerCase()
    for (const name of [`${wallet}.turn`, `31337-${wallet}.lock`]) {
      const lock = await acquireLock(join(locks, name), 0)
      const watched = await watch(id, '1500ms').finally(() => lock!.release())
      expect(watched).toMatchObject({ exit: 20, error: { code: 'PENDING' } })
    }
    const hint = `sluice action resume ${id}`
    expect(await ended(id)).toEqual({ exit: 21, code: 'PARTIAL', hint })
    expect((await run(['action', 'explain', id, '--json'])).json).toMatchObject({ next: hint })
    expect(await run(['action', 'resume', id, '--json'])).toMatchObject({ exit: 0 })
    expect(await watch(id)).toMatchObject({ exit: 0, last: { status: 'SUCCESS' } })
  })

  test('is 23 for a lost nonce, and 0 after a replan, with both transactions listed', async () => {
    const id = await waiting(2, () => rpc().request('anvil_dropAllTransactions'))
    await sandbox.sendAs(31337, sandbox.user.address, { to: sandbox.user.address, value: 1n })
    expect(await run(['action', 'resume', id, '--json'])).toMatchObject({ exit: 23 })
    expect(await ended(id)).toMatchObject({ exit: 23, code: 'SUPERSEDED' })
    // Replanned and mined, and reported by the service alone: the lost transaction is not listed twice.
    expect(await run(`action replan ${id} --yes --no-wait --json`)).toMatchObject({ exit: 20 })
    const name = `${sandbox.user.address.toLowerCase()}.turn`
    const lock = await acquireLock(join(home(), 'data', 'sandbox', 'locks', name), 0)
    const { exit, last } = await watch(id).finally(() => lock!.release())
    expect({ exit, transactions: last.transactions }).toMatchObject({
      exit: 0,
      transactions: [{ status: 'superseded' }, { status: 'confirmed' }],
    })
    expect(last.transactions[0].hash).not.toBe(last.transactions[1].hash)
  })
})
