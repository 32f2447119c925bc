import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { signerFlags, targetOf } from '../../cli/next-step-text.ts'
import type { ConcernedOperations, ResumingVerb } from '../../cli/program-context-types.ts'
import type { Settings } from '../../cli/settings-files-schema.ts'
import { operationReport } from '../../diagnosis/report-from-journal.ts'
import {
  type CommandLine,
  flagValue,
  flagValues,
  hasFlag,
} from '../../domain/command-line/read-command-line.ts'
import { AppError } from '../../domain/errors.ts'
import { allNetworks } from '../../domain/networks.ts'
import { operationNamed } from '../../planning/named-operation.ts'
import type { Journal } from '../../store/journal/journal-interface.ts'
import type { Operation } from '../../store/journal/operation-types.ts'
import { hasSignature } from '../../transactions/steps/operation-state.ts'
import type { Directories } from '../profiles/directories.ts'
import { selectProfile } from '../profiles/profile-selection.ts'
import { withoutSecrets } from '../profiles/saved-secrets.ts'
import { planTextIn } from './signer-recorded-inputs.ts'

type Needs = {
  dirs: Directories
  env: Readonly<Record<string, string | undefined>>
  settings: Settings
  now: () => number
}

/**
 * Finds the operation that a command noted last, and the one with a signed transaction that it noted or that its line names by id or
 * key. Reads only files of this machine, so that it works whatever else fails.
 */
export async function findConcernedOperations(
  line: CommandLine,
  noted: readonly string[],
  { dirs, env, settings, now }: Needs,
): Promise<ConcernedOperations> {
  const newest = noted.toReversed()
  const names = isReadOnlyLine(line) ? [] : [...newest, ...namedOn(line)]
  if (names.length === 0 && newest.length === 0) return {}
  const kinds = kindsOf(line)
  for (const path of await journalsOf(line, { dirs, env, settings })) {
    const journal = await opened(path, now)
    if (!journal) continue
    try {
      const last = newest.flatMap((id) => journal.find(id) ?? [])[0]
      const found = signedIn(journal, names, kinds)
      if (last || found)
        return {
          noted: last && { id: last.id, report: reportIn(journal, last) },
          signed: found && {
            operation: found,
            report: reportIn(journal, found),
            again: signerFlags(targetOf(line)),
            verb: verbOn(line, journal, found),
          },
        }
    } finally {
      journal.close()
    }
  }
  return {}
}

const reportIn = (journal: Journal, operation: Operation) =>
  operationReport(
    operation,
    allNetworks,
    ({ attempts }) => attempts.at(-1)?.hash ?? null,
    journal.events(operation.id),
  )

/** The subcommands that resume an operation. Others such as `show` report only their own failures. */
const resumingVerbs: readonly ResumingVerb[] = [
  'submit',
  'resume',
  'replan',
  'revoke',
  'speed-up',
  'cancel',
  'abandon',
  'watch',
]

/** Returns the subcommand of `action` that names the operation on the line. */
function verbOn(line: CommandLine, journal: Journal, operation: Operation): ResumingVerb | undefined {
  const verb = resumingVerbs.find((one) => line.command === `action ${one}`)
  if (verb === undefined || verb === 'submit') return undefined
  const isNamed = operandsOf(line).some((word) => named(journal, word)?.id === operation.id)
  return isNamed ? verb : undefined
}

/** Whether the line is a dry run or help, which resumes nothing. */
const isReadOnlyLine = (line: CommandLine): boolean => hasFlag(line, '--dry-run') || line.asks !== undefined

/** The operands, also behind a flag that the command does not take. */
const operandsOf = ({ operands, unread }: CommandLine): string[] => [
  ...operands,
  ...unread.filter((word) => !word.startsWith('-')),
]

/** Returns the ids and keys on a command line that can sign or follow; the resumed ones come first. */
function namedOn(line: CommandLine): string[] {
  const { command } = line
  const keys = flagValues(line, '--idempotency-key')
  const operands = operandsOf(line)
  if (command === 'action watch') return operands
  if (command === 'action submit') return [...keys, ...operands.slice(0, 1).flatMap(planIn)]
  const isNamed = command === 'swap execute' || resumingVerbs.some((one) => command === `action ${one}`)
  return [...keys, ...(isNamed ? operands.slice(0, 1) : [])]
}

/** Returns the operation id in a plan file, if any. */
function planIn(file: string): string[] {
  if (file === '-' || !existsSync(file)) return []
  try {
    const { operation } = JSON.parse(planTextIn(file) ?? '') as { operation?: { id?: unknown } }
    return typeof operation?.id === 'string' ? [operation.id] : []
  } catch {
    // An invalid plan names no operation; the command reports it.
    return []
  }
}

/** Returns the journal of the profile; all journals of this machine if the profile is unknown. */
async function journalsOf(line: CommandLine, { dirs, env, settings }: Omit<Needs, 'now'>): Promise<string[]> {
  const [sandbox, others] = [join(dirs.data, 'sandbox', 'journal.db'), join(dirs.data, 'journal.db')]
  try {
    const { kind } = await selectProfile(env, flagValue(line, '--profile'), withoutSecrets(settings))
    return [kind === 'sandbox' ? sandbox : others]
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    // An id is unique across journals. A key belongs to a profile, and a profile with another name is not the
    // sandbox.
    const name = flagValue(line, '--profile') ?? env.SLUICE_PROFILE
    const isElsewhere = name !== undefined && name !== 'sandbox' && !line.command.startsWith('action ')
    return isElsewhere ? [others] : [others, sandbox]
  }
}

/**
 * Opens a journal that exists. One that cannot be opened is ignored; a damaged one throws, because it
 * may have been used to sign.
 */
async function opened(path: string, now: () => number): Promise<Journal | undefined> {
  if (!existsSync(path)) return undefined
  const { openJournal } = await import('../../store/journal/journal.ts')
  try {
    return openJournal(path, now)
  } catch (error) {
    if (error instanceof AppError && error.code !== 'JOURNAL_UNREADABLE') return undefined
    throw error
  }
}

/** Returns the kinds of operation that a command makes. The same key with another kind is another request. */
function kindsOf({ command }: CommandLine): readonly string[] | undefined {
  const kinds = {
    deposit: ['deposit'],
    withdraw: ['withdraw', 'claim'],
    transfer: ['transfer'],
    'swap execute': ['swap'],
  }
  return Object.hasOwn(kinds, command) ? kinds[command as keyof typeof kinds] : undefined
}

/** The operation that a word of the command line names; none if it begins several ids, which the command itself refuses. */
function named(journal: Journal, word: string): Operation | undefined {
  try {
    return operationNamed(journal, word)
  } catch (error) {
    if (error instanceof AppError && error.code === 'USAGE') return undefined
    throw error
  }
}

function signedIn(
  journal: Journal,
  names: readonly string[],
  kinds: readonly string[] | undefined,
): Operation | undefined {
  for (const name of names) {
    const operation = named(journal, name)
    if (!operation || !hasSignature(operation)) continue
    if (!kinds || kinds.includes(operation.kind)) return operation
  }
  return undefined
}
