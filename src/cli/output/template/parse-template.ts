import { AppError } from '../../../domain/errors.ts'
import { didYouMean } from '../../../domain/text/did-you-mean.ts'
import { sluice } from '../../../domain/text/next-step.ts'
import { sanitizeText } from '../../../domain/text/terminal-sanitizing.ts'
import { functions } from './template-functions.ts'
import type { Expression, TemplateNode } from './template-nodes.ts'

/** A word of an action: what it is, and its text. */
type Word = {
  kind: 'text' | 'number' | 'name' | 'field' | 'variable' | 'sign'
  text: string
  isSpaced: boolean
}

const wordForms =
  /(?<space>\s+)|(?<text>"(?:[^"\\\n]|\\.)*"|`[^`]*`)|(?<number>-?\d+(?:\.\d+)?)|(?<field>(?:\.[\p{L}_][\p{L}\p{N}_]*)+|\.)|(?<variable>\$[\p{L}\p{N}_]*)|(?<name>[\p{L}_][\p{L}\p{N}_]*)|(?<sign>:=|=|\||\(|\)|,)/uy

/** Keywords of Go's templates that are not supported here. */
const unsupported = ['define', 'template', 'block']

/**
 * Parses a template in the language of Go's `text/template`, as far as `sluice help formatting` documents it. USAGE with the line of the fault, so that
 * a wrong template is refused before anything is requested.
 */
export function parseTemplate(source: string): readonly TemplateNode[] {
  const pieces = piecesOf(source)
  const known = new Set(['$'])
  let at = 0

  const block = (
    opener: Action | undefined,
    inLoop: boolean,
  ): { nodes: TemplateNode[]; end: Action | undefined } => {
    const nodes: TemplateNode[] = []
    const outside = new Set(known)
    for (;;) {
      const piece = pieces[at++]
      if (piece === undefined) {
        if (opener) throw wrong(opener, `{{${opener.keyword}}} has no {{end}}`)
        return { nodes, end: undefined }
      }
      if (piece.kind === 'text') {
        if (piece.text !== '') nodes.push(piece)
        continue
      }
      const { keyword } = piece
      if (keyword === 'end' || keyword === 'else') {
        if (!opener) throw wrong(piece, `{{${keyword}}} without an if, range or with before it`)
        known.clear()
        for (const name of outside) known.add(name)
        return { nodes, end: piece }
      }
      nodes.push(nodeOf(piece, inLoop))
    }
  }

  function nodeOf(action: Action, inLoop: boolean): TemplateNode {
    const { keyword } = action
    if (unsupported.includes(keyword)) throw wrong(action, `{{${keyword}}} is not supported`)
    if (keyword === 'break' || keyword === 'continue') {
      if (!inLoop) throw wrong(action, `{{${keyword}}} outside of a range`)
      return { kind: keyword }
    }
    if (keyword !== 'if' && keyword !== 'with' && keyword !== 'range') return statementOf(action, known)
    const outside = new Set(known)
    const { names, value, isNew } = declarationOf(action, known, keyword === 'range' ? 2 : 1)
    if (names.length > 0 && !isNew) throw wrong(action, `{{${keyword}}} declares variables by :=`)
    for (const name of names) known.add(name)
    const { nodes: body, end } = block(action, inLoop || keyword === 'range')
    const otherwise = end?.keyword === 'else' ? elseOf(end, action, inLoop) : []
    known.clear()
    for (const name of outside) known.add(name)
    if (keyword === 'range') return { kind: 'range', value, names, body, otherwise }
    if (keyword === 'with') return { kind: 'with', value, name: names[0], body, otherwise }
    if (names[0] === undefined) return { kind: 'if', value, body, otherwise }
    return {
      kind: 'if',
      value: { kind: 'literal', value: true },
      body: [
        { kind: 'set', name: names[0], value, isNew: true },
        { kind: 'if', value: { kind: 'variable', name: names[0] }, body, otherwise },
      ],
      otherwise: [],
    }
  }

  /** What follows an `else`: its block, or another `if` that shares the `end`. */
  function elseOf(action: Action, opener: Action, inLoop: boolean): readonly TemplateNode[] {
    const [word] = action.words
    if (word === undefined) {
      const { nodes, end } = block(opener, inLoop)
      if (end?.keyword !== 'end') throw wrong(end ?? action, 'a second {{else}}')
      return nodes
    }
    if (word.text !== 'if' && word.text !== 'with')
      throw wrong(action, `unexpected "${word.text}" after else`)
    return [nodeOf({ ...action, keyword: word.text, words: action.words.slice(1) }, inLoop)]
  }

  return block(undefined, false).nodes
}

type Action = { kind: 'action'; keyword: string; words: readonly Word[]; line: number }

const keywords = ['if', 'else', 'end', 'range', 'with', 'break', 'continue', ...unsupported]

/** The texts and the actions of a template; `{{-` and `-}}` take the white space beside them. */
function piecesOf(source: string): ({ kind: 'text'; text: string } | Action)[] {
  const pieces: ({ kind: 'text'; text: string } | Action)[] = []
  let at = 0
  let isTrimmed = false
  for (;;) {
    const open = source.indexOf('{{', at)
    const text = source.slice(at, open < 0 ? undefined : open)
    const trimsLeft = open >= 0 && /^\{\{-\s/.test(source.slice(open, open + 4))
    const shown = isTrimmed ? text.trimStart() : text
    pieces.push({ kind: 'text', text: trimsLeft ? shown.trimEnd() : shown })
    if (open < 0) return pieces
    const line = source.slice(0, open).split('\n').length
    const start = open + (trimsLeft ? 3 : 2)
    const comment = /^\s*\/\*[\s\S]*?\*\/\s*?( -)?\}\}/.exec(source.slice(start))
    if (comment) {
      at = start + comment[0].length
      isTrimmed = comment[1] !== undefined
      continue
    }
    const { words, end, trims } = wordsOf(source, start, line)
    const [first] = words
    const isKeyword = first?.kind === 'name' && keywords.includes(first.text)
    if (first === undefined) throw wrong({ line }, 'an action without a value')
    pieces.push({
      kind: 'action',
      keyword: isKeyword ? first.text : '',
      words: isKeyword ? words.slice(1) : words,
      line,
    })
    at = end
    isTrimmed = trims
  }
}

function wordsOf(
  source: string,
  start: number,
  line: number,
): { words: Word[]; end: number; trims: boolean } {
  const words: Word[] = []
  let at = start
  let isSpaced = true
  for (;;) {
    if (source.startsWith('}}', at)) return { words, end: at + 2, trims: false }
    if (isSpaced && source.startsWith('-}}', at)) return { words, end: at + 3, trims: true }
    wordForms.lastIndex = at
    const found = wordForms.exec(source)
    const [kind, text] = Object.entries(found?.groups ?? {}).find(([, one]) => one !== undefined) ?? []
    if (kind === undefined || text === undefined)
      throw wrong({ line }, at >= source.length ? 'an action has no }}' : `unexpected "${source[at]}"`)
    if (kind !== 'space') words.push({ kind: kind as Word['kind'], text, isSpaced })
    isSpaced = kind === 'space'
    at += text.length
  }
}

/** A value to print, or a variable to set. */
function statementOf(action: Action, known: Set<string>): TemplateNode {
  const { names, value, isNew } = declarationOf(action, known, 1)
  if (names[0] === undefined) return { kind: 'print', value }
  known.add(names[0])
  return { kind: 'set', name: names[0], value, isNew }
}

function declarationOf(action: Action, known: ReadonlySet<string>, most: number) {
  const { words } = action
  const at = words.findIndex(({ text, kind }) => kind === 'sign' && (text === ':=' || text === '='))
  const before = at < 0 ? [] : words.slice(0, at)
  const names = before.filter(({ kind }) => kind === 'variable').map(({ text }) => text)
  const isList = before.every(({ kind, text }, index) =>
    index % 2 === 0 ? kind === 'variable' : text === ',',
  )
  if (at >= 0 && (!isList || before.length % 2 === 0 || names.length > most))
    throw wrong(action, `"${words[at]!.text}" needs a variable before it: $name ${words[at]!.text} VALUE`)
  const isNew = words[at]?.text === ':='
  for (const name of isNew ? [] : names)
    if (!known.has(name)) throw wrong(action, `undefined variable ${name}`)
  return { names, isNew, value: pipelineOf(action, at < 0 ? words : words.slice(at + 1), known) }
}

/** A pipeline: each command takes the value of the one before it as its last argument. */
function pipelineOf(action: Action, words: readonly Word[], known: ReadonlySet<string>): Expression {
  let at = 0
  const value = pipeline()
  if (at < words.length) throw wrong(action, `unexpected "${words[at]!.text}"`)
  return value

  function pipeline(): Expression {
    let value = command(undefined)
    while (words[at]?.text === '|' && words[at]?.kind === 'sign') {
      at++
      value = command(value)
    }
    return value
  }
  function command(piped: Expression | undefined): Expression {
    const first = words[at]
    if (first?.kind === 'name' && !['true', 'false', 'nil'].includes(first.text)) {
      at++
      const args: Expression[] = []
      while (at < words.length && !(words[at]!.kind === 'sign' && [')', '|'].includes(words[at]!.text)))
        args.push(operand())
      return call(first.text, piped ? [...args, piped] : args)
    }
    if (piped) throw wrong(action, 'a pipe leads to a value that is no function')
    const value = operand()
    const next = words[at]
    if (next && !(next.kind === 'sign' && [')', '|'].includes(next.text)))
      throw wrong(action, `unexpected "${next.text}" after a value`)
    return value
  }
  function call(name: string, args: readonly Expression[]): Expression {
    const found = Object.hasOwn(functions, name) ? functions[name] : undefined
    if (!found) throw wrong(action, `unknown function ${name}${didYouMean(name, Object.keys(functions))}`)
    const [least, most = Number.POSITIVE_INFINITY] = found.takes
    if (args.length < least || args.length > most)
      throw wrong(action, `${name} takes ${countOf(least, most)}, not ${args.length}`)
    return { kind: 'call', name, args }
  }
  function operand(): Expression {
    const word = words[at++]
    if (!word) throw wrong(action, 'a value is missing')
    const value = simpleValue(word)
    const next = words[at]
    if (next?.kind !== 'field' || next.isSpaced || next.text === '.') return value
    at++
    return { kind: 'field', of: value, path: next.text.slice(1).split('.') }
  }
  function simpleValue({ kind, text }: Word): Expression {
    if (kind === 'text') return { kind: 'literal', value: unquoted(action, text) }
    if (kind === 'number') return { kind: 'literal', value: Number(text) }
    if (kind === 'field')
      return text === '.'
        ? { kind: 'dot' }
        : { kind: 'field', of: { kind: 'dot' }, path: text.slice(1).split('.') }
    if (kind === 'variable') {
      if (!known.has(text)) throw wrong(action, `undefined variable ${text}`)
      return { kind: 'variable', name: text }
    }
    if (kind === 'name' && text === 'nil') return { kind: 'literal', value: null }
    if (kind === 'name' && (text === 'true' || text === 'false'))
      return { kind: 'literal', value: text === 'true' }
    if (kind === 'name') return call(text, [])
    if (text !== '(') throw wrong(action, `unexpected "${text}"`)
    const value = pipeline()
    if (words[at++]?.text !== ')') throw wrong(action, 'a ) is missing')
    return value
  }
}

function unquoted(action: Action, text: string): string {
  if (text.startsWith('`')) return text.slice(1, -1)
  try {
    return JSON.parse(text.replace(/\\x([0-9a-fA-F]{2})/g, '\\u00$1')) as string
  } catch {
    throw wrong(action, `${text} is not a string`)
  }
}

const countOf = (least: number, most: number): string =>
  least === most
    ? `${least} argument${least === 1 ? '' : 's'}`
    : most === Number.POSITIVE_INFINITY
      ? `at least ${least} argument${least === 1 ? '' : 's'}`
      : `${least} to ${most} arguments`

const wrong = ({ line }: { line: number }, what: string): AppError =>
  new AppError('USAGE', sanitizeText(`--template, line ${line}: ${what}`), {
    next: sluice('help', 'formatting'),
  })
