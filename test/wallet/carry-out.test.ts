import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'

import { transfer } from '../../src/calls/erc20.ts'
import type { Address } from '../../src/domain/address.ts'
import type { Journal } from '../../src/store/journal-words.ts'
import type { Operation } from '../../src/store/operation.ts'
import { begin, carryOut } from '../../src/wallet/carry-out.ts'
import type { Ground } from '../../src/wallet/ground.ts'
import { type Checked, checkProposal } from '../../src/wallet/plan.ts'
import { signerOf } from '../../src/wallet/signer.ts'
import { strictTerms } from '../../src/wallet/terms.ts'
import { useSandbox } from '../support/sandbox.ts'
import { journalIn, newHome, removeHome } from './operation.ts'

const sandbox = useSandbox()
const chainId = 31337
const amount = 5_000_000n
const friend: Address = '0x8888888888888888888888888888888888888888'
const thief: Address = '0x6666666666666666666666666666666666666666'
let home: string
let journal: Journal
beforeEach(() => {
  home = newHome()
  journal = journalIn(home)
})
afterEach(() => {
  journal.close()
  removeHome(home)
})

const usdc = () => sandbox.token(chainId, 'USDC')
const ground = (): Ground => ({
  journal,
  rpc: (id) => sandbox.chain(id).rpc,
  catalog: sandbox.world.catalog(),
  locks: join(home, 'locks'),
  now: Date.now,
})
const pay = (to: Address, much = amount) => transfer({ chainId, token: usdc().address, to, amount: much })

/** A payment to the friend that has passed the guard. */
const checked = (): Promise<Checked> => {
  const wallet = sandbox.user.address
  const intent = { kind: 'transfer', wallet, token: usdc(), recipient: friend, amount } as const
  const about = {
    type: 'transfer',
    strategyId: null,
    provider: null,
    network: 'sandbox-one',
    amounts: {},
  } as unknown as Checked['proposal']['about']
  const legs = [{ chainId, intent, transactions: [pay(friend)] }]
  const proposal = {
    id: 'pay',
    kind: 'transfer',
    request: {},
    wallet,
    legs,
    about,
    quoteId: null,
    nonce: null,
  }
  return checkProposal(ground(), { ...proposal, expiresAt: null }, strictTerms)
}
const carry = (operation: Operation) =>
  carryOut(ground(), operation, {
    account: signerOf(sandbox.user.key),
    timeoutMs: 20_000,
    signal: new AbortController().signal,
    onProgress: () => {},
    delivered: async () => undefined,
  })
const seen = async () => ({
  nonce: await sandbox
    .chain(chainId)
    .rpc.request('eth_getTransactionCount', [sandbox.user.address, 'pending']),
  thief: await sandbox.balanceOf(chainId, usdc().address, thief),
  friend: await sandbox.balanceOf(chainId, usdc().address, friend),
})

async function refused(operation: Operation, code: string): Promise<void> {
  const before = await seen()
  const error = await carry(operation).catch((caught: unknown) => caught)
  expect(error).toMatchObject({ code })
  expect(journal.attempts(operation.id, 0)).toEqual([])
  expect(await seen()).toEqual(before)
}

test('what was planned is carried out', async () => {
  const before = await seen()
  expect((await carry(begin(ground(), await checked(), 'key'))).state).toBe('DONE')
  expect((await seen()).friend).toBe(before.friend + amount)
})

// Both take from the wallet what was asked for, so that trying it shows nothing: only the guard sees them.
test('a step that was changed in the file of the journal is not signed', async () => {
  begin(ground(), await checked(), 'key')
  const file = new DatabaseSync(join(home, 'journal.db'))
  file.exec('DROP TRIGGER step_never_update')
  file.prepare('UPDATE step SET data = ?').run(pay(thief).data)
  file.close()
  const changed = journal.find('pay')!
  expect(changed.steps[0]!.transaction.data).toBe(pay(thief).data)
  await refused(changed, 'JOURNAL_UNREADABLE')
})

test('a plan whose steps do something else than what it is for is not signed', async () => {
  const { steps, ...rest } = await checked()
  const turned = steps.map((step) => ({ ...step, transaction: pay(thief) }))
  await refused(begin(ground(), { ...rest, steps: turned }, 'key'), 'POLICY_RECIPIENT')
})
