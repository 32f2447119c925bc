import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { remainingAllowances, unusedAllowances } from '../../../src/diagnosis/remaining-allowances.ts'
import type { Hex } from '../../../src/domain/address.ts'
import { AppError } from '../../../src/domain/errors.ts'
import { openJournal } from '../../../src/store/journal/journal.ts'
import { rpcEnvOf, useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

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
/** A deposit of which only the approval is sent; returns its ID. */
const halfDone = async (key: string): Promise<string> => {
  const begun = await deposit(key, '--no-wait')
  await expect.poll(allowance, { timeout: 10_000 }).toBe(100_000000n)
  return begun.json.error.details.id
}
/** The same, abandoned. */
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
/** Revokes the allowance that a test left, because the next test uses the same chain. */
const takeBack = async (id: string) => {
  await fault('clear')
  expect(await run(`action revoke ${id} --yes --json`)).toMatchObject({ exit: 0 })
  expect(await allowance()).toBe(0n)
}

describe('remaining allowances without a node or a known token', () => {
  test('an unreachable node makes revoke fail, and abandon and explain report them as unknown', async () => {
    const id = await givenUp('unread-0001')
    await fault('rpc-down')
    const now = '--timeout 2s'
    const before = attempts()
    const failed = await error(`action revoke unread-0001 --yes --json ${now}`)
    // The action has signed transactions: the code is PARTIAL, and the error of the node is the cause.
    expect(failed).toMatchObject({
      exit: 21,
      code: 'PARTIAL',
      cause: 'RPC_UNREACHABLE',
      hint: `sluice action revoke ${id} --yes`,
    })
    expect(failed.message).toContain('is closed, but its allowances are not revoked yet')
    expect(await error(`action revoke ${id} --dry-run --json ${now}`)).toMatchObject({
      exit: 7,
      code: 'RPC_UNREACHABLE',
    })
    expect(attempts()).toBe(before)
    expect((await run(`action abandon ${id} --json ${now}`)).json.allowancesLeft).toBe(null)
    expect((await run(`action abandon ${id} ${now}`)).out).toContain(
      `Remaining allowances are unknown because a chain could not be read. To revoke them: sluice action revoke ${id}`,
    )
    const { json } = await run(`action explain ${id} --json ${now}`)
    expect(json).toMatchObject({ situation: 'GIVEN_UP', next: `sluice action revoke ${id}` })
    expect(json.funds).toContain('are not known: a chain could not be read')
    await takeBack(id)
    const { out } = await run(`action revoke ${id} --yes`)
    expect(out).toContain('No allowance of this action remains.')
  })

  test('are unknown if their chain has no RPC', async () => {
    const id = await givenUp('unread-0002')
    const rpc = () => {
      throw new AppError('CONFIG_INVALID', 'No RPC for sandbox-one')
    }
    const ground = { catalog: withoutTokens(), rpc } as never
    await expect(unusedAllowances(ground, kept(id))).rejects.toThrow('No RPC')
    expect(await remainingAllowances(ground, kept(id))).toBe(null)
    await takeBack(id)
  })

  test('are found for a swap whose token is in no catalogue', async () => {
    const swap = 'swap execute --from sandbox-one --token-in USDC --token-out USDT --amount-in 100'
    const id = (await error(`${swap} --yes --json --no-wait`)).details.id
    const ground = { catalog: withoutTokens(), rpc: () => sandbox.chain(31337).rpc } as never
    await expect
      .poll(() => remainingAllowances(ground, kept(id)), { timeout: 10_000 })
      .toMatchObject([{ token: usdc(), amount: { formatted: '100', symbol: 'USDC' } }])
    await takeBack(id)
  })

  test('are found for a deposit whose token is in no catalogue or is only a receipt token', async () => {
    const id = await halfDone('left-nameless')
    const left = (catalog: object) =>
      remainingAllowances({ catalog, rpc: () => sandbox.chain(31337).rpc } as never, kept(id))
    expect(await left(withoutTokens())).toMatchObject([{ token: usdc(), amount: { raw: '100000000' } }])
    const entry = sandbox.strategy('aave-v3-USDC-sandbox-one')
    const held = { ...entry, receipt: sandbox.token(31337, 'USDC') }
    expect(await left({ ...withoutTokens(), strategies: [held] })).toMatchObject([
      { token: usdc(), amount: { formatted: '100', symbol: 'USDC' } },
    ])
    await takeBack(id)
  })
})

const withoutTokens = () => ({ ...sandbox.world.catalog(), tokens: [] })
/** An operation as the journal has it. */
const kept = (id: string) => {
  const journal = openJournal(join(home(), 'data', 'sandbox', 'journal.db'), Date.now)
  const operation = journal.find(id)!
  journal.close()
  return operation
}

describe('the hint after a failed revocation', () => {
  test('repeats the revocation, also if the first attempt abandoned the action', async () => {
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

  test('says to fix an invalid policy file, then to repeat the same command', async () => {
    const id = await halfDone('policy-0001')
    const file = join(home(), 'config', 'policy.json')
    mkdirSync(join(home(), 'config'), { recursive: true, mode: 0o700 })
    writeFileSync(file, 'nonsense', { mode: 0o600 })
    const told = async (line: string) => (await error(`action ${line} --json`)).hint
    expect(await told(`revoke ${id} --yes`)).toBe(
      `Fix the file: ${file}, then: sluice action revoke ${id} --yes`,
    )
    expect(await told(`resume ${id}`)).toBe(`Fix the file: ${file}, then: sluice action resume ${id}`)
    expect(await run(`action abandon ${id} --yes --json`)).toMatchObject({ exit: 0 })
    expect(await told(`revoke ${id} --yes`)).toBe(
      `Fix the file: ${file}, then: sluice action revoke ${id} --yes`,
    )
    rmSync(file)
    await takeBack(id)
  })
})

test('after a revert the error names the remaining allowance, and its next step revokes it', async () => {
  await reverts()
  const { message, hint, details } = await error(line('after-0001'))
  await fault('clear')
  expect(message).toContain(`; ${pool()} still has an allowance of 100 USDC on sandbox-one`)
  expect(hint).toBe(`sluice action revoke ${details.id}`)
  expect(await run(`${hint.slice('sluice '.length)} --yes --json`)).toMatchObject({ exit: 0 })
  expect(await allowance()).toBe(0n)
  const again = await error(line('after-0001'))
  expect(again).toMatchObject({ exit: 22, hint: `sluice action explain ${details.id}` })
  expect(again.message).not.toContain('still has an allowance')
})

describe('the allowance of a deposit whose call lost its nonce', () => {
  /** A deposit with a mined approval, whose call lost its nonce to another transaction. */
  const lost = async (key: string) => {
    const { rpc } = sandbox.chain(31337)
    await rpc.request('evm_setAutomine', [false])
    const { id } = (await deposit(key, '--pipeline', '--no-wait')).json.error.details
    const { transactions } = (await run(`action show ${id} --json`)).json
    await rpc.request('anvil_dropTransaction', [transactions[1].hash])
    await rpc.request('evm_setAutomine', [true])
    await rpc.request('evm_mine')
    await sandbox.sendAs(31337, sandbox.user.address, { to: sandbox.user.address, value: 1n })
    return id as string
  }
  const next = () => expect.stringMatching('^sluice action explain 0x[0-9a-f]{64}$')

  test('is named with amount and symbol', async () => {
    const id = await lost('lost-0001')
    expect(await error(line('lost-0001'))).toMatchObject({
      exit: 23,
      code: 'SUPERSEDED',
      message: expect.stringMatching(
        new RegExp(
          `^Nonce .* was used by another .*; ${pool()} still has an allowance of 100 USDC on sandbox-one$`,
        ),
      ),
      hint: next(),
      details: { allowance: { spender: pool(), amount: '100000000' } },
    })
    await takeBack(id)
  })
})

const line = (key: string): string[] => [
  'deposit',
  place,
  ...'--amount 100 --yes --json --idempotency-key'.split(' '),
  key,
]

test('resume, replan, cancel and speed-up report how an action ended, and sign nothing', async () => {
  const ids: Record<string, string> = { PARTIAL: await givenUp('closed-0001') }
  await takeBack(ids.PARTIAL!)
  await reverts()
  ids.REVERTED = (await error(line('closed-0002'))).details.id
  await takeBack(ids.REVERTED!)
  ids.DECLINED = dropped('closed-0003')
  const before = attempts()
  const ends: Record<string, { exit: number; says: string }> = {
    PARTIAL: { exit: 21, says: 'was abandoned' },
    REVERTED: { exit: 22, says: 'reverted on chain' },
    DECLINED: { exit: 9, says: 'was abandoned before anything was signed' },
  }
  for (const [code, { exit, says }] of Object.entries(ends))
    for (const verb of [
      'resume ID',
      'resume ID --wallet nobody',
      'replan ID --yes',
      'replan ID --dry-run',
      'replan ID --yes --accept-min-out 5',
      'replan ID --yes --wallet nobody',
      'cancel ID',
      'cancel ID --yes',
      'speed-up ID',
    ]) {
      const told = await error(`action ${verb.replace('ID', ids[code]!)} --json`)
      expect({ verb, exit: told.exit, code: told.code }).toEqual({ verb, exit, code })
      expect(told.message).toContain(says)
      expect(told.message).not.toMatch(/changed nothing|should not/)
    }
  for (const id of Object.values(ids)) {
    const watched = await run(`action watch ${id}`)
    expect(watched.err).toContain(`next\n      sluice action explain ${id}\n`)
    expect(await run(`action revoke ${id} --yes --json`)).toMatchObject({
      exit: 0,
      json: { allowancesLeft: [] },
    })
  }
  expect(attempts()).toBe(before)
})

test('resume, replan, cancel and speed-up report a finished action as SUCCESS', async () => {
  const { id } = (await deposit('done-0001')).json
  expect((await run(`action cancel ${id} --yes`)).err).toContain(
    `${id} has succeeded, so nothing was cancelled`,
  )
  for (const verb of ['resume', 'replan', 'cancel', 'speed-up'])
    expect(await run(`action ${verb} ${id} --json`)).toMatchObject({
      exit: 0,
      json: { status: 'SUCCESS', replayed: true },
    })
  expect(await run(`action replan ${id} --yes --accept-min-out 5 --json`)).toMatchObject({ exit: 0 })
})

test('the warning about re-running a command names its effect: gas, payment or withdrawal', async () => {
  const revoke = `wallet approvals revoke --network sandbox-one --token USDC --spender ${pool()} --yes`
  const again = async (typed: string) => (await run(typed)).err.match(/re-running this command (.*)\n/)?.[1]
  expect(await again(revoke)).toBe('may pay for its gas twice')
  expect(await again(`deposit ${place} --amount 1 --yes`)).toBe('pays again')
  expect(await again(`withdraw ${place} --amount 1 --yes`)).toBe('withdraws again')
  const elsewhere = await run(`${revoke} --json`, {
    env: rpcEnvOf(sandbox),
    secrets: { privateKey: sandbox.user.key },
  })
  expect(elsewhere).toMatchObject({ exit: 2, json: { error: { code: 'IDEMPOTENCY_KEY_REQUIRED' } } })
  expect(elsewhere.json.error.message).toContain('may pay for its gas twice')
})

/** An operation that was dropped before anything was signed, as the journal keeps it. */
function dropped(key: string): string {
  const journal = openJournal(join(home(), 'data', 'sandbox', 'journal.db'), Date.now)
  const transaction = { to: pool() as Hex, data: '0x' as Hex, chainId: 31337, value: 0n }
  journal.insert({
    id: key,
    idemKey: key,
    request: {},
    plan: { intents: [null], about: { type: 'DEPOSIT', amounts: {} }, terms: {} },
    kind: 'deposit',
    wallet: sandbox.user.address,
    legs: [{ chainId: 31337, steps: [{ role: 'action', text: 'Supply', transaction }] }],
  })
  journal.settle(key, 'DROPPED', 'given up by the person', 130)
  journal.close()
  return key
}

test('revoke of an old action names the action that still needs its allowance, and the next step is about that one', async () => {
  const old = await givenUp('stands-0001')
  const begun = line('stands-0002').map((one) => (one === '100' ? '150' : one))
  const id = (await error([...begun, '--no-wait'])).details.id
  await expect.poll(allowance, { timeout: 10_000 }).toBe(150_000000n)
  const why = `The action ${id} is not finished, and this action would use the allowance that it still needs`
  expect(await error(`action revoke ${old} --dry-run --json`)).toMatchObject({
    exit: 10,
    message: why,
    hint: `sluice action resume ${id}, or close it: sluice action abandon ${id}`,
    details: { before: id },
  })
  const before = attempts()
  expect(await error(`action revoke ${old} --yes --json`)).toMatchObject({
    exit: 21,
    message: expect.stringContaining(why),
    hint: `sluice action resume ${id}, then: sluice action revoke ${old} --yes`,
    details: { before: id },
  })
  expect(attempts()).toBe(before)
  expect(await run(`action resume ${id} --json`)).toMatchObject({ exit: 0 })
  expect(await run(`action revoke ${old} --yes --json`)).toMatchObject({ exit: 0 })
  expect(await allowance()).toBe(0n)
})
