import { setTimeout as sleep } from 'node:timers/promises'
import { keccak256, parseTransaction, recoverTransactionAddress, serializeTransaction } from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Hex } from '../../../src/domain/address.ts'
import { sandboxAddress, sandboxKey } from '../../../src/sandbox/accounts.ts'
import { type EmulatedLedger, type LedgerState, startLedger } from '../../support/keys/ledger-emulator.ts'
import { useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, signsNothing, attempts } = useCommands(sandbox)
/** The key on the device: an account of the sandbox that does not sign by default. */
const [key, owner] = [sandboxKey(2), sandboxAddress(2)]
const deposit = 'deposit aave-v3-usdc-sandbox-one --amount 25 --yes --json'
const pay =
  'transfer --network sandbox-one --token USDC --to 0x7777777777777777777777777777777777777777 --amount 1'

let ledger: EmulatedLedger
beforeEach(async () => {
  ledger = await startLedger(key)
})
afterEach(() => ledger.stop())
const withLedger = (line: string) => run(line, { env: { SLUICE_LEDGER_SPECULOS: ledger.url } })

describe('a Ledger', () => {
  test('signs the transactions of a deposit with its key, as it shows them', async () => {
    const { exit, json, err } = await withLedger(`${deposit} --ledger`)
    expect({ exit, from: json.originAddress, status: json.status }).toEqual({
      exit: 0,
      from: owner,
      status: 'SUCCESS',
    })
    expect(err).toContain(`Ledger m/44'/60'/0'/0/0 is ${owner}`)
    expect(ledger.shown).toHaveLength(2)
    for (const [at, { unsigned, path }] of ledger.shown.entries()) {
      expect(path).toBe("m/44'/60'/0'/0/0")
      expect(err).toContain(keccak256(unsigned))
      const { hash } = json.transactions[at]
      const raw = await sandbox.chain(31337).rpc.request<Hex>('eth_getRawTransactionByHash', [hash])
      expect(await recoverTransactionAddress({ serializedTransaction: raw as `0x02${string}` })).toBe(owner)
      expect(parseTransaction(raw)).toMatchObject(parseTransaction(unsigned))
    }
  })

  test.each([
    ["m/44'/60'/1'/0/0", "m/44'/60'/1'/0/0"],
    ["44'/60'/0'/3", "m/44'/60'/0'/3"],
    ['m/44h/60H/0h/0/7', "m/44'/60'/0'/0/7"],
  ])('signs with the key at derivation path %s', async (typed, path) => {
    const { exit } = await withLedger(`${pay} --yes --json --ledger ${typed}`)
    expect([exit, ledger.shown.map((one) => one.path)]).toEqual([0, [path]])
  })

  test.each([
    'aave-v3-usdc-sandbox-one',
    "m/44'/0'/0'/0/0",
    "m/44'/60'/2147483648'",
    "m/44'/60'/-1",
    "m/44'/60'",
  ])('refuses the derivation path %s', async (typed) => {
    const { exit, json } = await signsNothing(() => withLedger(`${pay} --yes --json --ledger ${typed}`))
    expect([exit, json.error.code]).toEqual([2, 'USAGE'])
    expect(json.error.message).toContain(typed)
  })

  test('receives all HTTP requests, and no other host receives any', async () => {
    const asked = new Set<string>()
    const { fetch } = globalThis
    globalThis.fetch = (input, init) => {
      asked.add(new URL(input instanceof Request ? input.url : input).host)
      return fetch(input, init)
    }
    try {
      expect((await withLedger(`${pay} --yes --json --ledger`)).exit).toBe(0)
    } finally {
      globalThis.fetch = fetch
    }
    expect([...asked]).toEqual([new URL(ledger.url).host])
  })

  test('is not contacted for a dry run with --wallet, wallet list or doctor', async () => {
    ledger.set({ isSilent: true })
    const plan = await withLedger(`${pay} --dry-run --json --ledger --wallet ${owner}`)
    expect({ exit: plan.exit, wallet: plan.json.wallet }).toEqual({ exit: 0, wallet: owner })
    expect((await withLedger('wallet list --json')).exit).toBe(0)
    expect((await withLedger('doctor --json')).exit).toBe(0)
  })

  test('must hold the address given by --wallet', async () => {
    const other = sandboxAddress(3)
    const { exit, json } = await signsNothing(() =>
      withLedger(`${pay} --yes --json --ledger --wallet ${other}`),
    )
    expect([exit, json.error.code]).toEqual([13, 'KEY_SOURCE'])
    expect(json.error.message).toContain(`is ${owner}, not ${other}`)
    expect((await withLedger(`${pay} --yes --json --ledger --wallet ${owner}`)).exit).toBe(0)
  })

  test.each<[string, Partial<LedgerState>, number, RegExp]>([
    ['that rejects', { person: 'rejects' }, 9, /rejected on the Ledger/],
    ['that is locked', { isLocked: true }, 13, /locked.*Unlock/],
    ['with its app closed', { app: 'BOLOS' }, 13, /app of the Ledger is closed.*Open the Ethereum app/],
    ['with another app open', { app: 'Bitcoin' }, 13, /app Bitcoin open.*Open the Ethereum app/],
    ['with an old app', { version: '1.8.8' }, 13, /is 1\.8\.8.*1\.9\.0/],
    ['without blind signing', { blindSigning: false }, 13, /blind signing is off.*Settings, Blind signing/],
    ['that answers with status 6a80', { person: { status: '6a80' } }, 13, /0x6a80.*Update/],
    ['that answers with status 6501', { person: { status: '6501' } }, 13, /EIP-1559.*Update/],
    ['that answers with an unknown status', { person: { status: '6fab' } }, 13, /0x6fab/],
    ['that is disconnected', { person: 'pulls the cable' }, 13, /disconnected.*Nothing was sent/],
    [
      'that signs another transaction',
      {
        person: {
          signs: (unsigned) => serializeTransaction({ ...parseTransaction(unsigned), nonce: 4_000 } as never),
        },
      },
      8,
      /not return the requested transaction/,
    ],
  ])('%s causes an error with the cause, and nothing is signed', async (_, state, code, words) => {
    ledger.set(state)
    const { exit, json } = await signsNothing(() => withLedger(`${pay} --yes --json --ledger`))
    expect({ exit, says: `${json.error.message} ${json.error.hint}` }).toEqual({
      exit: code,
      says: expect.stringMatching(words),
    })
  })

  test('that is not connected exits 13 with a hint to connect it', async () => {
    await ledger.stop()
    const { exit, json } = await signsNothing(() => withLedger(`${pay} --yes --json --ledger`))
    expect([exit, json.error.code]).toEqual([13, 'KEY_SOURCE'])
    expect(json.error.hint).toMatch(/Connect it|open its Ethereum app/)
    ledger = await startLedger(key)
  })

  test('without confirmation in time sends nothing, and resume completes the operation after one', async () => {
    ledger.set({ person: 'says nothing' })
    const { exit, json } = await signsNothing(() =>
      withLedger(`${pay} --yes --json --ledger --timeout 4s --idempotency-key paid-by-hand`),
    )
    expect([exit, json.error.code]).toEqual([13, 'KEY_SOURCE'])
    expect(json.error.message).toContain('Nothing was sent')
    ledger.set({ person: 'confirms' })
    const resumed = await withLedger('action resume paid-by-hand --json --ledger')
    expect([resumed.exit, resumed.json.originAddress]).toEqual([0, owner])
  })

  test('that rejects the second step exits 21, and resume continues with that step', async () => {
    ledger.set({ person: 'confirms' })
    const first = withLedger(`${deposit} --ledger --idempotency-key two-steps`)
    await ledger.shows()
    ledger.set({ person: 'rejects' })
    const { exit, json } = await first
    expect([exit, json.error.code]).toEqual([21, 'PARTIAL'])
    expect(json.error.message).toMatch(/not signed: The request was rejected on the Ledger$/)
    expect(json.error.hint).toBe(`sluice action resume ${json.error.details.id} --ledger`)
    ledger.set({ person: 'confirms' })
    const resumed = await withLedger('action resume two-steps --json --ledger')
    expect([resumed.exit, ledger.shown.length]).toEqual([0, 3])
  })

  test('that confirms after the quote has expired: the swap is not sent', async () => {
    ledger.set({
      person: {
        signs: async (unsigned) => {
          // The user confirms the swap, which follows the approval, an hour later.
          if (ledger.shown.length === 2) {
            await sandbox.world.warp(3_600)
            await sleep(1_100)
          }
          return unsigned
        },
      },
    })
    const swap = 'swap execute --from sandbox-one --token-in USDC --token-out WETH --amount-in 10'
    const { exit, json } = await withLedger(`${swap} --yes --json --ledger`)
    expect([exit, json.error.code, ledger.shown.length, attempts()]).toEqual([21, 'PARTIAL', 2, 1])
  })

  test('cancels a pending transaction with an empty one to itself at the same nonce', async () => {
    const { rpc } = sandbox.chain(31337)
    await rpc.request('evm_setAutomine', [false])
    try {
      const sent = await withLedger(`${pay} --yes --json --no-wait --ledger`)
      expect(sent.exit).toBe(20)
      const cancelled = withLedger(`action cancel ${sent.json.error.details.id} --yes --json --ledger`)
      await ledger.shows(2)
      const [first, second] = ledger.shown.map(({ unsigned }) => parseTransaction(unsigned))
      expect(second).toMatchObject({ to: owner.toLowerCase(), nonce: first!.nonce })
      expect([second!.value, second!.data]).toEqual([undefined, undefined])
      // A block before the node has the replacement would contain the payment.
      const pooled = async () => Object.values((await pool()).pending).flatMap((one) => Object.values(one))
      const pool = () =>
        rpc.request<{ pending: Record<string, Record<string, { input: string }>> }>('txpool_content')
      await expect.poll(async () => (await pooled()).map(({ input }) => input)).toContain('0x')
      let isOver = false
      void cancelled.finally(() => {
        isOver = true
      })
      while (!isOver) {
        await sleep(100)
        await rpc.request('evm_mine')
      }
      expect((await cancelled).exit).toBe(24)
    } finally {
      await rpc.request('evm_setAutomine', [true])
    }
  })

  test.each([
    ['--ledger --key-file key', '--key-file and --ledger cannot be combined'],
    ['--ledger --signer-url http://127.0.0.1:1', '--ledger and --signer-url cannot be combined'],
    ['--ledger --wallet main', '--ledger and --wallet cannot be combined'],
  ])('cannot be combined with another signer: %s', async (flags, words) => {
    const { exit, json } = await run(`${pay} --yes --json ${flags}`)
    expect([exit, json.error.message]).toEqual([2, words])
  })

  test.each(['http://192.0.2.1:5000', 'https://127.0.0.1:5000', 'nonsense'])(
    'emulator is refused at a URL other than http on this machine: %s',
    async (url) => {
      const { exit, json } = await run(`${pay} --yes --json --ledger`, {
        env: { SLUICE_LEDGER_SPECULOS: url },
      })
      expect([exit, json.error.code]).toEqual([2, 'CONFIG_INVALID'])
    },
  )
})
