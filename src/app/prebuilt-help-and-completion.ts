import { fstatSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { CommandManifest } from '../cli/help/command-manifest.ts'
import { complete, completionText } from '../cli/help/complete-word.ts'
import { helpText } from '../cli/help/help-text.ts'
import { refusePrivateKeys } from '../cli/options/refuse-private-keys.ts'
import { type CommandLine, readCommandLine } from '../domain/command-line/read-command-line.ts'
import { completionValues } from './completion-values.ts'
import { directories } from './profiles/directories.ts'
import { fileSettings } from './profiles/settings-files.ts'

/**
 * Answers help and completion from the manifests that the build wrote, without loading the program.
 * `false` if the program must run. `lines` is the file of manifests.
 */
export async function answerFromManifests(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  lines: string,
): Promise<boolean> {
  try {
    const text =
      argv[0] === '__complete'
        ? await completionAnswer(argv, env, lines)
        : helpAnswer(readCommandLine(argv), lines)
    if (text === undefined) return false
    say(text)
    return true
  } catch {
    // The program reports the error.
    return false
  }
}

/** Reads the program's manifest and that of the wanted command; the others have only their names. */
function readManifest(lines: string, wanted: string | undefined): CommandManifest {
  const texts = readFileSync(lines, 'utf8').split('\n')
  const root = JSON.parse(texts[0]!) as CommandManifest
  const at = root.commands.findIndex(({ name }) => name === wanted)
  const commands = root.commands.map((one, index) =>
    index === at ? (JSON.parse(texts[index + 1]!) as CommandManifest) : one,
  )
  return { ...root, commands }
}

async function completionAnswer(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  lines: string,
): Promise<string | undefined> {
  const words = argv.slice(argv[1] === '--' ? 2 : 1)
  const [before, last] = [words.slice(0, -1), words.at(-1) ?? '']
  refusePrivateKeys(readCommandLine(words))
  const [wanted] = readCommandLine(before).command.split(' ')
  const dirs = directories(env)
  const values = completionValues({
    dirs,
    env,
    settings: fileSettings(dirs),
    now: Date.now,
    keystores: join(dirs.data, 'keystores'),
    topics: onlyInProgram,
    nextWords: onlyInProgram,
  })
  return completionText(await complete(readManifest(lines, wanted), before, last, values))
}

const onlyInProgram = () => Promise.reject(new Error('only the program knows itself'))

/** The help of a command, if nothing else is asked. */
function helpAnswer({ asks, command, operands, flags }: CommandLine, lines: string): string | undefined {
  if (asks !== 'help' || operands.length > 0 || flags.length > 0) return undefined
  const words = command === '' ? [] : command.split(' ')
  let at: CommandManifest | undefined = readManifest(lines, words[0])
  for (const word of words) at = at?.commands.find(({ name }) => name === word)
  const width = isDevice() ? process.stdout.columns || 80 : 80
  return at && helpText(at.help, width) + at.help.after
}

/** Whether the standard output is a terminal or another character device. */
const isDevice = (): boolean => fstatSync(1).isCharacterDevice()

/** Writes synchronously to a pipe or file, because Node's streams take longer to load than all of this. */
function say(text: string): void {
  if (isDevice() && process.stdout.isTTY) return void process.stdout.write(text)
  let left = Buffer.from(text)
  try {
    while (left.length > 0) left = left.subarray(writeSync(1, left))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // The reader may be gone, or the pipe may be non-blocking and full. The program reports any other error.
    if (code === 'EAGAIN') process.stdout.write(left)
    else if (code !== 'EPIPE') throw error
  }
}
