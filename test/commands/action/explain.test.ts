import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { padHex } from 'viem/utils'
import { afterEach, describe, expect, test } from 'vitest'
import type { Address, Hex } from '../../../src/domain/address.ts'
import { sandboxAddress } from '../../../src/sandbox/accounts.ts'
import { openJournal } from '../../../src/store/journal/journal.ts'
import { cctpV2Contracts } from '../../../src/swaps/cctp-v2/constants-schema.ts'
import { relayOn } from '../../../src/swaps/relay/order.ts'
import { contractsOn } from '../../../src/swaps/swap-contracts.ts'
import { useCommands } from '../../support/use-commands.ts'
import { calldata, useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, signsNothing, home } = useCommands(sandbox)
const friend = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const multicall3 = '0xcA11bde05977b3631167028862bE2a173976CA11'
const zeroWord = `0x${'00'.repeat(32)}`
const rpc = () => sandbox.chain(31337).rpc
const wallet = () => sandbox.user.address

/** All rows of the journal. */
const journalled = () => {
  const db = new DatabaseSync(join(home(), 'data', 'sandbox', 'journal.db'), { readOnly: true })
  try {
    return ['operation', 'leg', 'step', 'attempt', 'event', 'head', 'hold', 'pin'].map((table) =>
      db.prepare(`SELECT * FROM ${table}`).all(),
    )
  } finally {
    db.close()
  }
}
/** The situations, with and without a next command, whose text was compared with the JSON. */
const comparedAsText = new Set<string>()

/**
 * The verdict as JSON. Checks that the command signs and writes nothing, and once for each situation that the text output agrees,
 * which is written from the same verdict.
 */
const explain = async (id: string, ...more: string[]) => {
  const before = journalled()
  const said = await signsNothing(() => run(['action', 'explain', id, '--json', ...more]))
  expect(said.exit).toBe(0)
  expect(journalled()).toEqual(before)
  const { json } = said
  expect(Object.keys(json)).toEqual([
    'id',
    'situation',
    'verdict',
    'funds',
    'safeToRetry',
    'next',
    'waiting',
    'createdAt',
    'finishedAt',
    'transactions',
    'evidence',
  ])
  const form = `${json.situation} ${json.next === null}`
  if (!comparedAsText.has(form)) {
    const { out } = await run(['action', 'explain', id, ...more])
    expect(out).toContain(`${json.situation}  ${json.verdict}`)
    expect(out).toContain(json.funds)
    if (json.next !== null) expect(out).toMatch(new RegExp(`next +${json.next}`))
    comparedAsText.add(form)
  }
  for (const { source } of json.evidence) expect(['journal', 'chain', 'service']).toContain(source)
  expect(json.evidence.length).toBeGreaterThan(0)
  return json
}
const fault = async (line: string) =>
  expect(await run(`sandbox fault ${line} --json`)).toMatchObject({ exit: 0 })
const cleared = () => fault('clear')
const idOf = (ran: { json: { error?: { details: { id: string } }; id?: string } }) =>
  ran.json.error?.details.id ?? ran.json.id!
const transfer = (...more: string[]) =>
  run(
    [
      `transfer --network sandbox-one --token USDC --to ${friend} --amount 5 --yes --json`.split(' '),
      more,
    ].flat(),
  )
const sent = async (...more: string[]) => {
  const ran = await transfer('--no-wait', ...more)
  expect(ran).toMatchObject({ exit: 20 })
  return idOf(ran)
}
const deposit = (...more: string[]) =>
  run(['deposit', 'aave-v3-usdc-sandbox-one', '--amount', '3', '--yes', '--json', ...more])
const pool = () => {
  const { constants } = sandbox.strategy('aave-v3-USDC-sandbox-one')
  if (constants.family !== 'aave-v3') throw new Error('an Aave strategy was expected')
  return constants.pool
}
const swap = (...more: string[]) =>
  run([
    ...'swap execute --from sandbox-one --token-in USDC --token-out USDT --amount-in 100 --yes --json'.split(
      ' ',
    ),
    ...more,
  ])
/** A swap whose approval is final and which is pending itself. */
const waitingSwap = async () => {
  const begun = await swap('--no-wait')
  const id = idOf(begun)
  // An approval alone is no swap.
  expect(begun.json.error.message).toBe(
    'Step 1 of 2 is signed and sent, not final yet; what follows it is not signed yet',
  )
  await fault('stop-mining')
  expect(await run(['action', 'resume', id, '--no-wait', '--timeout', '2s', '--json'])).toMatchObject({
    exit: 20,
  })
  return id
}
/**
 * Mines a block whose base fee is above every fee cap here, and the node forgets what was pending. A block of a lower base fee mines it, also
 * while mining is stopped. A snapshot does not restore the base fee.
 */
let cheap: unknown
const dearBlock = async () => {
  cheap = (await rpc().request<{ baseFeePerGas: unknown }>('eth_getBlockByNumber', ['latest', false]))
    .baseFeePerGas
  await rpc().request('anvil_setNextBlockBaseFeePerGas', ['0x174876e800'])
  await rpc().request('evm_mine')
}
afterEach(async () => {
  if (cheap !== undefined) await rpc().request('anvil_setNextBlockBaseFeePerGas', [cheap])
  cheap = undefined
})
const nonce = async () => Number(await rpc().request('eth_getTransactionCount', [wallet(), 'latest']))
const stillThere = () => `5 USDC: still in the wallet ${wallet()} on sandbox-one.`

describe('explain before anything is signed', () => {
  test('NOTHING_SIGNED for a plan, DROPPED after abandon, each with the newer action under the same key', async () => {
    await fault('stop-mining')
    await rpc().request('eth_sendTransaction', [{ from: wallet(), to: friend, value: '0x1' }])
    const key = 'never-signed-1'
    expect(await transfer('--idempotency-key', key)).toMatchObject({ exit: 10 })
    const said = await explain(key)
    expect(said).toMatchObject({
      situation: 'NOTHING_SIGNED',
      verdict: 'The action was planned, but nothing was signed.',
      funds: stillThere(),
      safeToRetry: true,
      next: `sluice action resume ${said.id}`,
    })
    expect(await run(['action', 'abandon', said.id, '--yes', '--json'])).toMatchObject({ exit: 0 })
    expect(await explain(said.id)).toMatchObject({
      situation: 'DROPPED',
      verdict: 'The action was abandoned before anything was signed.',
      safeToRetry: true,
      next: null,
    })
    // The same command again is another action under the same key.
    expect(await transfer('--idempotency-key', key)).toMatchObject({ exit: 10 })
    const { id } = await explain(key)
    expect(id).not.toBe(said.id)
    expect(await explain(said.id)).toMatchObject({
      situation: 'DROPPED',
      verdict: `The action was abandoned before anything was signed. The same request was started again under its key as ${id}.`,
      safeToRetry: false,
      next: `sluice action explain ${id}`,
    })
    expect(await transfer('--idempotency-key', key)).toMatchObject({ exit: 10 })
    const { id: newest } = await explain(key)
    expect(await explain(id)).toMatchObject({
      verdict: `Nothing was signed: another plan under the same key replaced the action; it continued as ${newest}.`,
      safeToRetry: false,
    })
    const watched = await signsNothing(() => run(['action', 'watch', said.id]))
    expect(watched).toMatchObject({
      exit: 9,
      err: expect.stringContaining(`under its key as ${newest}`),
    })
    expect(watched.err).toContain(`sluice action explain ${newest}`)
  })

  test('QUOTE_OPEN for a valid quote, QUOTE_DEAD after it expired', async () => {
    const quote = 'swap quote --from sandbox-one --token-in USDC --token-out USDT --amount-in 10 --json'
    const { id } = (await run(quote)).json
    const open = await run(['action', 'explain', id, '--json'])
    expect(open).toMatchObject({
      exit: 0,
      json: { situation: 'QUOTE_OPEN', safeToRetry: true, next: `sluice swap execute ${id}` },
    })
    const dead = await run(['action', 'explain', id, '--json'], { later: 3_600_000 })
    expect(dead).toMatchObject({
      exit: 0,
      json: {
        situation: 'QUOTE_DEAD',
        verdict: 'The quote has expired. The service knows of no transaction for it.',
        safeToRetry: true,
        next: 'sluice swap quote --help',
      },
    })
  })

  test('FOREIGN for an action that only the service knows, exit 4 for an unknown ID', async () => {
    const known = (await deposit('--dry-run')).json.operation.id
    expect(known).toEqual(expect.any(String))
    expect((await run(['action', 'explain', known, '--json'])).json).toMatchObject({
      situation: 'FOREIGN',
      verdict: 'Not started on this machine; the service reports INITIAL.',
      safeToRetry: false,
      next: `sluice action watch ${known}`,
    })
    expect(await run('action explain nobody --json')).toMatchObject({
      exit: 4,
      json: { error: { code: 'ACTION_NOT_FOUND' } },
    })
  })
})

describe('explain for an action that another machine started', () => {
  /** Deletes the journal, so that the actions appear to be from another machine. */
  const elsewhere = () => {
    for (const end of ['', '-wal', '-shm'])
      rmSync(join(home(), 'data', 'sandbox', `journal.db${end}`), { force: true })
  }
  const burnedText =
    /^20 USDC: burned on sandbox-one in 0x\w{64}, not minted on sandbox-two yet\. No one else can take the funds\.$/
  const foreign = async (id: string) => (await run(['action', 'explain', id, '--json'])).json

  test('reports the moved funds from the receipts of the transactions that the service names', async () => {
    const { id, transactions } = (await deposit()).json
    elsewhere()
    const said = await foreign(id)
    expect(said).toMatchObject({
      situation: 'FOREIGN',
      verdict: 'Not started on this machine; the service reports SUCCESS.',
      funds: `On chain: 3 USDC left ${wallet()} on sandbox-one; 3 aUSDC reached ${wallet()} on sandbox-one.`,
      safeToRetry: false,
    })
    const { hash, blockNumber } = transactions[1]
    expect(said.evidence).toContainEqual({
      source: 'chain',
      text: `${hash} supplies 3 USDC to Aave v3 USDC, and succeeded in block ${blockNumber} of sandbox-one`,
    })
  })

  test('reports a native token transfer, and no movement while no network answers', async () => {
    const { id } = (
      await run(`transfer --network sandbox-one --token ETH --to ${friend} --amount 0.5 --yes --json`)
    ).json
    elsewhere()
    expect((await foreign(id)).funds).toBe(
      `On chain: 0.5 ETH left ${wallet()} on sandbox-one; 0.5 ETH reached ${friend} on sandbox-one.`,
    )
    await fault('rpc-down')
    const dark = await run(['action', 'explain', id, '--json'])
    expect(dark.out).not.toContain('was moved')
    await cleared()
  })

  test('reports the amount and recipient of a bridge delivery, and only the burn before delivery', async () => {
    const across = `swap execute --from sandbox-one --to sandbox-two --token-in USDC --token-out USDC --amount-in 20 --speed fast --destination ${friend} --yes --json`
    const { id } = (await run(across)).json
    await fault('bridge-undelivered')
    const late = await run(`${across} --timeout 3s`)
    elsewhere()
    const left = `20 USDC left ${wallet()} on sandbox-one`
    expect((await foreign(id)).funds).toBe(`On chain: ${left}; 19.998 USDC reached ${friend} on sandbox-two.`)
    expect(late.exit).toBe(20)
    expect((await foreign(idOf(late))).funds).toMatch(burnedText)
    await cleared()
  })

  test('follows its stuck CCTP transfer as an own one, by ID and by hash: burn, attestation and mint', async () => {
    const across = `swap execute --from sandbox-one --to sandbox-two --token-in USDC --token-out USDC --amount-in 20 --speed standard --destination ${friend} --yes --json`
    await fault('bridge stuck')
    const id = idOf(await run(`${across} --timeout 3s`))
    const [burn] = /0x\w{64}/.exec((await explain(id)).funds)!
    elsewhere()
    const later = async (name: string, by: number) => {
      const { json } = await run(['action', 'explain', name, '--json'], { later: by })
      return json
    }
    for (const name of [id, burn]) {
      expect(await later(name, 0)).toMatchObject({
        situation: 'BRIDGE_WAITING',
        verdict: expect.stringMatching(
          /The bridge has not attested the transfer yet; this is normal at first\.$/,
        ),
        funds: expect.stringMatching(burnedText),
        safeToRetry: false,
        next: expect.stringMatching(/^sluice action (explain|watch) /),
      })
      expect(await later(name, 2 * 3_600_000)).toMatchObject({
        situation: 'BRIDGE_STUCK',
        verdict: expect.stringMatching(
          /has not attested the transfer for 2 hours; the usual maximum is 60 minutes\. Ask the operator of the bridge, with the transaction 0x\w{64} or /,
        ),
      })
    }
    // The older fault of a bridge acts, and one set again is the newest: at no time may the bridge deliver.
    await fault('bridge-undelivered')
    await fault('bridge stuck')
    await expect.poll(async () => (await later(id, 0)).situation).toBe('BRIDGE_UNDELIVERED')
    expect((await later(burn, 2 * 3_600_000)).verdict).toContain('Anyone can deliver it')
    await cleared()
    await expect
      .poll(async () => (await later(burn, 0)).verdict)
      .toMatch(/The bridge delivered on sandbox-two\.$/)
    expect((await later(burn, 0)).funds).toMatch(
      /^20 USDC: with the recipient on sandbox-two, in 0x\w{64}\.$/,
    )
  })

  test('follows a burn that a contract made, and tells each of several burns of one transaction', async () => {
    const [usdc, there] = [sandbox.token(31337, 'USDC').address, sandbox.token(31338, 'USDC').address]
    const { tokenMessenger } = contractsOn(sandbox.world.catalog(), cctpV2Contracts, 31337)!
    const { domain } = contractsOn(sandbox.world.catalog(), cctpV2Contracts, 31338)!
    expect(await run(`sandbox fund ${multicall3} --token USDC --amount 60 --json`)).toMatchObject({ exit: 0 })
    const burn = (amount: bigint) =>
      calldata('function depositForBurn(uint256,uint32,bytes32,address,bytes32,uint256,uint32)', [
        amount,
        domain,
        padHex(friend, { size: 32 }),
        usdc,
        zeroWord,
        0n,
        2000,
      ])
    const batch = async (...amounts: bigint[]) => {
      const approve = calldata('function approve(address,uint256)', [tokenMessenger, 60_000000n])
      const calls = [[usdc, false, approve], ...amounts.map((one) => [tokenMessenger, false, burn(one)])]
      const data = calldata('function aggregate3((address target, bool allowFailure, bytes callData)[])', [
        calls.map(([target, allowFailure, callData]) => ({ target, allowFailure, callData })),
      ])
      const call = { from: sandboxAddress(3), to: multicall3, data, gas: '0xf4240' }
      return rpc().request<Hex>('eth_sendTransaction', [call])
    }
    const before = await sandbox.balanceOf(31338, there, friend)
    const [one, two] = [await batch(10_000000n), await batch(20_000000n, 30_000000n)]
    await expect
      .poll(async () => (await foreign(one)).verdict)
      .toContain('The bridge delivered on sandbox-two.')
    expect((await foreign(one)).funds).toMatch(/^10 USDC: with the recipient on sandbox-two, in 0x\w{64}\.$/)
    expect(await foreign(two)).toMatchObject({
      situation: 'FOREIGN',
      verdict: expect.stringContaining(
        `It holds 2 burns of CCTP: 20 USDC for ${friend} on sandbox-two, with a fee of at most 0 USDC; 30 USDC for ${friend} on sandbox-two, with a fee of at most 0 USDC.`,
      ),
    })
    await expect.poll(() => sandbox.balanceOf(31338, there, friend)).toBe(before + 60_000000n)
    // What is delivered is delivered once, whichever burn of the transaction it was.
    for (const hash of [one, two])
      expect((await run(`action deliver ${hash} --yes --json`)).json).toMatchObject({ isDelivered: true })
    const exported = await run(`action export ${one} --json`)
    expect({ exit: exported.exit, ...exported.json.error }).toMatchObject({
      exit: 4,
      code: 'ACTION_NOT_FOUND',
      message: `No action of this machine sent ${one}, so there is no evidence of it to export`,
      hint: `To save what the chain shows of it: sluice action explain ${one} --json`,
    })
  })

  test('follows its Across deposit as an own one, by hash: waiting, paid out, paid back', async () => {
    const across = (amount: number) =>
      run(
        `swap execute --from sandbox-one --to sandbox-two --token-in USDT --token-out USDT --amount-in ${amount} --provider across --destination ${friend} --yes --json --timeout 3s`,
      )
    const hashOf = async (ran: { json: { error?: { details: { id: string } }; id?: string } }) => {
      const { transactions } = (await run(['action', 'show', idOf(ran), '--json'])).json
      return transactions.at(-1).hash as string
    }
    await fault('bridge unfilled')
    const waiting = await hashOf(await across(20))
    elsewhere()
    expect(await foreign(waiting)).toMatchObject({
      situation: 'BRIDGE_WAITING',
      verdict: expect.stringMatching(
        `No relayer has paid out on sandbox-two yet\\. A relayer can do so until \\S+ \\S+Z; after that, the deposit is paid back to ${wallet()}\\.$`,
      ),
      funds: expect.stringMatching(`^20 USDT: deposited on sandbox-one in ${waiting}, not paid out`),
      safeToRetry: false,
      next: `sluice action explain ${waiting}`,
    })
    await cleared()
    await expect
      .poll(async () => (await foreign(waiting)).verdict)
      .toMatch(/The bridge delivered on sandbox-two\.$/)
    expect(await foreign(waiting)).toMatchObject({
      situation: 'FOREIGN',
      funds: expect.stringMatching(/^19\.\d+ USDT: with the recipient on sandbox-two, in 0x\w{64}\.$/),
      next: null,
    })
    await fault('bridge unfilled')
    const late = await hashOf(await across(40))
    elsewhere()
    await sandbox.world.warp(7 * 3_600)
    await expect.poll(async () => (await foreign(late)).situation).toBe('BRIDGE_REFUNDED')
    expect(await foreign(late)).toMatchObject({
      funds: expect.stringMatching(`40 USDT was paid back to ${wallet()} there, in 0x\\w{64}\\.$`),
      next: null,
    })
    await cleared()
  })

  test('follows its order of CoW Protocol by hash: open, filled with both amounts, expired', async () => {
    const order = async (amount: number) => {
      const ran = await run(
        `swap execute --from sandbox-one --token-in USDC --token-out WETH --amount-in ${amount} --provider cow --yes --json --timeout 3s`,
      )
      const { transactions } = (await run(['action', 'show', idOf(ran), '--json'])).json
      elsewhere()
      return transactions.at(-1).hash as string
    }
    await fault('order-unfilled')
    const hash = await order(300)
    expect(await foreign(hash)).toMatchObject({
      situation: 'ORDER_OPEN',
      verdict: expect.stringMatching(
        /The order is open until \S+ \S+Z and not filled yet: nothing has been swapped\.$/,
      ),
      funds: `Not moved: what the order sells is still with ${wallet()}.`,
      next: `sluice action explain ${hash}`,
    })
    await cleared()
    await expect.poll(async () => (await foreign(hash)).situation).toBe('FOREIGN')
    expect(await foreign(hash)).toMatchObject({
      verdict: expect.stringMatching(/The order was filled, in whole or in part, in 0x\w{64}\.$/),
      funds: expect.stringMatching(/^300 USDC was swapped for 0\.\d+ WETH, in 0x\w{64} on sandbox-one\.$/),
      next: null,
    })
    await fault('order-unfilled')
    const late = await order(310)
    await sandbox.world.warp(2 * 3_600)
    expect(await foreign(late)).toMatchObject({
      situation: 'ORDER_UNFILLED',
      verdict: expect.stringContaining('has expired: nothing was swapped.'),
      next: null,
    })
    await cleared()
  })

  test('follows a deposit at Relay of any wallet by its service and both chains: waiting, paid out, paid back, lied about', async () => {
    const { api } = relayOn(sandbox.world.catalog(), 31337)!
    const [here, there] = [sandbox.token(31337, 'USDC'), sandbox.token(31338, 'USDC')]
    /** Deposits by the calls that the service returns, as another program does: no terms follow them. */
    const deposited = async (units: number) => {
      await sandbox.world.fund(friend, { symbol: 'USDC', amount: BigInt(units) * 1_000_000n })
      const asked = {
        ...{
          user: friend,
          recipient: friend,
          refundTo: friend,
          originChainId: 31337,
          destinationChainId: 31338,
        },
        ...{
          originCurrency: here.address,
          destinationCurrency: there.address,
          amount: String(units * 1_000_000),
        },
        ...{ tradeType: 'EXACT_INPUT', slippageTolerance: '100', explicitDeposit: true },
        ...{ disableOriginSwaps: true, includeProtocolData: true },
      }
      const headers = { 'content-type': 'application/json' }
      const answer = await fetch(`${api}/quote/v2`, { method: 'POST', headers, body: JSON.stringify(asked) })
      const { steps } = (await answer.json()) as {
        steps: { items: { data: { to: Address; data: Hex } }[] }[]
      }
      let hash = ''
      for (const { items } of steps) {
        const { to, data } = items[0]!.data
        hash = (await sandbox.sendAs(31337, friend, { to, data })).transactionHash
      }
      return hash
    }
    await fault('relay stuck')
    const plain = await deposited(50)
    // The service finds a deposit by looking.
    await expect.poll(async () => (await foreign(plain)).situation).toBe('BRIDGE_WAITING')
    expect(await foreign(plain)).toMatchObject({
      situation: 'BRIDGE_WAITING',
      verdict: expect.stringMatching(
        /No solver has paid out on sandbox-two yet\. The service reports pending, but no chain shows a payment\. The request ID at Relay is 0x\w{64}\.$/,
      ),
      funds: expect.stringMatching(
        `^50 USDC: deposited at Relay on sandbox-one in ${plain}, not paid out on sandbox-two yet`,
      ),
      next: `sluice action explain ${plain}`,
    })
    await cleared()
    await expect.poll(async () => (await foreign(plain)).situation).toBe('FOREIGN')
    expect(await foreign(plain)).toMatchObject({
      verdict: expect.stringMatching(/Relay paid the order out on sandbox-two\.$/),
      funds: expect.stringMatching(/^4\d\.\d+ USDC: with the recipient on sandbox-two, in 0x\w{64}\.$/),
      next: null,
    })
    await fault('relay refund-origin')
    const back = await deposited(60)
    await expect.poll(async () => (await foreign(back)).situation).toBe('BRIDGE_REFUNDED')
    expect(await foreign(back)).toMatchObject({
      funds: expect.stringMatching(`USDC: paid back to ${friend} on sandbox-one, in 0x\\w{64}\\.$`),
      next: null,
    })
    await cleared()
    await fault('relay lies')
    const lied = await deposited(70)
    await expect.poll(async () => (await foreign(lied)).verdict).toContain('reports success')
    expect(await foreign(lied)).toMatchObject({
      situation: 'BRIDGE_WAITING',
      verdict: expect.stringContaining('but no chain shows a payment'),
    })
    await cleared()
    // The order of another machine of ours, whose terms follow the call.
    await fault('relay refund')
    const ran = await run(
      `swap execute --from sandbox-one --to sandbox-two --token-in USDC --token-out USDC --amount-in 80 --provider relay --yes --json`,
    )
    const { transactions } = (await run(['action', 'show', idOf(ran), '--json'])).json
    elsewhere()
    const own = transactions.at(-1).hash as string
    await expect.poll(async () => (await foreign(own)).situation).toBe('BRIDGE_REFUNDED')
    await cleared()
  })

  test('of a finished action calls nothing open', async () => {
    const { id } = (await deposit()).json
    const { exit, out } = await run(['action', 'explain', id])
    expect({ exit, out }).toEqual({ exit: 0, out: expect.stringMatching(/^DONE /) })
    expect(out).not.toMatch(/\bopen\b/)
  })
})

describe('explain for a signed transaction in no block', () => {
  test('SIGNED_NOT_SENT before the node has accepted it', async () => {
    await fault('rpc-hang --method eth_sendRawTransaction')
    const key = 'signed-not-sent-1'
    const running = transfer('--idempotency-key', key)
    const state = () =>
      run(['action', 'show', key, '--json']).then(({ json }) => json.transactions?.[0]?.status)
    while ((await state()) !== 'pending') await new Promise((resolve) => setTimeout(resolve, 20))
    const said = await explain(key)
    expect(said).toMatchObject({
      situation: 'SIGNED_NOT_SENT',
      verdict: 'The transaction is signed but was not sent yet.',
      funds: stillThere(),
      safeToRetry: false,
      next: `sluice action resume ${said.id}`,
    })
    await cleared()
    expect(await running).toMatchObject({ exit: 0 })
  })

  test('SENT_NOT_SEEN after the node dropped it, also when asked by hash', async () => {
    await fault('drop --times 1')
    const id = await sent()
    const hash = (await run(['action', 'show', id, '--json'])).json.transactions[0].hash
    const said = await explain(id)
    expect(said).toMatchObject({
      situation: 'SENT_NOT_SEEN',
      verdict:
        'The transaction was sent, but the node of sandbox-one does not know it: it was dropped, or only another node has it.',
      safeToRetry: false,
      next: `sluice action resume ${id}`,
    })
    expect(said.evidence).toContainEqual({ source: 'chain', text: `the node does not know ${hash}` })
    // No chain has the hash, but the journal knows its action.
    const byHash = (await run(['action', 'explain', hash.toUpperCase().replace('X', 'x'), '--json'])).json
    expect(byHash).toMatchObject({ id, situation: 'SENT_NOT_SEEN' })
  })

  test('WAITING while it is in the mempool', async () => {
    await fault('stop-mining')
    const id = await sent()
    expect(await explain(id)).toMatchObject({
      situation: 'WAITING',
      verdict: 'The transaction is pending in the mempool of sandbox-one.',
      funds: stillThere(),
      safeToRetry: false,
      next: `sluice action resume ${id}`,
    })
  })

  test('FEE_TOO_LOW when the base fee exceeds its cap, with a speed-up that pays enough', async () => {
    await fault('stop-mining')
    const id = await sent()
    await dearBlock()
    const said = await explain(id)
    expect(said).toMatchObject({
      situation: 'FEE_TOO_LOW',
      next: `sluice action speed-up ${id} --max-fee 201`,
    })
    expect(said.verdict).toMatch(
      /^The transaction pays a gas price of at most [0-9.]+ gwei, but the base fee on sandbox-one is 100 gwei: /,
    )
    expect(await run([...said.next.split(' ').slice(1), '--timeout', '500ms', '--json'])).toMatchObject({
      exit: 20,
    })
    expect(await explain(id)).toMatchObject({ situation: 'WAITING' })
  })

  test('BEHIND_ANOTHER when the earlier nonce belongs to an action that is pending or was dropped', async () => {
    await fault('stop-mining')
    const first = await sent()
    const at = await nonce()
    const second = await sent('--queue-behind')
    expect(await explain(second)).toMatchObject({
      situation: 'BEHIND_ANOTHER',
      verdict: `The transaction has the nonce ${at + 1}, but the nonce ${at} comes first: that one belongs to the action ${first}.`,
      safeToRetry: false,
      next: `sluice action resume ${first}`,
    })
    await fault(`drop-waiting ${at}`)
    expect(await explain(second)).toMatchObject({ situation: 'BEHIND_ANOTHER' })
    expect(await explain(first)).toMatchObject({ situation: 'SENT_NOT_SEEN' })
  })

  test('BEHIND_ANOTHER when the earlier nonce belongs to another program, or is missing after a drop', async () => {
    await fault('stop-mining')
    const at = await nonce()
    await rpc().request('eth_sendTransaction', [{ from: wallet(), to: friend, value: '0x1' }])
    const id = await sent('--queue-behind')
    const before = `The transaction has the nonce ${at + 1}, but the nonce ${at} comes first: `
    expect(await explain(id)).toMatchObject({
      situation: 'BEHIND_ANOTHER',
      verdict: `${before}that one is pending, too, and another program sent it.`,
    })
    await fault(`drop-waiting ${at}`)
    expect((await explain(id)).verdict).toBe(`${before}that one is missing.`)
  })

  test('DEADLINE_PASSED for a pending swap after its deadline, with cancel as the next step', async () => {
    const id = await waitingSwap()
    await dearBlock()
    await sandbox.world.warp(3_600)
    expect(await explain(id)).toMatchObject({
      situation: 'DEADLINE_PASSED',
      verdict:
        'Step 2 of 2 is still pending, but its deadline has passed: if it is mined now, it reverts and costs its gas fee.',
      safeToRetry: false,
      next: `sluice action cancel ${id}`,
    })
  })

  test('CANCELLING while the cancel is pending, CANCELLED after it is mined', async () => {
    await fault('stop-mining')
    const id = await sent()
    expect(await run(['action', 'cancel', id, '--timeout', '500ms', '--yes', '--json'])).toMatchObject({
      exit: 20,
    })
    expect(await explain(id)).toMatchObject({
      situation: 'CANCELLING',
      safeToRetry: false,
      next: `sluice action resume ${id}`,
    })
    await rpc().request('evm_mine')
    // The journal has not recorded it yet.
    expect(await explain(id)).toMatchObject({
      situation: 'CANCELLED',
      verdict: 'The transaction was cancelled: its no-op transaction was mined instead.',
      safeToRetry: false,
      next: `sluice action resume ${id}`,
    })
    expect(await run(['action', 'abandon', id, '--yes', '--json'])).toMatchObject({
      exit: 24,
      json: { error: { code: 'CANCELLED' } },
    })
    expect(await run(['action', 'resume', id, '--json'])).toMatchObject({ exit: 24 })
    expect(await explain(id)).toMatchObject({ situation: 'CANCELLED', funds: stillThere(), next: null })
  })

  test('WAITING again after speed-up replaced the cancel', async () => {
    await fault('stop-mining')
    const id = await sent()
    for (const verb of ['cancel', 'speed-up'])
      expect(await run(['action', verb, id, '--no-wait', '--yes', '--json'])).toMatchObject({ exit: 20 })
    expect(await explain(id)).toMatchObject({ situation: 'WAITING', next: `sluice action resume ${id}` })
  })

  test('CANCELLED is unsafe to retry while another signed step can still be mined', async () => {
    await fault('stop-mining')
    const id = idOf(await deposit('--pipeline', '--no-wait'))
    expect(await run(['action', 'cancel', id, '--yes', '--json', '--no-wait'])).toMatchObject({ exit: 20 })
    // This node drops the deposit, but another node may still have it.
    await fault(`drop-waiting ${(await nonce()) + 1}`)
    await rpc().request('evm_mine')
    const said = await explain(id)
    expect(said).toMatchObject({
      situation: 'CANCELLED',
      safeToRetry: false,
      next: `sluice action resume ${id}`,
    })
    expect(said.verdict).toMatch(/ Another of its steps is signed and can still be mined\.$/)
  })

  test('a deposit with a cancelled approval and a reverted call is reported as still in the wallet', async () => {
    await fault('stop-mining')
    const id = idOf(await deposit('--pipeline', '--no-wait'))
    expect(await run(['action', 'cancel', id, '--yes', '--json', '--no-wait'])).toMatchObject({ exit: 20 })
    const funds = `3 USDC: still in the wallet ${wallet()} on sandbox-one.`
    // The cancel of the deposit is dropped, so the deposit itself uses the nonce.
    const db = new DatabaseSync(join(home(), 'data', 'sandbox', 'journal.db'), { readOnly: true })
    const of = (kind: string) =>
      db.prepare('SELECT hash, raw FROM attempt WHERE operation = ? AND idx = 1 AND kind = ?').get(id, kind)!
    const [deposited, cancel] = [of('run'), of('cancel')]
    db.close()
    await rpc().request('anvil_dropTransaction', [cancel.hash])
    await rpc().request('eth_sendRawTransaction', [deposited.raw])
    await cleared()
    await expect.poll(async () => (await explain(id)).situation).toBe('CANCELLED')
    expect((await explain(id)).funds).toBe(funds)
    expect(await run(['action', 'resume', id, '--json'])).toMatchObject({ exit: 22 })
    const said = await explain(id)
    expect(said).toMatchObject({ situation: 'REVERTED', safeToRetry: true, next: null })
    expect(said.funds).toBe(`${funds} Only the gas fee was spent.`)
  })

  test('MINED_NOT_FINAL before finality, REORGED after its block was removed', async () => {
    for (let at = 0; at < 3; at++) await rpc().request('evm_mine')
    await fault('rpc-502 --method anvil_mine')
    const ran = await transfer('--confirmations', '4', '--timeout', '1500ms')
    expect(ran).toMatchObject({ exit: 20 })
    const id = idOf(ran)
    const block = Number(await rpc().request('eth_blockNumber'))
    expect(await explain(id, '--confirmations', '4')).toMatchObject({
      situation: 'MINED_NOT_FINAL',
      verdict: `The transaction is in block ${block}, 1 deep, which is not final yet.`,
      funds: `Once the step is final: 5 USDC: with ${friend}.`,
      safeToRetry: false,
      next: `sluice action resume ${id}`,
      waiting: { what: 'mined', clock: 'chain' },
      transactions: [{ status: 'included', blockNumber: block }],
    })
    await cleared()
    await fault('reorg 1 --network sandbox-one')
    expect(await explain(id)).toMatchObject({
      situation: 'REORGED',
      verdict: `The transaction was in block ${block} of sandbox-one, but a reorganisation removed that block: the transaction must be mined again.`,
      funds: stillThere(),
      safeToRetry: false,
      next: `sluice action resume ${id}`,
    })
  })
})

describe('explain for a nonce that another transaction uses', () => {
  test('NONCE_TAKEN_NOT_FINAL while pending, SUPERSEDED once mined, with replan after resume recorded it', async () => {
    await fault('stop-mining')
    const id = await sent()
    const at = await nonce()
    await fault('drop-waiting --network sandbox-one')
    const hash = await rpc().request('eth_sendTransaction', [{ from: wallet(), to: friend, value: '0x1' }])
    expect(await explain(id)).toMatchObject({
      situation: 'NONCE_TAKEN_NOT_FINAL',
      verdict: `Another transaction of this wallet, ${hash}, has the nonce ${at} but is not final: either of the two can still be mined.`,
      safeToRetry: false,
    })
    await cleared()
    await rpc().request('evm_mine')
    expect(await explain(id)).toMatchObject({
      situation: 'SUPERSEDED',
      verdict: `The transaction can never be mined: another transaction of this wallet, ${hash}, used its nonce ${at}. Check what that transaction did before you repeat the request.`,
      funds: `${stillThere()} This is true unless ${hash} moved the funds.`,
      safeToRetry: false,
      next: `sluice action resume ${id}`,
    })
    expect(await run(['action', 'resume', id, '--json'])).toMatchObject({ exit: 23 })
    expect(await explain(id)).toMatchObject({ situation: 'SUPERSEDED', next: `sluice action replan ${id}` })
  })
})

describe('explain for a mined transaction', () => {
  test('MINED_UNNOTICED before the journal records it, DONE after resume', async () => {
    const id = await sent()
    expect(await explain(id)).toMatchObject({
      situation: 'MINED_UNNOTICED',
      verdict: 'All steps are mined and final; the run ended before the journal recorded it.',
      funds: `5 USDC: with ${friend}.`,
      safeToRetry: false,
      next: `sluice action resume ${id}`,
    })
    expect(await run(['action', 'resume', id, '--json'])).toMatchObject({ exit: 0 })
    expect(await explain(id)).toMatchObject({
      situation: 'DONE',
      verdict: 'The action is done and final.',
      funds: `5 USDC: with ${friend}.`,
      safeToRetry: false,
      next: null,
    })
  })

  test('MINED_NOT_FINAL names the first step of a pipelined deposit', async () => {
    await fault('rpc-502 --method anvil_mine')
    const ran = await deposit('--pipeline', '--confirmations', '4', '--timeout', '1500ms')
    expect(ran).toMatchObject({ exit: 20 })
    const id = idOf(ran)
    const said = await explain(id, '--confirmations', '4')
    expect(said).toMatchObject({ situation: 'MINED_NOT_FINAL', safeToRetry: false })
    expect(said.verdict).toMatch(/^Step 1 of 2 is in block [0-9]+, [12] deep, which is not final yet\.$/)
    expect(await explain(id)).toMatchObject({ situation: 'MINED_UNNOTICED' })
  })

  test('REOPENED after a reorganisation removed a final block, and until it is mined again', async () => {
    for (let at = 0; at < 3; at++) await rpc().request('evm_mine')
    const id = idOf(await transfer())
    await fault('reorg 2 --network sandbox-one')
    // The first command afterwards records that the same sandbox has other blocks.
    await run('action list')
    expect(await explain(id)).toMatchObject({
      situation: 'REOPENED',
      verdict: 'The action was final, but a deep reorganisation removed its block from the chain.',
      funds: stillThere(),
      safeToRetry: false,
      next: `sluice action resume ${id}`,
    })
    await fault('stop-mining')
    // Recorded and rebroadcast, but still in no block.
    expect(await run(['action', 'resume', id, '--no-wait', '--timeout', '500ms', '--json'])).toMatchObject({
      exit: 20,
    })
    expect(await explain(id)).toMatchObject({ situation: 'REOPENED' })
  })

  test('PARTLY_DONE with the remaining allowance, GIVEN_UP after abandon', async () => {
    const id = idOf(await deposit('--no-wait'))
    const allowance = ` The contract ${pool()} still has an allowance of 3 USDC on sandbox-one.`
    const half = {
      situation: 'PARTLY_DONE',
      verdict: `The action is partly done and final; step 2 of 2 (action) is not signed. Continue, or revoke the allowance. The same request is refused until this action is resumed or abandoned.`,
      funds: `3 USDC: still in the wallet ${wallet()} on sandbox-one.${allowance}`,
      safeToRetry: false,
      next: `sluice action resume ${id}`,
      // The chain shows what the journal has not recorded.
      waiting: null,
      transactions: [
        { status: 'confirmed', blockNumber: expect.any(Number), gasFee: { symbol: 'ETH' } },
        { status: 'planned', blockNumber: null },
      ],
    }
    expect(await explain(id)).toMatchObject(half)
    const { exit, out } = await run(['action', 'abandon', id, '--yes'])
    expect(exit).toBe(0)
    expect(out.match(/allowance /g)).toEqual(['allowance '])
    expect(out).toContain(`To revoke what is left of its allowances: sluice action revoke ${id}`)
    expect(await explain(id)).toMatchObject({
      situation: 'GIVEN_UP',
      verdict: 'The action was abandoned: its unsigned steps will never be signed.',
      funds: half.funds,
      safeToRetry: true,
      next: `sluice action revoke ${id}`,
    })
    expect(await run(['action', 'revoke', id, '--yes', '--json'])).toMatchObject({ exit: 0 })
    expect(await explain(id)).toMatchObject({ situation: 'GIVEN_UP', next: null })
  })

  test('PARTLY_DONE numbers a step that would fail as one of the action, and so does resume', async () => {
    const id = idOf(await deposit('--no-wait'))
    await fault('usdc-paused')
    const { exit, json } = await run(['action', 'resume', id, '--yes', '--json'])
    expect({ exit, message: json.error.message }).toEqual({
      exit: 21,
      message: expect.stringContaining('Step 2 of 2 would fail: '),
    })
    const said = await explain(id)
    expect(said).toMatchObject({ situation: 'PARTLY_DONE' })
    expect(said.verdict).toMatch(/ step 2 of 2 .* Step 2 of 2 would fail: /)
  })

  test('PARTLY_DONE if the strategy of the remaining steps is no longer in the catalogue', async () => {
    const id = idOf(await deposit('--no-wait'))
    const kept = openJournal(join(home(), 'data', 'sandbox', 'journal.db'), Date.now)
    const { plan, steps } = kept.find(id)!
    const { intents } = plan as { intents: [object] }
    const gone = { ...(plan as object), intents: [{ ...intents[0], strategy: 'gone-since' }] }
    kept.replan(id, 0, { plan: gone, steps: steps.slice(1), why: 'of a market that is gone' })
    kept.close()
    expect(await run(['action', 'resume', id, '--json'])).toMatchObject({
      exit: 21,
      json: { error: { code: 'PARTIAL', details: { cause: 'STRATEGY_NOT_FOUND' } } },
    })
    const said = await explain(id)
    expect(said).toMatchObject({ situation: 'PARTLY_DONE', next: `sluice action resume ${id}` })
    expect(said.verdict).toContain('gone-since of this action is no longer in the catalogue')
    expect(await run(['action', 'abandon', id, '--yes', '--json'])).toMatchObject({ exit: 0 })
  })

  test('QUOTE_EXPIRED if the quote of the remaining steps expired', async () => {
    const id = idOf(await swap('--no-wait'))
    expect(await explain(id)).toMatchObject({ situation: 'PARTLY_DONE' })
    await fault('stale-quote')
    const said = await explain(id)
    expect(said).toMatchObject({
      situation: 'QUOTE_EXPIRED',
      verdict:
        'The action is partly done, and the quote for the remaining steps has expired: they need a new quote before they are signed. Instead of making a new plan, you can revoke the allowance. The same request is refused until this action is resumed or abandoned.',
      safeToRetry: false,
      next: `sluice action replan ${id}`,
    })
    expect(said.funds).toMatch(/still has an allowance of 100 USDC on sandbox-one/)
  })
})

describe('explain without a usable node', () => {
  test('CHAIN_SILENT for an open action, while a finished action stays DONE', async () => {
    const done = idOf(await transfer())
    await fault('stop-mining')
    const id = await sent()
    await fault('rpc-502')
    const said = await explain(id)
    expect(said).toMatchObject({
      situation: 'CHAIN_SILENT',
      safeToRetry: false,
      next: `sluice action explain ${id}`,
    })
    expect(said.verdict).toMatch(/^The chain does not answer, so only the journal can be read: sandbox-one: /)
    expect(said.funds).toBe(
      `The chain cannot be read now. According to the journal, 5 USDC may have left the wallet ${wallet()}, or may leave it at any time.`,
    )
    expect(await explain(done)).toMatchObject({ situation: 'DONE' })
  })

  test('WRONG_CHAIN for a node on another chain', async () => {
    const id = await sent()
    await fault('rpc-wrong-chain')
    const said = await explain(id)
    expect(said).toMatchObject({
      situation: 'WRONG_CHAIN',
      safeToRetry: false,
      next: `sluice action explain ${id}`,
    })
    expect(said.verdict).toMatch(/is on chain 1, not 31337\.$/)
  })
})

test('explain with a damaged journal exits 26 with JOURNAL_DAMAGED', async () => {
  const id = await sent()
  const db = new DatabaseSync(join(home(), 'data', 'sandbox', 'journal.db'))
  db.exec("DROP TRIGGER step_never_update; UPDATE step SET value = '6'")
  db.close()
  expect(await signsNothing(() => run(['action', 'explain', id, '--json']))).toMatchObject({
    exit: 26,
    json: {
      error: {
        code: 'JOURNAL_UNREADABLE',
        details: { id, situation: 'JOURNAL_DAMAGED', safeToRetry: false, next: null },
      },
    },
  })
})
