import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Chalk } from 'chalk'
import { expect, test } from 'vitest'
import { hyperlink, unpainted } from '../../../src/cli/terminal/terminal-abilities.ts'
import { sandboxKey } from '../../../src/sandbox/accounts.ts'
import { inTurn } from '../../support/engine.ts'
import { everyCommand } from '../../support/every-command.ts'
import { keepSealed } from '../../support/keys/cheap-keystore.ts'
import { type Circumstances, type Document, type Ran, useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, home } = useCommands(sandbox)
const slug = 'aave-v3-usdc-sandbox-one'

const wide = { columns: 500 }
const painted: Circumstances = { ...wide, out: { paint: new Chalk({ level: 2 }), link: hyperlink } }
const unpaintedTerminal: Circumstances = { ...wide, out: { paint: unpainted } }

/** Replaces values that differ between runs (numbers, times, IDs, keys, hashes) and the column widths that depend on them. */
const steady = (text: string) =>
  text
    .replace(/0x[0-9a-f]{40,}|[0-9a-f]{8}-[0-9a-f-]{27}|\b[0-9a-f]{64}\b|slk_[\w-]+|whsec_[\w+/=]+/gi, '#')
    .replace(/\d+/g, '#')
    .replace(/ +/g, ' ')
const isControl = /(?!\n)\p{Cc}/u
const colour = /\u001b\[[0-9;]*m|\u001b\]8;;[\x21-\x7e]*\u0007/g

/** Every command runs in the first four; in `npm test` one of the other three for each command, in turn. */
type Modes = Record<'pipe' | 'colours' | 'json' | 'narrow', Ran> &
  Partial<Record<(typeof inTurns)[number], Ran>>
const inTurns = ['plain', 'pretty', 'shaped'] as const

/** The columns that no width drops. */
const kept = /\b(TYPE|STATUS|AMOUNT|BALANCE|PROFIT|APY|GROSS|NET|UNLIMITED)\b/g
/** A line that a terminal of 80 columns may wrap itself: a command to paste, one long word, or text that is passed on as it is. */
const mayBeLong = /\bsluice [a-z]|^ *\S{75,}$|^ *["{}[\]]/

/** The faults in the output of one command to a terminal, to a pipe, without colours and as JSON. */
function faults({ pipe, plain, colours, json, pretty, narrow, shaped }: Modes, isScript = false): string[] {
  const all = [pipe, plain, colours, json, pretty].filter((one) => one !== undefined)
  const wrong: string[] = []
  const check = (holds: boolean, what: string) => void (holds || wrong.push(what))
  check(new Set(all.map(({ exit }) => exit)).size === 1, `ends with ${all.map(({ exit }) => exit).join()}`)
  for (const [name, one] of Object.entries({ pipe, plain, json, pretty }))
    check(!one || !isControl.test(one.out + one.err), `writes control bytes (${name})`)
  check(!isControl.test(colours.out.replace(colour, '')), 'does more than colour')
  check(pipe.exit === 0 || pipe.out === '' || pipe.exit === 8, 'answers though it failed')
  check(!plain || steady(pipe.out) === steady(plain.out), 'says other things in a pipe')
  check(steady(pipe.out) === steady(colours.out.replace(colour, '')), 'says other things in colours')
  const documents = [json, pretty ?? json].map(({ out }) => {
    try {
      return steady(JSON.stringify(JSON.parse(out)))
    } catch {
      return `no document: ${out.slice(0, 200)}`
    }
  })
  check(narrow.exit === pipe.exit, 'ends otherwise at 80 columns')
  const long = narrow.out.split('\n').filter((line) => line.length > 80 && !mayBeLong.test(line))
  check(isScript || long.length === 0, `is wider than 80 columns: ${long[0]}`)
  const titles = (text: string): string[] => text.match(kept) ?? []
  for (const title of titles(pipe.out))
    check(titles(narrow.out).includes(title), `drops ${title} at 80 columns`)
  if (shaped) {
    check(shaped.exit === json.exit, `ends with ${shaped.exit} by --jq`)
    check(steady(shaped.out) === (json.exit === 0 ? steady(json.out) : ''), 'is another document by --jq')
    check(json.exit === 0 || /\([A-Z_]+\)\n/.test(shaped.err), 'tells no error on stderr by --jq')
  }
  check(json.out.indexOf('\n') === json.out.length - 1, 'is more than a line of JSON')
  check(!documents[0]!.startsWith('no document'), documents[0]!)
  check(documents[0] === documents[1], 'is another document at a terminal')
  return wrong
}

test('every command prints the same to a terminal, to a pipe, without colours and as JSON', async () => {
  const password = join(home(), 'pw')
  writeFileSync(password, 'a password', { mode: 0o600 })
  keepSealed(join(home(), 'data', 'keystores'), 'main', sandboxKey(2), 'a password')
  const { json: deposited } = await run(`deposit ${slug} --amount 100 --yes --json`)
  const { json } = await run('schema --json')
  const commands = json.items.map(({ command }: Document) => command)
  expect(Object.keys(everyCommand).toSorted()).toEqual(commands.toSorted())
  let coloured = 0
  const wrong: Record<string, string[]> = {}
  for (const [turn, [command, row]] of Object.entries(everyCommand).entries()) {
    const line = row.replace('ID', deposited.id).replace('PW', password)
    const typed = (more: string, how: Circumstances = {}) =>
      run(`${line}${more}`, { stdin: 'sk_0123456789abcdef', ...how })
    const others = {
      plain: () => typed('', unpaintedTerminal),
      pretty: () => typed(' --json', painted),
      // A failing doctor still prints its checks, and the failure on stderr.
      shaped: () => typed(' --jq .'),
    }
    const ran: Modes = {
      pipe: await typed(''),
      colours: await typed('', painted),
      json: await typed(' --json'),
      narrow: await typed('', { columns: 80 }),
    }
    for (const one of inTurn(inTurns, 3, turn)) ran[one] = await others[one]()
    const found = faults(ran, /^(completion|action export|wallet export)$/.test(command))
    if (found.length > 0) wrong[command] = found
    if (colour.test(ran.colours.out)) coloured++
  }
  expect(wrong).toEqual({})
  // Proves that colours were on.
  expect(coloured).toBeGreaterThan(15)
})

test('faults reports control bytes, different texts, several documents and different exit codes', async () => {
  const said = (out: string, err = '', exit = 0) => ({ out, err, exit }) as Ran
  const good = {
    pipe: said('a 1\n'),
    plain: said('a 2\n'),
    colours: said('\u001b[2ma\u001b[22m 3\n'),
    json: said('{"a":1}\n'),
    pretty: said('{\n  "a": 1\n}\n'),
    narrow: said('a 1\n'),
    shaped: said('{"a":1}\n'),
  }
  expect(faults(good)).toEqual([])
  for (const bad of [
    { pipe: said('\u001b[2ma\u001b[22m 1\n') },
    { pipe: said('a 1\n', '\u001b[?25l') },
    { plain: said('\u001b[2ma\u001b[22m 1\n') },
    { colours: said('\u001b[2Ja 3\n') },
    { json: said('{"a":1}\n{"a":1}\n') },
    { json: said('notice\n{"a":1}\n') },
    { pretty: said('{"b":1}\n') },
    { pretty: said('{"a":1}\n', '', 1) },
    { plain: said('b 1\n') },
    { narrow: said(`${'a '.repeat(41)}\n`) },
    { pipe: said('STATUS 1\n'), plain: said('STATUS 1\n'), colours: said('STATUS 1\n') },
    { shaped: said('{"a":"b"}\n') },
    { shaped: said('{"a":1}\n', '', 2) },
  ])
    expect(faults({ ...good, ...bad })).not.toEqual([])
})
