import { describe, expect, test } from 'vitest'
import { nextLine, renderAdvice, targetOf } from '../../src/cli/next-step-text.ts'
import { readCommandLine } from '../../src/domain/command-line/read-command-line.ts'
import {
  advice,
  corrected,
  type Next,
  ownHelp,
  sameWith,
  sameWithout,
  sluice,
} from '../../src/domain/text/next-step.ts'

/** What a line names, of a command that takes a signer and a network. */
const named = (...flags: string[]) => ({
  target: targetOf(readCommandLine(['wallet', 'approvals', 'revoke', ...flags])),
})
const deposit = readCommandLine(['deposit', 'x', '--wallet', 'ops', '--profile', 'prod'])
const ops = { target: targetOf(deposit) }

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
    expect(nextLine(next, ops)).toBe(wanted)
  })

  test('adds the key file, the Ledger path and the network', () => {
    const next = sluice('wallet approvals revoke', { '--token': 'USDC' })
    expect(nextLine(next, named('--key-file', '/k/my key', '--network', 'base'))).toBe(
      "sluice wallet approvals revoke --token USDC --key-file '/k/my key' --network base",
    )
    expect(nextLine(sluice('action resume', 'abc'), named('--ledger', 'm/44/60'))).toBe(
      'sluice action resume abc --ledger m/44/60',
    )
    expect(nextLine(sluice('action resume', 'abc'), named('--ledger', '--yes'))).toBe(
      'sluice action resume abc --ledger',
    )
  })

  test('stays a dry run under the same policy where it is the same command, and only there', () => {
    const line = ['withdraw', 'x', '--amount', '9', '--dry-run', '--policy', 'p.json']
    const target = targetOf(readCommandLine(line))
    const most = sluice('withdraw', 'x', { '--amount': 'max' })
    expect(nextLine(most, { target })).toBe('sluice withdraw x --amount max --dry-run --policy p.json')
    expect(nextLine(sluice('action resume', 'abc'), { target })).toBe('sluice action resume abc')
    expect(nextLine(sluice('withdraw', { '--help': true }), { target })).toBe('sluice withdraw --help')
  })

  test('leaves the signer out where it was the fault, and --yes where a person is asked', () => {
    expect(nextLine(sluice('action resume', 'abc'), { ...ops, isSigner: false })).toBe(
      'sluice action resume abc --profile prod',
    )
    const revoke = sluice('action revoke', 'abc', { '--yes': true })
    expect(nextLine(revoke, { ...named(), canAsk: true })).toBe('sluice action revoke abc')
    expect(nextLine(revoke, { ...named('--yes'), canAsk: true })).toBe('sluice action revoke abc --yes')
  })

  test.each([
    [['deposit', 'x', '--amount', '5'], 'sluice deposit x --amount 5 --timeout 10m'],
    [
      ['deposit', 'x y', '--timeout=1s', '--yes', '--amount=5'],
      "sluice deposit 'x y' --yes --amount=5 --timeout 10m",
    ],
    [['deposit', '--timeout', '1s', '--', '-x'], 'sluice deposit --timeout 10m -- -x'],
    [
      ['deposit', 'x', '--signer-url', 'https://me:secret@host/key'],
      'sluice deposit x --signer-url URL --timeout 10m',
    ],
    [
      ['deposit', 'x', '--signer-url=https://me:secret@host/key', '--policy', '-x'],
      'sluice deposit x --signer-url=URL --policy -x --timeout 10m',
    ],
    [
      ['deposit', 'x', '--assert', 'a>1', '--timeout', '5s', '--assert', 'b>1'],
      "sluice deposit x --assert 'a>1' --assert 'b>1' --timeout 10m",
    ],
  ])('runs the same line with other flags, without secret URLs: %j', (argv, wanted) => {
    const again = readCommandLine(argv)
    expect(nextLine(sameWith({ '--timeout': '10m' }), { target: {}, again })).toBe(wanted)
  })

  test.each<[string, Next, string]>([
    ['deposit x --amount 1,5 --yes', sameWith({ '--amount': '1.5' }), 'deposit x --yes --amount 1.5'],
    ['deposit x --amount-raw 1.5', sameWith({ '--amount': '1.5' }, '--amount-raw'), 'deposit x --amount 1.5'],
    ['deposit x --nonce base=x --nonce 7', sameWithout('--nonce'), 'deposit x'],
    [
      'deposit x --nonce base=x --nonce 7',
      sameWith({ '--nonce': 'base=N' }, { flag: '--nonce', value: 'base=x' }),
      'deposit x --nonce 7 --nonce base=N',
    ],
    ['deposit 100 --amount=100 100', sameWithout({ operand: '100' }), 'deposit 100 --amount=100'],
    ['deposit x --wallet ops -- 100', sameWithout({ operand: '100' }), 'deposit x --wallet ops --'],
    ['deposit x --amont=1 --yes', corrected('--amont', '--amount'), 'deposit x --amount=1 --yes'],
    ['deposit x --amont 1', corrected('--amont', '--amount'), 'deposit x --amount 1'],
    [
      'explain 0x1 --profile prod',
      corrected('explain', 'action', 'explain'),
      'action explain 0x1 --profile prod',
    ],
    ['sandbox pay-bitcoin a 1,5', corrected('1,5', '1.5'), 'sandbox pay-bitcoin a 1.5'],
    ['deposit --ledger x', { ...sameWith({ '--ledger': true }), operands: ['x'] }, 'deposit x --ledger'],
    ['deposit x --amount 1', sameWithout('--yes'), 'deposit x --amount 1'],
    ['deposit x --amount 1 --wallet ops', ownHelp, 'deposit --help --wallet ops'],
  ])('of the line that ran leaves out what is wrong: %s, %j', (line, next, wanted) => {
    const again = readCommandLine(line.split(' '))
    expect(nextLine(next, { target: targetOf(again), again })).toBe(`sluice ${wanted}`)
  })

  test('does not print a line again that has a flag of which nothing is known', () => {
    const again = readCommandLine(['depsoit', 'x', '--amount', '1', '--pass', 'hunter2'])
    const given = advice`Did you mean ${corrected('depsoit', 'deposit')}?`
    expect(renderAdvice(given, { target: {}, again })).toMatchObject({
      hint: 'Did you mean deposit?',
      next: [],
    })
    const known = readCommandLine(['depsoit', 'x', '--amount', '1'])
    expect(renderAdvice(given, { target: {}, again: known }).next).toEqual([
      { why: 'Did you mean', command: 'sluice deposit x --amount 1' },
    ])
  })

  test('says what to leave out where the line that ran is not known', () => {
    expect(nextLine(sameWithout('--yes', '--no-input'), { target: {} })).toBe('omit --yes and --no-input')
  })

  test('prints only the flags where the command of the line does not take them', () => {
    expect(nextLine(sameWith({ '--watch': true }), { ...ops, again: deposit })).toBe('--watch')
  })
})

describe('renderAdvice', () => {
  test('gives one text, each command on a line of its own, and the words before each', () => {
    const given = advice`To wait for it: ${sluice('action resume', 'abc')}; to see it: ${sluice('action show', 'abc')}.`
    expect(renderAdvice(given, { target: { profile: 'prod' } })).toEqual({
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

  test('ends a command with a full stop where a sentence follows it in the one text', () => {
    const given = advice`${sluice('wallet list')} With a key: ${sameWith({ '--key-file': 'PATH' })} and a wallet.`
    const { hint, lines } = renderAdvice(given, { target: {} })
    expect(hint).toBe('sluice wallet list. With a key: --key-file PATH and a wallet.')
    expect(lines.map(({ text }) => text)).toEqual([
      'sluice wallet list',
      'With a key: --key-file PATH and a wallet.',
    ])
  })

  test('keeps flags that the line does not take among the words', () => {
    const given = advice`If you accept it: ${sameWith({ '--sort': 'apy' })}. Or wait.`
    expect(renderAdvice(given, { ...ops, again: deposit })).toEqual({
      hint: 'If you accept it: --sort apy. Or wait.',
      lines: [{ text: 'If you accept it: --sort apy. Or wait.', isCommand: false }],
      next: [],
    })
  })
})
