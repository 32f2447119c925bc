import { describe, expect, test } from 'vitest'
import { attemptsIn } from '../../support/spawn-program.ts'
import { isLeftClean } from '../../support/terminal/pseudo-terminal.ts'
import { useTerminals } from '../../support/terminal/use-terminals.ts'

const { home, shown, sluice } = useTerminals()
const deposit = 'deposit aave-v3-usdc-sandbox-one --amount 100'
const end = '\u0003'

describe('a deposit at a terminal', () => {
  test('is shown and asked about, and done when the answer is yes: finished lines stay, what moved is gone', async () => {
    const at = shown(deposit)
    await at.shows('(y/N)')
    const asked = await at.screen()
    expect(asked).toContain('Deposit 100 USDC into aave-v3-usdc-sandbox-one\n\nwallet         0x')
    expect(asked).toMatch(
      /^balances {7}-100 USDC on sandbox-one \(-\$100\.00\)\n {15}\+100 aUSDC on sandbox-one( \(\$100\.00\))?$/m,
    )
    expect(asked).toMatch(/^plan {11}[0-9a-f]{64}$/m)
    expect(asked).toMatch(
      /^\? Deposit 100 USDC into aave-v3-usdc-sandbox-one: sign 2 transactions on\nsandbox-one with 0x\w{4}\.\.\.\w{4}\? \(y\/N\)$/m,
    )
    at.type('y\r')
    expect(await at.exit).toBe(0)
    const done = await at.screen()
    expect(done).toMatch(/^✓ Allow 0x\w{40} \(aave-v3\) to take 100 USDC\n {2}0x\w{64} block \d+$/m)
    expect(done).toMatch(/^✓ Supply 100 USDC to Aave v3\n {2}0x\w{64} block \d+$/m)
    expect(done).toMatch(/^status {4}SUCCESS$/m)
    expect(done).not.toMatch(/^\S 1\/2 |^\S 2\/2 /m)
    // While it went on, something turned there.
    expect(at.bytes()).toContain('2/2 Supply 100 USDC to Aave v3')
    expect(isLeftClean(at.bytes())).toBe(true)
  })

  test('is declined by Enter, and by Ctrl-C; nothing is signed, and a narrow terminal breaks no word in two', async () => {
    const before = attemptsIn(home().data)
    const enter = shown(deposit, { env: { NO_COLOR: '1' } })
    await enter.shows('(y/N)')
    enter.type('\r')
    expect(await enter.exit).toBe(9)
    expect(enter.bytes()).not.toMatch(/\u001b\[[0-9;]*m/)
    const narrow = shown(deposit, { columns: 60 })
    await narrow.shows('(y/N)')
    expect(await narrow.screen()).toMatch(/^ {3}contract\n {7}0x\w{40}$/m)
    // What has no space in it, and a notice that is not of this screen.
    expect((await narrow.overflow()).filter((line) => !/^(uice init|[0-9a-f]+)$/.test(line))).toEqual([])
    narrow.type(end)
    expect(await narrow.exit).toBe(130)
    expect(await narrow.screen()).toContain('Interrupted. Nothing was signed.')
    for (const one of [enter, narrow]) expect(isLeftClean(one.bytes())).toBe(true)
    expect(attemptsIn(home().data)).toBe(before)
  })

  test('is done in a terminal of no size as well, without anything that turns', async () => {
    const at = shown(`${deposit} --yes`, { isUnsized: true })
    expect(await at.exit).toBe(0)
    expect(await at.screen()).toMatch(/^status {4}SUCCESS$/m)
    expect(at.bytes()).not.toContain('2/2 Supply')
  })

  test('whose terminal has no size any more goes on without what turned', async () => {
    await sluice('sandbox fault stop-mining')
    try {
      const at = shown(`${deposit} --yes`)
      await at.shows('1/2 Allow')
      at.unsize()
      await expect.poll(at.bytes).toContain('\u001b[?25h')
      at.type(end)
      expect(await at.exit).toBe(20)
      await sluice('sandbox fault clear')
      // Whoever deposits next is not told of this one.
      await sluice(`action resume ${/action ([0-9a-f-]{36})/.exec(at.bytes())![1]}`)
    } finally {
      await sluice('sandbox fault clear')
    }
  })

  test('that waits for a block tells for how long, and Ctrl-C leaves the terminal as it was', async () => {
    await sluice('sandbox fault stop-mining')
    try {
      const at = shown(`${deposit} --yes`)
      await at.shows(/1\/2 Allow .*\n?.* [1-9]s/)
      at.type(end)
      expect(await at.exit).toBe(20)
      expect(at.bytes()).toContain('\u001b[?25l')
      expect(isLeftClean(at.bytes())).toBe(true)
      expect(await at.screen()).not.toMatch(/^\S 1\/2 /m)
    } finally {
      await sluice('sandbox fault clear')
    }
  })
})

test('a list that is watched fits anew when the window is resized, and Ctrl-C to stop it', async () => {
  const at = shown('strategies list --watch --interval 1h', { columns: 100, rows: 20 })
  await at.shows(/CATEGORY.*\n[\s\S]*Ctrl-C to stop/)
  at.resize(60, 20)
  await at.shows(/^STRATEGY +ASSET +APY$[\s\S]*Ctrl-C to stop/m)
  for (const line of (await at.screen()).split('\n').slice(0, 10))
    expect(line).not.toContain('sandbox-two  lending')
  at.type(end)
  expect(await at.exit).toBe(130)
  expect(await at.screen()).toMatch(/^(\^C)?The watch was stopped\. It signed nothing\. \(INTERRUPTED\)$/m)
  expect(at.bytes()).not.toContain('error')
  expect(isLeftClean(at.bytes())).toBe(true)
})

test('two passwords that differ are to be typed again', async () => {
  const at = shown('wallet new main')
  await at.shows(/New password.*: ?$/m)
  at.type('correct\r')
  await at.shows(/Repeat the password.*: ?$/m)
  at.type('horse\r')
  expect(await at.exit).toBe(13)
  expect(await at.screen()).toMatch(/next {2}Run the command again and enter the same password twice\./)
})

test('a password that is typed is not shown', async () => {
  const at = shown('wallet new main')
  await at.shows(/assword.*: ?$/m)
  at.type('correct horse')
  await at.shows('*'.repeat(13))
  at.type(end)
  expect(await at.exit).toBe(130)
  expect(at.bytes()).not.toContain('correct')
  expect(isLeftClean(at.bytes())).toBe(true)
})

describe('swap execute --compare', () => {
  const line = 'swap execute --from sandbox-one --token-in USDC --token-out WETH --amount-in 100 --compare'

  test('lets the person choose a quote, says why the others are worse, and swaps with that provider', async () => {
    const at = shown(line, { columns: 120 })
    await at.shows('Which quote should be executed?')
    await at.shows(/uniswap-v2 +receive 0\.03\d+ WETH after gas \(0\.0000\d+ WETH less after gas\)/)
    expect(await at.screen()).toContain('cctp does not serve this route')
    // The third one.
    at.type('\u001b[B\u001b[B\r')
    await at.shows('(y/N)')
    expect(await at.screen()).toContain('on 1inch')
    at.type('y\r')
    expect(await at.exit).toBe(0)
  })

  test('is refused where nobody can choose, or where something is chosen already', async () => {
    for (const [more, code] of [
      ['', 'PROMPT_NEEDED'],
      [' --yes', 'USAGE'],
      [' --provider uniswap-v2', 'USAGE'],
    ] as const) {
      const { exit, out } = await sluice(`${line}${more} --json`)
      expect({ exit, code: JSON.parse(out).error.code }, more).toEqual({ exit: 2, code })
    }
  })
})
