import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { errorRow, isErrorCode } from '../../../src/domain/errors.ts'
import { sandboxKey } from '../../../src/sandbox/accounts.ts'
import { programHome, spawnSluice, startSluice } from '../../support/spawn-program.ts'
import { type Circumstances, type Ran, rpcEnvOf, useCommands } from '../../support/use-commands.ts'
import { calldata, useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, home, signsNothing } = useCommands(sandbox)
const place = 'aave-v3-usdc-sandbox-one'
const stranger = '0x8888888888888888888888888888888888888888'
const key = sandboxKey(2)
const pay = `transfer --network sandbox-one --token USDC --to ${stranger} --amount 1 --yes`

type Wrong = { exit: number; code: string; says: string | RegExp }

/** The codes whose text was compared: text and JSON show the same error, which `every-error.test.ts` compares for each command. */
const comparedAsText = new Set<string>()

/** Runs a line as JSON, and the first one of each code as text too: both must report the same failure. Nothing may be signed. */
async function refused(
  line: string | readonly string[],
  wrong: Wrong,
  more: Circumstances = {},
): Promise<Ran> {
  const asJson = typeof line === 'string' ? `${line} --json` : [...line, '--json']
  const [words, json] = await signsNothing(
    async () =>
      [comparedAsText.has(wrong.code) ? undefined : await run(line, more), await run(asJson, more)] as const,
  )
  if (words) {
    expect({ exit: words.exit, err: words.err }).toMatchObject({ exit: wrong.exit })
    expect(words.out).toBe('')
    expect(words.err).toMatch(/error .+ \([A-Z_]+\)\nnext( {2}.+)?\n( {6}.+\n)*$/)
    expect(words.err).toContain(`(${wrong.code})`)
    comparedAsText.add(wrong.code)
  }
  expect(json.exit).toBe(wrong.exit)
  const { error } = json.json
  expect(Object.keys(json.json)).toEqual(['error'])
  expect(Object.keys(error)).toEqual(['code', 'message', 'details', 'hint', 'next', 'retryable'])
  expect(error.code).toBe(wrong.code)
  expect(isErrorCode(error.code) && errorRow(error.code).exit).toBe(wrong.exit)
  expect(`${error.message} ${error.hint}`).toMatch(wrong.says)
  return json
}

describe('unknown names', () => {
  test.each<[string, string, Wrong]>([
    [
      'an unknown strategy',
      'deposit nobody-s-strategy --amount 1 --yes',
      { exit: 4, code: 'STRATEGY_NOT_FOUND', says: /nobody-s-strategy.*strategies list/ },
    ],
    [
      'an unknown asset to recommend for',
      'yield recommend DOGE',
      { exit: 4, code: 'STRATEGY_NOT_FOUND', says: /DOGE/i },
    ],
    [
      'an unknown network',
      `transfer --network mars --token USDC --to ${stranger} --amount 1 --yes`,
      { exit: 2, code: 'UNKNOWN_NETWORK', says: /"mars".*networks list/ },
    ],
    [
      'a mistyped network',
      `transfer --network sandbox-oen --token USDC --to ${stranger} --amount 1 --yes`,
      { exit: 2, code: 'UNKNOWN_NETWORK', says: /did you mean sandbox-one\?/ },
    ],
    [
      'a network ID that the sandbox does not have',
      'strategies list --network 1',
      {
        exit: 2,
        code: 'UNKNOWN_NETWORK',
        says: /The sandbox has no network "ethereum".*sandbox-one and sandbox-two.*SLUICE_RPC_ETHEREUM.*sluice init/,
      },
    ],
    [
      'an unknown token',
      `transfer --network sandbox-one --token DOGE --to ${stranger} --amount 1 --yes`,
      { exit: 2, code: 'UNKNOWN_TOKEN', says: /"DOGE" on sandbox-one.*USDC/ },
    ],
    [
      'an unknown token of a swap',
      'swap quote --from sandbox-one --token-in USDC --token-out DOGE --amount-in 1',
      { exit: 2, code: 'UNKNOWN_TOKEN', says: /"DOGE"/ },
    ],
    [
      'an unknown token to fund',
      `sandbox fund ${stranger} --token DOGE`,
      { exit: 2, code: 'UNKNOWN_TOKEN', says: /DOGE/ },
    ],
    [
      'an unknown quote',
      'swap execute 0f8fad5b-d9cb-469f-a165-70867728950e --yes',
      { exit: 4, code: 'QUOTE_NOT_FOUND', says: /0f8fad5b.*swap list/ },
    ],
    [
      'the status of an unknown quote',
      'swap status 0f8fad5b-d9cb-469f-a165-70867728950e',
      { exit: 4, code: 'QUOTE_NOT_FOUND', says: /0f8fad5b/ },
    ],
    [
      'an unknown provider',
      'swap quote --from sandbox-one --token-in USDC --token-out WETH --amount-in 1 --provider nobody',
      { exit: 4, code: 'INVALID_PREFERRED_PROVIDER', says: /nobody/ },
    ],
    [
      'a provider that does not serve the route',
      'swap quote --from sandbox-one --token-in USDC --token-out WETH --amount-in 1 --provider cctp',
      { exit: 4, code: 'PREFERRED_PROVIDER_NOT_ELIGIBLE', says: /cctp/ },
    ],
    [
      'a route that no provider serves',
      'swap quote --from sandbox-one --to sandbox-two --token-in WETH --token-out ETH --amount-in 1',
      { exit: 4, code: 'NO_ROUTE_FOUND', says: /ETH|route/ },
    ],
    [
      'an unknown action',
      'action show 0f8fad5b-d9cb-469f-a165-70867728950e',
      { exit: 4, code: 'ACTION_NOT_FOUND', says: /0f8fad5b.*action list/ },
    ],
    [
      'an unknown wallet',
      `${pay} --wallet nobody`,
      {
        exit: 13,
        code: 'KEY_SOURCE',
        says: /"nobody".*use wallet import\. To create one: sluice wallet new nobody$/,
      },
    ],
    [
      'the export of an unknown wallet',
      'wallet export nobody',
      { exit: 13, code: 'KEY_SOURCE', says: /nobody/ },
    ],
    ['the use of an unknown wallet', 'wallet use nobody', { exit: 13, code: 'KEY_SOURCE', says: /nobody/ }],
    [
      'the removal of an unknown wallet',
      'wallet remove nobody --yes',
      {
        exit: 13,
        code: 'KEY_SOURCE',
        says: /"nobody" No keystore exists on this machine\. To create one: sluice wallet new NAME$/,
      },
    ],
    [
      'a missing key file',
      `${pay} --key-file ./no-such-file`,
      { exit: 13, code: 'KEY_SOURCE', says: /no-such-file.*does not exist/ },
    ],
    [
      'an unknown profile',
      'strategies list --profile moon',
      { exit: 2, code: 'CONFIG_INVALID', says: /"moon"/ },
    ],
  ])('%s is refused with its code, and nothing is signed', async (_, line, wrong) => {
    await refused(line, wrong)
  })

  test('a symbol that two tokens share is refused with both addresses', async () => {
    const line = `transfer --network sandbox-one --token DUP --to ${stranger} --amount 1 --yes`
    const { json } = await refused(line, { exit: 2, code: 'AMBIGUOUS_TOKEN', says: /DUP/ })
    const both = sandbox.world.catalog().tokens.filter(({ symbol }) => symbol === 'DUP')
    expect(both).toHaveLength(2)
    for (const { address } of both) expect(json.error.message).toContain(address)
  })
})

describe('an amount', () => {
  test.each<[string, RegExp]>([
    ['1.1234567', /7 decimals.*6.*mean 1\.123456 USDC: --amount 1\.123456$/],
    ['-1', /"-1" is negative; an amount must be above zero(?!.*--amount 1\b)/s],
    ['150%', /"150%" is more than 100%/],
    ['+1', /\+1.*mean 1 USDC: --amount 1$/],
    ['1e6', /1e6.*mean 1,000,000 USDC: --amount 1000000$/],
    ['0x64', /0x64.*mean 100 USDC: --amount 100$/],
    ['1,000', /1,000.*: --amount 1000\. .*: --amount 1$/],
    ['1_000', /1_000/],
    ['1.', /"1\."/],
    ['.5', /\.5/],
    ['١٢', /is not an amount/],
    ['NaN', /NaN/],
    ['0', /zero/],
    ['0.0', /zero/],
    ['100WETH', /WETH.*USDC/],
    [`1${'0'.repeat(80)}`, /more than any token/],
  ])('of %s is refused as INVALID_AMOUNT with the reason', async (amount, says) => {
    await refused(['deposit', place, `--amount=${amount}`, '--yes'], {
      exit: 2,
      code: 'INVALID_AMOUNT',
      says,
    })
  })

  const swap = 'sandbox-one --token-in USDC --token-out WETH'
  test.each([
    [`swap quote --from ${swap} --amount-in 1e3`, '--amount-in 1000'],
    [`swap quote --from ${swap} --amount-out 1e3`, '--amount-out 1000'],
    [`swap execute --from ${swap} --amount-in 1 --accept-min-out 1e3 --yes`, '--accept-min-out 1000'],
    [`yield recommend USDC --wallet ${stranger} --amount 1e3`, '--amount 1000'],
    [`sandbox fund ${stranger} --token USDC --amount 1e3`, '--amount 1000'],
  ])('in "%s" is corrected with the flag of that command', async (line, flag) => {
    const { json } = await refused(line, { exit: 2, code: 'INVALID_AMOUNT', says: /"1e3"/ })
    expect(json.error.next).toMatchObject([{ command: expect.stringMatching(`${flag}$`) }])
  })

  test('below --accept-min-out is refused in units of the token, and the hint names what was accepted', async () => {
    const { json } = await refused(`swap execute --from ${swap} --amount-in 100 --accept-min-out 5 --yes`, {
      exit: 8,
      code: 'POLICY_MIN_OUT',
      says: /only 0\.0[0-9]+ WETH, less than 5 WETH/,
    })
    expect(json.error.hint).toMatch(/below the 5 that you accept/)
    expect(json.error.hint).not.toContain('--slippage')
  })

  test.each(['1.5', '-1', '1e6', '0x64', '1,000', '0', ''])(
    'of --amount-raw "%s" is refused',
    async (amount) => {
      const wrong = { exit: 2, code: 'INVALID_AMOUNT', says: /smallest unit|zero/ }
      await refused(['deposit', place, `--amount-raw=${amount}`, '--yes'], wrong)
    },
  )

  test('is required, by only one of the amount flags', async () => {
    const wrong = { exit: 2, code: 'USAGE', says: /--amount/ }
    await refused(`deposit ${place} --yes`, { ...wrong, says: /No amount.*: sluice deposit --help$/ })
    await refused(`deposit ${place} --amount 1 --amount-raw 1 --yes`, wrong)
    await refused(`withdraw ${place} --amount max --amount-raw 1 --yes`, wrong)
    await refused('swap quote --from sandbox-one --token-in USDC --token-out WETH', {
      ...wrong,
      says: /--amount-in.*--amount-out.*swap quote --help$/,
    })
  })

  test('above the balance exits 10 and states the balance', async () => {
    const wrong = { exit: 10, code: 'INSUFFICIENT_FUNDS', says: /100,000 USDC.*(needs|than) 100,001 USDC/s }
    await refused(`deposit ${place} --amount 100001 --yes`, wrong)
    await refused(`deposit ${place} --amount 100001 --dry-run`, wrong)
    await refused(`transfer --network sandbox-one --token USDC --to ${stranger} --amount 100001 --yes`, wrong)
    const swap = 'swap execute --from sandbox-one --token-in USDC --token-out WETH --amount-in 100001 --yes'
    await refused(swap, wrong)
    await refused(`transfer --network sandbox-one --token ETH --to ${stranger} --amount 10000 --yes`, {
      ...wrong,
      says: /ETH/,
    })
  })

  test('above the position in the strategy exits 10', async () => {
    await run(`deposit ${place} --amount 10 --yes --quiet`)
    await refused(`withdraw ${place} --amount 11 --yes`, {
      exit: 10,
      code: 'INSUFFICIENT_FUNDS',
      says: /10.*11/,
    })
    await refused('withdraw aave-v3-weth-sandbox-one --amount max --yes', {
      exit: 10,
      code: 'INSUFFICIENT_FUNDS',
      says: /WETH|nothing/i,
    })
  })
})

describe('refusals by the service', () => {
  test('a deposit into a paused strategy exits 10', async () => {
    const { json } = await run('strategies list --paused only --json')
    const [{ slug }] = json.items
    await refused(`deposit ${slug} --amount 0.01 --yes`, {
      exit: 10,
      code: 'STRATEGY_PAUSED',
      says: /paused/,
    })
  })

  test('a deposit above the cap of a strategy exits 10', async () => {
    const vault = sandbox.strategy('sandbox-vault-USDC-sandbox-one')
    if (vault.constants.family !== 'erc4626') throw new Error('not a vault')
    const to = vault.constants.vault
    const data = calldata('function totalAssets() view returns (uint256)', [])
    // Its assets grow all the time, so the cap is set from their current value.
    const held = BigInt(await sandbox.chain(31337).rpc.request<string>('eth_call', [{ to, data }, 'latest']))
    await sandbox.sendAs(31337, '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266', {
      to,
      data: calldata('function setCap(uint256)', [held + 10_000000n]),
    })
    await refused(`deposit ${vault.slug} --amount 11 --yes`, {
      exit: 10,
      code: 'STRATEGY_CAP_REACHED',
      says: /Deposit less/,
    })
  })

  test('an expired quote exits 4', async () => {
    const { json } = await run(
      'swap quote --from sandbox-one --token-in USDC --token-out WETH --amount-in 1 --json',
    )
    const wrong = {
      exit: 4,
      code: 'QUOTE_EXPIRED',
      says: /expired at \d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ\. .*swap quote/is,
    }
    await refused(`swap execute ${json.id} --yes`, wrong, { later: 301_000 })
    const again =
      'Get a new quote: sluice swap quote --from sandbox-one --token-in USDC --token-out WETH --amount-in 1'
    const late = await run(`swap execute ${json.id} --yes --json`, { later: 301_000 })
    expect(late.json.error.hint).toBe(again)
    const watched = await run(`swap status ${json.id} --watch --json`, { later: 301_000 })
    expect(watched.exit).toBe(4)
    expect(JSON.parse(watched.out.trimEnd().split('\n').at(-1)!).error.hint).toBe(again)
  })

  test('a transfer to the zero address, the token contract or the sender exits 4', async () => {
    const to = (address: string) =>
      `transfer --network sandbox-one --token USDC --to ${address} --amount 1 --yes`
    const wrong = { exit: 4, code: 'TRANSFER_VALIDATION_FAILED', says: /recipient/ }
    await refused(to('0x0000000000000000000000000000000000000000'), wrong)
    await refused(to(sandbox.token(31337, 'USDC').address), wrong)
    await refused(to(sandbox.user.address), wrong)
  })
})

describe('usage errors', () => {
  const usage = (says: RegExp): Wrong => ({ exit: 2, code: 'USAGE', says })
  test.each<[string, Wrong]>([
    ['depositt x --amount 1', usage(/depositt.*deposit/)],
    ['strategies lst', usage(/lst.*list/)],
    [`deposit ${place} --amout 1`, usage(/--amout.*--amount/)],
    [`deposit --amount 1 --yes`, usage(/missing.*id/)],
    ['strategies list --page 0', usage(/--page.*"0"/)],
    ['strategies list --page -1', usage(/--page/)],
    ['strategies list --page two', usage(/--page.*"two"/)],
    [
      'withdraw sandbox-lido-eth-sandbox-one --claim --restart-cooldown',
      usage(/--restart-cooldown applies to/),
    ],
    ['withdraw sandbox-lido-eth-sandbox-one --claim --slippage 1%', usage(/--slippage applies to/)],
    ['strategies list --limit 101', usage(/--limit.*100.*"101"/)],
    [`history ${place} --limit 0`, usage(/--limit/)],
    ['swap list --limit 1.5', usage(/--limit/)],
    ['strategies list --sort price', usage(/price.*apy, tvl, name/)],
    ['strategies list --min-apy 3', usage(/3.*--min-apy 3%/)],
    ['strategies list --csv --json', usage(/--csv/)],
    ['strategies list --timeout soon', usage(/"soon".*30s/)],
    [`action watch ${stranger} --interval 5`, usage(/"5".*30s/)],
    ['sandbox warp 5', usage(/"5"/)],
    ['sandbox warp 0s', usage(/from one second/)],
    [`sandbox fund ${stranger} --amount 5`, usage(/--token/)],
    ['sandbox fund somebody', usage(/somebody/)],
    [`wallet show ${stranger}9`, usage(/address/)],
    [`transfer --network sandbox-one --token USDC --to bob --amount 1 --yes`, usage(/"bob"/)],
    [
      // One letter of the checksum is in the wrong case.
      'transfer --network sandbox-one --token USDC --to 0x3C44CdDdB6a900fa2b585dd299e03d12FA4293Bc --amount 1 --yes',
      usage(/upper and lower case/),
    ],
    [
      'swap quote --from sandbox-one --token-in USDC --token-out WETH --amount-in 1 --slippage 0.5',
      usage(/--slippage 0\.5%/),
    ],
    [
      'swap quote --from sandbox-one --token-in USDC --token-out WETH --amount-in 1 --slippage 60%',
      usage(/50%/),
    ],
    [
      'swap quote --from sandbox-one --token-in USDC --token-out WETH --amount-in 1 --amount-out 1',
      usage(/--amount-in/),
    ],
    [
      'swap quote --from sandbox-one --token-in USDC --token-out WETH --amount-in 1 --speed fast',
      usage(/has no speeds omit --speed/s),
    ],
    ['swap quote --amount-in 1', usage(/--from, --token-in, --token-out/)],
    ['swap execute some-id --from sandbox-one --yes', usage(/cannot be combined/)],
    [`yield recommend USDC --wallet ${stranger}`, usage(/--amount/)],
    [`${pay} --idempotency-key short`, usage(/8-128/)],
    [`${pay} --wallet a --key-file b`, usage(/cannot be combined/)],
    ['wallet import x --key-file a --keystore b', usage(/cannot be combined/)],
    [`strategies show ${place} --csv`, usage(/--json/)],
    ['strategies list --fields slug,nothing', usage(/"nothing".*slug/)],
    ['strategies list --fields aply', usage(/did you mean apy.*slug/)],
    ['strategies list --protocol none-such --fields catgory', usage(/did you mean category/)],
    ['serve --csv --port 0', usage(/--csv/)],
  ])('%s exits 2 with USAGE', async (line, wrong) => {
    const isBoth = line.includes('--csv --json')
    if (!isBoth) return void (await refused(line, wrong))
    const { exit, json } = await signsNothing(() => run(line))
    expect([exit, json.error.code]).toEqual([2, 'USAGE'])
  })

  test('a deposit without --yes and without a terminal exits 2 and signs nothing', async () => {
    const wrong = { exit: 2, code: 'PROMPT_NEEDED', says: /Deposit 1 USDC.*--yes/ }
    await refused(`deposit ${place} --amount 1`, wrong)
    await refused(`deposit ${place} --amount 1 --no-input`, wrong)
  })
})

describe('keys', () => {
  test.each([
    `${pay} --wallet ${key}`,
    `${pay} --key-file ${key}`,
    `${pay} --key-file=${key}`,
    `${pay} --private-key ${key}`,
    `wallet import main ${key}`,
    `wallet new ${key}`,
    `wallet show ${key}`,
    `${key}`,
    `deposit ${place} --amount 1 --yes ${key.slice(2)}`,
    `swap execute --from sandbox-one --token-in USDC --token-out WETH --amount-in 1 --wallet ${key} --yes`,
    `action resume some-action --key-file ${key}`,
  ])('as an argument are refused and not printed: %#', async (line) => {
    const wrong = { exit: 2, code: 'INSECURE_KEY_SOURCE', says: /argument.*--key-file/ }
    const { out, err } = await refused(line, wrong)
    expect(out + err).not.toContain(key.slice(2, 20))
  })

  test('and passwords in files that others can read exit 13', async () => {
    const path = join(home(), 'key')
    writeFileSync(path, key)
    chmodSync(path, 0o644)
    const wrong = { exit: 13, code: 'KEY_SOURCE', says: /(644|640).*chmod 600/ }
    await refused(`${pay} --key-file ${path}`, wrong)
    await refused(`wallet import main --key-file ${path}`, wrong)
    chmodSync(path, 0o600)
    const password = join(home(), 'password')
    writeFileSync(password, 'open', { mode: 0o640 })
    await refused(`wallet import main --key-file ${path} --password-file ${password}`, wrong)
  })

  test.each(['', 'hello', `${key}${key}`, '0x00', `0x${'0'.repeat(64)}`, `0x${'f'.repeat(64)}`])(
    'that are invalid exit 13 and are not printed: %#',
    async (text) => {
      const path = join(home(), 'key')
      writeFileSync(path, text, { mode: 0o600 })
      const { out } = await refused(`${pay} --key-file ${path}`, {
        exit: 13,
        code: 'KEY_SOURCE',
        says: /key/,
      })
      if (text.length > 8) expect(out).not.toContain(text)
    },
  )

  test('with an empty password exit 13; a missing password or a reserved name exits 2', async () => {
    const path = join(home(), 'password')
    writeFileSync(path, '\n', { mode: 0o600 })
    await refused(`wallet new main --password-file ${path}`, { exit: 13, code: 'KEY_SOURCE', says: /empty/ })
    await refused('wallet new __proto__', { exit: 2, code: 'USAGE', says: /cannot be the name/ })
    for (const line of ['new 0xabc', `import ${stranger}`, `new ${stranger.replace('0x', '0X')}`])
      await refused(`wallet ${line}`, { exit: 2, code: 'USAGE', says: /read as addresses/ })
    await refused('wallet new main', { exit: 2, code: 'PROMPT_NEEDED', says: /--password-file/ })
  })

  test('under a wallet name that is a path are refused', async () => {
    for (const name of ['../main', 'a/b', '.', '..', '-x '])
      expect((await run(['wallet', 'new', name], { secrets: { password: 'p' } })).exit).toBeGreaterThan(0)
  })
})

describe('files', () => {
  const config = (text: string) => {
    mkdirSync(join(home(), 'config'), { recursive: true })
    writeFileSync(join(home(), 'config', 'config.json'), text)
  }

  test.each(['{', '[]', '{"wallet": 5}', '{"walet": "x"}', 'null'])(
    'config.json that holds %s exits 2 and the hint moves the file aside',
    async (text) => {
      config(text)
      await refused(pay, { exit: 2, code: 'CONFIG_INVALID', says: /config\.json.*mv/s })
    },
  )

  test('a configured wallet that does not exist exits 13', async () => {
    config('{"wallet": "gone"}')
    await refused(pay, { exit: 13, code: 'KEY_SOURCE', says: /"gone"/ })
  })

  test.each([
    ['the data directory', 'data'],
    ['the directory of the sandbox', 'data/sandbox'],
  ])('a file in place of %s exits 12, and nothing is signed', async (_, path) => {
    const whole = join(home(), path)
    rmSync(whole, { recursive: true })
    writeFileSync(whole, '')
    const nonce = () =>
      sandbox.chain(31337).rpc.request('eth_getTransactionCount', [sandbox.user.address, 'pending'])
    const before = await nonce()
    const { exit, json } = await run(`${pay} --json`)
    expect({ exit, code: json.error.code }).toEqual({ exit: 12, code: 'STATE_UNUSABLE' })
    expect(json.error.message).toContain(home())
    expect(json.error.hint).toContain('data directory')
    expect(await nonce()).toBe(before)
  })

  test('a home below a file exits 12', async () => {
    const { exit, err } = await run(pay, { env: { SLUICE_HOME: '/dev/null/sluice' } })
    expect({ exit, err }).toMatchObject({ exit: 12, err: expect.stringContaining('STATE_UNUSABLE') })
  })

  test.each([
    ['deposit', place, '--amount', '1', '--yes', '--json'],
    ['sandbox', 'up', '--json'],
    ['wallet', 'import', 'main', '--key-file', 'key', '--password-file', 'password', '--json'],
  ])(
    'a home that cannot be created exits 12 without hanging: %s',
    async (...line) => {
      for (const [name, text] of Object.entries({ key, password: 'open' }))
        writeFileSync(join(home(), name), text, { mode: 0o600 })
      // /proc reports a missing parent, however often the parent is created.
      const started = startSluice(home(), line, { env: { SLUICE_HOME: '/proc/nope' } })
      try {
        const { exit, out } = await started.ended
        expect({ exit, code: JSON.parse(out).error.code }).toEqual({ exit: 12, code: 'STATE_UNUSABLE' })
      } finally {
        started.child.kill('SIGKILL')
      }
    },
    20_000,
  )

  test('a journal that is not a database exits 26 and stays unchanged', async () => {
    const path = join(home(), 'data', 'sandbox', 'journal.db')
    const text = 'this is not a database, whatever it was'
    writeFileSync(path, text)
    const { exit, json } = await run(`${pay} --json`)
    expect({ exit, code: json.error.code }).toEqual({ exit: 26, code: 'JOURNAL_UNREADABLE' })
    expect(json.error.hint).not.toBeNull()
    expect(readFileSync(path, 'utf8')).toBe(text)
  })

  test('a journal that others can read exits 12 with a chmod hint', async () => {
    const path = join(home(), 'data', 'sandbox', 'journal.db')
    chmodSync(path, 0o644)
    const { exit, json } = await run(`${pay} --json`)
    expect({ exit, hint: json.error.hint }).toEqual({ exit: 12, hint: `chmod 600 ${path}` })
  })
})

/** Mounts a small disk; only a privileged user can. */
function mounted(path: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=128k', 'tmpfs', path], { stdio: 'ignore' })
    return true
  } catch {
    return false // The test that needs it is skipped by name.
  }
}

test('a full disk exits 12, and nothing is signed', async ({ skip }) => {
  const small = mkdtempSync(join(tmpdir(), 'sluice-small-'))
  const isMounted = mounted(small)
  try {
    if (!isMounted) return skip('only a privileged user can mount a small disk')
    writeFileSync(join(small, 'filler'), Buffer.alloc(120 * 1024))
    const { exit, json } = await signsNothing(() => run(`${pay} --json`, { env: { SLUICE_HOME: small } }))
    expect({ exit, code: json.error.code }).toEqual({ exit: 12, code: 'STATE_UNUSABLE' })
    expect(`${json.error.message} ${json.error.hint}`).toMatch(/full.*free space/)
  } finally {
    // A command may still have its database open: a lazy unmount waits for that.
    if (isMounted) execFileSync('umount', ['--lazy', small])
    rmSync(small, { recursive: true, force: true })
  }
})

describe('a repeated flag', () => {
  test.each([
    ['two amounts', `deposit ${place} --amount 1 --amount 2 --yes`, '--amount'],
    ['the same value', `deposit ${place} --amount 1 --amount=1 --yes`, '--amount'],
    ['a page number', 'strategies list --page 1 --page 2', '--page'],
    ['a global flag on both sides', '--timeout 5s strategies list --timeout 9s', '--timeout'],
  ])('is refused: %s', async (_, line, flag) => {
    const says = new RegExp(`^${flag} is given twice sluice .*--help$`)
    await refused(line, { exit: 2, code: 'USAGE', says })
  })

  test('is accepted where the flag takes several values', async () => {
    const vouched = `--allow-token ${stranger} --allow-token ${sandbox.user.address}`
    expect((await run(`deposit ${place} --amount 1 --dry-run ${vouched}`)).exit).toBe(0)
  })
})

test('a dry run without a wallet says that it needs only an address', async () => {
  const { exit, json } = await run(`deposit ${place} --amount 1 --dry-run --json`, { env: rpcEnvOf(sandbox) })
  expect([exit, json.error.code, json.error.message]).toEqual([2, 'KEY_REQUIRED', 'No wallet given'])
  expect(json.error.hint).toContain('--wallet ADDR')
})

test('action resume without a signer names the wallet of the action, and hints at no new wallet', async () => {
  const env = rpcEnvOf(sandbox)
  const secrets = { privateKey: sandbox.user.key }
  const line = `deposit ${place} --amount 1 --yes --json --idempotency-key whose-key-1`
  const { id } = (await run(line, { env, secrets })).json
  const { exit, json } = await run(`action resume ${id} --yes --json`, { env })
  expect([exit, json.error.code]).toEqual([2, 'KEY_REQUIRED'])
  expect(json.error.message).toContain(`this action belongs to ${sandbox.user.address}`)
  expect(json.error.hint).not.toContain('wallet new')
  expect((await run('doctor', { env })).out).toContain('readable and writable; 1 operation\n')
})

describe('a deposit of one unit that rounds to no shares', () => {
  test.each([
    ['a vault', 'sandbox-vault-usdc-sandbox-one'],
    ['Lido', 'sandbox-lido-eth-sandbox-one'],
  ])('into %s exits 2 and asks for a larger amount', async (_, slug) => {
    await sandbox.world.warp(86_400 * 30)
    const wrong = { exit: 2, code: 'INVALID_AMOUNT', says: /is too little for .* Give a larger amount/ }
    await refused(`deposit ${slug} --amount-raw 1 --yes --idempotency-key dust-is-little`, wrong)
  })
})

describe('without anvil', () => {
  let place: ReturnType<typeof programHome>
  beforeAll(() => {
    place = programHome(inject('sandboxCache'))
  })
  afterEach(() => place.end())

  test('strategies list exits 12, names the variable and leaves no process running', async () => {
    const start = { path: '', env: { SLUICE_ANVIL: join(place.home, 'no-anvil') } }
    const { exit, out, err } = await spawnSluice(place.home, ['strategies', 'list', '--json'], start)
    expect({ exit, err }).toMatchObject({ exit: 12 })
    expect(JSON.parse(out).error).toMatchObject({ code: 'ANVIL_NOT_FOUND', hint: /^Set SLUICE_ANVIL/ })
    await place.gone()
    expect(existsSync(join(place.data, 'sandbox', 'journal.db'))).toBe(false)
  })
})

const isPlayable = process.getuid?.() === 0 && spawnSync('unshare', ['-m', 'true']).status === 0

describe.runIf(isPlayable)('a machine that lacks something, which only root can play', () => {
  let place: ReturnType<typeof programHome>
  let cache: string
  beforeAll(() => {
    place = programHome()
    chmodSync(place.home, 0o755)
    // A copy, because its world is not at the place that other tests share.
    cache = join(place.home, 'cache')
    cpSync(inject('sandboxCache'), join(cache, 'sluice'), { recursive: true })
    mkdirSync(join(place.home, 'small'))
  })
  afterAll(() => place.end())

  /** Runs a command in a namespace of its own, after lines of shell: `$1` is the folder that they may change. */
  function played(before: string, args: string[], more: Record<string, string> = {}) {
    const small = join(place.home, 'small')
    const program = [process.execPath, join(import.meta.dirname, '../../../bin/sluice.js')]
    // What a sandbox leaves running is ended there, too: nobody else sees its files.
    const script = `${before}
shift; code=0; "$@" || code=$?
[ -z "$HOME" ] || ${program.join(' ')} sandbox down >/dev/null 2>&1 || true
exit "$code"`
    const words = ['-m', 'sh', '-ec', script, 'sh', small, ...program, ...args]
    const env = {
      PATH: '/usr/bin:/bin',
      HOME: small,
      XDG_CACHE_HOME: cache,
      SLUICE_ANVIL: inject('anvil'),
      ...more,
    }
    const { status, stderr } = spawnSync('unshare', words, { env, encoding: 'utf8' })
    return { exit: status, said: stderr.split('\n').filter((line) => line.startsWith('error ')) }
  }

  test.each([
    [
      'a full disk at the very first start, where a node can write nothing',
      'size=4k',
      /small\/\S+ cannot be used: the disk is full/,
    ],
    [
      'a full disk, where a node writes a part of its note',
      'size=8k',
      /small\/\S+ cannot be used: the disk is full/,
    ],
    [
      'a full disk, where the record of the sandbox has no room',
      'size=16k',
      /small\/\S+ cannot be used: the disk is full/,
    ],
    ['a read-only file system', 'ro', /small\/\S+ cannot be used: the file system is read-only/],
  ])('%s: exit 12, and one sentence that names the folder', (_, options, sentence) => {
    const { exit, said } = played(`mount -t tmpfs -o ${options} tmpfs "$1"`, ['sandbox', 'up'])
    expect({ exit, said }).toEqual({ exit: 12, said: [expect.stringMatching(sentence)] })
  })

  test.each([
    ['strategies list', 'strategies list'],
    ['sandbox up', 'sandbox up'],
    ['deposit', 'deposit aave-v3-usdc-sandbox-one --amount 1 --yes'],
  ])('an unknown user without HOME: %s exits 12 and says which variable to set', (_, line) => {
    const unknown = ['--reuid', '54321', '--regid', '54321', '--clear-groups']
    const program = [
      process.execPath,
      join(import.meta.dirname, '../../../bin/sluice.js'),
      ...line.split(' '),
    ]
    const { status, stderr } = spawnSync('setpriv', [...unknown, ...program], {
      env: { PATH: '/usr/bin:/bin' },
      encoding: 'utf8',
    })
    expect({ status, stderr }).toEqual({
      status: 12,
      stderr:
        'error This user has no home directory, and HOME is not set (STATE_UNUSABLE)\nnext  export SLUICE_HOME=/path/to/a/directory/of/yours\n',
    })
  })
})
