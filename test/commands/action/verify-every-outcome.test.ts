import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { FaultName } from '../../../src/domain/sandbox-fault.ts'
import { tryLock } from '../../../src/store/file-lock.ts'
import { operationTransitions } from '../../../src/store/journal/states.ts'
import { campaignSeed, cells, seeded } from '../../support/engine.ts'
import { checkHint } from '../../support/hints/hint-without-placeholder.ts'
import { useCommands, wordsOf } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, home } = useCommands(sandbox)
const friend = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const pool = () => {
  const { constants } = sandbox.strategy('aave-v3-USDC-sandbox-one')
  if (constants.family !== 'aave-v3') throw new Error('an Aave strategy was expected')
  return constants.pool
}

const transfer = `transfer --network sandbox-one --token USDC --to ${friend} --amount 5`
const deposit = 'deposit aave-v3-usdc-sandbox-one --amount 2'
const farDeposit = 'deposit aave-v3-usdc-sandbox-two --amount 50 --from sandbox-one'
const far = (provider: string, symbol = 'USDC') =>
  `swap execute --from sandbox-one --to sandbox-two --token-in ${symbol} --token-out ${symbol} --amount-in 60 --provider ${provider}`
const near = (provider: string, tokenOut = 'USDT', amount = 10) =>
  `swap execute --from sandbox-one --token-in USDC --token-out ${tokenOut} --amount-in ${amount} --provider ${provider}`
const order = near('cow', 'WETH', 650)
const ramp =
  'swap execute --from sandbox-one --token-in USDC --token-out BRLA --amount-in 200 --provider avenia'
const clear = 'sandbox fault clear'
const resume = 'action resume ID --timeout 20s'
const briefly = 'action resume ID --timeout 3s'
const unwaited = (line: string) => `${line} --timeout 3s`

/**
 * Command lines in order: faults, an action, and what follows. `ID` is the action. The evidence is exported after each line that
 * belongs to the action.
 */
type Course = readonly string[]

/** A fault before an action that is followed to its end. */
const under = (fault: string, ...lines: string[]): Course => [`sandbox fault ${fault}`, ...lines]
/** An action that waits because of a fault, and ends without it. */
const waits = (fault: string, line: string): Course => [
  ...fault.split(', ').map((one) => `sandbox fault ${one}`),
  unwaited(line),
  clear,
  resume,
]

/** The outcomes of actions under every fault of the sandbox. Bitcoin is paid by other wallets, so its faults have no action. */
const courses: Readonly<Record<FaultName, readonly Course[]>> = {
  revert: [under('revert POOL --reason 29', deposit), under('revert POOL', deposit, 'action replan ID')],
  'out-of-gas': [under('out-of-gas POOL', deposit)],
  'stop-mining': [
    waits('stop-mining', transfer),
    under('stop-mining', unwaited(deposit), 'action cancel ID --no-wait', clear, resume),
    under('stop-mining', unwaited(transfer), 'action cancel ID --no-wait', clear, resume),
    under('stop-mining', unwaited(transfer), 'action speed-up ID --no-wait', clear, resume),
    under('stop-mining', unwaited(transfer), 'FOREIGN', clear, briefly),
  ],
  drop: [[`sandbox fault drop --times 1`, `${transfer} --no-wait`, resume]],
  'drop-waiting': [under('stop-mining', unwaited(transfer), 'sandbox fault drop-waiting', clear, resume)],
  delay: [waits('delay --times 1', transfer)],
  reorg: [
    // What was exported before is refuted by the chain, and that is true.
    ['sandbox warp 1m', `unexported ${transfer}`, 'sandbox fault reorg 1 --network sandbox-one', resume],
  ],
  'bridge-stuck': [
    waits('bridge-stuck', far('cctp')),
    under('bridge-stuck', unwaited(farDeposit), 'action abandon ID', clear),
  ],
  'bridge-undelivered': [waits('bridge-undelivered', far('cctp')), waits('bridge-undelivered', farDeposit)],
  'bridge-short': [under('bridge-short 10', far('cctp')), under('bridge-short 10', farDeposit)],
  'bitcoin-unmined': [],
  'bitcoin-stuck': [],
  'bitcoin-refund': [],
  'bitcoin-lies': [],
  'bitcoin-refund-lies': [],
  'bitcoin-short': [],
  'usdc-paused': [
    [
      `${deposit} --no-wait`,
      'sandbox fault usdc-paused',
      briefly,
      'action abandon ID',
      clear,
      'action revoke ID',
    ],
  ],
  'usdc-blacklisted': [
    ['LOCK', `${deposit} --timeout 3s`, 'UNLOCK', 'action abandon ID'],
    [transfer, `sandbox fault usdc-blacklisted ${friend}`, resume],
  ],
  'bridge-unfilled': [
    waits('bridge-unfilled', far('across')),
    under('bridge-unfilled', unwaited(far('across', 'USDT')), 'sandbox warp 3h', 'action watch ID', resume),
  ],
  'bridge-slow-fill': [under('bridge-slow-fill 400ms', far('across'))],
  'bridge-unrefunded': [
    [
      'sandbox fault bridge-unfilled',
      'sandbox fault bridge-unrefunded',
      unwaited(far('across')),
      'sandbox warp 3h',
      briefly,
      clear,
      resume,
    ],
  ],
  'services-slow': [under('services-slow 50ms', order)],
  'order-unfilled': [
    under('order-unfilled', unwaited(order), 'sandbox warp 2h', resume),
    under('order-unfilled', unwaited(order), 'action revoke ID', 'action abandon ID'),
    under('order-unfilled', unwaited(order), 'action cancel ID --timeout 3s'),
  ],
  'ramp-held': [waits('ramp-held', ramp)],
  'ramp-slow': [under('ramp-slow 500ms', ramp)],
  'ramp-rejected': [under('ramp-rejected', ramp)],
  'ramp-short': [under('ramp-short 10', ramp)],
  'ramp-lies': [under('ramp-lies', unwaited(ramp))],
  'lifi-lies': [waits('bridge-unfilled, lifi-lies', far('lifi'))],
  'relay-stuck': [waits('relay-stuck', far('relay'))],
  'relay-slow': [under('relay-slow 500ms', far('relay'))],
  'relay-refund': [under('relay-refund', far('relay'))],
  'relay-refund-origin': [under('relay-refund-origin', far('relay'))],
  'relay-failed': [waits('relay-failed', far('relay'))],
  'relay-lies': [under('relay-lies', unwaited(far('relay')))],
  'rpc-slow': [under('rpc-slow 20ms', transfer)],
  'rpc-429': [under('rpc-429 1s --times 1', transfer)],
  'rpc-502': [
    [`${deposit} --no-wait`, 'sandbox fault rpc-502', briefly, clear, resume],
    under('rpc-502 --method eth_sendRawTransaction', unwaited(transfer), clear, resume),
  ],
  'rpc-hang': [under('rpc-hang --method eth_sendRawTransaction', unwaited(transfer), clear, resume)],
  'rpc-down': [
    under('rpc-down --method eth_sendRawTransaction', unwaited(deposit), 'action abandon ID', clear, resume),
  ],
  'rpc-lost-request': [under('rpc-lost-request --times 1', transfer)],
  'rpc-lost-answer': [under('rpc-lost-answer --times 1', transfer)],
  'rpc-wrong-chain': [[transfer, 'sandbox fault rpc-wrong-chain', briefly]],
  'rpc-head-back': [[transfer, 'sandbox fault rpc-head-back 1', briefly]],
  'stale-quote': [
    [`${near('uniswap-v3')} --no-wait`, 'sandbox fault stale-quote', clear, resume],
    [`${near('kyberswap')} --no-wait`, 'sandbox fault stale-quote', clear, resume, 'action replan ID'],
  ],
}

let lock: { release: () => void } | undefined
/** What happens beside the commands. */
const deeds: Readonly<Record<string, () => void | Promise<void>>> = {
  /** Another program of the same wallet uses the nonce of the pending transaction. */
  FOREIGN: async () => {
    const { rpc } = sandbox.chain(31337)
    const from = sandbox.user.address
    await rpc.request('anvil_dropAllTransactions')
    await rpc.request('eth_sendTransaction', [{ from, to: friend, value: '0x1' }])
  },
  /** Another process works with the same wallet. */
  LOCK: () => {
    const name = `31337-${sandbox.user.address.toLowerCase()}.lock`
    lock = tryLock(join(home(), 'data', 'sandbox', 'locks', name))
  },
  UNLOCK: () => lock?.release(),
}

describe('evidence of every outcome under a fault verifies', () => {
  const states = new Set<string>()
  const all = Object.entries(courses).flatMap(([fault, list]) =>
    list.map((course) => [fault, course] as const),
  )

  const random = seeded(campaignSeed(20261128))
  const shuffled = all.map((one) => ({ one, at: random() })).toSorted((a, b) => a.at - b.at)
  const chosen = shuffled.slice(0, cells(14, all.length)).map(({ one }) => one)

  test.each(chosen)('%s: %s', async (_, course) => {
    let id = ''
    const files: string[] = []
    const said: string[] = []
    for (const typed of course) {
      const deed = deeds[typed]
      if (deed) {
        await deed()
        continue
      }
      const line = typed.replace('unexported ', '').replace('ID', id).replace('POOL', pool())
      const ran = await run(`${line}${line.startsWith('sandbox') ? '' : ' --yes'} --json`)
      checkHint(wordsOf(line), ran.out, ran.err, ran.exit)
      if (line.startsWith('sandbox')) {
        expect(ran.exit, ran.err).toBe(0)
        continue
      }
      const last = JSON.parse(ran.out.trim().split('\n').at(-1)!)
      if (id === '') id = last.id ?? last.error.details.operation ?? last.error.details.id
      expect(id, ran.out).toMatch(/^\w{8}-/)
      if (typed.startsWith('unexported ')) continue
      const at = join(home(), `case-${files.length}`)
      for (const [file, more] of [
        [`${at}.json`, []],
        [`${at}.html`, ['--html']],
      ] as const) {
        const exported = await run(['action', 'export', id, '--out', file, ...more])
        expect(exported.exit, exported.err).toBe(0)
        files.push(file)
      }
      const { operation } = JSON.parse(readFileSync(`${at}.json`, 'utf8'))
      states.add(operation.state)
      said.push(`${line} ${ran.exit} ${operation.state}`)
    }
    await run('sandbox fault clear')
    const verified = []
    for (const file of files) {
      const { exit, json } = await run(['action', 'verify', file, '--json'])
      verified.push(`${file.split('/').at(-1)} ${exit} ${json.error?.message ?? ''}`)
      rmSync(file)
    }
    expect(verified, said.join('\n')).toEqual(verified.map(() => expect.stringMatching(/ 0 $/)))
  })

  test.skipIf(chosen.length < all.length)('the courses reach every state of an action', () => {
    expect([...states].toSorted()).toEqual(Object.keys(operationTransitions).toSorted())
  })
})
