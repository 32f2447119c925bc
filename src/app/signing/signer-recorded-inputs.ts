import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Address } from '../../domain/address.ts'
import type { CommandLine } from '../../domain/command-line/read-command-line.ts'
import { AppError } from '../../domain/errors.ts'
import type { StoredPlan } from '../../guard/stored-plan.ts'
import { isIdStart, operationNamed } from '../../planning/named-operation.ts'
import type { Catalog } from '../../protocols/catalog-types.ts'
import type { RecordedQuote } from '../../signing/intent-matches-command-line.ts'
import { listKeys } from '../../signing/keystore/directory.ts'
import type { RecordedPlan } from '../../signing/recorded-plan-check.ts'
import type { SigningServiceContext } from '../../signing/signing-service-context-type.ts'
import type { Journal } from '../../store/journal/journal-interface.ts'
import { readTextFile } from '../../store/read-text-file.ts'
import type { Directories } from '../profiles/directories.ts'

/** Maximum size of a plan file, in bytes. */
const mostBytes = 32 * 1024 * 1024

/**
 * Reads the text of a plan file that can be read more than once; `undefined` for a pipe, and for a file that is too large or no text.
 * Throws if it cannot be read.
 */
export function planTextIn(path: string): string | undefined {
  return statSync(path).isFile() ? readTextFile(path, mostBytes).text : undefined
}

const journals = () => import('../../store/journal/journal.ts')
const memories = () => import('../../store/document-store.ts')
const quotes = () => import('../../api/quote.ts')
const planFiles = () => import('../../planning/plan-format.ts')

/** Loads the code that reads the inputs of a command line. */
export async function preloadReaders({ command }: CommandLine): Promise<void> {
  if (command.startsWith('action '))
    await Promise.all([journals(), ...(command === 'action submit' ? [planFiles()] : [])])
  if (command === 'swap execute') await Promise.all([memories(), quotes()])
}

type Where = {
  line: CommandLine
  dirs: Directories
  isSandbox: boolean
  catalog: () => Promise<Catalog>
}

/** The inputs that the signer reads itself: journal, plan file, saved quotes. */
export function signerReads({
  line,
  dirs,
  isSandbox,
  catalog,
}: Where): Pick<SigningServiceContext, 'written' | 'remembered' | 'isSigned' | 'walletNamed'> {
  const { command } = line
  const [name] = line.operands
  const isSubmit = command === 'action submit'
  const withJournal = async <value>(work: (journal: Journal) => value): Promise<value> => {
    const { openJournal } = await journals()
    const journal = openJournal(join(dirs.data, ...(isSandbox ? ['sandbox'] : []), 'journal.db'), Date.now)
    try {
      return work(journal)
    } finally {
      journal.close()
    }
  }
  return {
    written: async () => {
      if (!command.startsWith('action ') || name === undefined) return undefined
      const plan = isSubmit ? await planIn(name, catalog) : undefined
      const begun = await withJournal((journal) =>
        operationIn(journal, plan?.id ?? (isSubmit ? undefined : name)),
      )
      if (!plan && !begun) return isSubmit ? withJournal(newest) : undefined
      return {
        transactions: [...(plan?.transactions ?? []), ...(begun?.transactions ?? [])],
        vouched: begun?.vouched ?? [],
      }
    },
    remembered: async (quoteId) => {
      // The command line names the quote first.
      const id = name ?? quoteId
      if (command !== 'swap execute' || id === null) return null
      const { openDocumentStore } = await memories()
      const memory = openDocumentStore(join(dirs.data, 'quotes.db'), Date.now)
      try {
        const whole = memory.find(id)
        if (whole !== undefined) return quoteOf(whole)
        // The word may be the beginning of the id, or name the swap otherwise.
        const begun = isIdStart(id) ? memory.idsBeginning(id, 2) : []
        const named =
          begun.length === 1
            ? begun[0]
            : begun.length === 0
              ? (await withJournal((journal) => operationNamed(journal, id)))?.id
              : undefined
        return quoteOf(named === undefined ? undefined : memory.find(named))
      } finally {
        memory.close()
      }
    },
    walletNamed: (name) =>
      (name === '' || name.startsWith('0x') ? [] : listKeys(join(dirs.data, 'keystores'))).find(
        (key) => key.name === name,
      )?.address ?? undefined,
    isSigned: (chainId, wallet, nonce) =>
      withJournal((journal) => {
        const holder = journal.nonceHolder(chainId, wallet, nonce)
        const { steps = [] } = (holder && journal.find(holder.operation)) ?? {}
        return steps.some(({ index, attempts }) => index === holder?.index && attempts.length > 0)
      }),
  }
}

type SavedQuote = {
  raw: never
  exact: 'in' | 'out'
  slippage?: number | null
  destination: Address | null
  speed?: 'fast' | 'standard' | null
}

/** A saved quote as the terms that a swap is checked against. */
async function quoteOf(kept: unknown): Promise<RecordedQuote | null> {
  if (kept === undefined) return null
  const { Quote } = await quotes()
  const { raw, exact, slippage = null, destination, speed = null } = kept as SavedQuote
  const { from, to, tokenIn, tokenOut, minAmountOut, maxAmountIn } = Quote.decode(raw)
  return {
    recipient: destination,
    chainIn: from.chainId,
    chainOut: to.chainId,
    tokenIn: tokenIn.address,
    tokenOut: tokenOut.address,
    exact,
    slippage,
    speed,
    amountIn: tokenIn.amount,
    amountOut: tokenOut.amount,
    minAmountOut,
    maxAmountIn,
  }
}

/** Reads a plan file. The signer cannot read standard input or pipes, which can be read only once. */
async function planIn(
  path: string,
  catalog: () => Promise<Catalog>,
): Promise<{ id: string; transactions: RecordedPlan['transactions'] } | undefined> {
  if (path === '-') return undefined
  let text: string | undefined
  try {
    text = planTextIn(path)
  } catch (cause) {
    throw new AppError('USAGE', 'The signing process cannot read the plan', { cause })
  }
  if (text === undefined) return undefined
  const { decodePlan } = await planFiles()
  const { proposal } = decodePlan(text, await catalog())
  return { id: proposal.id, transactions: proposal.legs.flatMap(({ transactions }) => transactions) }
}

/** The recorded operation, after its integrity check. */
function operationIn(journal: Journal, name: string | undefined): RecordedPlan | undefined {
  if (name === undefined) return undefined
  const operation = operationNamed(journal, name)
  if (!operation) return undefined
  journal.verify(operation.id)
  const { allow, allowTokens } = (operation.plan as StoredPlan).terms
  return {
    transactions: operation.steps.map(({ transaction }) => transaction),
    vouched: [...allow, ...allowTokens],
  }
}

/** Returns the newest operation, which is that of a plan from standard input. */
const newest = (journal: Journal): RecordedPlan | undefined =>
  operationIn(journal, journal.list({ limit: 1 })[0]?.id)
