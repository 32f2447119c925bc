import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { evidencePage } from '../../../src/cli/views/evidence-page.ts'
import { evidenceHash } from '../../../src/diagnosis/evidence/make-evidence-file.ts'
import { tokenAmount } from '../../../src/domain/amount.ts'
import { openJournal } from '../../../src/store/journal/journal.ts'
import { provider } from '../../support/nodes/proxy-node.ts'
import { listener } from '../../support/services/listener.ts'
import { chromiumHere, needsChromium, startBrowser } from '../../support/terminal/browser.ts'
import { type Document, rpcEnvOf, useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, home } = useCommands(sandbox)
const slug = 'aave-v3-usdc-sandbox-one'
const friend = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'

/** Exports a deposit as a page; returns the page and the evidence in it. */
async function exported(): Promise<{ id: string; file: string; page: string; json: Document }> {
  const { json: done } = await run(`deposit ${slug} --amount 2.5 --yes --json`)
  const file = join(home(), 'case.html')
  expect(await run(['action', 'export', done.id, '--html', '--out', file])).toMatchObject({ exit: 0 })
  const page = readFileSync(file, 'utf8')
  const inside = /<script type="application\/json" id="evidence">(.*)<\/script>/.exec(page)![1]!
  return { id: done.id, file, page, json: JSON.parse(inside) }
}

/** Replaces every text of a document, because any of them may come from an attacker. */
const everyText = (value: unknown, by: (text: string) => string): Document =>
  typeof value === 'string'
    ? by(value)
    : Array.isArray(value)
      ? value.map((one) => everyText(one, by))
      : value !== null && typeof value === 'object'
        ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, everyText(one, by)]))
        : value

const attacks = [
  '</script><script>document.title="owned"</script>',
  '"><img src=x onerror=document.title="owned">',
  "'><svg onload=document.title='owned'>",
  '<!--<script>',
  '</style><style>*{display:none}</style>',
  '&lt;b&gt; \u202Eevil\u001b[31m',
]

test('the page of an action shows its transactions and events, and verify accepts it until it is changed', async () => {
  const { id, file, page, json } = await exported()
  expect(json.verdict).toMatchObject({ id, situation: 'DONE', safeToRetry: false })
  expect(json.calls).toEqual([
    {
      index: 0,
      contract: 'USDC',
      call: { name: 'approve', args: { spender: expect.any(String), amount: '2500000' } },
    },
    { index: 1, contract: 'aave-v3', call: { name: 'supply', args: expect.any(Object) } },
  ])
  expect(json.attempts.map(({ lastAnswer }: Document) => lastAnswer)).toEqual(['accepted', 'accepted'])
  const text = page.replace(/<script[\s\S]*<\/script>/, '')
  // The words of the lists, not those of the journal.
  expect(text).toContain('confirmed</span>')
  expect(text).not.toMatch(/FINAL_|BROADCAST|EXECUTING/)
  for (const { hash } of json.report.transactions) expect(text).toContain(hash)
  for (const said of ['2.5 USDC', 'supply', json.verdict.funds, json.operation.wallet, json.sha256])
    expect(text).toContain(said)
  for (const { why } of json.events) expect(text).toContain(why)
  expect(await run(['action', 'verify', file, '--json'])).toMatchObject({
    exit: 0,
    json: { id, transactions: [{ verdict: 'confirmed' }, { verdict: 'confirmed' }] },
  })
  writeFileSync(file, page.replace('"becomes":"FINAL_OK"', '"becomes":"FINAL_NO"'))
  expect(await run(['action', 'verify', file, '--json'])).toMatchObject({
    exit: 4,
    json: { error: { code: 'EVIDENCE_CHANGED' } },
  })
})

test('verify rejects a page whose visible text differs from the evidence in it', async () => {
  const { file, page } = await exported()
  const [shown, inside] = page.split('<script ') as [string, string]
  for (const [from, to] of [
    ['2.5 USDC', '2,500 USDC'],
    ['SUCCESS', 'FAILED'],
    ['</h1>', '</h1><p>and paid back</p>'],
  ] as const) {
    expect(shown).toContain(from)
    writeFileSync(file, `${shown.replace(from, to)}<script ${inside}`)
    expect(await run(['action', 'verify', file, '--json'])).toMatchObject({
      exit: 4,
      json: { error: { code: 'EVIDENCE_CHANGED' } },
    })
  }
  writeFileSync(file, `${page.replaceAll('\n', '\r\n')}\n`)
  expect(await run(['action', 'verify', file, '--json'])).toMatchObject({ exit: 0 })
})

test('verify rejects evidence with a new hash if it contradicts itself or the chain', async () => {
  const { file, json } = await exported()
  const verified = (change: (evidence: Document) => void) => {
    const changed = structuredClone(json)
    change(changed)
    writeFileSync(file, JSON.stringify({ ...changed, sha256: evidenceHash(changed) }))
    return run(['action', 'verify', file, '--json'])
  }
  const hash = `0x${'ab'.repeat(32)}`
  const named = (blockNumber?: number) => (evidence: Document) => {
    evidence.operation.steps[1].inclusion.hash = hash
    if (blockNumber) inclusion({ blockNumber })(evidence)
    evidence.report.transactions[1].hash = hash
    for (const attempt of evidence.attempts) if (attempt.step === 1) attempt.hash = hash
  }
  const attempt =
    (change: object, step = 1) =>
    (evidence: Document) =>
      Object.assign(
        evidence.attempts.find((one: Document) => one.step === step),
        change,
      )
  const twice = (change: Document, tried?: object) => (evidence: Document) => {
    const { operation, report, calls, attempts } = evidence
    const steps = [operation.steps, report.transactions, calls]
    for (const list of steps) list.push({ ...structuredClone(list[1]), index: 2 })
    Object.assign(operation.steps[2], change)
    if (change.inclusion) report.transactions[2].hash = change.inclusion.hash
    if ('nonce' in change) report.transactions[2].nonce = change.nonce
    if (tried) attempts.push({ ...attempts.find((one: Document) => one.step === 1), ...tried, step: 2 })
  }
  const said = (text: string) => (evidence: Document) => {
    evidence.operation.steps[1].text = evidence.report.transactions[1].text = text
  }
  const failed = (evidence: Document) => {
    evidence.operation.state = evidence.report.status = 'FAILED'
    evidence.operation.steps[1].state = 'FINAL_REVERTED'
    Object.assign(evidence.report.transactions[1], { status: 'failed', error: 'reverted' })
  }
  const stands = (state: string, status: string, exit: number | null) => (evidence: Document) => {
    Object.assign(evidence.operation, { state, exit })
    evidence.report.status = status
  }
  const lost = (index: number, status: string, state: string) => (evidence: Document) => {
    Object.assign(evidence.operation.steps[index], { state, inclusion: null })
    evidence.report.transactions[index].status = status
  }
  const inclusion = (change: object) => (evidence: Document) => {
    Object.assign(evidence.operation.steps[1].inclusion, change)
    const { blockNumber, gasUsed, gasPrice } = evidence.operation.steps[1].inclusion
    const gasFee = tokenAmount(BigInt(gasUsed) * BigInt(gasPrice), { symbol: 'ETH', decimals: 18 })
    Object.assign(evidence.report.transactions[1], { blockNumber, gasUsed, gasFee })
  }
  const step = (change: object) => (evidence: Document) => {
    Object.assign(evidence.operation.steps[1], change)
    if ('nonce' in change) {
      evidence.report.transactions[1].nonce = change.nonce
      attempt(change)(evidence)
    }
  }
  const calling = (change: object) => (evidence: Document) => {
    Object.assign(evidence.operation.steps[1].transaction, change)
    attempt({ transaction: evidence.operation.steps[1].transaction })(evidence)
    if ('to' in change) {
      evidence.report.transactions[1].to = change.to
      evidence.calls[1].contract = null
    }
    if ('data' in change) evidence.calls[1].call = null
  }
  const from = (wallet: string) => (evidence: Document) => {
    evidence.operation.wallet = evidence.report.originAddress = wallet
    for (const one of evidence.operation.steps) one.wallet = wallet
  }
  const notFinal = (change: Document) => (evidence: Document) => {
    stands('EXECUTING', 'PENDING', null)(evidence)
    Object.assign(evidence.report, { finishedAt: null, amounts: evidence.operation.plan.about.amounts })
    evidence.operation.steps[1].state = 'INCLUDED'
    evidence.operation.result = null
    evidence.report.transactions[1].status = 'included'
    if (change.hash) named()(evidence)
    inclusion(change)(evidence)
  }
  const inTheReport = ['receiverAddress', 'type', 'finality', 'assurance', 'createdAt', 'destinationTxHash']
  const inTransactions = ['text', 'network', 'kind', 'blockNumber', 'gasUsed', 'explorerUrl', 'error']
  const misfits: ((evidence: Document) => void)[] = [
    ...inTheReport.map((name) => (evidence: Document) => (evidence.report[name] = hash)),
    ...inTransactions.map((name) => (evidence: Document) => (evidence.report.transactions[1][name] = hash)),
    (evidence) => (evidence.attempts.find((one: Document) => one.step === 1).kind = 'cancel'),
    stands('FAILED', 'FAILED', 22),
    stands('FAILED', 'FAILED', 25),
    stands('CANCELLED', 'FAILED', 24),
    stands('CANCELLED', 'FAILED', 21),
    stands('ATTENTION', 'PENDING', 23),
    stands('OPEN', 'INITIAL', null),
    stands('DROPPED', 'FAILED', 130),
    lost(1, 'superseded', 'SUPERSEDED'),
    lost(1, 'planned', 'PLANNED'),
    (evidence) =>
      Object.assign(evidence, {
        operation: { ...evidence.operation, steps: [] },
        report: { ...evidence.report, transactions: [] },
        calls: [],
      }),
    (evidence) => {
      stands('EXECUTING', 'PENDING', null)(evidence)
      evidence.operation.steps[1].state = 'BROADCAST'
      evidence.report.transactions[1].status = 'pending'
    },
    // Only the approval remains, whatever role its step has.
    ...['approve', 'action'].map((role) => (evidence: Document) => {
      for (const list of [evidence.operation.steps, evidence.report.transactions, evidence.calls]) list.pop()
      evidence.operation.steps[0].role = role
      evidence.report.transactions[0].kind = role === 'action' ? 'deposit' : role
      evidence.calls[0].call = null
    }),
    (evidence) => (evidence.report.id = hash),
    (evidence) => (evidence.report.originAddress = hash.slice(0, 42)),
    (evidence) => (evidence.report.transactions[1].to = hash.slice(0, 42)),
    (evidence) => evidence.report.transactions[1].nonce++,
    (evidence) => evidence.report.transactions[1].chainId++,
    (evidence) => evidence.calls.pop(),
    twice({}, {}),
    twice({ nonce: 4711 }, { hash, nonce: 4711 }),
    (evidence) =>
      twice({ inclusion: { ...evidence.operation.steps[1].inclusion, hash } }, { hash })(evidence),
    attempt({ nonce: 77 }),
    (evidence) => (evidence.attempts[0].transaction.to = friend),
    (evidence) => (evidence.attempts[0].transaction.value = '1'),
    (evidence) => evidence.attempts.push({ ...evidence.attempts[0], step: 7, hash }),
    (evidence) => evidence.attempts.push({ ...evidence.attempts[0] }),
    (evidence) => evidence.attempts.push({ ...evidence.attempts[0], hash, kind: 'cancel' }),
    step({ wallet: friend }),
    said('Supply 2,500 USDC to Aave v3'),
    said(`${json.operation.steps[1].text}, twice`),
    (evidence) => (evidence.calls[1].call = null),
    (evidence) => (evidence.calls[1].contract = 'Bank of You'),
    (evidence) => (evidence.operation.plan.intents[0].amount = 'x'),
    (evidence) => (evidence.calls[0].call.args.amount = '1'),
    (evidence) => (evidence.calls[1].call.name = 'withdraw'),
    (evidence) => (evidence.report.amounts.in.formatted = '2500'),
    (evidence) => (evidence.operation.plan.about.amounts.in.raw = '2500'),
    (evidence) => (evidence.report.amounts.out = evidence.report.amounts.in),
    (evidence) => (evidence.report.arrivedShort = { hash }),
    (evidence) => {
      stands('FAILED', 'FAILED', 25)(evidence)
      evidence.report.arrivedShort = { hash }
    },
    (evidence) => {
      delete evidence.operation.result
      evidence.report.amounts.in = null
    },
    (evidence) => delete evidence.operation.plan.about,
  ]
  const cases: [change: (evidence: Document) => void, exit: number, code: string][] = [
    [(evidence) => (evidence.report.status = 'FAILED'), 4, 'EVIDENCE_CHANGED'],
    [(evidence) => (evidence.operation.steps[1].state = 'REVERTED'), 4, 'EVIDENCE_CHANGED'],
    [(evidence) => (evidence.operation.steps[1].inclusion = null), 4, 'EVIDENCE_CHANGED'],
    [(evidence) => (evidence.report.transactions[1].hash = hash), 4, 'EVIDENCE_CHANGED'],
    [(evidence) => (evidence.attempts = []), 4, 'EVIDENCE_CHANGED'],
    [(evidence) => (evidence.operation.wallet = hash.slice(0, 42)), 4, 'EVIDENCE_CHANGED'],
    [(evidence) => delete evidence.operation, 4, 'EVIDENCE_CHANGED'],
    [(evidence) => (evidence.operation = null), 4, 'EVIDENCE_CHANGED'],
    [(evidence) => delete evidence.attempts, 4, 'EVIDENCE_CHANGED'],
    [(evidence) => (evidence.made = 'yesterday'), 4, 'EVIDENCE_CHANGED'],
    [(evidence) => (evidence.operation.steps[0].transaction.value = 'much'), 4, 'EVIDENCE_CHANGED'],
    ...misfits.map((change): [typeof change, number, string] => [change, 4, 'EVIDENCE_CHANGED']),
    [failed, 4, 'EVIDENCE_REFUTED'],
    [named(), 4, 'EVIDENCE_REFUTED'],
    [inclusion({ blockHash: hash }), 4, 'EVIDENCE_REFUTED'],
    [inclusion({ blockNumber: 1 }), 4, 'EVIDENCE_REFUTED'],
    [inclusion({ gasUsed: '21000' }), 4, 'EVIDENCE_REFUTED'],
    [inclusion({ gasPrice: '999999999999999' }), 4, 'EVIDENCE_REFUTED'],
    [inclusion({ gasPrice: '0' }), 7, 'EVIDENCE_UNCONFIRMED'],
    [attempt({ gas: '21000' }), 4, 'EVIDENCE_REFUTED'],
    [attempt({ maxFeePerGas: '1' }), 4, 'EVIDENCE_REFUTED'],
    [step({ nonce: 4711 }), 4, 'EVIDENCE_REFUTED'],
    [calling({ to: hash.slice(0, 42) }), 4, 'EVIDENCE_REFUTED'],
    [calling({ value: '1' }), 4, 'EVIDENCE_REFUTED'],
    [calling({ data: '0x12345678' }), 4, 'EVIDENCE_REFUTED'],
    [from(hash.slice(0, 42)), 4, 'EVIDENCE_REFUTED'],
    [
      (evidence) => {
        stands('ATTENTION', 'PENDING', 23)(evidence)
        lost(1, 'superseded', 'SUPERSEDED')(evidence)
        Object.assign(evidence.report.transactions[1], { blockNumber: null, gasUsed: null, gasFee: null })
        Object.assign(evidence.report, { finishedAt: null, amounts: evidence.operation.plan.about.amounts })
        evidence.operation.result = null
      },
      4,
      'EVIDENCE_REFUTED',
    ],
    [notFinal({ blockNumber: 1 }), 7, 'EVIDENCE_UNCONFIRMED'],
    [notFinal({ hash, blockHash: hash }), 7, 'EVIDENCE_UNCONFIRMED'],
    [named(9_000_000), 7, 'EVIDENCE_UNCONFIRMED'],
  ]
  cases.push([attempt({ transaction: null }), 4, 'EVIDENCE_CHANGED'])
  const found = []
  for (const [change] of cases) found.push(await verified(change))
  expect(found.map(({ exit, json: { error } }, at) => `${at} ${exit} ${error?.code}`)).toEqual(
    cases.map(([, exit, code], at) => `${at} ${exit} ${code}`),
  )
  expect(await verified(() => undefined)).toMatchObject({ exit: 0 })
  expect(await verified((evidence) => delete evidence.operation.result)).toMatchObject({ exit: 0 })
  writeFileSync(file, `\uFEFF${JSON.stringify(json)}`)
  expect(await run(['action', 'verify', file, '--json'])).toMatchObject({ exit: 0 })
})

test.each([
  ['a cancellation', 'confirmed', 'it was cancelled'],
  ['a revert', 'confirmed', 'it reverted'],
])('verify confirms %s that was mined but not final when it was exported', async (what, verdict, why) => {
  const { rpc } = sandbox.chain(31337)
  const signing = { env: rpcEnvOf(sandbox), secrets: { privateKey: sandbox.user.key } }
  await rpc.request('evm_setAutomine', [false])
  const pay = `transfer --network sandbox-one --token USDC --to ${friend} --amount 5 --yes --json --no-wait --trust-first-use`
  const id = (await run(`${pay} --idempotency-key ${what.replaceAll(' ', '-')}-1`, signing)).json.error
    .details.id
  const token = sandbox.token(31337, 'USDC').address
  const code = await rpc.request('eth_getCode', [token, 'latest'])
  if (what === 'a revert') await rpc.request('anvil_setCode', [token, '0xfe'])
  else expect(await run(`action cancel ${id} --yes --json --no-wait`, signing)).toMatchObject({ exit: 20 })
  await rpc.request('evm_mine')
  await rpc.request('anvil_setCode', [token, code])
  await rpc.request('evm_setAutomine', [true])
  await run(`action resume ${id} --json --confirmations 30 --timeout 3s`, signing)
  const file = join(home(), 'early.json')
  await run(['action', 'export', id, '--out', file], signing)
  expect(JSON.parse(readFileSync(file, 'utf8')).operation.steps[0].state).toBe('INCLUDED')
  expect(await run(['action', 'verify', file, '--json'], signing)).toMatchObject({
    exit: 0,
    json: { transactions: [{ verdict, why }] },
  })
})

test('verify reports malformed evidence as EVIDENCE_CHANGED, not as a bug', async () => {
  const { file, page, json } = await exported()
  for (const change of [
    (evidence: Document) => (evidence.events[0].at = 'x'),
    (evidence: Document) => (evidence.events[0].at = 1e300),
    (evidence: Document) => (evidence.verdict = { evidence: 5 }),
    (evidence: Document) => (evidence.operation.created = 'x'),
    (evidence: Document) => (evidence.operation.plan.intents = 5),
  ]) {
    const changed = structuredClone(json)
    change(changed)
    const inside = JSON.stringify({ ...changed, sha256: evidenceHash(changed) })
    writeFileSync(file, page.replace(/(id="evidence">)[\s\S]*?(<\/script>)/, `$1${inside}$2`))
    expect(await run(['action', 'verify', file, '--json'])).toMatchObject({
      exit: 4,
      json: { error: { code: 'EVIDENCE_CHANGED' } },
    })
  }
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
  writeFileSync(file, `{"format":"sluice-evidence@1","events":${deep}}`)
  expect(await run(['action', 'verify', file, '--json'])).toMatchObject({ exit: 4 })
})

test('verify reports EVIDENCE_UNCONFIRMED if a node returns only a part of a transaction', async () => {
  const signing = { env: rpcEnvOf(sandbox), secrets: { privateKey: sandbox.user.key } }
  const pay = `transfer --network sandbox-one --token USDC --to ${friend} --amount 5 --yes --json --trust-first-use`
  const { id } = (await run(`${pay} --idempotency-key half-shown-1`, signing)).json
  const file = join(home(), 'half.json')
  expect(await run(['action', 'export', id, '--out', file], signing)).toMatchObject({ exit: 0 })
  for (const half of [{ input: undefined }, { value: 'x' }, { from: undefined }, { to: undefined }]) {
    const node = await provider(sandbox.chain(31337).rpcUrl, async ({ method, params }, ask) =>
      method === 'eth_getTransactionByHash'
        ? { result: { ...((await ask(method, params)) as object), ...half } }
        : undefined,
    )
    const env = rpcEnvOf(sandbox, { 'sandbox-one': node.url })
    expect(await run(['action', 'verify', file, '--json'], { env })).toMatchObject({
      exit: 7,
      json: { error: { code: 'EVIDENCE_UNCONFIRMED', message: expect.stringContaining('only a part') } },
    })
    await node.close()
  }
})

test('action export works without a usable node and hides the secret part of its URL', async () => {
  const env = rpcEnvOf(sandbox)
  const { json: done } = await run(`deposit ${slug} --amount 1 --yes --json --idempotency-key silent-1`, {
    env,
    secrets: { privateKey: sandbox.user.key },
  })
  const node = await listener(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk as string
    const refused = ({ id }: { id: number }) => ({
      jsonrpc: '2.0',
      id,
      error: { code: -32000, message: 'no access for SECRETTOKEN99' },
    })
    const calls = JSON.parse(body)
    response.end(JSON.stringify(Array.isArray(calls) ? calls.map(refused) : refused(calls)))
  })
  const urls = {
    'sandbox-one': `${node.url}/v2/SECRETTOKEN99`,
    'sandbox-two': `${node.url}/v2/SECRETTOKEN99`,
  }
  const { exit, out } = await run(`action export ${done.id} --html`, { env: rpcEnvOf(sandbox, urls) })
  await node.close()
  expect(exit).toBe(0)
  expect(out).toContain('no access for')
  expect(out).not.toContain('SECRETTOKEN99')
})

test('journal commands work without an RPC and name each network; resume and replan name the missing setting', async () => {
  const signing = { env: rpcEnvOf(sandbox), secrets: { privateKey: sandbox.user.key } }
  const { id: here } = (
    await run(`deposit ${slug} --amount 1 --yes --json --idempotency-key unreached-1`, signing)
  ).json
  const journal = openJournal(join(home(), 'data', 'journal.db'), Date.now)
  const { request, plan, kind, wallet, steps } = journal.find(here)!
  for (const [id, chainId] of [
    ['on-base', 8453],
    ['on-none', 987654],
  ] as const)
    journal.insert({
      ...{ id, idemKey: `key-${id}`, request, plan, kind, wallet },
      legs: [
        {
          chainId,
          steps: steps.map(({ role, text, transaction }) => ({
            role,
            text,
            transaction: { ...transaction, chainId },
          })),
        },
      ],
    })
  journal.close()
  const far = { env: { SLUICE_RPC_ETHEREUM: 'http://127.0.0.1:1' } }
  const ids = ['on-none', 'on-base', here]
  const names = ['987654', 'base', 'sandbox-one']
  const listed = (await run('action list --json', far)).json.items
  expect(listed.map((row: Document) => [row.id, row.transactions[0].network])).toEqual(
    ids.map((id, at) => [id, names[at]]),
  )
  const { out: table } = await run('action list', far)
  for (const [at, id] of ids.entries()) {
    expect(table).toContain(id)
    const shown = await run(`action show ${id}`, far)
    expect([shown.exit, shown.err]).toEqual([0, ''])
    expect(shown.out).toContain(names[at])
    const evidence = await run(`action export ${id}`, far)
    expect(evidence.exit).toBe(0)
    expect(evidence.json.report.transactions[0].network).toBe(names[at])
    const page = await run(`action export ${id} --html`, far)
    expect([page.exit, page.out.startsWith('<!doctype html>')]).toEqual([0, true])
  }
  expect((await run(`action watch ${here}`, far)).exit).toBe(0)
  const done = (await run(`action explain ${here} --json`, far)).json
  expect(done).toMatchObject({ situation: 'DONE' })
  const open = (await run(`action explain on-base --json`, far)).json
  expect(open.evidence).toContainEqual({
    source: 'chain',
    text: 'base: No RPC for base: SLUICE_RPC_BASE is not set',
  })
  for (const line of ['resume', 'replan']) {
    const { exit, json } = await run(`action ${line} on-base --yes --json`, { ...signing, ...far })
    expect([line, exit]).toEqual([line, 2])
    expect(json.error.message).toMatch(/no RPC for base|No RPC is set for the network base/i)
    expect(json.error.hint).toContain('SLUICE_RPC_BASE')
  }
  const { exit, err } = await run(`action resume ${here} --yes`, { ...signing, ...far })
  expect(exit).toBe(2)
  expect(err).toContain('No RPC for sandbox-one, which belongs to the sandbox')
  expect(err).toContain('--profile sandbox')
})

test.skipIf(!chromiumHere)(
  `the page loads nothing, runs no script and shows every text as text, ${needsChromium}`,
  async () => {
    const { file, json } = await exported()
    const browser = await startBrowser()
    try {
      const { page, complaints, asked } = await browser.open()
      const open = async () => {
        asked.length = 0
        await page.goto(pathToFileURL(file).href)
        expect({ complaints, asked }).toEqual({ complaints: [], asked: [pathToFileURL(file).href] })
      }
      await open()
      expect(await page.locator('section.box').count()).toBe(3)
      expect(await page.evaluate('getComputedStyle(document.body).maxWidth')).not.toBe('none')
      for (const attack of attacks) {
        writeFileSync(file, evidencePage(hostile(json, attack)))
        await open()
        expect(await page.title()).toBe(`Action ${attack.replace(/[\u001b\u202e]/g, '')}`)
        expect(await page.locator('script, img, svg, style').count()).toBe(2)
        expect(await page.locator('h3').first().isVisible()).toBe(true)
        const inside = await page.locator('#evidence').textContent()
        expect(JSON.parse(inside!)).toEqual(hostile(json, attack))
      }
    } finally {
      await browser.close()
    }
  },
)

/** Evidence with an attack in each of its texts, except the numbers and times that the program parses. */
const hostile = (json: Document, attack: string): Document => {
  const number = /^(0x[0-9a-f]*|-?\d+(\.\d+)?)$/
  return everyText(json, (text) => (number.test(text) && text.length < 60 ? text : attack))
}
