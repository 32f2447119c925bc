import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, describe, expect, test } from 'vitest'
import { approve, transfer } from '../../../src/chain/erc20.ts'
import type { Address } from '../../../src/domain/address.ts'
import type { Transaction } from '../../../src/domain/transaction-types.ts'
import { parseAssertions } from '../../../src/guard/policy/user-assertions.ts'
import type { StoredPlan } from '../../../src/guard/stored-plan.ts'
import { strictTerms, type Terms } from '../../../src/guard/user-limits-and-exemptions.ts'
import { type CheckedPlan, checkProposal } from '../../../src/planning/check-proposal.ts'
import type { ExecutionContext } from '../../../src/planning/execution-context-types.ts'
import type { Intent } from '../../../src/protocols/intent.ts'
import { privateKeySigner } from '../../../src/signing/keystore/private-key-signer.ts'
import type { Journal } from '../../../src/store/journal/journal-interface.ts'
import type { Operation } from '../../../src/store/journal/operation-types.ts'
import { runOperation } from '../../../src/transactions/operations/guarded-execution.ts'
import { recordOperation } from '../../../src/transactions/operations/record-operation.ts'
import { attemptsOf } from '../../support/attempts-of.ts'
import { unableTo } from '../../support/nodes/node-without-methods.ts'
import { useHome } from '../../support/use-journal-and-chain.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const chainId = 31337
const amount = 5_000_000n
const friend: Address = '0x8888888888888888888888888888888888888888'
const thief: Address = '0x6666666666666666666666666666666666666666'
let home: string
let journal: Journal
useHome((made) => {
  ;({ home, journal } = made)
})
afterEach(() => {
  unable = []
})

const usdc = () => sandbox.token(chainId, 'USDC')
/** Methods that the node refuses in a test. */
let unable: readonly string[] = []
const ground = (): ExecutionContext => ({
  journal,
  rpc: (id) => unableTo(sandbox.chain(id).rpc, unable),
  catalog: sandbox.world.catalog(),
  locks: join(home, 'locks'),
  now: Date.now,
})
const pay = (to: Address, much = amount) => transfer({ chainId, token: usdc().address, to, amount: much })

/** A payment to the friend that has passed the guard. */
const checked = (terms: Partial<Terms> = {}, id = 'pay'): Promise<CheckedPlan> => {
  const intent = {
    kind: 'transfer',
    wallet: sandbox.user.address,
    token: usdc(),
    recipient: friend,
    amount,
  } as const
  return checkedOf(intent, pay(friend), terms, id)
}
/** A revocation of the friend's allowance that has passed the guard. */
const revoking = (terms: Partial<Terms>, id = 'revoke'): Promise<CheckedPlan> => {
  const intent = { kind: 'revoke', wallet: sandbox.user.address, token: usdc(), spender: friend } as const
  const none = approve({ chainId, token: usdc().address, spender: friend, amount: 0n })
  return checkedOf(intent, none, terms, id)
}
const checkedOf = (
  intent: Intent,
  transaction: Transaction,
  terms: Partial<Terms>,
  id: string,
): Promise<CheckedPlan> => {
  const { wallet, kind } = intent
  const about = {
    type: kind,
    strategyId: null,
    provider: null,
    network: 'sandbox-one',
    amounts: {},
  } as unknown as CheckedPlan['proposal']['about']
  const legs = [{ chainId, intent, transactions: [transaction] }]
  const proposal = {
    id,
    kind,
    request: {},
    wallet,
    legs,
    about,
    quoteId: null,
    nonce: null,
  }
  return checkProposal(ground(), { ...proposal, expiresAt: null }, { ...strictTerms, ...terms })
}
const carry = (operation: Operation) =>
  runOperation(ground(), operation, {
    account: privateKeySigner(sandbox.user.key),
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
  expect(attemptsOf(journal, operation.id, 0)).toEqual([])
  expect(await seen()).toEqual(before)
}

test('a checked plan is executed', async () => {
  const before = await seen()
  expect((await carry(recordOperation(ground(), await checked(), 'key'))).state).toBe('DONE')
  expect((await seen()).friend).toBe(before.friend + amount)
})

// Both take the requested amount from the wallet, so a simulation shows no difference: only these checks detect them.
test('a step that was changed in the journal file is not signed', async () => {
  recordOperation(ground(), await checked(), 'key')
  const file = new DatabaseSync(join(home, 'journal.db'))
  file.exec('DROP TRIGGER step_never_update')
  file.prepare('UPDATE step SET data = ?').run(pay(thief).data)
  file.close()
  const changed = journal.find('pay')!
  expect(changed.steps[0]!.transaction.data).toBe(pay(thief).data)
  await refused(changed, 'JOURNAL_UNREADABLE')
})

test('a plan whose transaction pays another recipient than its intent is not signed', async () => {
  const { steps, ...rest } = await checked()
  const turned = steps.map((step) => ({ ...step, transaction: pay(thief) }))
  await refused(recordOperation(ground(), { ...rest, steps: turned }, 'key'), 'POLICY_RECIPIENT')
})

describe('before signing, a recorded plan is refused for', () => {
  test('an unmet balance assertion of the user', async () => {
    const good = await checked({ asserts: parseAssertions('USDC>=-5,USDT>=0') })
    const terms = { ...good.terms, asserts: parseAssertions('USDC>=-4.9') }
    await refused(recordOperation(ground(), { ...good, terms }, 'key'), 'POLICY_SIMULATION')
    expect((journal.find('pay')!.plan as StoredPlan).terms.asserts).toMatchObject([{ text: 'USDC>=-4.9' }])
  })

  test('a changed contract code', async () => {
    const planned = recordOperation(ground(), await checked(), 'key')
    const { rpc } = sandbox.chain(chainId)
    const code = await rpc.request<string>('eth_getCode', [usdc().address, 'latest'])
    await rpc.request('anvil_setCode', [usdc().address, `${code}00`])
    await refused(planned, 'POLICY_CONTRACT_CHANGED')
  })

  test('a gas price above the maximum fee', async () => {
    const good = await checked()
    const terms = { ...good.terms, maxFeePerGas: 1n }
    await refused(recordOperation(ground(), { ...good, terms }, 'key'), 'POLICY_FEE_CAP')
  })

  const daily = (limit: string): Terms['policy'] => ({
    sha256: '00',
    policy: { perDay: { 'sandbox-one:USDC': limit } },
  })

  test('a daily limit that two plans exceed only together', async () => {
    const policy = daily('9')
    const [first, second] = [
      recordOperation(ground(), await checked({ policy }), 'key'),
      recordOperation(ground(), await checked({ policy }, 'pay-2'), 'key-2'),
    ]
    expect((await carry(first)).state).toBe('DONE')
    await refused(second, 'POLICY_LIMIT')
  })

  test('policy hours that do not include the present time', async () => {
    const policy = { sha256: '00', policy: { hours: '00:00-00:00' } }
    const good = await checked()
    await refused(
      recordOperation(ground(), { ...good, terms: { ...good.terms, policy } }, 'key'),
      'POLICY_LIMIT',
    )
  })
})

describe('a policy that requires a simulation on a node that cannot simulate', () => {
  const nothing = ['eth_simulateV1', 'overrides']
  const wanting = (maxTotalFee: string): Partial<Terms> => ({
    policy: { sha256: '00', policy: { simulation: 'required', maxTotalFee } },
  })

  test('allows only a revocation, within the fee limit', async () => {
    await sandbox.sendAs(
      chainId,
      sandbox.user.address,
      approve({ chainId, token: usdc().address, spender: friend, amount: 7n }),
    )
    const left = async () =>
      BigInt(
        await sandbox.call(
          chainId,
          usdc().address,
          'function allowance(address,address) view returns (uint256)',
          [sandbox.user.address, friend],
        ),
      )
    const payment = recordOperation(ground(), await checked(wanting('1')), 'key')
    unable = nothing
    await expect(checked(wanting('1'), 'pay-2')).rejects.toMatchObject({ code: 'POLICY_SIMULATION' })
    await refused(payment, 'POLICY_SIMULATION')
    // The fee limit also applies to a revocation that cannot be simulated.
    const dear = recordOperation(ground(), await revoking(wanting('0.000000000001'), 'dear'), 'key-2')
    await refused(dear, 'POLICY_FEE_CAP')
    expect(await left()).toBe(7n)
    const revocation = recordOperation(ground(), await revoking(wanting('1')), 'key-3')
    expect((await carry(revocation)).state).toBe('DONE')
    expect(await left()).toBe(0n)
  })
})
