import { afterEach, expect, test } from 'vitest'

import type { Hex } from '../../src/domain/address.ts'
import { useCopies } from '../support/older-copy.ts'
import { useCommands } from '../support/run.ts'
import { useSandbox } from '../support/sandbox.ts'

const sandbox = useSandbox()
const { run, home } = useCommands(sandbox)
const copied = useCopies({ run, home })
const rpc = () => sandbox.chain(31337).rpc
const mining = (on: boolean) => rpc().request('evm_setAutomine', [on])
afterEach(() => mining(true))

/** What waits to be mined: the hash of the only transaction of it. */
async function waiting(): Promise<Hex> {
  const { transactions } = await rpc().request<{ transactions: Hex[] }>('eth_getBlockByNumber', [
    'pending',
    false,
  ])
  expect(transactions).toHaveLength(1)
  return transactions[0]!
}

test('what is left of an action, and was sent elsewhere and waits, is not safe to be asked for anew', async () => {
  const deposit = 'deposit aave-v3-usdc-sandbox-one --amount 3 --yes --json'
  const begun = await run(`${deposit} --no-wait --idempotency-key half-00001`)
  const { id } = begun.json.error.details
  const half = copied()
  const explained = async () => (await half.again(`action explain ${id} --json`)).json
  await mining(false)
  expect(await run(`action resume ${id} --json --no-wait`)).toMatchObject({ exit: 20 })
  const hash = await waiting()
  const unsafe = { safeToRetry: false, funds: expect.stringContaining(hash) }

  const stopped = await half.again(`action resume ${id} --json`)
  expect(stopped).toMatchObject({ exit: 21 })
  expect(stopped.json.error.details.cause).toBe('FOREIGN_PENDING')
  expect(await explained()).toMatchObject({ situation: 'PARTLY_DONE', ...unsafe })
  expect(await half.again(`action abandon ${id} --yes --json`)).toMatchObject({ exit: 0 })
  expect(await explained()).toMatchObject({ situation: 'GIVEN_UP', ...unsafe })
  await mining(true)
  await rpc().request('evm_mine')
  expect(await explained()).toMatchObject({ situation: 'GIVEN_UP', ...unsafe })
})
