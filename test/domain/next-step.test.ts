import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { parseAst } from 'rolldown/parseAst'
import { beforeAll, describe, expect, test } from 'vitest'
import { buildProgram } from '../../src/app/main.ts'
import { nextLine } from '../../src/cli/next-step-text.ts'
import { errorTable } from '../../src/domain/error-table.ts'
import { adviceOf, type ErrorCode, errorRow } from '../../src/domain/errors.ts'
import { adviceText, type CommandName, sluice } from '../../src/domain/text/next-step.ts'
import { leftOpen, startsAnew } from '../support/hints/hint-without-placeholder.ts'

let root: Command
beforeAll(async () => {
  root = await buildProgram([], { version: '0', io: { out: { write: () => undefined } } } as never, true)
})

const source = join(import.meta.dirname, '..', '..', 'src')

type Node = { type: string; start: number; end: number } & Record<string, unknown>
const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'
const childrenOf = (node: Node): Node[] => Object.values(node).flat().filter(isNode)
const all = (node: Node): Node[] => [node, ...childrenOf(node).flatMap(all)]
const nodesOf = (path: string, text: string): Node[] =>
  all(parseAst(text, { lang: 'ts' }, path) as unknown as Node)

/** The text of a string or of a template, with `X` for each inserted expression. */
function textOf(node: Node): string | undefined {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined
  if (node.type !== 'TemplateLiteral') return undefined
  return (node.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join('X')
}

type Call = { at: string; name: string; operands: number; flags: [string, string | true | undefined][] }

/** The flags of an object in the source, with literal values; `undefined` for a value that is computed. */
const flagsOf = (object: Node): Call['flags'] =>
  (object.properties as Node[]).flatMap(({ key, value }): Call['flags'] => {
    const name = isNode(key) ? textOf(key) : undefined
    const said = value as Node | undefined
    return name === undefined ? [] : [[name, said?.value === true ? true : said && textOf(said)]]
  })

/** Every call of `sluice` and `sameWith` in the source. */
const files = globSync('**/*.ts', { cwd: source }).map((file) => {
  const text = readFileSync(join(source, file), 'utf8')
  return { file, text, nodes: /next-step\.ts'/.test(text) ? nodesOf(file, text) : [] }
})
const callsOf = (name: string) =>
  files.flatMap(({ file, text, nodes }) =>
    nodes
      .filter(({ type, callee }) => type === 'CallExpression' && (callee as Node).name === name)
      .map((call) => ({
        at: `${file}: ${text.slice(call.start, call.end)}`,
        words: call.arguments as Node[],
      })),
  )
const calls: Call[] = callsOf('sluice').flatMap(({ at, words: [first, ...rest] }) => {
  const name = first && first.type === 'Literal' ? textOf(first) : undefined
  // Names that are computed are those of the tree of commands itself, or checked below.
  if (name === undefined) return []
  const objects = rest.filter(({ type }) => type === 'ObjectExpression')
  // A spread, or a variable, holds flags.
  const operands = rest.filter(
    (one) => one.type !== 'ObjectExpression' && one.type !== 'SpreadElement' && one.name !== 'flags',
  )
  return [
    {
      at,
      name,
      operands: operands.filter(({ type }) => type !== 'ConditionalExpression').length,
      flags: objects.flatMap(flagsOf),
    },
  ]
})

const commandOf = (name: string): Command | undefined =>
  (name === '' ? [] : name.split(' ')).reduce<Command | undefined>(
    (command, word) => command?.commands.find((one) => one.name() === word),
    root,
  )

/** Why the program would refuse a call; `undefined` where it takes it. */
function fault({ name, operands, flags }: Omit<Call, 'at'>): string | undefined {
  if (name === 'help') return undefined
  const command = commandOf(name)
  if (!command) return 'there is no such command'
  const options = [...command.options, ...root.options]
  for (const [flag, value] of flags) {
    if (flag === '--help') return undefined
    const option = options.find(({ long }) => long === flag)
    if (!option) return `it has no ${flag}`
    if (option.required && value === true) return `${flag} needs a value`
    if (!option.required && !option.optional && typeof value === 'string') return `${flag} takes no value`
    if (typeof value === 'string' && !/[A-Z]{2}|X/.test(value)) option.parseArg?.(value, undefined as never)
  }
  if (name !== '' && command.commands.length > 0 && operands > 0) return 'it is a group'
  const { registeredArguments: wanted } = command
  const needed = wanted.filter(({ required }) => required).length
  if (operands < needed) return `it needs ${needed} arguments`
  const most = wanted.at(-1)?.variadic ? Number.POSITIVE_INFINITY : wanted.length
  return operands > most ? `it takes ${most} arguments` : undefined
}

describe('next steps', () => {
  test('every next step in the source is a command of the program, with arguments and flags that it parses', () => {
    expect(calls.length).toBeGreaterThan(200)
    const wrong = calls.flatMap((call) => {
      const why = fault(call)
      return why === undefined ? [] : [`${call.at}: ${why}`]
    })
    expect(wrong).toEqual([])
  })

  test('every flag for the line that ran belongs to some command', () => {
    const known = new Set<string>()
    const walk = (command: Command): void => {
      for (const { long } of command.options) if (long) known.add(long)
      command.commands.forEach(walk)
    }
    walk(root)
    const flags = callsOf('sameWith').flatMap(({ words }) =>
      words.flatMap((one) => (one.properties ? flagsOf(one) : [])),
    )
    expect(flags.length).toBeGreaterThan(40)
    expect(flags.filter(([flag]) => !known.has(flag))).toEqual([])
  })

  test('every command that signs gets the signer and the profile of the line that ran', () => {
    const target = { wallet: 'ops', profile: 'prod' }
    const names = [...new Set(calls.map(({ name }) => name))].filter((name) => name !== '' && name !== 'help')
    const wrong = names.filter((name) => {
      const line = nextLine(sluice(name as CommandName, 'x'), { target })
      const isSigner = commandOf(name)!.options.some(({ long }) => long === '--key-file')
      return (
        !line.includes('--profile prod') ||
        (name !== 'wallet import' && isSigner !== line.includes('--wallet ops'))
      )
    })
    expect(wrong).toEqual([])
  })

  // A command is printed on a line of its own, so the words around it must stand alone.
  test('no command stands in brackets within words, and none behind "or"', () => {
    const made =
      /^(sluice|sameWith|sameWithout|ownHelp|corrected|withFlags|commandForOperation|revokeCommand)$/
    const advices = files.flatMap(({ file, text, nodes }) =>
      nodes
        .filter(({ type, tag }) => type === 'TaggedTemplateExpression' && (tag as Node).name === 'advice')
        .map((one) => ({ at: `${file}: ${text.slice(one.start, one.end)}`, quasi: one.quasi as Node })),
    )
    expect(advices.length).toBeGreaterThan(100)
    const wrong = advices.filter(({ quasi }) => {
      const words = quasi.quasis as { value: { cooked: string } }[]
      return (quasi.expressions as Node[]).some(({ type, callee, name }, at) => {
        const isCommand = made.test(String(type === 'CallExpression' ? (callee as Node).name : name))
        return isCommand && /(?:[([{]|\bor\W*)\s*$/i.test(words[at]!.value.cooked)
      })
    })
    expect(wrong.map(({ at }) => at)).toEqual([])
  })

  // A command in a text is neither checked by the compiler nor given a signer.
  test('no text beside help and documents names a command to run', () => {
    const ofHelp = /^(addHelpText|description|option|summary|add|sub)$/
    const isText =
      /^(commands\/(help-topics|index|demo\/demo|serve|webhooks\/webhooks)|diagnosis\/situations|cli\/views\/evidence-page|cli\/schema\/mcp-tools|app\/main|app\/doctor\/database-findings|cli\/views\/command-schema-view|commands\/init\/init|domain\/command-line\/administration-flags)\.ts$/
    const names = /(?<![\w.:/@-])sluice (?!(?:is|was|wrote|serve['.:; ])\b)[a-z]/
    const found = globSync('**/*.ts', { cwd: source })
      .filter((file) => !isText.test(file))
      .flatMap((file) => {
        const text = readFileSync(join(source, file), 'utf8')
        if (!names.test(text)) return []
        const look = (node: Node): string[] => {
          const callee = node.type === 'CallExpression' ? (node.callee as Node) : undefined
          const name = callee?.type === 'MemberExpression' ? (callee.property as Node).name : callee?.name
          if (typeof name === 'string' && ofHelp.test(name))
            return isNode(callee?.object) ? look(callee.object) : []
          const said = textOf(node)
          return said !== undefined && names.test(said)
            ? [`${file}: ${said}`]
            : childrenOf(node).flatMap(look)
        }
        return look(parseAst(text, { lang: 'ts' }, file) as unknown as Node)
      })
    expect(found).toEqual([])
  })

  // A flag in words is not a line that can be pasted: it is data, as in `sameWith`, `sameWithout` and `ownHelp`.
  test('no text beside help, messages, notices and documents names a flag in words', () => {
    const flag = /(?<![\w=])--[a-z]/
    const isText =
      /^(domain\/(command-line\/.*|sandbox-fault)|commands\/(help-topics|doctor|mcp|demo\/.*|init\/init|swap\/quote)|cli\/(views|schema|output|terminal)\/.*|cli\/(prompts|conditions\/parse-conditions|signing-flow\/refuse-duplicates)|app\/main|http\/guarded-post|server\/docs-page|store\/(companion-package|sql\/.*)|sandbox\/(daemon-launch|node-processes))\.ts$/
    const notWords =
      /^(addHelpText|description|option|summary|add|sub|describe|version|helpOption|split|sluice|same(With|Without)|corrected|withFlags)$/
    const look = (node: Node, isAdvice: boolean): string[] => {
      const isAdvising =
        isAdvice ||
        (node.type === 'Property' && (node.key as Node).name === 'next') ||
        (node.type === 'TaggedTemplateExpression' && (node.tag as Node).name === 'advice')
      if (node.type === 'CallExpression' || node.type === 'NewExpression') {
        const callee = node.callee as Node
        const name = String(callee.type === 'MemberExpression' ? (callee.property as Node).name : callee.name)
        if (notWords.test(name)) return isNode(callee.object) ? look(callee.object, isAdvising) : []
        // What is wrong may be a flag.
        if (name === 'AppError') return (node.arguments as Node[]).slice(2).flatMap((one) => look(one, false))
      }
      const said = textOf(node)
      const isFound = said !== undefined && flag.test(said) && !/^--[a-z-]+$/.test(said)
      return isFound
        ? [`${isAdvising ? 'next' : 'text'}: ${said}`]
        : childrenOf(node).flatMap((one) => look(one, isAdvising))
    }
    const found = globSync('**/*.ts', { cwd: source }).flatMap((file) => {
      const text = readFileSync(join(source, file), 'utf8')
      if (!flag.test(text)) return []
      const all = look(parseAst(text, { lang: 'ts' }, file) as unknown as Node, false)
      return all.filter((one) => one.startsWith('next') || !isText.test(file)).map((one) => `${file}: ${one}`)
    })
    expect(found).toEqual([])
  })

  test('fault reports unknown commands, unknown flags and wrong arguments', () => {
    const call = (name: string, operands: number, ...flags: Call['flags']) => fault({ name, operands, flags })
    expect(call('deposit-now', 1)).toBeDefined()
    expect(call('deposit', 1, ['--amont', '1'])).toBe('it has no --amont')
    expect(call('deposit', 1, ['--amount', true])).toBe('--amount needs a value')
    expect(call('deposit', 1, ['--dry-run', '1'])).toBe('--dry-run takes no value')
    expect(call('wallet new', 0)).toBe('it needs 1 arguments')
    expect(call('action show', 2)).toBe('it takes 1 arguments')
    expect(call('action show', 1)).toBe(undefined)
  })
})

describe('hints of the error table', () => {
  test.each(Object.keys(errorTable) as ErrorCode[])('%s has a hint', (code) => {
    expect(adviceText(adviceOf(code) ?? '')).toMatch(/\S/)
  })

  // every-error.test.ts and verify-every-outcome.test.ts apply this check to what commands say.
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
})

/** The text of every call `new AppError('CODE', ...)` in the source, as `[file, code, text]`. */
const raised = globSync('**/*.ts', { cwd: source }).flatMap((file) => {
  const text = readFileSync(join(source, file), 'utf8')
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
      .flatMap((code) => startsAnew(adviceText(adviceOf(code) ?? ''), errorRow(code).exit) ?? [])
    expect(anew).toEqual([])
  })

  test('no error in the source has a next step that starts a new action', () => {
    const signed = raised.filter(([, code]) => code in errorTable && isSigned(code))
    expect(signed.length).toBeGreaterThan(40)
    const anew = signed.flatMap(([file, code, text]) => {
      const next = (/\bnext\b[\s\S]*$/.exec(text)?.[0] ?? '').replace(/sluice\('([^']*)'/g, 'sluice $1')
      const found = startsAnew(next, errorRow(code).exit)
      return found === undefined ? [] : [`${file} ${code}: ${found}`]
    })
    expect(anew).toEqual([])
  })
})
