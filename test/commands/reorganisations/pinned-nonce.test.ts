import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { sandboxKey } from '../../../src/sandbox/accounts.ts'
import { openJournal } from '../../../src/store/journal/journal.ts'
import { attemptsOf } from '../../support/attempts-of.ts'
import { rpcEnvOf, useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, home, signsNothing } = useCommands(sandbox)
const friend = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const rpc = () => sandbox.chain(31337).rpc
const by = () => ({
  env: rpcEnvOf(sandbox, { 'sandbox-one': sandbox.chain(31337).rpcUrl }),
  secrets: { privateKey: sandboxKey() },
})
const got = () => sandbox.balanceOf(31337, sandbox.token(31337, 'USDC').address, friend)
const payment = (amount: number, key: string) =>
  `transfer --network sandbox-one --token USDC --to ${friend} --amount ${amount} --json --trust-first-use --idempotency-key ${key}`
const pay = (amount: number, key: string, more = '') =>
  run(`${payment(amount, key)} --no-wait --yes ${more}`, by())

/** Sends a payment that stays pending. */
const waiting = async (amount: number, key: string) => {
  await rpc().request('evm_setAutomine', [false])
  const sent = await pay(amount, key)
  expect(sent).toMatchObject({ exit: 20 })
  const id = sent.json.error.details.id as string
  const journal = openJournal(join(home(), 'data', 'journal.db'), Date.now)
  const { raw, nonce } = attemptsOf(journal, id, 0)[0]!
  journal.close()
  return { id, raw, nonce }
}

/** Mines the block that settles a payment, removes it by a reorganisation and broadcasts the payment again. */
const waitsAgain = async (
  { id, raw, nonce }: Awaited<ReturnType<typeof waiting>>,
  exit: number,
  meanwhile?: () => Promise<unknown>,
) => {
  await rpc().request('evm_mine')
  expect(await run(`action resume ${id} --json`, by())).toMatchObject({ exit })
  expect((await run(`action explain ${id} --json`, by())).json).toMatchObject({ safeToRetry: exit !== 23 })
  await meanwhile?.()
  await rpc().request('anvil_reorg', [1, []])
  await rpc().request('eth_sendRawTransaction', [raw])
  return { id, nonce, raw }
}
const cancelled = async (key: string, meanwhile?: () => Promise<unknown>) => {
  const sent = await waiting(5, key)
  await run(`action cancel ${sent.id} --timeout 3s --yes --json`, by())
  return waitsAgain(sent, 24, meanwhile)
}
const lost = async (key: string) => {
  const sent = await waiting(5, key)
  await rpc().request('anvil_dropAllTransactions')
  await rpc().request('eth_sendTransaction', [{ from: sandbox.user.address, to: friend, value: '0x1' }])
  return waitsAgain(sent, 23)
}

afterEach(async () => {
  await rpc().request('evm_setAutomine', [true])
  await rpc().request('evm_mine')
})

/** Mines all pending transactions and returns the amount paid since. */
const paidSince = async (before: bigint) => {
  await rpc().request('evm_mine')
  await rpc().request('evm_mine')
  return (await got()) - before
}

test('a repeat is refused while a reorganised cancel leaves the payment pending, with --nonce or --queue-behind too', async () => {
  const before = await got()
  const { id, nonce } = await cancelled('first-0001')
  for (const [at, more] of ['', `--nonce ${nonce + 1}`, '--queue-behind'].entries())
    expect(await signsNothing(() => pay(5, `again-000${at}`, more))).toMatchObject({
      exit: 7,
      json: {
        error: {
          code: 'RPC_INCONSISTENT',
          details: { latest: nonce, nonce, before: id },
          hint: expect.stringContaining(`sluice action resume ${id}`),
        },
      },
    })
  expect(await paidSince(before)).toBe(5_000000n)
})

test('action submit refuses a plan that was made before the cancel of the same payment was reorganised', async () => {
  const before = await got()
  const file = join(home(), 'plan.json')
  const { id } = await cancelled('first-0002', async () =>
    writeFileSync(file, (await run(`${payment(5, 'again-0003')} --dry-run`, by())).out),
  )
  const submit = () => run(`action submit ${file} --yes --json --no-wait --trust-first-use`, by())
  expect(await signsNothing(submit)).toMatchObject({
    exit: 7,
    json: { error: { code: 'RPC_INCONSISTENT', details: { before: id } } },
  })
  expect(await paidSince(before)).toBe(5_000000n)
})

test('a repeat is refused while a payment that lost its nonce is pending again after a reorganisation', async () => {
  const before = await got()
  const { id, nonce } = await lost('first-0003')
  const pinned = `--nonce ${nonce + 1}`
  for (const [at, more] of [pinned, '--queue-behind --allow-duplicate'].entries())
    expect(await signsNothing(() => pay(5, `again-001${at}`, more))).toMatchObject({
      exit: 7,
      json: {
        error: {
          code: 'RPC_INCONSISTENT',
          details: { latest: nonce, nonce, lost: id },
          hint: expect.stringContaining(`sluice action explain ${id}`),
        },
      },
    })
  expect(await signsNothing(() => pay(5, 'again-0014'))).toMatchObject({ exit: 10 })
  expect(await signsNothing(() => pay(5, 'again-0015', `--nonce ${nonce}`))).toMatchObject({
    exit: 10,
    json: { error: { code: 'FOREIGN_PENDING' } },
  })
  await run(`action abandon ${id} --yes --json`, by())
  expect(await signsNothing(() => pay(5, 'again-0016', pinned))).toMatchObject({ exit: 7 })
  expect(await paidSince(before)).toBe(5_000000n)
})

test('a repeated payment that loses its nonce to the original is superseded, and only the original pays', async () => {
  const before = await got()
  const { id, nonce, raw } = await lost('first-0005')
  await rpc().request('anvil_dropAllTransactions')
  const again = await pay(5, 'again-0020')
  expect(again).toMatchObject({ exit: 20 })
  const other = again.json.error.details.id as string
  await rpc().request('anvil_dropAllTransactions')
  await rpc().request('eth_sendRawTransaction', [raw])
  await rpc().request('evm_mine')
  expect(await run(`action resume ${other} --json`, by())).toMatchObject({
    exit: 23,
    json: { error: { code: 'SUPERSEDED', details: { nonce } } },
  })
  expect(await run(`action resume ${id} --json`, by())).toMatchObject({ exit: 0 })
  expect(await paidSince(before)).toBe(5_000000n)
})

test('a payment with the next pinned nonce is signed behind an ordinary pending payment', async () => {
  const before = await got()
  const { nonce } = await waiting(5, 'first-0004')
  expect(await pay(6, 'next-0004', `--nonce ${nonce + 1}`)).toMatchObject({ exit: 20 })
  expect(await paidSince(before)).toBe(11_000000n)
})
