import { expect, test } from 'vitest'
import { approve } from '../../../src/chain/erc20.ts'
import { sandboxKey } from '../../../src/sandbox/accounts.ts'
import { useCopies } from '../../support/journal-copies.ts'
import { startSigner } from '../../support/services/external-signer.ts'
import { rpcEnvOf, useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, home, signsNothing } = useCommands(sandbox)
const friend = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const nobodys = `0x${'ab'.repeat(32)}`
const payment = (amount: number, key: string) =>
  `transfer --network sandbox-one --token USDC --to ${friend} --amount ${amount} --yes --json --idempotency-key ${key}`
const got = () => sandbox.balanceOf(31337, sandbox.token(31337, 'USDC').address, friend)

const copied = useCopies({ run, home })

test('explain reports ACTION_NOT_FOUND for a hash that no network has', async () => {
  expect((await run(['action', 'explain', nobodys, '--json'])).json.error).toMatchObject({
    code: 'ACTION_NOT_FOUND',
    message: expect.stringMatching(/and no network has a transaction with this hash$/),
  })
})

test('explain of an unknown hash names the network without an RPC', async () => {
  const { SLUICE_RPC_SANDBOX_TWO, ...env } = rpcEnvOf(sandbox)
  expect(SLUICE_RPC_SANDBOX_TWO).toBeDefined()
  expect(await run(['action', 'explain', nobodys, '--json'], { env })).toMatchObject({
    exit: 4,
    json: {
      error: {
        code: 'ACTION_NOT_FOUND',
        message: expect.stringContaining('no RPC is set for sandbox-two'),
        details: { networks: [], withoutRpc: ['sandbox-two'] },
      },
    },
  })
})

test('explain of a foreign transaction states the moved funds only if its call is decoded', async () => {
  const { address: from } = sandbox.user
  const token = sandbox.token(31337, 'USDC').address
  const fundsAfter = async (tx: { to: `0x${string}`; data: `0x${string}` }) => {
    const { transactionHash } = await sandbox.sendAs(31337, from, tx)
    return (await run(['action', 'explain', transactionHash, '--json'])).json.funds
  }
  const allowing = (amount: bigint) => approve({ chainId: 31337, token, spender: friend, amount })
  expect(await fundsAfter(allowing(3n))).toBe(`Not moved; ${friend} now has the allowance.`)
  expect(await fundsAfter(allowing(0n))).toBe('Not moved.')
  expect(await fundsAfter({ to: friend, data: '0x1234' })).toBe(
    `Unknown: the call is not decoded. ${from} signed it and paid the fee.`,
  )
})

test('an older copy neither repeats nor resumes a deposit that was finished since', async () => {
  const line =
    'deposit aave-v3-usdc-sandbox-one --amount 3 --yes --json --idempotency-key half-0001 --no-wait'
  const begun = await run(line)
  expect(begun).toMatchObject({ exit: 20 })
  const { id } = begun.json.error.details
  const { again, attempts } = copied()
  expect(await run(['action', 'resume', id, '--json'])).toMatchObject({ exit: 0 })
  for (const same of [line, `action resume ${id} --yes --json`])
    expect(await signsNothing(() => again(same))).toMatchObject({
      exit: 21,
      json: { error: { code: 'PARTIAL', details: { id, cause: 'JOURNAL_OUTDATED', action: { id } } } },
    })
  expect(attempts()).toBe(1)
})

test('an older copy does not repeat a payment that it planned, unless --allow-duplicate is given', async () => {
  const signer = await startSigner([sandboxKey()])
  const line = `${payment(7, 'planned-1')} --signer-url ${signer.url}`
  signer.says('eth_signTransaction', () => ({ error: { code: 4001, message: 'declined' } }))
  expect(await run(line)).toMatchObject({ exit: 9 })
  signer.says('eth_signTransaction', async (asked) => ({ result: await signer.sign(asked) }))
  const { again } = copied()
  expect(await run(line)).toMatchObject({ exit: 0 })
  const before = await got()
  expect(await signsNothing(() => again(line))).toMatchObject({
    exit: 12,
    json: { error: { code: 'JOURNAL_OUTDATED', hint: expect.stringContaining('--allow-duplicate') } },
  })
  expect(await got()).toBe(before)
  expect(await again(`${line} --allow-duplicate`)).toMatchObject({ exit: 0 })
  expect(await got()).toBe(before + 7_000_000n)
  await signer.close()
})

test('an older copy makes the same payment under a new key', async () => {
  const { again } = copied()
  expect(await run(payment(5, 'daily-001'))).toMatchObject({ exit: 0 })
  const before = await got()
  expect(await again(payment(5, 'daily-002'))).toMatchObject({ exit: 0 })
  expect(await got()).toBe(before + 5_000_000n)
})

test('resume after a foreign transaction reports JOURNAL_OUTDATED unless --allow-duplicate is given', async () => {
  const line =
    'deposit aave-v3-usdc-sandbox-one --amount 3 --yes --json --idempotency-key begun-0001 --no-wait'
  const { id } = (await run(line)).json.error.details
  await sandbox.sendAs(31337, sandbox.user.address, { to: friend, value: 1n })
  expect(await run(`action resume ${id} --yes --json`)).toMatchObject({
    exit: 21,
    json: { error: { details: { cause: 'JOURNAL_OUTDATED' } } },
  })
  expect(await run(`action resume ${id} --yes --json --allow-duplicate`)).toMatchObject({ exit: 0 })
})
