import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { sandboxKey } from '../../../src/sandbox/accounts.ts'
import { tryLock } from '../../../src/store/file-lock.ts'
import { untilPoolChanges } from '../../support/nodes/until-pool-changes.ts'
import { type Ran, useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, attempts, home, signsNothing } = useCommands(sandbox)
const place = 'aave-v3-usdc-sandbox-one'
const friend = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const elsewhere = '--signer-url http://127.0.0.1:1 --wallet 0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const missing = '--key-file /nonexistent/key'
const key = '--idempotency-key keykey-1'
const transfer = `transfer --network sandbox-one --token USDC --to ${friend} --amount 5 --yes --json`
const deposit = `deposit ${place} --amount 7 --yes --json ${key}`

const rpc = () => sandbox.chain(31337).rpc
/** Runs a command whose first transaction stays pending because no blocks are mined; returns the operation ID. */
const waiting = async (line: string): Promise<string> => {
  await rpc().request('evm_setAutomine', [false])
  const sent = await run(`${line} --no-wait`)
  expect({ exit: sent.exit, out: sent.out }).toMatchObject({ exit: 20 })
  return sent.json.error.details.id
}
const mined = async () => {
  await rpc().request('evm_mine')
  await rpc().request('evm_setAutomine', [true])
}
/** Writes policy.json; returns its path. */
const policy = (text: string): string => {
  const file = join(home(), 'config', 'policy.json')
  mkdirSync(join(home(), 'config'), { recursive: true, mode: 0o700 })
  writeFileSync(file, text, { mode: 0o600 })
  return file
}
// A pending transaction belongs to the test that sent it.
afterEach(mined)
const unsigned = /nothing (of it )?(was|is) (signed|sent)|signed nothing/i

/** The error of a command that cannot resume an operation. It must not claim that nothing is signed. */
const told = ({ exit, json, out, err }: Ran) => {
  const { code, hint, details } = json.error
  expect(out + err).not.toMatch(unsigned)
  return { exit, code, hint, cause: details.cause, id: details.id, status: details.action?.status }
}
const pending = (id: string, cause: string, again = '', verb = 'resume') => ({
  exit: 20,
  code: 'PENDING',
  hint: `sluice action ${verb} ${id}${again}`,
  cause,
  id,
  status: 'PENDING',
})

test('a command that cannot resume a pending operation reports PENDING with its ID and the cause', async () => {
  const id = await waiting(deposit)
  const before = attempts()
  const signer = ` ${elsewhere}`
  const lines: [line: string, cause: string, again?: string, verb?: string][] = [
    [`${deposit} ${missing}`, 'KEY_SOURCE'],
    [`${deposit} --wallet nobody`, 'KEY_SOURCE'],
    [`${deposit} ${elsewhere}`, 'KEY_SOURCE'],
    [`${deposit} --confirmations 0`, 'USAGE'],
    [`${deposit} --no-such-flag`, 'USAGE'],
    [`${deposit.replace('7', '7x')}`, 'INVALID_AMOUNT'],
    [`action resume ${id} --json ${missing}`, 'KEY_SOURCE'],
    [`action resume keykey-1 --json --wallet nobody`, 'KEY_SOURCE'],
    [`action resume ${id} --json ${elsewhere}`, 'KEY_SOURCE'],
    [`action resume ${id} --json --profile nope`, 'CONFIG_INVALID'],
    [`action resume ${id} --json --confirmations 0 ${elsewhere}`, 'USAGE', signer],
    [`action cancel ${id} --json --no-input`, 'PROMPT_NEEDED', ' --yes', 'cancel'],
    [`action cancel ${id} --json --no-input ${elsewhere}`, 'PROMPT_NEEDED', ` --yes${signer}`, 'cancel'],
    [`action cancel ${id} --json --yes ${missing}`, 'KEY_SOURCE', ' --yes', 'cancel'],
    [`action speed-up ${id} --json --wallet nobody`, 'KEY_SOURCE', '', 'speed-up'],
    [`action replan ${id} --json --wallet nobody`, 'KEY_SOURCE', ' --yes', 'replan'],
    [`action revoke ${id} --json --yes ${missing}`, 'KEY_SOURCE', ' --yes', 'revoke'],
    [`action abandon ${id} --json --no-input`, 'PROMPT_NEEDED', ' --yes', 'abandon'],
    [`action watch ${id} --json --interval 5`, 'USAGE', '', 'watch'],
  ]
  for (const [line, cause, again, verb] of lines)
    expect({ line, ...told(await run(line)) }).toEqual({ line, ...pending(id, cause, again, verb) })
  const turn = tryLock(join(home(), 'data', 'sandbox', 'locks', `${sandbox.user.address.toLowerCase()}.turn`))
  for (const line of [deposit, `action resume ${id} --json`])
    expect(told(await run(`${line} --timeout 3s`))).toEqual(pending(id, 'WALLET_BUSY'))
  turn?.release()
  const text = await run(`action resume ${id} ${missing}`)
  expect(text.err).toContain(
    `${id} has signed transactions, and this command did not resume it: /nonexistent/key is not used as a key: it does not exist (PENDING)\nnext\n      sluice action resume ${id}\n`,
  )
  expect(attempts()).toBe(before)
  await mined()
  expect(await run(`action resume ${id} --json`)).toMatchObject({ exit: 0 })
})

test('a command about another request, wallet or operation reports its own error', async () => {
  const id = await waiting(deposit)
  const path = join(home(), 'another-key')
  writeFileSync(path, sandboxKey(3), { mode: 0o600 })
  const lines: [line: string, exit: number][] = [
    // Another request, or another wallet, under the same key.
    [`${deposit.replace('7', '8')} ${missing}`, 14],
    [`${deposit} --key-file ${path}`, 14],
    // A new operation.
    [`deposit ${place} --amount 7 --yes --json --idempotency-key keykey-2 ${missing}`, 13],
    // Commands that only read or plan.
    [`${deposit} --dry-run ${missing}`, 13],
    [`action show ${id} --json --fields nothing`, 2],
    [`action resume nobody-knows-it --json ${missing}`, 4],
  ]
  for (const [line, exit] of lines) expect({ line, exit: (await run(line)).exit }).toEqual({ line, exit })
})

describe('a failed repeat of a pending operation reports PENDING for', () => {
  test.each([
    ['a transfer', `${transfer} ${key}`],
    [
      'a swap by idempotency key',
      `swap execute --from sandbox-one --token-in USDC --token-out WETH --amount-in 5 --yes --json ${key}`,
    ],
    [
      'a revoked allowance',
      `wallet approvals revoke --network sandbox-one --token USDC --spender ${friend} --yes --json ${key}`,
    ],
  ])('%s', async (_, line) => {
    const id = await waiting(line)
    expect(told(await run(`${line} --wallet nobody`))).toEqual(pending(id, 'KEY_SOURCE'))
  })

  test('a swap by quote ID', async () => {
    const quote = await run(
      'swap quote --from sandbox-one --token-in USDC --token-out WETH --amount-in 5 --json',
    )
    const line = `swap execute ${quote.json.id} --yes --json`
    const id = await waiting(line)
    expect(told(await run(`${line} ${missing}`))).toEqual(pending(id, 'KEY_SOURCE'))
  })

  test('a plan from a file or from standard input', async () => {
    const { out } = await run(`deposit ${place} --amount 3 --dry-run --json`)
    const file = join(home(), 'plan.json')
    writeFileSync(file, out)
    const id = await waiting(`action submit ${file} --yes --json`)
    expect(told(await run(`action submit ${file} --yes --json ${missing}`))).toEqual(
      pending(id, 'KEY_SOURCE'),
    )
    expect(told(await run(`action submit ${file} --yes --json --profile nope`))).toEqual(
      pending(id, 'CONFIG_INVALID'),
    )
    expect(told(await run(`action submit - --yes --json ${missing}`, { stdin: out }))).toEqual(
      pending(id, 'KEY_SOURCE'),
    )
  })

  test('a claim of a withdrawal', async () => {
    const slug = 'sandbox-lido-eth-sandbox-one'
    const done = async (line: string) => expect(await run(`${line} --yes --json`)).toMatchObject({ exit: 0 })
    await done(`deposit ${slug} --amount 3`)
    await done(`withdraw ${slug} --amount 1`)
    await done(`sandbox warp 10d`)
    const line = `withdraw ${slug} --claim --yes --json ${key}`
    const id = await waiting(line)
    expect(told(await run(`${line} ${missing}`))).toEqual(pending(id, 'KEY_SOURCE'))
  })
})

describe('a failed repeat of an operation that ended or is partly done', () => {
  test('reports a finished operation as completed and suggests action show', async () => {
    const { id } = (await run(deposit)).json
    const ran = await run(`${deposit} ${missing}`)
    expect(told(ran)).toEqual({
      ...pending(id, 'KEY_SOURCE'),
      hint: `sluice action show ${id}`,
      status: 'SUCCESS',
    })
    expect(ran.json.error.message).toContain(`${id} has already completed`)
  })

  test('exits 21 for a partly done operation without pending transactions, also after abandon', async () => {
    const { json } = await run(`${deposit} --no-wait`)
    const { id } = json.error.details
    expect(await run(`action cancel ${id} --yes --json`)).toMatchObject({ exit: 21 })
    const partial = { ...pending(id, 'KEY_SOURCE'), exit: 21, code: 'PARTIAL' }
    expect(told(await run(`${deposit} ${missing}`))).toEqual(partial)
    const hint = `sluice action abandon ${id} --yes`
    expect(told(await run(`action abandon ${id} --json`))).toEqual({
      ...partial,
      cause: 'PROMPT_NEEDED',
      hint,
    })
    expect(await run(`action abandon ${id} --yes --json`)).toMatchObject({ exit: 0 })
    expect(told(await run(`${deposit} ${missing}`))).toEqual({
      ...partial,
      hint: `sluice action explain ${id}`,
      status: 'FAILED',
    })
  })

  test('exits 24 for a cancelled operation', async () => {
    const id = await waiting(transfer)
    const { started } = await untilPoolChanges(rpc(), () => run(`action cancel ${id} --yes --json`))
    await mined()
    expect(await started).toMatchObject({ exit: 24 })
    expect(told(await run(`action resume ${id} --json ${missing}`))).toEqual({
      ...pending(id, 'KEY_SOURCE'),
      // An ended operation is reported without a key.
      cause: undefined,
      exit: 24,
      code: 'CANCELLED',
      hint: `sluice action show ${id}`,
      status: 'FAILED',
    })
  })

  test('exits 22 for a reverted operation', async () => {
    const id = await waiting(transfer)
    const token = sandbox.token(31337, 'USDC').address
    await rpc().request('anvil_setCode', [token, '0x5f5ffd'])
    await mined()
    expect(await run(`action resume ${id} --json`)).toMatchObject({ exit: 22 })
    expect(told(await run(`action resume ${id} --json ${missing}`))).toEqual({
      ...pending(id, 'KEY_SOURCE'),
      cause: undefined,
      exit: 22,
      code: 'REVERTED',
      hint: `sluice action explain ${id}`,
      status: 'FAILED',
    })
  })

  test('exits 23 for a superseded operation and names what used its nonce before a new plan', async () => {
    const id = await waiting(transfer)
    await rpc().request('anvil_dropAllTransactions')
    await rpc().request('evm_setAutomine', [true])
    await sandbox.sendAs(31337, sandbox.user.address, { to: friend })
    expect(await run(`action resume ${id} --json`)).toMatchObject({ exit: 23 })
    const after = told(await run(`action replan ${id} --json ${missing}`))
    expect(after).toMatchObject({ exit: 23, code: 'SUPERSEDED', cause: 'KEY_SOURCE', id })
    expect(after.hint).toBe(`sluice action explain ${id}`)
  })

  test('exits 20 with the ID of a finished transfer whose output could not be written', async () => {
    let [said, calls] = ['', 0]
    const write = (text: string) => {
      if (calls++ === 0) throw new Error('no space left')
      said += text
    }
    const ran = await run(transfer, { out: { write } })
    expect(ran.exit).toBe(20)
    const { error } = JSON.parse(said)
    expect(error).toMatchObject({
      code: 'PENDING',
      hint: `sluice action show ${error.details.id}`,
      details: { cause: 'BUG', action: { status: 'SUCCESS' } },
    })
    expect(await run(error.hint.replace('sluice ', ''))).toMatchObject({ exit: 0 })
  })

  test.each(['--json --fields nothing', '--csv', '--jq .[', '--template {{.id', '--jq . --template x'])(
    'signs nothing if %s cannot print the result',
    async (how) => {
      const { exit } = await signsNothing(() => run(`${deposit.replace('--json', '')} ${how}`))
      expect(exit).toBe(2)
    },
  )

  test('a --jq that cannot handle the document exits 20 after signing and says that the action has completed', async () => {
    const { exit, out, err } = await run([
      ...deposit.replace('--json', '').trim().split(/\s+/),
      '--jq',
      '.id.nothing',
    ])
    expect({ exit, out }).toEqual({ exit: 20, out: '' })
    expect(err).toMatch(
      /has already completed.*Cannot index string with string \("nothing"\)[\s\S]*next\n {6}sluice action show /,
    )
    const shown = await run(['action', 'list', '--jq', '.items[] | .status, .amounts.in.formatted'])
    expect(shown).toMatchObject({ exit: 0, out: expect.stringMatching(/^(SUCCESS\n[0-9.]+\n)+$/) })
  })

  test('reports only its own error for an operation that was never signed', async () => {
    const refused = await run(`${deposit} --max-fee 0.000000001`)
    expect(refused.exit).toBeLessThan(20)
    expect(await run(`${deposit} ${missing}`)).toMatchObject({ exit: 13 })
  })
})

test('watch exits 10 for an action that was never signed beside a finished one', async () => {
  await rpc().request('evm_setAutomine', [false])
  const stranger = { from: sandbox.user.address, to: friend, value: '0x1' }
  await rpc().request('eth_sendTransaction', [stranger])
  expect((await run(`${deposit}-begun`)).json.error.code).toBe('FOREIGN_PENDING')
  await mined()
  expect((await run(`${transfer} ${key}-done`)).exit).toBe(0)
  const { items } = (await run('action list --json')).json
  const ids = items.map(({ id }: { id: string }) => id)
  expect(items.map(({ status }: { status: string }) => status).toSorted()).toEqual(['INITIAL', 'SUCCESS'])
  const { exit, err } = await run(['action', 'watch', ...ids])
  expect({ exit, err }).toEqual({
    exit: 10,
    err: expect.stringContaining('was signed, and no process is running it'),
  })
})

test.each([
  ['keys create --customer once', 'keys list'],
  ['profile set made --kind remote --base-url http://127.0.0.1:1', 'profile list'],
])('%s changes nothing if the result cannot be printed as requested', async (line, list) => {
  const before = (await run(`${list} --json`)).json
  for (const how of ['--csv', '--json --fields nonesuch']) expect((await run(`${line} ${how}`)).exit).toBe(2)
  expect((await run(`${list} --json`)).json).toEqual(before)
  const whole = await run(`${line} --fields name`)
  expect({ exit: whole.exit, err: whole.err }).toEqual({
    exit: 0,
    err: expect.stringContaining('--fields is ignored here'),
  })
})

test('--fields accepts fields that only some results have, and rejects unknown fields before anything changes', async () => {
  const planned = await run(`${transfer} --dry-run --json --fields planHash`)
  expect(planned.json).toEqual({ planHash: expect.stringMatching(/^[0-9a-f]{64}$/) })
  const id = await waiting(`${deposit}-chosen`)
  const refused = { error: { message: expect.stringContaining('There is no field "nope"') } }
  expect((await run(`action watch ${id} --json --fields status,nope`)).json).toMatchObject(refused)
  expect((await run(`action show ${id} --json --fields status,arrivedShort`)).json).toEqual({
    status: 'PENDING',
    arrivedShort: null,
  })
  const before = (await run('action list --json')).json.items
  expect(await run(`${deposit}-other --fields planHash`)).toMatchObject({ exit: 2 })
  expect((await run(`action abandon ${id} --yes --json --fields nope`)).json).toMatchObject(refused)
  expect((await run('action list --json')).json.items).toEqual(before)
  await mined()
  const { exit, json } = await run(`action abandon ${id} --yes --json --fields id,arrivedShort`)
  expect({ exit, json }).toEqual({ exit: 0, json: { id, arrivedShort: null } })
  const watched = await run(`action watch ${id} --json --fields status --timeout 1s --interval 1s`)
  expect(watched.out.split('\n')[0]).toBe('{"status":"FAILED"}')
})

test('resume --no-wait of a pending operation exits 20 with PENDING', async () => {
  const id = await waiting(`${deposit}-unawaited`)
  const looked = await run(`action resume ${id} --no-wait --yes --json`)
  expect(looked).toMatchObject({ exit: 20, json: { error: { code: 'PENDING', details: { id } } } })
})

test('revoke reports PENDING while the approval is pending, and revokes after it is mined', async () => {
  const id = await waiting(`${deposit}-to-be-revoked`)
  const revoked = await run(`action revoke ${id} --yes --json`)
  expect(revoked).toMatchObject({
    exit: 20,
    json: { error: { code: 'PENDING', details: { id }, hint: `sluice action resume ${id}` } },
  })
  await mined()
  expect(await run(`action revoke ${id} --yes --json`)).toMatchObject({
    exit: 0,
    json: { status: 'SUCCESS', type: 'REVOKE' },
  })
})

test('the policy of a repeated command applies to the remaining steps, and no step is signed against it', async () => {
  const line = `${deposit}-by-policy`
  const id = await waiting(line)
  await mined()
  const strict = join(home(), 'strict.json')
  writeFileSync(strict, '{"perTransaction":{"sandbox-one:USDC":"1"}}', { mode: 0o600 })
  const held = () => sandbox.balanceOf(31337, sandbox.token(31337, 'USDC').address, sandbox.user.address)
  const before = await held()
  for (const [file, cause] of [
    [strict, 'POLICY_LIMIT'],
    ['/nonexistent/policy.json', 'CONFIG_INVALID'],
    [undefined, 'POLICY_LIMIT'],
  ]) {
    const ran = await run(file ? `${line} --policy ${file}` : `${line} --assert USDC>=0`)
    expect([20, 21]).toContain(ran.exit)
    expect(ran.json.error.details).toMatchObject({ id, cause })
  }
  expect(await held()).toBe(before)
  expect((await run(line)).exit).toBe(0)
  // A finished operation is only reported.
  expect((await run(`${line} --policy ${strict}`)).exit).toBe(0)
})

test('a stricter policy.json applies to the remaining steps unless the action started with --policy', async () => {
  const file = policy('{}')
  const own = join(home(), 'own.json')
  writeFileSync(own, '{"perTransaction":{"sandbox-one:USDC":"1000"}}', { mode: 0o600 })
  const line = `${deposit}-before-a-policy`
  const id = await waiting(line)
  await mined()
  const before = attempts()
  for (const [text, why] of [
    ['{"perTransaction":{"sandbox-one:USDC":"1"}}', 'POLICY_LIMIT'],
    ['{"perDay":{"sandbox-one:USDC":"1"}}', 'POLICY_LIMIT'],
    ['{"perTransactio":{}}', 'CONFIG_INVALID'],
  ]) {
    writeFileSync(file, text!, { mode: 0o600 })
    for (const again of [`action resume ${id} --yes --json`, line]) {
      const ran = await run(again)
      expect([20, 21]).toContain(ran.exit)
      expect(ran.json.error.details).toMatchObject({ id, cause: why })
    }
  }
  expect(attempts()).toBe(before)
  writeFileSync(file, '{"perTransaction":{"sandbox-one:USDC":"500"}}', { mode: 0o600 })
  expect(await run(`action resume ${id} --yes --json`)).toMatchObject({ exit: 0 })
  const named = await waiting(`${deposit}-under-its-own --policy ${own}`)
  await mined()
  writeFileSync(file, '{"perTransaction":{"sandbox-one:USDC":"1"}}', { mode: 0o600 })
  expect(await run(`action resume ${named} --yes --json`)).toMatchObject({ exit: 0 })
  rmSync(file)
})

test('a fee that policy.json forbids stops speed-up, but not cancel', async () => {
  const id = await waiting(`${deposit}-too-dear`)
  const before = attempts()
  const file = policy('{"maxFeePerGas":"0.000001"}')
  expect((await run(`action speed-up ${id} --yes --json --no-wait`)).exit).toBeGreaterThanOrEqual(20)
  expect(attempts()).toBe(before)
  writeFileSync(file, '{"maxFeePerGas"', { mode: 0o600 })
  expect((await run(`action speed-up ${id} --yes --json --no-wait`)).exit).toBeGreaterThanOrEqual(20)
  expect(attempts()).toBe(before)
  expect((await run(`action cancel ${id} --yes --json --no-wait`)).exit).toBe(20)
  expect(attempts()).toBe(before + 1)
  await mined()
  // The cancel is followed to its end under any policy.
  expect(await run(`action resume ${id} --yes --json`)).toMatchObject({ exit: 24 })
  rmSync(file)
})

test('a revocation that policy.json forbids does not abandon the action, which can be resumed', async () => {
  const id = await waiting(`${deposit}-to-be-kept`)
  await mined()
  const before = attempts()
  const file = policy('{"maxFeePerGas":"0.000001"}')
  for (const [verb, next] of [
    ['resume', `sluice action resume ${id}; to stop instead: sluice action revoke ${id}`],
    ['revoke', `sluice action revoke ${id} --yes`],
  ])
    expect(await run(`action ${verb} ${id} --yes --json`)).toMatchObject({
      exit: 21,
      json: {
        error: {
          code: 'PARTIAL',
          message: expect.stringContaining('The gas price is'),
          hint: `Once this is allowed: ${next}`,
        },
      },
    })
  const unsure = await run(`action revoke ${id} --json --no-input`)
  rmSync(file)
  expect(unsure.exit).toBeGreaterThanOrEqual(20)
  expect(await run(`action revoke ${id} --json --no-input`)).toMatchObject({
    exit: 21,
    json: { error: { hint: `sluice action revoke ${id} --yes` } },
  })
  expect(attempts()).toBe(before)
  expect(await run(`action resume ${id} --yes --json`)).toMatchObject({ exit: 0 })
})

test('a used key does not hide the error of an invalid argument, another profile or an unknown ID', async () => {
  const line = `${deposit}-of-a-kind`
  const used = '--idempotency-key keykey-1-of-a-kind'
  expect((await run(line)).exit).toBe(0)
  const code = async (other: string) => (await run(other)).exit
  expect(
    await code(`transfer --network sandbox-one --token USDC --to 0x123 --amount 5 --yes --json ${used}`),
  ).toBe(2)
  expect(await code(`deposit ${place} --amount 7,0 --yes --json ${used}`)).toBe(2)
  expect(await code(`${line} --profile remote`)).toBe(2)
  expect(await code(`action watch ${(await run(line)).json.id} no-such-id --json`)).toBe(4)
})
