import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { beforeAll, describe, expect, test } from 'vitest'
import { buildProgram } from '../../src/app/main.ts'
import { withSameTarget } from '../../src/cli/next-command.ts'
import { type ErrorCode, errorRow, errorTable } from '../../src/domain/errors.ts'
import { leftOpen, startsAnew } from '../support/hints/hint-without-placeholder.ts'

let root: Command
beforeAll(async () => {
  root = await buildProgram([], { version: '0', io: { out: { write: () => undefined } } } as never, true)
})

/** Every command that a text in the source tells the user to type, without the leading `sluice`. */
const root_ = join(import.meta.dirname, '..', '..', 'src')
const told = [
  ...new Set(
    globSync('**/*.ts', { cwd: root_ }).flatMap((file) => {
      const text = readFileSync(join(root_, file), 'utf8')
        .replace(/\/\*[\s\S]*?\*\//g, '')
        .replace(/^\s*\/\/.*$/gm, '')
        // An inserted expression counts as one word.
        .replace(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, 'X')
      return [
        ...text.matchAll(/(?<![\w.:/@-])sluice (?!(?:is|was|wrote)\b)((?:[a-z_-]+)(?: [^'"`\n\\]*)?)/g),
      ].map(([, line]) => line!)
    }),
  ),
]

/** Every expression inserted into a command of a hint, as `file: expression`. */
const putIn = globSync('**/*.ts', { cwd: root_ }).flatMap((file) => {
  const text = readFileSync(join(root_, file), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '')
  const one = String.raw`\$\{((?:[^{}]|\{[^{}]*\})*)\}`
  const told = new RegExp(
    String.raw`(?<![\w.:/@-])(?:sluice (?!is|was|wrote)[a-z]|chmod |chown |mv |cp |rm |ls |--[a-z][a-z-]*[ =])(?:[^\`'"\n$]|${one})*`,
    'g',
  )
  return [...text.matchAll(told)].flatMap(([line]) =>
    [...line.matchAll(new RegExp(one, 'g'))].map(([, expression]) => `${file}: ${expression}`),
  )
})

/** Expressions that may be inserted without shell quoting, and why they are safe. */
const ours: readonly RegExp[] = [
  // IDs of the journal or of a plan, with letters and digits only (planning/plan-format.ts). Hashes and addresses are parsed.
  /^(transactions|diagnosis|planning|guard|signing|chain|commands\/action|cli\/(classify-failure|errors-after-signing|swap-status-by-id|signing-flow\/(?!strategy-check)))\b.*: (id|(open|givesUp|made)\.id|hash|address|only|spender|wallet|before|again|operationId|(facts\.)?precedingId|details\.operation|(known\.)?operation\.id|held\.id|run\.operationId|(holder|open)\.operation)$/,
  /^commands\/wallet\/approvals\.ts: \(await .*\)\.address$/,
  // IDs of damaged actions, from the journal.
  /^commands\/doctor\.ts: damaged\[0\]$/,
  // Numbers.
  /^app\/serving\/api-keys\.ts: markupBps$|^sandbox\/faults\/chain-actions\.ts: most$|^cli\/signing-flow\/refuse-duplicates\.ts: (name|simulation\.nonce)$|^transactions\/nonces\/pinned-nonce-check\.ts: next$|^planning\/(price-impact\.ts: accepted|compare-with-own-engine\.ts: needed)$|^guard\/stated-fee-checks\.ts: totalFeeBps\(fees\) \/ 100$|: (formatUnits\(enough, 9\)|enough|formatUnits\(roundFeeUp\(maxFeePerGas\), 9\)|formatUnits\(needed - held, unit\.decimals\))$/,
  /: .*\b(Number\(text\)|list\.page \+ 1|formatted|sanitizeText\(one\.command\)|10n \*\* 9n \+ 1n|fits\[0\]!\[0\])/,
  // Bytes of hex digits only, names of networks, and durations.
  /^commands\/decode\.ts: (data\.length > 80 \? 'DATA' : data|found\[0\]\?\.name \?\? 'NAME'|hash|first\.network\.name)$|^app\/command-time\.ts: moreThan\(limitMs\(\)\)$/,
  // Words defined by this program: markets and networks of the catalogue, names of commands, faults and levels.
  /^engine\/.*: entry\.slug$|^cli\/signing-flow\/deposit-withdraw-claim-legs\.ts: slug$|^chain\/standing-allowance\.ts: (network|token)$/,
  /: .*\b(assuranceLevels|levels|actionStatuses|networks|chains)\b/,
  /^(commands\/(action\/speed-up-cancel|sandbox\/fault)|sandbox\/faults\/chain-actions)\.ts: name$|^commands\/sandbox\/fault\.ts: example$|^diagnosis\/messages\/shared-operation-phrases\.ts: (name|more)$|^cli\/errors-after-signing\.ts: verb$/,
  /^domain\/(networks\.ts: rpcVariable\(network\)|sandbox-fault\.ts: near|amount\.ts: (example|raw|parseUnits\(one, unit\.decimals\)))$|^store\/file-ownership\.ts: mode$|^commands\/sandbox\/sandbox\.ts: to$/,
  // Flags made of a quoted value.
  /^commands\/swap\/compare\.ts: from$|^cli\/options\/option-values\.ts: example$|^commands\/withdraw\.ts: (claim|all)$|^cli\/views\/queued-withdrawals-view\.ts: until\(one\)$/,
  // Flags mentioned in a sentence, not commands to type.
  /^chain\/rpc\/timeouts\.ts: host$/,
  /^(sandbox\/node-processes|commands\/mcp|cli\/(output\/raw-answers|options\/(global|sending-and-waiting)-options))\.ts: |^commands\/strategies\/list\.ts: sanitizeText\(text\)$/,
]

/** The words of a line that belong to the command: up to the end of the sentence or to a parenthesis. */
function typed(line: string): string[] {
  const words: string[] = []
  for (const word of line.split(' ')) {
    if (/^[([]/.test(word) || word === '') break
    const bare = word.replace(/(?<!\.\.)[.,;:)]+$/, '')
    words.push(bare)
    if (bare !== word) break
  }
  return words
}

/** Why the program would reject a command line; undefined where it would accept it. */
function fault(words: readonly string[]): string | undefined {
  let command = root
  let at = 0
  for (; at < words.length; at++) {
    const next = command.commands.find((one) => one.name() === words[at])
    if (!next) break
    command = next
  }
  if (words[0] === 'help') return undefined
  if (command === root) return words[0]?.startsWith('-') ? undefined : `there is no command ${words[0]}`
  const rest = words.slice(at)
  if (command.commands.length > 0)
    return rest.length === 0 || /^(-|X$)/.test(rest[0]!)
      ? undefined
      : `${command.name()} has no command ${rest[0]}`
  const options = [command, ...(command.parent ? [root] : [])].flatMap((one) => one.options)
  const operands: string[] = []
  for (let i = 0; i < rest.length; i++) {
    const word = rest[i]!
    if (!word.startsWith('-') || word === '-') {
      operands.push(word)
      continue
    }
    if (word === '--help' || word === '-h') return undefined
    const option = options.find((one) => one.long === word || one.short === word)
    if (!option) return `${command.name()} has no ${word}`
    if (option.required) i++
  }
  const { registeredArguments: wanted } = command
  // Surplus operands are not checked, because a sentence may continue after the command.
  const needed = wanted.filter(({ required }) => required).length
  return operands.length < needed ? `${command.name()} wants ${needed} arguments` : undefined
}

/** Whether the command of a line takes a signer wallet. */
function takesWallet(words: readonly string[]): boolean {
  let command = root
  for (const word of words) command = command.commands.find((one) => one.name() === word) ?? command
  return command.name() !== 'import' && command.options.some(({ long }) => long === '--key-file')
}

describe('hints of errors and messages', () => {
  test.each(Object.keys(errorTable) as ErrorCode[])('%s has a hint', (code) => {
    expect(errorRow(code).hint).toMatch(/\S/)
  })

  test('the scan of the source finds the commands of hints', () => {
    expect(told.length).toBeGreaterThan(60)
    expect(told).toContain('action resume ID')
  })

  test('every hinted command exists and takes the given flags and arguments', () => {
    const wrong = told.flatMap((line) => {
      const why = fault(typed(line))
      return why === undefined ? [] : [`sluice ${line}: ${why}`]
    })
    expect(wrong).toEqual([])
  })

  test('every hinted command takes over the wallet and the profile of the command before it', () => {
    const argv = ['deposit', 'x', '--wallet', 'ops', '--profile', 'prod', '--yes']
    const wrong = told.flatMap((line) => {
      if (/^(help|X|-)/.test(line)) return []
      const next = withSameTarget(`sluice ${line}`, argv).replace(/^sluice /, '')
      const words = typed(next)
      const why = fault(words) ?? (/--profile (prod|X)\b/.test(next) ? undefined : 'no profile')
      const isSigner = takesWallet(words) && !/--(wallet|ledger|key-file) /.test(next)
      return why === undefined && !isSigner ? [] : [`${line}: ${next}: ${why ?? 'no wallet'}`]
    })
    expect(wrong).toEqual([])
  })

  test('inserted values are quoted for the shell or on the list of safe expressions', () => {
    const quoted = /: shell(Word|Operand|Path)\(/
    expect(putIn.length).toBeGreaterThan(60)
    expect(putIn.filter((one) => quoted.test(one)).length).toBeGreaterThan(20)
    expect(putIn.filter((one) => !quoted.test(one) && !ours.some((known) => known.test(one)))).toEqual([])
    for (const known of ours) expect(putIn.filter((one) => known.test(one))).not.toEqual([])
  })

  test('every flag in a hint of the error table belongs to some command', () => {
    const flags = new Set<string>()
    const walk = (command: Command): void => {
      for (const { long } of command.options) if (long) flags.add(long)
      command.commands.forEach(walk)
    }
    walk(root)
    const named = Object.values(errorTable).flatMap(({ hint }) => hint.match(/--[a-z-]+/g) ?? [])
    expect(named.length).toBeGreaterThan(10)
    expect(named.filter((flag) => !flags.has(flag) && flag !== '--help')).toEqual([])
  })

  // test/support/use-commands.ts applies this check to every command line that a test runs.
  test('leftOpen reports a placeholder whose value the error contains', () => {
    const hint = 'sluice action explain ID'
    const details = { operation: '0f8fad5b' }
    expect(leftOpen(['deposit', 'x'], { message: '', hint, details })).toContain('an id')
    expect(leftOpen(['action', 'watch', '0f8fad5b'], { message: '', hint, details: {} })).toContain('an id')
    expect(leftOpen(['deposit', 'x'], { message: '', hint, details: {} })).toBe(undefined)
    const message = `The contract 0x${'7'.repeat(40)} is not the one for this action on this network`
    const vouch = { hint: 'If you trust this contract: --allow-contract ADDR', details: {} }
    expect(leftOpen(['deposit', 'x'], { message, ...vouch })).toContain('an address')
    expect(leftOpen(['deposit', 'x'], { message: 'It is not known', ...vouch })).toBe(undefined)
  })

  test('fault reports unknown commands, unknown flags and missing arguments', () => {
    for (const line of [
      'deposit-now X',
      'wallet make NAME',
      'deposit X --amont 1',
      'wallet new',
      'action show --json',
    ])
      expect(fault(typed(line))).toBeDefined()
  })
})

/** The text of every call `new AppError('CODE', ...)` in the source, as `[file, code, text]`. */
const raised = globSync('**/*.ts', { cwd: root_ }).flatMap((file) => {
  const text = readFileSync(join(root_, file), 'utf8')
  return [...text.matchAll(/AppError\(\s*'([A-Z_]+)'/g)].map(({ 0: begin, 1: code, index }) => {
    let [at, depth] = [index + begin.length, 1]
    for (; depth > 0 && at < text.length; at++) depth += text[at] === '(' ? 1 : text[at] === ')' ? -1 : 0
    return [file, code as ErrorCode, text.slice(index, at)] as const
  })
})

describe('from exit 20 to 29', () => {
  const isSigned = (code: ErrorCode) => errorRow(code).exit >= 20 && errorRow(code).exit <= 29

  test('no hint of the table of errors starts a new action', () => {
    const anew = (Object.keys(errorTable) as ErrorCode[])
      .filter(isSigned)
      .flatMap((code) => startsAnew(errorRow(code).hint ?? '', errorRow(code).exit) ?? [])
    expect(anew).toEqual([])
  })

  test('no error in the source has a hint that starts a new action', () => {
    const signed = raised.filter(([, code]) => code in errorTable && isSigned(code))
    expect(signed.length).toBeGreaterThan(40)
    const anew = signed.flatMap(([file, code, text]) => {
      const hint = /\bhint\b[\s\S]*$/.exec(text)?.[0] ?? ''
      const found = startsAnew(hint, errorRow(code).exit)
      return found === undefined ? [] : [`${file} ${code}: ${found}`]
    })
    expect(anew).toEqual([])
  })
})
