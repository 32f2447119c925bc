import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

import type { Hex } from '../../src/domain/address.ts'
import { openJournal } from '../../src/store/journal.ts'
import { rpcEnvOf, useCommands } from '../support/run.ts'
import { useSandbox } from '../support/sandbox.ts'

const sandbox = useSandbox()
const { run, attempts, home } = useCommands(sandbox)
const place = 'aave-v3-usdc-sandbox-one'
const deposit = (key: string, ...more: string[]) =>
  run(['deposit', place, '--amount', '100', '--yes', '--json', '--idempotency-key', key, ...more])
const pool = () => {
  const { constants } = sandbox.strategy('aave-v3-USDC-sandbox-one')
  if (constants.family !== 'aave-v3') throw new Error('an Aave strategy was expected')
  return constants.pool
}
const usdc = () => sandbox.token(31337, 'USDC').address
const allowance = async () =>
  BigInt(
    await sandbox.call(31337, usdc(), 'function allowance(address,address) view returns (uint256)', [
      sandbox.user.address,
      pool(),
    ]),
  )
/** A deposit of which only the approval went out. */
const halfDone = async (key: string): Promise<string> => {
  const begun = await deposit(key, '--no-wait')
  await expect.poll(allowance, { timeout: 10_000 }).toBe(100_000000n)
  return begun.json.error.details.id
}
/** The same, given up. */
const givenUp = async (key: string): Promise<string> => {
  const id = await halfDone(key)
  expect(await run(`action abandon ${id} --yes --json`)).toMatchObject({ exit: 0 })
  return id
}
const fault = (line: string) => run(`sandbox fault ${line}`)
const reverts = () => fault(`revert ${pool()} --network sandbox-one --reason bang --times 1`)
const error = async (line: string | string[]) => {
  const { exit, json } = await run(line)
  const { code, message, hint, details } = json.error
  return { exit, code, message, hint, cause: details.cause, details }
}
/** Takes back what a test left, for the next one has the same chain. */
const takeBack = async (id: string) => {
  await fault('clear')
  expect(await run(`action revoke ${id} --yes --json`)).toMatchObject({ exit: 0 })
  expect(await allowance()).toBe(0n)
}

describe('the next step after a revocation that failed', () => {
  test('is the revocation, also when the action was given up by the try before', async () => {
    const id = await halfDone('again-0001')
    await fault('rpc-502 --method eth_estimateGas')
    const first = await error('action revoke again-0001 --yes --json')
    await fault('clear')
    await fault('rpc-502 --method eth_getTransactionCount')
    const second = await error('action revoke again-0001 --yes --json')
    for (const { exit, code, hint } of [first, second])
      expect({ exit, code, hint }).toEqual({
        exit: 21,
        code: 'PARTIAL',
        hint: `sluice action revoke ${id} --yes`,
      })
    await takeBack(id)
  })

  test('is to mend the policy where that is in the way, and then the same', async () => {
    const id = await halfDone('policy-0001')
    const file = join(home(), 'config', 'policy.json')
    mkdirSync(join(home(), 'config'), { recursive: true, mode: 0o700 })
    writeFileSync(file, 'nonsense', { mode: 0o600 })
    const told = async (line: string) => (await error(`action ${line} --json`)).hint
    expect(await told(`revoke ${id} --yes`)).toBe(
      `Mend the file: ${file}, then: sluice action revoke ${id} --yes`,
    )
    expect(await told(`resume ${id}`)).toBe(`Mend the file: ${file}, then: sluice action resume ${id}`)
    expect(await run(`action abandon ${id} --yes --json`)).toMatchObject({ exit: 0 })
    expect(await told(`revoke ${id} --yes`)).toBe(
      `Mend the file: ${file}, then: sluice action revoke ${id} --yes`,
    )
    rmSync(file)
    await takeBack(id)
  })
})

