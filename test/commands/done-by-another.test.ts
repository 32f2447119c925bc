import { afterEach, expect, test } from 'vitest'

import type { Hex } from '../../src/domain/address.ts'
import { sandboxJournal, useCopies } from '../support/older-copy.ts'
import { useCommands } from '../support/run.ts'
import { calldata, useSandbox } from '../support/sandbox.ts'

const sandbox = useSandbox()
const { run, home, signsNothing } = useCommands(sandbox)
const copied = useCopies({ run, home })
const rpc = () => sandbox.chain(31337).rpc
const wallet = () => sandbox.user.address
const mining = (on: boolean) => rpc().request('evm_setAutomine', [on])
afterEach(() => mining(true))
const explain = async (id: string) =>
  (await signsNothing(() => run(['action', 'explain', id, '--json']))).json

type Shown = { hash: Hex; to: Hex; input: Hex; nonce: Hex; gas: Hex }
const swap = (key: string) =>
  `swap execute --from sandbox-one --token-in USDC --token-out USDT --amount-in 5 --yes --json --idempotency-key ${key}`

/** A swap that waits, and loses its nonce to a call that is made of its own one, at a price that goes before it. */
const swapLostTo = async (change: (data: string) => { to?: Hex; data: string }) => {
  expect(await run(swap('first-0001'))).toMatchObject({ exit: 0 })
  await mining(false)
  const sent = await run(`${swap('second-001')} --no-wait --pipeline --allow-duplicate`)
  const { id } = sent.json.error.details
  const { hash: own } = (await run(`action show ${id} --json`)).json.transactions.at(-1)
  const { input, ...shown } = await rpc().request<Shown>('eth_getTransactionByHash', [own])
  await rpc().request('anvil_dropTransaction', [own])
  // Whatever comes before it.
  await rpc().request('evm_mine')
  const hash = await rpc().request<Hex>('eth_sendTransaction', [
    {
      from: wallet(),
      to: shown.to,
      nonce: shown.nonce,
      gas: shown.gas,
      maxFeePerGas: '0x174876e800',
      maxPriorityFeePerGas: '0x174876e800',
      ...change(input),
    },
  ])
  await rpc().request('evm_mine')
  await mining(true)
  expect(await run(['action', 'resume', id, '--json'])).toMatchObject({ exit: 23 })
  return { id, hash }
}

/** The same swap with another minimum. */
const withOtherMinimum = (input: string) => {
  const amount = 5_000000n.toString(16).padStart(64, '0')
  const at = input.indexOf(amount) + amount.length
  return { data: `${input.slice(0, at)}${'1'.padStart(64, '0')}${input.slice(at + 64)}` }
}

test('a swap that lost its nonce to the same with another minimum is not safe to ask for anew, given up or not', async () => {
  const { id, hash } = await swapLostTo(withOtherMinimum)
  const told = {
    funds: expect.stringMatching(`^What became of 5 USDC is told by the transaction ${hash}\\.`),
    safeToRetry: false,
    next: `sluice action explain ${hash}`,
  }
  const lost = await explain(id)
  expect(lost).toMatchObject({ situation: 'SUPERSEDED', ...told })
  expect(lost.verdict).toMatch(/, used its nonce \d+, and does the same\.$/)
  expect(await run(['action', 'abandon', id, '--yes', '--json'])).toMatchObject({ exit: 0 })
  expect(await explain(id)).toMatchObject({
    situation: 'GIVEN_UP',
    verdict: `It was given up: what was not signed of it never will be. The transaction ${hash} does the same.`,
    ...told,
  })
})

test('a swap that lost its nonce to something else is safe to ask for anew when it is given up, unless nobody shows what that is', async () => {
  const { id } = await swapLostTo(() => ({ to: wallet(), data: '0x' }))
  expect(await run(['action', 'abandon', id, '--yes', '--json'])).toMatchObject({ exit: 0 })
  const safe = await explain(id)
  expect(safe).toMatchObject({ situation: 'GIVEN_UP', safeToRetry: true })
  expect(safe.funds).toContain('5 USDC: still in the wallet')
  expect(await run('sandbox fault rpc-502 --method eth_getTransactionReceipt --yes --json')).toMatchObject({
    exit: 0,
  })
  expect(await explain(id)).toMatchObject({ situation: 'GIVEN_UP', safeToRetry: false })
})

test('what a run stopped for as it seems done already is told after it, and when it is given up as the hint says', async () => {
  const begun = await run(
    'deposit aave-v3-usdc-sandbox-one --amount 3 --yes --json --no-wait --idempotency-key half-00001',
  )
  const { id } = begun.json.error.details
  const half = copied()
  const look = async () => (await signsNothing(() => half.again(`action explain ${id} --json`))).json
  const done = await run(['action', 'resume', id, '--json'])
  const { hash } = done.json.transactions.at(-1)
  for (const verb of ['resume', 'resume', 'speed-up'])
    expect(await half.again(`action ${verb} ${id} --json`)).toMatchObject({
      exit: 21,
      json: { error: { details: { hash, cause: 'DONE_ELSEWHERE' } } },
    })
  const noted = half.journal()
  expect(noted.events(id).filter(({ why }) => why.endsWith(hash))).toHaveLength(1)
  noted.close()
  const told = {
    funds: expect.stringMatching(`^What became of 3 USDC is told by the transaction ${hash}\\.`),
    safeToRetry: false,
    next: `sluice action explain ${hash}`,
  }
  const seems = ` The transaction ${hash} seems to do the same.`
  const left = await look()
  expect(left).toMatchObject({ situation: 'PARTLY_DONE', ...told })
  expect(left.verdict).toContain(seems)
  expect(JSON.stringify(left.evidence)).toContain(`${hash} seems to do what step 2 is for`)
  expect(await half.again(`action abandon ${id} --yes --json`)).toMatchObject({ exit: 0 })
  expect(await look()).toMatchObject({
    situation: 'GIVEN_UP',
    verdict: `It was given up: what was not signed of it never will be.${seems}`,
    ...told,
  })
})

test('what seemed done already, and reverted for good, leaves the same safe to ask for anew', async () => {
  const begun = await run('deposit aave-v3-usdc-sandbox-one --amount 3 --yes --json --no-wait')
  const { id } = begun.json.error.details
  const token = sandbox.token(31337, 'USDC').address
  const pay = (amount: bigint) =>
    rpc().request<Hex>('eth_sendTransaction', [
      {
        from: wallet(),
        to: token,
        data: calldata('function transfer(address,uint256)', [token, amount]),
        gas: '0x30d40',
      },
    ])
  const [succeeds, reverts] = [await pay(1n), await pay(10n ** 40n)]
  const note = (hash: Hex) => {
    const journal = sandboxJournal(home())
    journal.noteDone(id, 1, { hash })
    journal.check(id)
    journal.close()
  }
  note(succeeds)
  expect(await explain(id)).toMatchObject({ safeToRetry: false, next: `sluice action explain ${succeeds}` })
  note(reverts)
  expect(await explain(id)).toMatchObject({ safeToRetry: true, next: `sluice action resume ${id}` })
})
