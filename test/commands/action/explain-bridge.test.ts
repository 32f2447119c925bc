import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { sandboxAddress } from '../../../src/sandbox/accounts.ts'
import { cctpV2Contracts } from '../../../src/swaps/cctp-v2/constants-schema.ts'
import { contractsIn } from '../../../src/swaps/swap-contracts.ts'
import { withAttestation } from '../../support/changed-catalogs.ts'
import { useCommands } from '../../support/use-commands.ts'
import { topicOf, useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
/** An attestation service that returns the status `answers` to every request, while it is set. */
let other: Server
let answers: number | undefined
let body = '{}'
beforeAll(async () => {
  other = createServer((_, response) => response.writeHead(answers ?? 500).end(body))
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
})
afterAll(() => other.close())
afterEach(() => {
  answers = undefined
  body = '{}'
})
/** Another machine with the same key. */
const elsewhere = useCommands(sandbox)
const { run, signsNothing, home } = useCommands(sandbox, {
  catalog: () =>
    answers
      ? withAttestation(sandbox.world.catalog(), `http://127.0.0.1:${(other.address() as AddressInfo).port}`)
      : sandbox.world.catalog(),
})
const fault = async (line: string) =>
  expect(await run(`sandbox fault ${line} --json`)).toMatchObject({ exit: 0 })
/** Sends the burn of a transfer and does not follow it; returns its ID. */
const sent = async (line: string) => {
  const ran = await run(`${line} --yes --json --no-wait`)
  const { id } = ran.json.error.details
  expect(await run(['action', 'resume', id, '--json', '--no-wait'])).toMatchObject({ exit: 20 })
  return id as string
}
/** What a timeout says of funds that are between two chains. */
const unarrived =
  /^(All transactions are signed and final, but the funds have not arrived yet|What was signed is final, but the funds have not arrived on sandbox-two yet; the steps there are not signed yet)$/
/** The same, followed for 1.5 s. */
const followed = async (line: string) => {
  const id = await sent(line)
  const ran = await run(['action', 'resume', id, '--json', '--timeout', '1500ms'])
  expect(ran).toMatchObject({ exit: 20, json: { error: { message: expect.stringMatching(unarrived) } } })
  return id
}
const swap =
  'swap execute --from sandbox-one --to sandbox-two --token-in USDC --token-out USDC --amount-in 100 --speed standard'
const across = () => followed(swap)
const deposit = (amount: number) => `deposit aave-v3-usdc-sandbox-two --amount ${amount} --from sandbox-one`
const explain = async (id: string, later = 0) => {
  const { exit, json } = await signsNothing(() => run(['action', 'explain', id, '--json'], { later }))
  expect(exit).toBe(0)
  expect(json).toMatchObject({ id, safeToRetry: false })
  return json
}
const until = async (id: string, situation: string) => {
  await expect.poll(async () => (await explain(id)).situation, { interval: 20 }).toBe(situation)
}
const domain = () =>
  contractsIn(sandbox.world.catalog(), cctpV2Contracts).find(({ chainId }) => chainId === 31337)!.domain
const usdc = () => sandbox.balanceOf(31338, sandbox.token(31338, 'USDC').address, sandbox.user.address)
const burned =
  /^100 USDC: burned on sandbox-one in 0x\w{64}, not minted on sandbox-two yet\. No one else can take the funds\.$/

test('BRIDGE_WAITING before attestation, BRIDGE_STUCK two hours later, BRIDGE_DELIVERED after delivery', async () => {
  await fault('bridge stuck')
  const before = await usdc()
  const id = await across()
  expect(await explain(id)).toMatchObject({
    situation: 'BRIDGE_WAITING',
    verdict: 'The bridge has not attested the transfer yet; this is normal at first.',
    funds: expect.stringMatching(burned),
    next: `sluice action resume ${id}`,
  })
  expect(await explain(id, 2 * 3_600_000)).toMatchObject({
    situation: 'BRIDGE_STUCK',
    verdict: expect.stringMatching(
      /^The bridge has not attested the transfer for 2 hours; the usual maximum is 60 minutes\. Ask the operator of the bridge, with the transaction 0x\w{64} or the evidence file of the action\.$/,
    ),
    waiting: { what: 'burned', clock: 'chain', usualSeconds: 1_200, mostSeconds: 3_600 },
    funds: expect.stringMatching(burned),
    next: `sluice action export ${id}`,
  })
  // What waits too long points to its explanation; what does not, does not.
  const pageOf = async (later: number) => (await run(['action', 'show', id], { later })).out
  expect(await pageOf(2 * 3_600_000)).toMatch(new RegExp(`^next +sluice action explain ${id}$`, 'm'))
  expect(await pageOf(0)).not.toMatch(/^next /m)
  // Without an attestation nothing can be delivered, and nothing is signed.
  const early = await signsNothing(() => run(['action', 'deliver', id, '--yes', '--json']))
  expect({ exit: early.exit, ...early.json.error }).toMatchObject({
    exit: 10,
    code: 'OPERATION_UNFINISHED',
    message: expect.stringMatching(/has not attested the transfer yet/),
    hint: expect.stringContaining(`sluice action explain ${id}`),
  })
  const inWords = await run(['action', 'explain', id], { later: 48 * 3_600_000 })
  const waits = /^waits +burned 2 days ago \(block time\); usually 20 minutes, at most 60 minutes$/m
  expect(inWords.out).toMatch(waits)
  expect((await run(['action', 'show', id], { later: 48 * 3_600_000 })).out).toMatch(waits)
  expect(inWords.out).toMatch(
    /^ {4}signed 2\S+ \S+Z(, (sent|seen in a block|final) \d+ seconds? later){0,3}, gas 0\.0\d+ ETH \((<\$0\.01|\$\d+\.\d\d)\)$/m,
  )
  await fault('clear')
  await until(id, 'BRIDGE_DELIVERED')
  expect((await usdc()) - before).toBe(100_000000n)
  const said = await explain(id)
  expect(said.verdict).toBe('The bridge delivered on sandbox-two, but the journal has not recorded this yet.')
  expect(said.funds).toMatch(/^100 USDC: with the recipient on sandbox-two, in 0x\w{64}\.$/)
  expect(said.next).toBe(`sluice action resume ${id}`)
  expect(await run(['action', 'resume', id, '--json'])).toMatchObject({ exit: 0 })
  const done = await explain(id)
  expect(done).toMatchObject({ situation: 'DONE', next: null, waiting: null })
  const { json: shown } = await run(['action', 'show', id, '--json'])
  expect(shown).toMatchObject({ createdAt: done.createdAt, finishedAt: done.finishedAt })
  for (const one of shown.transactions) {
    const { signedAt, sentAt, minedAt, finalAt, gasFee, gasFeeUsd } = one
    expect([signedAt, sentAt, minedAt, finalAt].toSorted()).toEqual([signedAt, sentAt, minedAt, finalAt])
    expect(gasFee).toMatchObject({ symbol: 'ETH', decimals: 18 })
    expect(Number(gasFeeUsd)).toBeGreaterThan(0)
  }
})

test('BRIDGE_UNDELIVERED for an attested transfer, later BRIDGE_STUCK with a command that delivers it', async () => {
  await fault('bridge undelivered')
  const before = await usdc()
  const id = await across()
  await until(id, 'BRIDGE_UNDELIVERED')
  expect(await explain(id)).toMatchObject({
    verdict: 'The bridge has attested the transfer but not delivered it on sandbox-two yet.',
    funds: expect.stringMatching(burned),
    next: `sluice action resume ${id}`,
  })
  expect(await usdc()).toBe(before)
  // After the usual time the next step delivers it: the same command shows it, does it once, and then says that it is done.
  const stuck = await explain(id, 2 * 3_600_000)
  expect(stuck).toMatchObject({ situation: 'BRIDGE_STUCK', next: `sluice action deliver ${id}` })
  expect(stuck.verdict).toContain('Anyone can deliver it and pay the gas on sandbox-two.')
  const deliver = (more: string) => run(`${stuck.next.slice('sluice '.length)} ${more} --json`)
  const planned = await signsNothing(() => deliver('--dry-run'))
  expect(planned).toMatchObject({
    exit: 0,
    json: { operation: { kind: 'deliver' }, wallet: sandbox.user.address },
  })
  expect(planned.json.steps).toMatchObject([
    {
      chainId: 31338,
      call: { name: 'receiveMessage' },
      text: expect.stringMatching(/^Deliver 100 USDC, burned on sandbox-one in 0x\w{64}, to 0x/),
    },
  ])
  expect(await deliver('--yes')).toMatchObject({
    exit: 0,
    json: { type: 'DELIVER', status: 'SUCCESS', transactions: [{ chainId: 31338 }] },
  })
  expect((await usdc()) - before).toBe(100_000000n)
  const again = await signsNothing(() => deliver('--yes'))
  expect(again).toMatchObject({ exit: 0, json: { isDelivered: true, network: 'sandbox-two' } })
  const inWords = await run(`${stuck.next.slice('sluice '.length)} --yes`)
  expect(inWords.out).toMatch(/^Already delivered on sandbox-two/)
  expect(inWords.out).toContain(`\nTo finish the action: sluice action resume ${id}\n`)
  expect((await usdc()) - before).toBe(100_000000n)
  expect(await explain(id)).toMatchObject({ situation: 'BRIDGE_DELIVERED' })
  expect(await run(['action', 'resume', id, '--json'])).toMatchObject({
    exit: 0,
    json: { status: 'SUCCESS' },
  })
})

test('an expired fast attestation is reported with the request that renews it', async () => {
  await fault('bridge undelivered')
  const id = await followed(swap.replace('--speed standard', '--speed fast'))
  await until(id, 'BRIDGE_UNDELIVERED')
  const { burn } = /in (?<burn>0x\w{64}), not minted/.exec((await explain(id)).funds)!.groups!
  const asked = `${sandbox.world.attestationUrl}/v2/messages/${domain()}?transactionHash=${burn}`
  const said = (await (await fetch(asked)).json()) as { messages: { message: string }[] }
  // The same message, but valid until block 1 only, which is past.
  const [first] = said.messages
  const { message } = first!
  const at = 2 + 2 * (148 + 196)
  first!.message = `${message.slice(0, at)}${'1'.padStart(64, '0')}${message.slice(at + 64)}`
  ;[answers, body] = [200, JSON.stringify(said)]
  expect((await explain(id)).verdict).toMatch(
    /has expired. To have it signed again: curl -X POST 'http:.*\/v2\/reattest\/0x\w{64}'$/,
  )
  const expired = await signsNothing(() => run(['action', 'deliver', id, '--yes', '--json']))
  expect({ exit: expired.exit, ...expired.json.error }).toMatchObject({
    exit: 10,
    message: expect.stringContaining('The attestation of the transfer has expired'),
    hint: expect.stringMatching(/^curl -X POST 'http:.*\/v2\/reattest\/0x\w{64}', then the same command$/),
  })
  // Another machine, which knows only the hash of the burn, delivers it once its attestation holds.
  answers = undefined
  const before = await usdc()
  const far = (line: string, later = 0) => elsewhere.run(`${line} --json`, { later })
  const stuck = (await far(`action explain ${burn}`, 2 * 3_600_000)).json
  expect(stuck).toMatchObject({ situation: 'BRIDGE_STUCK', next: `sluice action deliver ${burn}` })
  expect(await far(`action deliver ${burn} --yes`)).toMatchObject({ exit: 0, json: { status: 'SUCCESS' } })
  expect((await usdc()) > before).toBe(true)
  expect(await far(`action deliver ${burn} --yes`)).toMatchObject({ exit: 0, json: { isDelivered: true } })
  const none = await far('action deliver nothing-here')
  expect({ exit: none.exit, code: none.json.error.code }).toEqual({ exit: 4, code: 'ACTION_NOT_FOUND' })
})

test('BRIDGE_SHORT: every command exits 25 when less than the agreed amount was delivered', async () => {
  await fault('bridge short 20%')
  const before = await usdc()
  const id = await sent(swap)
  await until(id, 'BRIDGE_SHORT')
  expect((await usdc()) - before).toBe(80_000000n)
  const funds = expect.stringMatching(/^80 USDC: with the recipient on sandbox-two, in 0x\w{64}\.$/)
  expect(await explain(id)).toMatchObject({
    verdict: 'The bridge delivered less than agreed: 80 USDC. No further step is signed automatically.',
    funds,
    next: `sluice action resume ${id}`,
  })
  // The service reports success, but every command judges by the amount that arrived.
  const end = {
    exit: 25,
    json: {
      error: {
        code: 'ARRIVED_SHORT',
        message: expect.stringMatching(
          /The bridge delivered 80 USDC to 0x\w{40} on sandbox-two \(0x\w{64}\); the agreed minimum is 100 USDC\.$/,
        ),
        details: { brought: { raw: '80000000' }, minimum: { raw: '100000000' }, network: 'sandbox-two' },
      },
    },
  }
  const watched = await run(['action', 'watch', id, '--json', '--timeout', '20s'])
  const [last, error] = watched.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .slice(-2)
  expect({ exit: watched.exit, json: error }).toMatchObject(end)
  expect(last).toMatchObject({ id, status: 'FAILED', arrivedShort: { brought: { formatted: '80' } } })
  for (const line of ['resume', 'abandon', 'cancel', 'speed-up']) {
    const { exit, json } = await run(['action', line, id, '--yes', '--json', '--timeout', '20s'])
    expect({ line, exit, json }).toMatchObject({ line, ...end })
  }
  expect((await run(['action', 'list', '--json'])).json.items).toMatchObject([{ id, status: 'FAILED' }])
  // swap status reports the same.
  expect((await run(['swap', 'status', id, '--json'])).json.status).toBe('failed')
  const ended = await run(['swap', 'status', id, '--watch', '--json', '--timeout', '20s'])
  expect({ exit: ended.exit, last: JSON.parse(ended.out.trim().split('\n').at(-1)!) }).toMatchObject({
    exit: 25,
    last: { error: { code: 'ARRIVED_SHORT' } },
  })
  expect((await run(['action', 'show', id])).out).toMatch(
    /arrived +80 USDC on sandbox-two; at least 100 was agreed/,
  )
  expect(await explain(id)).toMatchObject({
    situation: 'BRIDGE_SHORT',
    funds,
    next: `sluice action export ${id}`,
  })
})

test('after a short delivery abandon and a deposit exit 25, and a later delivery is reported', async () => {
  await fault('bridge short 20%')
  const first = await sent(swap)
  await until(first, 'BRIDGE_SHORT')
  expect(await run(['action', 'abandon', first, '--yes', '--json'])).toMatchObject({ exit: 25 })
  const ran = await run(`${deposit(50)} --yes --json --timeout 30s`)
  expect(ran).toMatchObject({ exit: 25, json: { error: { code: 'ARRIVED_SHORT' } } })
  expect(ran.json.error.message).toContain('The remaining steps there were not signed and will not be.')
  const { id } = ran.json.error.details
  expect(await explain(id)).toMatchObject({
    situation: 'BRIDGE_SHORT',
    funds: expect.stringMatching(/^40 USDC: with the recipient on sandbox-two/),
  })
  await fault('clear')
  // A later delivery is reported as well.
  await run(
    'swap execute --from sandbox-one --to sandbox-two --token-in USDC --token-out USDC --amount-in 10 --provider cctp --yes',
  )
  expect((await explain(id)).funds).toMatch(
    /After that, the bridge delivered [0-9.,]+ USDC more to the same recipient/,
  )
})

test('a delivery whose transaction cannot be found is reported as delivered with an unknown amount', async () => {
  await fault('bridge stuck')
  const id = await followed(deposit(50))
  expect(await run(['action', 'abandon', id, '--yes', '--json'])).toMatchObject({ exit: 0 })
  await fault('clear')
  const brought = /^[0-9.,]+ USDC: with the recipient on sandbox-two, in 0x\w{64}\.$/
  await expect.poll(async () => (await explain(id)).funds, { timeout: 20_000 }).toMatch(brought)
  // The bridge transfer of a deposit has its own quote, and the service is asked about that.
  expect((await explain(id)).evidence).toContainEqual({
    source: 'service',
    text: expect.stringContaining('the swap is fulfilled'),
  })
  await fault('rpc-502 --network sandbox-two --method eth_getLogs')
  expect((await explain(id)).funds).toMatch(
    /, and delivered to 0x\w{40} on sandbox-two\. The transaction was not found, so the amount is not known here\.$/,
  )
})

test('a deposit over a bridge goes from BRIDGE_WAITING over BRIDGE_DELIVERED to DONE', async () => {
  await fault('bridge stuck')
  const id = await followed(deposit(50))
  expect(await explain(id)).toMatchObject({ situation: 'BRIDGE_WAITING' })
  await fault('clear')
  await until(id, 'BRIDGE_DELIVERED')
  expect(await run(['action', 'resume', id, '--json'])).toMatchObject({ exit: 0 })
  const done = await explain(id)
  expect(done.situation).toBe('DONE')
  expect(done.funds).toMatch(/^50 USDC: in aave-v3-usdc-sandbox-two, for 0x\w{40}\.$/)
})

test('abandon, cancel, speed-up and replan report PENDING while only the bridge is outstanding', async () => {
  await fault('bridge stuck')
  const id = await across()
  for (const line of ['abandon', 'cancel', 'speed-up', 'replan'])
    expect({
      line,
      ...(await run(['action', line, id, '--yes', '--json', '--timeout', '1500ms'])),
    }).toMatchObject({
      line,
      exit: 20,
      json: { error: { code: 'PENDING', hint: `sluice action resume ${id}` } },
    })
  expect(await explain(id)).toMatchObject({
    situation: 'BRIDGE_WAITING',
    funds: expect.stringMatching(burned),
  })
  await fault('clear')
  await until(id, 'BRIDGE_DELIVERED')
  expect(await run(['action', 'resume', id, '--json'])).toMatchObject({ exit: 0 })
})

test('a deposit abandoned after its burn reports the burned funds, and resume refuses it', async () => {
  await fault('bridge stuck')
  const id = await followed(deposit(100))
  expect(await run(['action', 'abandon', id, '--yes', '--json'])).toMatchObject({ exit: 0 })
  expect(await explain(id)).toMatchObject({ situation: 'GIVEN_UP', funds: expect.stringMatching(burned) })
  const again = await run(['action', 'resume', id, '--yes', '--json'])
  expect(again).toMatchObject({
    exit: 21,
    json: { error: { code: 'PARTIAL', hint: `sluice action explain ${id}` } },
  })
  expect(again.json.error.message).toContain('after its funds were moved')
  await fault('clear')
  while (!(await explain(id)).funds.includes('with the recipient on sandbox-two'))
    await new Promise((resolve) => setTimeout(resolve, 50))
})

const hour = 3_600_000
const isMinted = async (): Promise<boolean> => {
  const { tokenMessenger: address } = contractsIn(sandbox.world.catalog(), cctpV2Contracts).find(
    (end) => end.chainId === 31338,
  )!
  const topics = [topicOf('MintAndWithdraw(address,uint256,address,uint256)')]
  const filter = { address, topics, fromBlock: '0x0' }
  return (await sandbox.chain(31338).rpc.request<unknown[]>('eth_getLogs', [filter])).length > 0
}

test('a transfer that the attestation service does not know is BRIDGE_STUCK with an unknown mint after 50 hours', async () => {
  await fault('bridge stuck')
  const id = await across()
  answers = 404
  expect(await explain(id)).toMatchObject({
    situation: 'BRIDGE_WAITING',
    funds: expect.stringMatching(burned),
  })
  const old = await explain(id, 50 * hour)
  expect(old.situation).toBe('BRIDGE_STUCK')
  expect(old.verdict).toMatch(
    /^The attestation service of the bridge does not know the transfer, which was sent 2 days ago; the usual maximum is 60 minutes\. The transfer is not necessarily lost: it may be attested late, or may have been delivered\. Check what 0x\w{40} has received on sandbox-two since/,
  )
  expect(old.funds).toMatch(/Whether the funds are minted there is not known; no one else can take them\.$/)
  expect(old.next).toBe(`sluice action export ${id}`)
  expect(JSON.stringify(old.evidence)).toMatch(/attestation service of the bridge does not know 0x/)
  expect(JSON.stringify(old.evidence)).not.toContain('has not attested')
  // resume reports the same without a long wait.
  const resumed = await run(['action', 'resume', id, '--json'], { later: 50 * hour })
  expect(resumed).toMatchObject({
    exit: 20,
    json: { error: { code: 'PENDING', hint: `sluice action explain ${id}` } },
  })
  expect(resumed.json.error.message).toContain('does not know the transfer, sent more than 60 minutes ago')
  // Any other status says nothing about the transfer.
  answers = 429
  const host = `127.0.0.1:${(other.address() as AddressInfo).port}`
  const unread = await explain(id, 50 * hour)
  expect(unread).toMatchObject({ situation: 'BRIDGE_WAITING', next: `sluice action resume ${id}` })
  expect(unread.verdict).toBe(
    `Whether the bridge has attested the transfer cannot be read now (no usable answer from ${host}). The transfer was sent 2 days ago; the usual maximum is 60 minutes.`,
  )
  expect(unread.evidence).toContainEqual({
    source: 'service',
    text: expect.stringContaining(`${host} gave no usable answer about 0x`),
  })
  answers = undefined
  await fault('clear')
  await until(id, 'BRIDGE_DELIVERED')
  expect(await run(['action', 'resume', id, '--json'])).toMatchObject({ exit: 0 })
})

test('resume reports PENDING if neither the service nor the node names the delivery transaction', async () => {
  await fault('bridge stuck')
  const id = await across()
  await fault('clear')
  await expect.poll(isMinted, { timeout: 20_000 }).toBe(true)
  await fault('rpc-502 --network sandbox-two --method eth_getLogs')
  const { exit, json } = await run(['action', 'resume', id, '--json'])
  expect({ exit, ...json.error }).toMatchObject({
    exit: 20,
    code: 'PENDING',
    message: expect.stringMatching(
      /^The bridge delivered on sandbox-two, but neither the service nor the node/,
    ),
    hint: `Set an RPC in SLUICE_RPC_SANDBOX_TWO that returns logs, then: sluice action resume ${id}`,
  })
  await fault('clear')
  expect(await run(['action', 'resume', id, '--json'])).toMatchObject({ exit: 0 })
})

test('resume --no-wait does not wait for a bridge', async () => {
  await fault('bridge stuck')
  const id = await across()
  expect(await run(['action', 'resume', id, '--json', '--no-wait'])).toMatchObject({
    exit: 20,
    json: { error: { code: 'PENDING' } },
  })
})

test('after the chains moved 34 days ahead, a step that was sent just now waits for seconds, and a burn by the clock of its chain', async () => {
  await fault('bridge stuck')
  const burn = await across()
  await sandbox.world.warp(34 * 86_400)
  expect(await explain(burn)).toMatchObject({ waiting: { what: 'burned', clock: 'chain' } })
  for (const command of ['show', 'explain'])
    expect((await run(['action', command, burn])).out).toMatch(/^waits +burned 34 days ago \(block time\);/m)
  // Anybody can explain a burn by its hash.
  const { json } = await run(['action', 'show', burn, '--json'])
  const hash = json.transactions.at(-1).hash
  const stranger = { env: { SLUICE_HOME: join(home(), 'of-another') } }
  expect((await run(['action', 'explain', hash], stranger)).out).toContain(
    'has not attested the transfer for 34 days; the usual maximum is 60 minutes',
  )
  answers = 404
  expect((await explain(burn)).verdict).toContain('does not know the transfer, which was sent 34 days ago')
  answers = undefined
  await fault('clear')
  await fault('stop-mining')
  const { json: sending } = await run(
    `transfer --network sandbox-one --token USDC --to ${sandboxAddress(3)} --amount 1 --yes --json --timeout 3s`,
  )
  const { id } = sending.error.details
  for (const command of ['show', 'explain']) {
    const { waiting } = (await run(['action', command, id, '--json'])).json
    expect(waiting).toMatchObject({ what: 'sent', clock: 'machine' })
    expect(waiting.waitedSeconds).toBeLessThan(86_400)
    expect((await run(['action', command, id])).out).toMatch(/^waits +sent \d+ (seconds?|minutes) ago$/m)
  }
  await fault('clear')
})
