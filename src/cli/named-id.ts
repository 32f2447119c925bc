import type { Action } from '../api/action.ts'
import { AppError } from '../domain/errors.ts'
import { sluice } from '../domain/text/next-step.ts'
import type { ExecutionContext, JournalOperation } from '../planning/execution-context-types.ts'
import {
  ambiguousIdError,
  isIdStart,
  isTransactionHash,
  mostCandidates,
  operationNamedWhole,
} from '../planning/named-operation.ts'
import type { Cli } from './command-run-types.ts'
import { findByPayment } from './signing-flow/find-operation.ts'

/** The errors by which a service says that it has nothing under an id, or that the id is none of its own. */
export const notThereCodes: readonly string[] = [
  'ACTION_NOT_FOUND',
  'QUOTE_NOT_FOUND',
  'NOT_FOUND',
  'VALIDATION_ERROR',
]

/**
 * Asks the service about an action or a quote by a typed word: a whole id, else the one whose id begins so, or, for a
 * transaction hash, the one that it lists with this transaction. USAGE with the candidates if there are several.
 */
export async function askedByName<answer>(
  cli: Cli,
  typed: string,
  ask: (id: string) => Promise<answer>,
): Promise<answer> {
  try {
    return await ask(typed)
  } catch (error) {
    if (!(error instanceof AppError) || !notThereCodes.includes(error.code)) throw error
    const id = await idAtService(cli, typed)
    if (id === undefined || id === typed) throw error
    return ask(id)
  }
}

/**
 * Who says how an action stands: the journal of this machine, the engine of this program, which reads the chains, or a remote service, whose
 * word nothing here has checked.
 */
export const actionSources = ['journal', 'engine', 'service'] as const

/** An action that is not in the journal, and who says so. */
export type ActionAtService = Action & { source: 'engine' | 'service' }

/** The action of the service that a typed word names; the error for the hash of none names the command that asks the chains. */
export async function actionAtService(cli: Cli, typed: string): Promise<ActionAtService> {
  const ask = async (id: string) => (await cli.service()).getAction({ id })
  const found = await askedByName(cli, typed, ask).catch((error: unknown) => {
    const isUnknown = error instanceof AppError && notThereCodes.includes(error.code)
    if (!isUnknown || !isTransactionHash(typed)) throw error
    throw new AppError('ACTION_NOT_FOUND', `There is no action with the transaction ${typed}`, {
      cause: error,
      next: sluice('action explain', typed),
    })
  })
  return { ...found, source: cli.backend.kind === 'remote' ? 'service' : 'engine' }
}

/** The whole id that a typed word means at the service; `undefined` if it lists none, or has no such list. */
export const idAtService = async (cli: Cli, typed: string): Promise<string | undefined> =>
  (await lookUpAtService(cli, typed)).id

/** The same; `isListed` is false if the service gave no list of actions. */
export async function lookUpAtService(
  cli: Cli,
  typed: string,
): Promise<{ id: string | undefined; isListed: boolean }> {
  const isHash = isTransactionHash(typed)
  if (!isHash && !isIdStart(typed)) return { id: undefined, isListed: true }
  const service = await cli.service()
  const [actions, quotes] = await Promise.all([
    listed(service.listActions({ id: typed, limit: 100 })),
    isHash ? [] : listed(service.listQuotes({ id: typed, limit: 100 })),
  ])
  // Another deployment may list everything.
  const has = (hash: string | null) => hash?.toLowerCase() === typed.toLowerCase()
  const found = isHash
    ? (actions ?? []).filter(({ transactions }) => transactions.some(({ hash }) => has(hash)))
    : [...(actions ?? []), ...(quotes ?? [])].filter(({ id }) => id.startsWith(typed))
  const ids = [...new Set(found.map(({ id }) => id))]
  if (ids.length > 1) throw ambiguousIdError(typed, ids)
  return { id: ids[0], isListed: actions !== undefined }
}

/** The rows of a list; `undefined` if the service does not answer with one. */
async function listed<row>(asked: Promise<{ items: row[] }>): Promise<row[] | undefined> {
  try {
    return (await asked).items
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

/** What a typed word names among the swaps of this machine: the operation of one, and the whole id to ask about. */
export type NamedSwap = {
  id: string
  known: { context: ExecutionContext; operation: JournalOperation } | undefined
}

/**
 * The swap of this machine that a typed word names: an operation, by any of its names, or a quote that was received here, by its
 * id; or the beginning of one id of either. USAGE with the candidates if there are several; the word itself if there is none.
 */
export async function swapNamed(cli: Cli, typed: string): Promise<NamedSwap> {
  const context = await cli.backend.context().catch((error: unknown) => {
    // Where there is no chain there is no operation either.
    if (error instanceof AppError) return undefined
    throw error
  })
  const named = (operation: JournalOperation | undefined): NamedSwap['known'] =>
    context && operation && { context, operation }
  const whole =
    context && (operationNamedWhole(context.journal, typed) ?? (await findByPayment(cli, context, typed)))
  if (whole) return { id: whole.id, known: named(whole) }
  const quotes = await cli.program.quotes()
  if (!isIdStart(typed) || (await quotes.find(typed))) return { id: typed, known: undefined }
  const ids = [
    ...(context?.journal.idsBeginning(typed, mostCandidates + 1) ?? []),
    ...(await quotes.idsBeginning(typed)),
  ]
  const [id = typed, ...others] = new Set(ids)
  if (others.length > 0) throw ambiguousIdError(typed, [id, ...others])
  return { id, known: named(context?.journal.find(id)) }
}
