import { join } from 'node:path'
import { expect, test } from 'vitest'
import { useCommands } from '../support/use-commands.ts'
import { useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, home } = useCommands(sandbox)
const pay = (more: string) =>
  `transfer --network sandbox-one --token USDC --to 0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC --amount 1 --yes --json ${more}`

test('a key on an empty journal warns of use on another machine if the wallet has sent transactions before', async () => {
  const key = '--idempotency-key a-job-0001'
  const said = /cannot know whether another machine used this key.*--nonce sandbox-one=\d+/
  const first = await run(pay(key))
  expect(first).toMatchObject({ exit: 0, json: { replayed: false } })
  expect(first.err).not.toMatch(said)
  // A replay sends nothing, so it needs no warning.
  const again = await run(pay(key))
  expect(again).toMatchObject({ exit: 0, json: { replayed: true } })
  expect(again.err).not.toMatch(said)

  const another = { env: { SLUICE_HOME: join(home(), 'another') } }
  expect((await run(pay(`${key} --dry-run`), another)).err).not.toMatch(said)
  const elsewhere = await run(pay(key), another)
  expect(elsewhere).toMatchObject({ exit: 0, json: { replayed: false } })
  expect(elsewhere.err).toMatch(said)
  expect((await run(pay('--idempotency-key a-job-0002 --allow-duplicate'), another)).err).not.toMatch(said)
})
