import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { listener } from '../../support/services/listener.ts'
import { attemptsIn } from '../../support/spawn-program.ts'
import { isLeftClean } from '../../support/terminal/pseudo-terminal.ts'
import { useTerminals } from '../../support/terminal/use-terminals.ts'

const { home, shown, sluice } = useTerminals()
const deposit = 'deposit aave-v3-usdc-sandbox-one --amount 100'
const end = '\u0003'

describe('a deposit at a terminal', () => {
  test('shows the plan and signs after y; finished steps stay on the screen, the progress line is removed', async () => {
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
    expect(done).toMatch(
      /^✓ Allow 0x\w{40}\s+\(aave-v3\)\s+to\s+take\s+100\s+USDC\n {2}0x\w{64}\s+block \d+$/m,
    )
    expect(done).toMatch(/^✓ Supply 100 USDC to Aave v3\n {2}0x\w{64}\s+block \d+$/m)
    expect(done).toMatch(/^status {4}SUCCESS$/m)
    expect(done).not.toMatch(/^\S 1\/2 |^\S 2\/2 /m)
    // The progress line was shown while the command worked.
    expect(at.bytes()).toContain('2/2 Supply 100 USDC to Aave v3')
    expect(isLeftClean(at.bytes())).toBe(true)
  })

  test('signs nothing after Enter (exit 9) or Ctrl-C (exit 130), and breaks no word at 60 columns', async () => {
    const before = attemptsIn(home().data)
    const enter = shown(deposit, { env: { NO_COLOR: '1' } })
    await enter.shows('(y/N)')
    enter.type('\r')
    expect(await enter.exit).toBe(9)
    expect(enter.bytes()).not.toMatch(/\u001b\[[0-9;]*m/)
    const narrow = shown(deposit, { columns: 60 })
    await narrow.shows('(y/N)')
    expect(await narrow.screen()).toMatch(/^ {3}contract\n {7}0x\w{40}$/m)
    // Exceptions: text without spaces, and the notice that ends with `sluice init`.
    expect((await narrow.overflow()).filter((line) => !/^(uice init|[0-9a-f]+)$/.test(line))).toEqual([])
    narrow.type(end)
    expect(await narrow.exit).toBe(130)
    expect(await narrow.screen()).toContain('Interrupted. Nothing was signed.')
    for (const one of [enter, narrow]) expect(isLeftClean(one.bytes())).toBe(true)
    expect(attemptsIn(home().data)).toBe(before)
  })

  test('succeeds without a progress line in a terminal of unknown size', async () => {
    const at = shown(`${deposit} --yes`, { isUnsized: true })
    expect(await at.exit).toBe(0)
    expect(await at.screen()).toMatch(/^status {4}SUCCESS$/m)
    expect(at.bytes()).not.toContain('2/2 Supply')
  })

  test('removes the progress line when the terminal loses its size, and exits 20 on Ctrl-C', async () => {
    await sluice('sandbox fault stop-mining')
    try {
      const at = shown(`${deposit} --yes`)
      await at.shows('1/2 Allow')
      at.unsize()
      await expect.poll(at.bytes).toContain('\u001b[?25h')
      at.type(end)
      expect(await at.exit).toBe(20)
      await sluice('sandbox fault clear')
      // Completed here, so that the next deposit does not report it as pending.
      await sluice(`action resume ${/action ([0-9a-f-]{36})/.exec(at.bytes())![1]}`)
    } finally {
      await sluice('sandbox fault clear')
    }
  })

  test('shows how long it waits for a block, and restores the terminal on Ctrl-C', async () => {
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

describe('a read from a silent node', () => {
  test('says on one line what it waits for, also after a resize, and removes the line at its end', async () => {
    const open: ServerResponse[] = []
    let isRefusing = false
    const node = await listener((request, response) => {
      request.resume()
      if (isRefusing) response.writeHead(403).end()
      else open.push(response)
    })
    const { host } = new URL(node.url)
    const env = { SLUICE_RPC_SANDBOX_ONE: node.url }
    const at = shown('strategies list --profile engine', { env })
    await at.shows(new RegExp(`^\\S waiting for sandbox-one at ${host} \\d+s$`, 'm'))
    at.resize(40, 20)
    await at.shows(/^\S waiting for sandbox-one at 127\.0\.\S*\.\.\.$/m)
    isRefusing = true
    for (const response of open) response.writeHead(403).end()
    expect(await at.exit).toBe(7)
    await node.close()
    expect(await at.screen()).not.toContain('waiting for')
    expect(isLeftClean(at.bytes())).toBe(true)
  })

  test('leaves nothing of a frame that it drew before it knew of a narrower window', async () => {
    const node = await listener((request) => void request.resume())
    const at = shown('strategies list --profile engine', { env: { SLUICE_RPC_SANDBOX_ONE: node.url } })
    await at.shows(/^\S waiting for sandbox-one at 127\.0\.0\.1:\d+ \d+s$/m)
    // The window is narrow, and the program learns it some frames later.
    at.narrow(40, 20)
    const before = at.bytes().length
    await expect.poll(() => at.bytes().slice(before).split('waiting for').length).toBeGreaterThan(2)
    at.resize(40, 20)
    await at.shows(/^\S waiting for sandbox-one at 127\.0\.\S*\.\.\.$/m)
    at.type(end)
    await at.exit
    await node.close()
    expect(await at.screen()).not.toContain('waiting for')
    expect(isLeftClean(at.bytes())).toBe(true)
  })

  test('draws nothing with --quiet, and ends at --timeout with what did not answer', async () => {
    const node = await listener((request) => void request.resume())
    const { host } = new URL(node.url)
    const at = shown('strategies list --profile engine --quiet --timeout 4s', {
      env: { SLUICE_RPC_SANDBOX_ONE: node.url },
      columns: 120,
    })
    expect(await at.exit).toBe(7)
    await node.close()
    expect(await at.screen()).toMatch(
      new RegExp(
        `^error The\\s+time\\s+limit\\s+of\\s+4\\s+s\\s+was\\s+reached:\\s+no\\s+answer\\s+from\\s+sandbox-one\\s+at\\s+${host}\\s+(?:\\(\\d+s\\)\\s+)?\\(RPC_UNREACHABLE\\)\\nnext {2}To see what answers:\\n +sluice doctor --profile engine\\n +Or allow more time:\\n +sluice strategies list --profile engine --quiet --timeout 1m$`,
        'm',
      ),
    )
    expect(at.bytes()).not.toContain('waiting for')
  })
})

test('strategies list --watch adapts to a resized window and exits 130 on Ctrl-C', async () => {
  const at = shown('strategies list --watch --interval 1h', { columns: 100, rows: 20 })
  await at.shows(/CATEGORY.*\n[\s\S]*Ctrl-C to stop/)
  at.resize(60, 20)
  await at.shows(/^STRATEGY +ASSET +APY$[\s\S]*Ctrl-C to stop/m)
  for (const line of (await at.screen()).split('\n').slice(0, 10))
    expect(line).not.toContain('sandbox-two  lending')
  at.type(end)
  expect(await at.exit).toBe(130)
  expect(await at.screen()).toMatch(/^(\^C)?The watch was stopped\. It signed nothing\.\s+\(INTERRUPTED\)$/m)
  expect(at.bytes()).not.toContain('error')
  expect(isLeftClean(at.bytes())).toBe(true)
})

test('wallet new exits 13 when the two passwords differ', async () => {
  const at = shown('wallet new main')
  await at.shows(/New password.*: ?$/m)
  at.type('correct\r')
  await at.shows(/Repeat the password.*: ?$/m)
  at.type('horse\r')
  expect(await at.exit).toBe(13)
  expect(await at.screen()).toMatch(/next {2}Run the command again and enter the same password twice\./)
})

test('wallet new does not show the typed password', async () => {
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

  test('lets the user choose a quote, shows by how much others are worse, and swaps with the chosen provider', async () => {
    const at = shown(line, { columns: 120 })
    await at.shows('Which quote should be executed?')
    await at.shows(/uniswap-v2 +receive 0\.03\d+ WETH after gas \(0\.0000\d+ WETH less after gas\)/)
    expect(await at.screen()).toContain('cctp does not serve this route')
    // Chooses the third quote.
    at.type('\u001b[B\u001b[B\r')
    await at.shows('(y/N)')
    expect(await at.screen()).toContain('on 1inch')
    at.type('y\r')
    expect(await at.exit).toBe(0)
  })

  test('exits 2 without a terminal, with --yes and with --provider', async () => {
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

describe('a terminal that obeys no control sequences (TERM=dumb)', () => {
  const dumb = { env: { TERM: 'dumb' } }
  const isPlain = (bytes: string) => !bytes.includes('\u001b')

  const to = `0x${'77'.repeat(20)}`
  const transfer = `transfer --network sandbox-one --token USDC --to ${to} --amount 1`

  test('gets none from a transfer: the question is a line, and y is echoed', async () => {
    const at = shown(transfer, dumb)
    await at.shows(/\? \(y\/N\)$/m)
    at.type('yn\u007f\r')
    expect(await at.exit).toBe(0)
    expect(await at.screen()).toMatch(/^status {4}SUCCESS$/m)
    expect(await at.screen()).toMatch(/\(y\/N\) y ?$/m)
    expect(isPlain(at.bytes())).toBe(true)
  })

  test('signs nothing after Enter (exit 9) or Ctrl-C (exit 130)', async () => {
    for (const [keys, exit] of [
      ['\r', 9],
      [end, 130],
    ] as const) {
      const at = shown(transfer, dumb)
      await at.shows('(y/N)')
      at.type(keys)
      expect(await at.exit).toBe(exit)
      expect(isPlain(at.bytes())).toBe(true)
    }
  })

  test('gets none from a new wallet, whose password is not echoed, nor from its first signature', async () => {
    const at = shown('wallet new plain', dumb)
    await at.shows('New password')
    at.type('correct horse\r')
    await at.shows('Repeat the password')
    at.type('correct horse\r')
    expect(await at.exit).toBe(0)
    expect(at.bytes()).not.toContain('correct')
    const [address] = /0x[0-9a-fA-F]{40}/.exec(at.bytes())!
    for (const token of ['USDC', 'ETH']) await sluice(`sandbox fund ${address} --token ${token}`)
    const sending = shown(`${transfer} --wallet plain`, dumb)
    await sending.shows('(y/N)')
    sending.type('y\r')
    await sending.shows(/assword/)
    sending.type('correct horse\r')
    expect(await sending.exit).toBe(0)
    for (const one of [at, sending]) expect(isPlain(one.bytes())).toBe(true)
  })

  test('gets none from a choice by number', async () => {
    const at = shown(
      'swap execute --from sandbox-one --token-in USDC --token-out WETH --amount-in 10 --compare',
      {
        ...dumb,
        columns: 120,
      },
    )
    await at.shows('Number (1-')
    at.type('99\r')
    await expect.poll(() => at.bytes().split('Number (1-').length).toBe(3)
    at.type('2\r')
    await at.shows('(y/N)')
    at.type('n\r')
    expect(await at.exit).toBe(9)
    expect(isPlain(at.bytes())).toBe(true)
  })

  test('gets none from lists, help, watching and errors', async () => {
    for (const line of [
      'strategies list',
      'strategies show aave-v3-usdc-sandbox-one',
      'wallet show',
      'action list',
      'history aave-v3-usdc-sandbox-one',
      'doctor',
      'networks list',
      '--help',
      'deposit --help',
      'deposit nothing --amount 1',
    ]) {
      const at = shown(line, dumb)
      await at.exit
      expect({ line, isPlain: isPlain(at.bytes()) }).toEqual({ line, isPlain: true })
    }
    const watching = shown('strategies list --watch --interval 1h', dumb)
    await watching.shows('sandbox')
    watching.type(end)
    expect(await watching.exit).toBe(130)
    expect(isPlain(watching.bytes())).toBe(true)
  })
})
