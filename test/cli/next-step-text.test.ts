import { describe, expect, test } from 'vitest'
import { type FlagKind, nextLine, renderAdvice } from '../../src/cli/next-step-text.ts'
import { advice, type Next, sameWith, sluice } from '../../src/domain/text/next-step.ts'

const ops = ['deposit', 'x', '--wallet', 'ops', '--profile', 'prod']
/** A command that takes these flags. */
const takes: FlagKind = (flag) =>
  ['--amount', '--timeout', '--wallet', '--signer-url'].includes(flag)
    ? 'value'
    : flag === '--watch'
      ? 'boolean'
      : undefined

describe('nextLine', () => {
  test.each<[Next, string]>([
    [sluice('action resume', 'abc'), 'sluice action resume abc --wallet ops --profile prod'],
    [sluice('action abandon', 'abc'), 'sluice action abandon abc --profile prod'],
    [
      sluice('action revoke', 'abc', { '--yes': true }),
      'sluice action revoke abc --yes --wallet ops --profile prod',
    ],
    [
      sluice('action resume', 'abc', { '--wallet': 'dev' }),
      'sluice action resume abc --wallet dev --profile prod',
    ],
    [sluice('wallet show'), 'sluice wallet show ops --profile prod'],
    [sluice('wallet approvals list'), 'sluice wallet approvals list ops --profile prod'],
    [sluice('swap execute', '-odd'), 'sluice swap execute --wallet ops --profile prod -- -odd'],
    [
      sluice('serve', { '--host': 'a & b', '--port': 1 }),
      "sluice serve --host 'a & b' --port 1 --profile prod",
    ],
    [
      { ...sluice('action explain', '0x1'), env: { SLUICE_RPC_BASE: 'URL' } },
      'SLUICE_RPC_BASE=URL sluice action explain 0x1 --profile prod',
    ],
    [
      { ...sluice('wallet export', 'a b'), into: '-a b.json' },
      "sluice wallet export 'a b' --profile prod > './-a b.json'",
    ],
  ])('adds the wallet and the profile where the command takes them: %j', (next, wanted) => {
    expect(nextLine(next, { argv: ops })).toBe(wanted)
  })

  test('adds the key file, the Ledger path and the network', () => {
    const next = sluice('wallet approvals revoke', { '--token': 'USDC' })
    expect(nextLine(next, { argv: ['--key-file', '/k/my key', '--network', 'base'] })).toBe(
      "sluice wallet approvals revoke --token USDC --key-file '/k/my key' --network base",
    )
    expect(nextLine(sluice('action resume', 'abc'), { argv: ['--ledger', 'm/44/60'] })).toBe(
      'sluice action resume abc --ledger m/44/60',
    )
    expect(nextLine(sluice('action resume', 'abc'), { argv: ['--ledger', '--yes'] })).toBe(
      'sluice action resume abc --ledger',
    )
  })

  test('stays a dry run under the same policy where it is the same command, and only there', () => {
    const argv = ['withdraw', 'x', '--amount', '9', '--dry-run', '--policy', 'p.json']
    const most = sluice('withdraw', 'x', { '--amount': 'max' })
    expect(nextLine(most, { argv })).toBe('sluice withdraw x --amount max --dry-run --policy p.json')
    expect(nextLine(sluice('action resume', 'abc'), { argv })).toBe('sluice action resume abc')
    expect(nextLine(sluice('withdraw', { '--help': true }), { argv })).toBe('sluice withdraw --help')
  })

  test('leaves the signer out where it was the fault, and --yes where a person is asked', () => {
    expect(nextLine(sluice('action resume', 'abc'), { argv: ops, isSigner: false })).toBe(
      'sluice action resume abc --profile prod',
    )
    const revoke = sluice('action revoke', 'abc', { '--yes': true })
    expect(nextLine(revoke, { argv: [], canAsk: true })).toBe('sluice action revoke abc')
    expect(nextLine(revoke, { argv: ['--yes'], canAsk: true })).toBe('sluice action revoke abc --yes')
  })

  test.each([
    [['deposit', 'x', '--amount', '5'], 'sluice deposit x --amount 5 --timeout 10m'],
    [
      ['deposit', 'x y', '--timeout=1s', '--watch', '--amount=5'],
      "sluice deposit 'x y' --watch --amount=5 --timeout 10m",
    ],
    [['deposit', '--timeout', '1s', '--', '-x'], 'sluice deposit --timeout 10m -- -x'],
    [
      ['deposit', 'x', '--signer-url', 'https://me:secret@host/key'],
      'sluice deposit x --signer-url URL --timeout 10m',
    ],
  ])('runs the same line with other flags, without secret URLs: %j', (argv, wanted) => {
    expect(nextLine(sameWith({ '--timeout': '10m' }), { argv, takes })).toBe(wanted)
  })

  test('prints only the flags where the command of the line does not take them', () => {
    expect(nextLine(sameWith({ '--dry-run': true }), { argv: ops, takes })).toBe('--dry-run')
  })
})

describe('renderAdvice', () => {
  test('gives one text, each command on a line of its own, and the words before each', () => {
    const given = advice`To wait for it: ${sluice('action resume', 'abc')}; to see it: ${sluice('action show', 'abc')}.`
    expect(renderAdvice(given, { argv: ['--profile', 'prod'] })).toEqual({
      hint: 'To wait for it: sluice action resume abc --profile prod; to see it: sluice action show abc --profile prod.',
      lines: [
        { text: 'To wait for it:', isCommand: false },
        { text: 'sluice action resume abc --profile prod', isCommand: true },
        { text: 'to see it:', isCommand: false },
        { text: 'sluice action show abc --profile prod', isCommand: true },
      ],
      next: [
        { why: 'To wait for it', command: 'sluice action resume abc --profile prod' },
        { why: 'to see it', command: 'sluice action show abc --profile prod' },
      ],
    })
  })

  test('keeps flags that the line does not take among the words', () => {
    const given = advice`If you accept it: ${sameWith({ '--slippage': '2%' })}. Or wait.`
    expect(renderAdvice(given, { argv: ops, takes })).toEqual({
      hint: 'If you accept it: --slippage 2%. Or wait.',
      lines: [{ text: 'If you accept it: --slippage 2%. Or wait.', isCommand: false }],
      next: [],
    })
  })
})
