import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type OperandRow, operandTable } from '../../../src/domain/command-line/commands.ts'
import { engineOn } from '../../support/engine.ts'
import { sandboxJournal } from '../../support/journal-copies.ts'
import { serveTo, type TestServer } from '../../support/services/serve-in-process.ts'
import { type Circumstances, type Ran, rpcEnvOf, useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, home } = useCommands(sandbox)
/** Another machine of the same customer. */
const other = useCommands(sandbox)
const slug = 'aave-v3-usdc-sandbox-one'
const apiKey = 'key-typed-ids'
const swap = 'swap execute --from sandbox-one --token-in USDC --token-out WETH --amount-in 20 --yes --json'

/** How each command that takes the id of an action or a quote is called; every such command must be here. */
const lines: Readonly<Record<string, (id: string) => string>> = {
  'action show': (id) => `action show ${id} --json`,
  'action watch': (id) => `action watch ${id} --json`,
  'action resume': (id) => `action resume ${id} --yes --json`,
  'action speed-up': (id) => `action speed-up ${id} --yes --json`,
  'action cancel': (id) => `action cancel ${id} --yes --json`,
  'action abandon': (id) => `action abandon ${id} --yes --json`,
  'action replan': (id) => `action replan ${id} --yes --json`,
  'action revoke': (id) => `action revoke ${id} --yes --json`,
  'action deliver': (id) => `action deliver ${id} --yes --json`,
  'action export': (id) => `action export ${id} --json`,
  'action explain': (id) => `action explain ${id} --json`,
  'swap status': (id) => `swap status ${id} --json`,
  'swap execute': (id) => `swap execute ${id} --yes --json`,
}

test('every command that takes the id of an action or a quote is in the table', () => {
  const found = Object.entries<readonly OperandRow[]>(operandTable).flatMap(([words, operands]) =>
    operands.some(([, help]) => /\b(action|quote) IDs?\b/.test(help)) ? [words] : [],
  )
  expect(found.toSorted()).toEqual(Object.keys(lines).toSorted())
})

/** The last document on stdout. */
const lastOf = ({ out }: Ran) => JSON.parse(out.trim().split('\n').at(-1)!)

/** What a command says of which action: the same for every name of it. */
const told = (ran: Ran) => {
  const json = lastOf(ran)
  const { details, code } = json.error ?? {}
  return [ran.exit, code, json.id ?? json.operation?.id ?? details?.id ?? details?.operation]
}

describe('an action of this machine', () => {
  test('has the same answer by its id, the beginning of it, its key and each of its hashes', async () => {
    const done = (await run(`${swap} --idempotency-key typed-ids-1`)).json
    const names = [done.id.slice(0, 8), ...done.transactions.map((one: { hash: string }) => one.hash)]
    for (const [command, line] of Object.entries(lines)) {
      const whole = told(await run(line(done.id)))
      for (const name of [...names, ...(command === 'swap execute' ? [] : ['typed-ids-1'])])
        expect([command, name, ...told(await run(line(name)))]).toEqual([command, name, ...whole])
    }
  })

  test('is not chosen by the beginning of several ids: exit 2 names the candidates', async () => {
    const { id } = (await run(swap)).json
    const twin = `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`
    const journal = sandboxJournal(home())
    const { request, plan, kind, wallet, steps } = journal.find(id)!
    journal.insert({
      ...{ id: twin, idemKey: 'typed-ids-twin', request, plan, kind, wallet },
      legs: [
        { chainId: 31337, steps: steps.map(({ role, text, transaction }) => ({ role, text, transaction })) },
      ],
    })
    journal.close()
    for (const [command, line] of Object.entries(lines)) {
      const ran = await run(line(id.slice(0, 8)))
      const { code, message, details } = lastOf(ran).error
      expect([command, ran.exit, code]).toEqual([command, 2, 'USAGE'])
      expect(details.candidates.toSorted()).toEqual([id, twin].toSorted())
      expect(message).toContain(twin)
      // Fewer than four characters begin nothing.
      expect([command, told(await run(line(id.slice(0, 3))))[0]]).toEqual([command, 4])
    }
  })

  test('of a quote that was not executed is named by the beginning of the quote', async () => {
    const { id } = (
      await run('swap quote --from sandbox-one --token-in USDC --token-out WETH --amount-in 5 --json')
    ).json
    expect(lastOf(await run(`swap status ${id.slice(0, 9)} --json`))).toMatchObject({ id, status: 'pending' })
    expect(lastOf(await run(`action explain ${id.slice(0, 9)} --json`))).toMatchObject({
      id,
      situation: 'QUOTE_OPEN',
    })
    expect(lastOf(await run(`swap execute ${id.slice(0, 9)} --yes --json`))).toMatchObject({
      id,
      status: 'SUCCESS',
    })
  })
})

describe('an action of another machine, at a remote service', () => {
  let server: TestServer
  /** What the deployment answers to its list of actions, instead of the list. */
  let listStatus: number | undefined
  /** Whether the deployment calls a hash an invalid id, instead of an unknown one. */
  let isStrict = false
  beforeEach(async () => {
    listStatus = undefined
    isStrict = false
    server = await serveTo(engineOn(sandbox).service, apiKey, (app) =>
      app.addHook('onRequest', async ({ url }, reply) => {
        if (isStrict && /\/0x[0-9a-f]{64}/.test(url))
          return reply.code(400).send({ error: { code: 'VALIDATION_ERROR', message: 'id must be a UUID' } })
        if (listStatus === undefined || !/^\/(actions|quotes)(\?|$)/.test(url)) return
        await reply.code(listStatus).send({ message: 'no such page' })
      }),
    )
  })
  afterEach(() => server.close())
  const remote = (): Circumstances => ({
    env: { ...rpcEnvOf(sandbox), SLUICE_BASE_URL: server.url },
    secrets: { privateKey: sandbox.user.key, apiKey },
  })
  const deposited = async () =>
    (await other.run(`deposit ${slug} --amount 3 --yes --json --idempotency-key typed-ids-far`, remote()))
      .json

  test('is listed with its source, filtered by status and wallet, and found by its beginning and its hashes', async () => {
    const far = await deposited()
    const near = (
      await run(`deposit ${slug} --amount 4 --yes --json --idempotency-key typed-ids-near`, remote())
    ).json
    const list = async (flags = '') => (await run(`action list ${flags} --json`, remote())).json
    const { items, service } = await list()
    const rows = items.map((one: Record<string, string>) => [one.id, one.source, one.status, one.reported])
    expect([service, ...rows]).toEqual([
      undefined,
      [near.id, 'journal', 'SUCCESS', null],
      [far.id, 'service', 'REPORTED', 'SUCCESS'],
    ])
    const ids = async (flags: string) => (await list(flags)).items.map(({ id }: { id: string }) => id)
    expect(await ids('--status success')).toEqual([near.id, far.id])
    expect(await ids('--status pending')).toEqual([])
    expect(await ids(`--wallet ${sandbox.user.address}`)).toEqual([near.id, far.id])
    expect(await ids('--wallet 0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC')).toEqual([])
    const table = await run('action list', remote())
    const note = '* of another machine: only the service reports it'
    expect(table.out).toMatch(new RegExp(`${far.id}.*REPORTED \\(SUCCESS\\)\\*`))
    expect(table.err).toContain(note)
    // One word for one state, and one mark, in every output.
    const shown = await run(['action', 'show', far.id], remote())
    expect(shown.out).toMatch(/^status +REPORTED \(SUCCESS\)\*$/m)
    expect(shown.out).toContain(note)
    expect(shown.out).toMatch(/^created +20\S+ \S+Z\nfinished +20\S+ \S+Z$/m)
    const told = { status: 'REPORTED', reported: 'SUCCESS', source: 'service' }
    expect((await run(['action', 'show', far.id, '--json'], remote())).json).toMatchObject(told)
    expect((await run(['action', 'show', near.id, '--json'], remote())).json).toMatchObject({
      ...{ status: 'SUCCESS', source: 'journal' },
    })
    const csv = await run('action list --csv --fields status,reported,source', remote())
    expect(csv.out).toBe('status,reported,source\nSUCCESS,,journal\nREPORTED,SUCCESS,service\n')
    const jq = await run(['action', 'list', '--jq', '.items[] | .status + " " + .source'], remote())
    expect(jq.out).toBe('SUCCESS journal\nREPORTED service\n')
    const resumed = await run(['action', 'resume', far.id, '--json'], remote())
    expect(resumed).toMatchObject({
      exit: 4,
      json: { error: { hint: expect.stringContaining(`sluice action explain ${far.id}`) } },
    })
    const names = [far.id.slice(0, 8), ...far.transactions.map((one: { hash: string }) => one.hash)]
    for (const command of ['show', 'watch', 'export'] as const) {
      const line = lines[`action ${command}`]!
      const asked = async (name: string) => {
        const ran = await run(line(name), remote())
        const json = lastOf(ran)
        return [command, ran.exit, json.id ?? json.action?.id ?? json.error.details.id]
      }
      for (const name of names) expect(await asked(name)).toEqual(await asked(far.id))
    }
    expect((await run(`action explain ${names[0]} --json`, remote())).json).toMatchObject({ id: far.id })
    expect((await run(`action resume ${names[0]} --yes --json`, remote())).exit).toBe(4)
    // Without an RPC, the service tells the action of a hash, and the next step names the variable.
    const noRpc = { ...remote(), env: { SLUICE_BASE_URL: server.url } }
    for (const [at, { hash }] of far.transactions.entries()) {
      isStrict = at > 0
      expect((await run(['action', 'explain', hash, '--json'], noRpc)).json).toMatchObject({
        id: far.id,
        verdict: 'Not started on this machine; the service reports SUCCESS.',
        funds: expect.stringContaining('no RPC is set for sandbox-one (SLUICE_RPC_SANDBOX_ONE)'),
        next: `SLUICE_RPC_SANDBOX_ONE=URL sluice action explain ${far.id}`,
      })
      // A deployment without a list may have it: only what was asked is said.
      listStatus = 404
      const { error } = (await run(['action', 'explain', hash, '--json'], noRpc)).json
      listStatus = undefined
      expect(error).toMatchObject({
        code: 'ACTION_NOT_FOUND',
        message: expect.stringMatching(
          /the service gave no list of actions to look it up in\. Some networks could not be searched: no RPC is set for /,
        ),
        hint: `Set an RPC of its network in SLUICE_RPC_<NETWORK>, then: sluice action explain ${hash}`,
      })
      expect(error.message).not.toMatch(/or at the service|not at the service/)
    }
  })

  test.each([404, 405, 501])(
    'lists the journal and says so in a line if the deployment answers %d',
    async (code) => {
      const near = (
        await run(`deposit ${slug} --amount 4 --yes --json --idempotency-key typed-ids-near`, remote())
      ).json
      const quote = (
        await run(
          'swap quote --from sandbox-one --token-in USDC --token-out WETH --amount-in 5 --json',
          remote(),
        )
      ).json
      listStatus = code
      const listed = await run('action list --json', remote())
      expect([
        listed.exit,
        listed.json.service,
        listed.json.items.map(({ id }: { id: string }) => id),
      ]).toEqual([...[0, 'none', [near.id]]])
      expect(listed.err).toBe(
        'This deployment of the service has no list of actions, so only the actions of this machine are listed.\n',
      )
      const quotes = await run('swap list --json', remote())
      expect([quotes.exit, quotes.json.items.map(({ id }: { id: string }) => id)]).toEqual([0, [quote.id]])
      expect(quotes.err).toContain('has no list of quotes, so only those that this machine received')
    },
  )

  test('does not fail the list of the journal if the service fails', async () => {
    const near = (
      await run(`deposit ${slug} --amount 4 --yes --json --idempotency-key typed-ids-near`, remote())
    ).json
    await server.close()
    const listed = await run('action list --json --timeout 2s', remote())
    expect([listed.exit, listed.json.service, listed.json.items[0].id]).toEqual([0, 'unanswered', near.id])
    expect(listed.err).toContain('The service did not list its actions')
  })

  test('is exported with the word of the service marked, and its transactions are verified on their chain', async () => {
    const far = await deposited()
    const file = join(home(), 'case')
    for (const flags of ['', '--html']) {
      const made = await run(`action export ${far.id} ${flags} --out ${file}${flags} --json`, remote())
      expect([made.exit, made.json.id]).toEqual([0, far.id])
      const checked = (await run(`action verify ${file}${flags} --json`, remote())).json
      expect(checked.transactions.map((one: { verdict: string }) => one.verdict)).toEqual([
        'confirmed',
        'confirmed',
      ])
      expect(checked.statedOnly).toEqual(expect.arrayContaining(['type', 'status', 'amounts', 'createdAt']))
      expect(checked.statedOnly).not.toContain('transactions')
    }
    const shown = await run(`action verify ${file}`, remote())
    expect(shown.out).toMatch(/only the word of the service, which no chain confirms: .*amounts/)
    const { readFileSync, writeFileSync } = await import('node:fs')
    const evidence = JSON.parse(readFileSync(file, 'utf8'))
    writeFileSync(file, JSON.stringify({ ...evidence, service: 'elsewhere' }))
    expect((await run(`action verify ${file} --json`, remote())).json.error.code).toBe('EVIDENCE_CHANGED')
  })

  test('whose service states another block, contract or outcome than the chain is refuted', async () => {
    const { makeServiceEvidence, checkServiceEvidence } = await import(
      '../../../src/diagnosis/evidence/service-evidence.ts'
    )
    const far = await deposited()
    const action = (await run(`action show ${far.id} --json`, remote())).json
    const { rpc } = sandbox.chain(31337)
    const stated = (change: object) =>
      checkServiceEvidence(
        () => rpc,
        makeServiceEvidence({
          action: { ...action, transactions: [{ ...action.transactions[0], ...change }] },
          ...{ service: null, verdict: null, now: Date.now() },
        }),
      )
    const { blockNumber, nonce } = action.transactions[0]
    for (const [change, why] of [
      [{ blockNumber: blockNumber + 1 }, /it is in block/],
      [{ nonce: nonce + 1 }, /it has nonce/],
      [{ to: sandbox.user.address }, /it goes to/],
      [{ gasUsed: '1' }, /gas/],
      [{ status: 'failed' }, /did not revert/],
    ] as const)
      expect(await stated(change)).toMatchObject([{ verdict: 'refuted', why: expect.stringMatching(why) }])
    expect(await stated({ hash: `0x${'1'.repeat(64)}` })).toMatchObject([{ verdict: 'unknown' }])
    expect(await stated({})).toMatchObject([{ verdict: 'confirmed' }])
  })
})
