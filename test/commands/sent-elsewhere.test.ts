import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'

import type { Hex } from '../../src/domain/address.ts'
import { findOnChain } from '../../src/wallet/execution/watch.ts'
import type { Clue } from '../../src/wallet/explain/verdict.ts'
import { sandboxJournal, useCopies } from '../support/older-copy.ts'
import { useCommands } from '../support/run.ts'
import { useSandbox } from '../support/sandbox.ts'

const sandbox = useSandbox()
const { run, signsNothing, home, attempts } = useCommands(sandbox)
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
/** Sends what waits with a nonce once more, with a higher fee, as a wallet elsewhere does that has the same key. */
const spedUp = async (nonce: number): Promise<Hex> => {
  const shown = await rpc().request<Shown>('eth_getTransactionBySenderAndNonce', [
    wallet(),
    `0x${nonce.toString(16)}`,
  ])
  const { to, input: data, value, gas } = shown
  // This node loses what replaces a transaction that is not the next one, unless it forgets that first.
  if (nonce > (await nextNonce())) await rpc().request('anvil_dropTransaction', [shown.hash])
  const fees = { maxFeePerGas: '0x174876e800', maxPriorityFeePerGas: '0x174876e800' }
  const call = { from: wallet(), to, data, value, gas, nonce: shown.nonce, chainId: '0x7a69', ...fees }
  return rpc().request<Hex>('eth_sendRawTransaction', [await rpc().request('eth_signTransaction', [call])])
}
/** Something that is sent while no blocks are made, of which one step is sped up elsewhere and mined. */
const faster = async (line: string, step = 0) => {
  const nonce = await nextNonce()
  await mining(false)
  const sent = await run(`${line} --no-wait`)
  expect(sent).toMatchObject({ exit: 20 })
  const id = sent.json.error.details.id as string
  const hash = await spedUp(nonce + step)
  await rpc().request('evm_mine')
  expect(await nextNonce()).toBeGreaterThan(nonce + step)
  await mining(true)
  return { id, hash, nonce }
}
const explain = async (id: string) =>
  (await signsNothing(() => run(['action', 'explain', id, '--json']))).json

afterEach(() => mining(true))
const copied = useCopies({ run, home })
const journal = () => sandboxJournal(home())

describe('what was sped up elsewhere', () => {
  test('is what it was: explained as mined, not planned anew, and paid once', async () => {
    const before = await got()
    const { id, hash } = await faster(transfer(7))
    const said = await explain(id)
    expect(said).toMatchObject({
      situation: 'MINED_UNNOTICED',
      funds: `7 USDC: with ${friend}.`,
      safeToRetry: false,
      next: `sluice action resume ${id}`,
    })
    expect(JSON.stringify(said.evidence)).toContain(hash)
    // What the chain shows is written down first, and then there is nothing to be planned anew.
    expect(await run(['action', 'replan', id, '--yes', '--json'])).toMatchObject({ exit: 0 })
    expect(await run(['action', 'watch', id, '--json', '--timeout', '20s'])).toMatchObject({ exit: 0 })
    expect(await signsNothing(() => run(['action', 'resume', id, '--json']))).toMatchObject({
      exit: 0,
      json: { status: 'SUCCESS', transactions: [{ hash, status: 'confirmed' }] },
    })
    expect(await run(['action', 'replan', id, '--yes', '--json'])).toMatchObject({ exit: 0 })
    expect((await got()) - before).toBe(7_000000n)
  })

  test('waits as it did, where it is not mined yet', async () => {
    const nonce = await nextNonce()
    await mining(false)
    const { id } = (await run(`${transfer(3)} --no-wait`)).json.error.details
    const hash = await spedUp(nonce)
    expect(await explain(id)).toMatchObject({ situation: 'WAITING', safeToRetry: false })
    const { evidence } = await explain(id)
    expect(JSON.stringify(evidence)).toContain(`${hash} waits in the mempool`)
    // The journal is not said to know what only the chain shows.
    expect(
      evidence.find(({ source, text }: Clue) => source === 'journal' && text.includes(hash)),
    ).toBeUndefined()
    // Sped up once more, it costs more than what waits, and is no replay.
    const raised = run(['action', 'speed-up', id, '--max-fee', '500', '--json'])
    await expect.poll(attempts).toBe(3)
    await expect.poll(async () => JSON.stringify((await explain(id)).evidence)).not.toContain(`${hash} waits`)
    await mining(true)
    await rpc().request('evm_mine')
    expect(await raised).toMatchObject({ exit: 0, json: { replayed: false } })
  })

  test('is seen by who would give it up', async () => {
    const before = await got()
    const { id, hash } = await faster(transfer(4))
    expect(await run(['action', 'abandon', id, '--yes', '--json'])).toMatchObject({
      exit: 0,
      json: { status: 'SUCCESS', transactions: [{ hash }] },
    })
    expect((await got()) - before).toBe(4_000000n)
  })

  test('is the second step of a deposit that was sent at once: deposited once', async () => {
    const before = await usdc()
    const { id } = await faster('deposit aave-v3-usdc-sandbox-one --amount 11 --yes --json --pipeline', 1)
    expect(await explain(id)).toMatchObject({ situation: 'MINED_UNNOTICED', safeToRetry: false })
    expect(await run(['action', 'resume', id, '--json'])).toMatchObject({ exit: 0 })
    expect(before - (await usdc())).toBe(11_000000n)
  })

  test('is the transaction of a plan with its nonce: submitted again, it is answered as done', async () => {
    const before = await got()
    const plan = await run(transfer(6).replace('--yes', '--dry-run'))
    const file = join(home(), 'plan.json')
    writeFileSync(file, plan.out)
    await faster(`action submit ${file} --yes --json`)
    expect(await run(['action', 'submit', file, '--yes', '--json'])).toMatchObject({
      exit: 0,
      json: { status: 'SUCCESS', replayed: true },
    })
    expect((await got()) - before).toBe(6_000000n)
  })

  test('is the burn of a swap to another chain: burned once, and delivered', async () => {
    const before = await usdc()
    const swap =
      'swap execute --from sandbox-one --to sandbox-two --token-in USDC --token-out USDC --amount-in 50 --yes --json'
    const { id, hash } = await faster(`${swap} --pipeline`, 1)
    const said = await explain(id)
    expect(said).toMatchObject({ safeToRetry: false })
    expect(said.funds).not.toContain('still in the wallet')
    const done = await run(['action', 'resume', id, '--json', '--timeout', '60s'])
    expect(done).toMatchObject({ exit: 0, json: { status: 'SUCCESS' } })
    expect(done.json.transactions.at(-1)).toMatchObject({ hash })
    expect(before - (await usdc())).toBe(50_000000n)
  })

  test('is known where an older journal is put back that does not know our own speed-up', async () => {
    const before = await got()
    await mining(false)
    const { id } = (await run(`${transfer(5)} --no-wait`)).json.error.details
    const older = copied()
    expect(await run(['action', 'speed-up', id, '--no-wait', '--json'])).toMatchObject({ exit: 20 })
    await mining(true)
    await rpc().request('evm_mine')
    expect(await older.again(`action explain ${id} --json`)).toMatchObject({ json: { safeToRetry: false } })
    expect(await older.again(`action resume ${id} --json`)).toMatchObject({ exit: 0 })
    expect((await got()) - before).toBe(5_000000n)
  })

  /** The same, as an older version wrote it down: it did not ask what has the nonce. */
  const heldForLost = async (amount: number) => {
    const { id, hash } = await faster(transfer(amount))
    const kept = journal()
    kept.supersede(id, 0, hash, 'as it was written down by an older version')
    kept.close()
    return { id, hash }
  }

  test('is explained as mined where a journal holds it for lost, and nothing is written', async () => {
    const { id, hash } = await heldForLost(8)
    const said = await explain(id)
    expect(said).toMatchObject({
      situation: 'MINED_UNNOTICED',
      funds: `8 USDC: with ${friend}.`,
      safeToRetry: false,
      next: `sluice action resume ${id}`,
    })
    const texts = JSON.stringify(said.evidence)
    expect(texts).toContain('the action is ATTENTION')
    expect(texts).toContain(`${hash} has the nonce`)
    const kept = journal()
    expect(kept.find(id)).toMatchObject({ state: 'ATTENTION', steps: [{ state: 'SUPERSEDED' }] })
    const dry = await signsNothing(() => run(['action', 'replan', id, '--dry-run', '--json']))
    expect(dry.err).toContain(`it is not lost. Go on with it: sluice action resume ${id}`)
    expect(kept.find(id)!.state).toBe('ATTENTION')
    kept.close()
    // Another one of the same kind, later and on purpose, is not in the way of finding it.
    expect(await run(`${transfer(8)} --allow-duplicate --idempotency-key later-0001`)).toMatchObject({
      exit: 0,
    })
    expect((await explain(id)).situation).toBe('MINED_UNNOTICED')
  })

  test.each(['show', 'watch', 'resume', 'replan --yes', 'abandon --yes', 'speed-up'])(
    'is done where a journal holds it for lost, says action %s, and is paid once',
    async (verb) => {
      const before = await got()
      const { id, hash } = await heldForLost(8)
      const nonce = await nextNonce()
      const [name, ...more] = verb.split(' ')
      expect(await run(['action', name!, id, ...more, '--json'])).toMatchObject({
        exit: 0,
        json: { status: 'SUCCESS', transactions: [{ hash, status: 'confirmed' }] },
      })
      expect(await nextNonce()).toBe(nonce)
      expect((await explain(id)).situation).toBe('DONE')
      expect((await got()) - before).toBe(8_000000n)
    },
  )

  test('is lost for good where it is another call, whatever is asked', async () => {
    const nonce = await nextNonce()
    await mining(false)
    const { id } = (await run(`${transfer(8)} --no-wait`)).json.error.details
    await rpc().request('anvil_dropAllTransactions')
    const other = { from: wallet(), to: wallet(), value: '0x1', nonce: `0x${nonce.toString(16)}` }
    await rpc().request('eth_sendTransaction', [other])
    await mining(true)
    await rpc().request('evm_mine')
    expect(await run(['action', 'resume', id, '--json'])).toMatchObject({ exit: 23 })
    for (const verb of ['show', 'resume'])
      expect((await signsNothing(() => run(['action', verb, id, '--json']))).err).not.toContain('not lost')
    expect(await explain(id)).toMatchObject({
      situation: 'SUPERSEDED',
      safeToRetry: true,
      next: `sluice action replan ${id}`,
    })
    // What took the nonce may have been the same, for all that is shown now.
    expect(await run('sandbox fault rpc-502 --method eth_getTransactionReceipt --yes --json')).toMatchObject({
      exit: 0,
    })
    expect(await explain(id)).toMatchObject({
      situation: 'SUPERSEDED',
      safeToRetry: false,
      next: `sluice action explain ${id}`,
    })
  })
})

describe('an action that was gone on with elsewhere', () => {
  const done = { exit: 21, json: { error: { code: 'PARTIAL', details: { cause: 'JOURNAL_OUTDATED' } } } }

  test('is not finished a second time by who speeds it up in an older copy of the journal', async () => {
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

  test('nor by who plans it anew there, though the other one had another quote', async () => {
    const before = await usdc()
    const swap =
      'swap execute --from sandbox-one --token-in USDC --token-out USDT --amount-in 100 --yes --json --no-wait'
    const { id } = (await run(swap)).json.error.details
    const older = copied()
    const kept = older.journal()
    const { hash } = kept.attempts(id, 0)[0]!
    const found = (await findOnChain(rpc(), hash))!
    const { ok: _, logs: __, ...inclusion } = found
    kept.move(id, 0, 'INCLUDED', 'noticed', inclusion)
    kept.move(id, 0, 'FINAL_OK', 'noticed', inclusion)
    kept.close()
    await sandbox.world.warp(3_600)
    expect(await run(['action', 'resume', id, '--json'])).toMatchObject({ exit: 0 })
    expect(await signsNothing(() => older.again(`action replan ${id} --yes --json`))).toMatchObject(done)
    expect(before - (await usdc())).toBe(100_000000n)
  })
})

describe('an approval that was lost to another transaction', () => {
  test.each(['resume', 'replan', 'abandon'])(
    'is nothing to wait for where the deposit is whole: %s ends it as done',
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
      // An allowance of more than the plan gives.
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
        // As an older version left it.
        const kept = journal()
        const [, action] = kept.find(id)!.steps
        expect(await run(['action', 'watch', id, '--json', '--timeout', '20s'])).toMatchObject({ exit: 0 })
        expect(kept.find(id)!.steps[1]!.state).toBe(action === undefined ? '' : 'FINAL_OK')
        kept.supersede(id, 0, `0x${'77'.repeat(32)}`, 'as it was written down by an older version')
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

describe('an action that is signed and not with its chain', () => {
  test('is named by what is done in part and cannot go on before it', async () => {
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

  test('is named by what cannot begin before it, which is said to go on with that', async () => {
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

describe('a cancel of a deposit that was sent at once', () => {
  test('takes the deposit back before the approval: exit 24, and nothing is deposited', async () => {
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
