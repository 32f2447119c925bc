import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { findTransaction, inclusionOf } from '../../../src/chain/finality/find-mined-transaction.ts'
import type { Hex } from '../../../src/domain/address.ts'
import { attemptsOf } from '../../support/attempts-of.ts'
import { sandboxJournal, useCopies } from '../../support/journal-copies.ts'
import { useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, signsNothing, home } = useCommands(sandbox)
const friend = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const rpc = () => sandbox.chain(31337).rpc
const wallet = () => sandbox.user.address
const usdc = (owner = wallet()) => sandbox.balanceOf(31337, sandbox.token(31337, 'USDC').address, owner)
const got = () => usdc(friend)
const nextNonce = async () =>
  Number(await rpc().request<string>('eth_getTransactionCount', [wallet(), 'latest']))
const mining = (on: boolean) => rpc().request('evm_setAutomine', [on])
const transfer = (amount: number) =>
  `transfer --network sandbox-one --token USDC --to ${friend} --amount ${amount} --yes --json`

type Shown = { hash: Hex; to: Hex; input: Hex; value: Hex; nonce: Hex; gas: Hex }
/** Sends the pending transaction of a nonce again with a higher fee, like another wallet with the same key. */
const spedUp = async (nonce: number): Promise<Hex> => {
  const shown = await rpc().request<Shown>('eth_getTransactionBySenderAndNonce', [
    wallet(),
    `0x${nonce.toString(16)}`,
  ])
  const { to, input: data, value, gas } = shown
  // Anvil loses the replacement of a transaction that is not next, unless the original is dropped first.
  if (nonce > (await nextNonce())) await rpc().request('anvil_dropTransaction', [shown.hash])
  const fees = { maxFeePerGas: '0x174876e800', maxPriorityFeePerGas: '0x174876e800' }
  const call = { from: wallet(), to, data, value, gas, nonce: shown.nonce, chainId: '0x7a69', ...fees }
  return rpc().request<Hex>('eth_sendRawTransaction', [await rpc().request('eth_signTransaction', [call])])
}
const explain = async (id: string) =>
  (await signsNothing(() => run(['action', 'explain', id, '--json']))).json

afterEach(() => mining(true))
const copied = useCopies({ run, home })
const journal = () => sandboxJournal(home())

describe('an action whose nonce was used by a transaction outside the journal', () => {
  test('exits 23 even for an identical call, and replan without --yes names the other transaction', async () => {
    const before = await got()
    const nonce = await nextNonce()
    await mining(false)
    const { id } = (await run(`${transfer(7)} --no-wait`)).json.error.details
    const hash = await spedUp(nonce)
    expect(await explain(id)).toMatchObject({ situation: 'NONCE_TAKEN_NOT_FINAL', safeToRetry: false })
    await rpc().request('evm_mine')
    await mining(true)
    expect(await explain(id)).toMatchObject({
      situation: 'SUPERSEDED',
      verdict: expect.stringContaining(`another transaction of this wallet, ${hash}, used its nonce`),
      funds: expect.stringContaining(`unless ${hash} moved the funds`),
      safeToRetry: false,
    })
    const stopped = {
      exit: 23,
      json: { error: { code: 'SUPERSEDED', hint: expect.stringMatching(/^sluice action explain \S+$/) } },
    }
    expect(await signsNothing(() => run(['action', 'resume', id, '--json']))).toMatchObject(stopped)
    expect(await signsNothing(() => run(['action', 'resume', id, '--json']))).toMatchObject(stopped)
    expect(await explain(id)).toMatchObject({ safeToRetry: false, next: `sluice action replan ${id}` })
    const unasked = await signsNothing(() => run(['action', 'replan', id, '--json']))
    expect(unasked.exit).toBeGreaterThan(0)
    expect(unasked.err).toContain(`was used by ${hash}`)
    expect(await run(['action', 'abandon', id, '--yes', '--json'])).toMatchObject({ exit: 0 })
    expect(await explain(id)).toMatchObject({
      situation: 'GIVEN_UP',
      safeToRetry: false,
      next: `sluice action explain ${hash}`,
    })
    expect((await got()) - before).toBe(7_000000n)
  })

  test('is sent once if two machines with separate journals submit the same plan', async () => {
    const before = await got()
    const plan = await run(transfer(6).replace('--yes', '--dry-run'))
    const file = join(home(), 'plan.json')
    writeFileSync(file, plan.out)
    const older = copied()
    expect(await run(`action submit ${file} --yes --json`)).toMatchObject({ exit: 0 })
    expect(await signsNothing(() => older.again(`action submit ${file} --yes --json`))).toMatchObject({
      exit: 23,
      json: { error: { code: 'NONCE_USED', details: { hash: expect.stringMatching(/^0x[0-9a-f]{64}$/) } } },
    })
    expect((await got()) - before).toBe(6_000000n)
  })
})

describe('an older copy of the journal of an action that was resumed since', () => {
  const done = { exit: 21, json: { error: { code: 'PARTIAL', details: { cause: 'JOURNAL_OUTDATED' } } } }

  test('reports JOURNAL_OUTDATED on speed-up and signs nothing', async () => {
    const before = await usdc()
    await mining(false)
    const { id } = (await run('deposit aave-v3-usdc-sandbox-one --amount 3 --yes --json --no-wait')).json
      .error.details
    const older = copied()
    await mining(true)
    await rpc().request('evm_mine')
    expect(await run(['action', 'resume', id, '--json'])).toMatchObject({ exit: 0 })
    expect(await signsNothing(() => older.again(`action speed-up ${id} --json`))).toMatchObject(done)
    expect(before - (await usdc())).toBe(3_000000n)
  })

  test('reports JOURNAL_OUTDATED on replan after the quote expired, and signs nothing', async () => {
    const before = await usdc()
    const swap =
      'swap execute --from sandbox-one --token-in USDC --token-out USDT --amount-in 100 --yes --json --no-wait'
    const { id } = (await run(swap)).json.error.details
    const older = copied()
    const kept = older.journal()
    const { hash } = attemptsOf(kept, id, 0)[0]!
    const found = (await findTransaction(rpc(), hash))!
    kept.moveStep(id, 0, 'INCLUDED', 'noticed', inclusionOf(found))
    kept.moveStep(id, 0, 'FINAL_OK', 'noticed', inclusionOf(found))
    kept.close()
    await sandbox.world.warp(3_600)
    expect(await run(['action', 'resume', id, '--json'])).toMatchObject({ exit: 0 })
    expect(await signsNothing(() => older.again(`action replan ${id} --yes --json`))).toMatchObject(done)
    expect(before - (await usdc())).toBe(100_000000n)
  })
})

describe('a pipelined deposit whose approval lost its nonce', () => {
  test.each(['resume', 'replan', 'abandon'])(
    'is complete if the deposit itself was mined: %s reports SUCCESS',
    async (verb) => {
      const before = await usdc()
      const nonce = await nextNonce()
      await mining(false)
      const sent = await run('deposit aave-v3-usdc-sandbox-one --amount 20 --yes --json --pipeline --no-wait')
      const { id } = sent.json.error.details
      const shown = await rpc().request<Shown>('eth_getTransactionBySenderAndNonce', [
        wallet(),
        `0x${nonce.toString(16)}`,
      ])
      // A larger allowance than that of the plan.
      const more = `${shown.input.slice(0, -64)}${(200_000000).toString(16).padStart(64, '0')}`
      await rpc().request('eth_sendTransaction', [
        {
          from: wallet(),
          to: shown.to,
          data: more,
          nonce: shown.nonce,
          gas: shown.gas,
          gasPrice: '0x174876e800',
        },
      ])
      await rpc().request('evm_mine')
      await mining(true)
      if (verb !== 'resume') {
        // The state that an older version left.
        const kept = journal()
        const [, action] = kept.find(id)!.steps
        const found = (await findTransaction(rpc(), action!.attempts[0]!.hash))!
        kept.moveStep(id, 1, 'INCLUDED', 'noticed', inclusionOf(found))
        kept.moveStep(id, 1, 'FINAL_OK', 'noticed', inclusionOf(found))
        kept.supersede(
          id,
          0,
          `0x${'77'.repeat(32)}`,
          'as it was written down by an older version',
          `0x${'77'.repeat(32)}`,
        )
        const written = kept.events(id)
        await signsNothing(() => run(['action', 'replan', id, '--dry-run', '--json']))
        expect(kept.events(id)).toEqual(written)
        kept.close()
        expect(await explain(id)).toMatchObject({ situation: 'MINED_UNNOTICED', safeToRetry: false })
      }
      const more2 = verb === 'resume' ? [] : ['--yes']
      expect(await run(['action', verb, id, ...more2, '--json'])).toMatchObject({
        exit: 0,
        json: { status: 'SUCCESS', transactions: [{ status: 'superseded' }, { status: 'confirmed' }] },
      })
      expect((await explain(id)).situation).toBe('DONE')
      expect(before - (await usdc())).toBe(20_000000n)
    },
  )
})

describe('a signed action whose transaction was dropped', () => {
  test('is resumed first by the hint of a partly done action', async () => {
    const half = (await run('deposit aave-v3-usdc-sandbox-one --amount 2 --yes --json --no-wait')).json.error
      .details.id
    await mining(false)
    const { id: first } = (await run(`${transfer(1)} --no-wait`)).json.error.details
    await rpc().request('anvil_dropAllTransactions')
    await mining(true)
    expect(await run(['action', 'resume', half, '--json'])).toMatchObject({
      exit: 21,
      json: { error: { hint: `sluice action resume ${first}, then: sluice action resume ${half}` } },
    })
    expect(await run(['action', 'resume', first, '--json'])).toMatchObject({ exit: 0 })
    expect(await run(['action', 'resume', half, '--json'])).toMatchObject({ exit: 0 })
  })

  test('blocks a new action, and both its hint and explain name it', async () => {
    await mining(false)
    const { id: first } = (await run(`${transfer(1)} --no-wait`)).json.error.details
    await rpc().request('anvil_dropAllTransactions')
    await mining(true)
    const refused = await run(`${transfer(2)} --idempotency-key second-001`)
    expect(refused).toMatchObject({
      exit: 10,
      json: {
        error: {
          code: 'FOREIGN_PENDING',
          message: expect.stringContaining(first),
          hint: `sluice action resume ${first}`,
        },
      },
    })
    expect(await explain('second-001')).toMatchObject({
      situation: 'NOTHING_SIGNED',
      verdict: expect.stringContaining(first),
      next: `sluice action resume ${first}`,
    })
    expect(await run(refused.json.error.hint.replace(/^sluice /, ''))).toMatchObject({ exit: 0 })
    expect((await explain('second-001')).next).toMatch(/^sluice action resume (?!.*undefined)/)
    expect(await run(['action', 'resume', 'second-001', '--json'])).toMatchObject({ exit: 0 })
  })
})

describe('cancel of a pipelined deposit', () => {
  test('cancels approval and deposit, exits 24 and deposits nothing', async () => {
    const before = await usdc()
    await mining(false)
    const sent = await run('deposit aave-v3-usdc-sandbox-one --amount 9 --yes --json --pipeline --no-wait')
    const { id } = sent.json.error.details
    expect(await run(['action', 'cancel', id, '--yes', '--json', '--no-wait'])).toMatchObject({ exit: 20 })
    expect((await explain(id)).situation).toBe('CANCELLING')
    await mining(true)
    await rpc().request('evm_mine')
    expect(await run(['action', 'resume', id, '--json'])).toMatchObject({
      exit: 24,
      json: {
        error: { details: { action: { transactions: [{ status: 'cancelled' }, { status: 'cancelled' }] } } },
      },
    })
    expect(await usdc()).toBe(before)
  })
})
