import { writeFileSync } from 'node:fs'
import type { Command } from 'commander'
import type { Backend } from '../../cli/backend-types.ts'
import { action, localAction } from '../../cli/command-action.ts'
import type { Cli, LocalCli } from '../../cli/command-run-types.ts'
import { verdictFor } from '../../cli/diagnose-action.ts'
import { actionAtService, notThereCodes } from '../../cli/named-id.ts'
import { textOf } from '../../cli/options/file-arguments.ts'
import { toJson } from '../../cli/output/document-writer.ts'
import type { CommandContext } from '../../cli/program-context-types.ts'
import { lookUpOperation } from '../../cli/signing-flow/find-operation.ts'
import { reportFor } from '../../cli/signing-flow/report-in-errors.ts'
import { utcTime } from '../../cli/terminal/format.ts'
import type { Stream } from '../../cli/terminal/io-types.ts'
import { evidencePage, serviceEvidencePage } from '../../cli/views/evidence-page.ts'
import { type ChainCheck, checkEvidence } from '../../diagnosis/evidence/check-evidence-on-chain.ts'
import { fieldsOnBitcoin } from '../../diagnosis/evidence/check-payouts-on-chain.ts'
import { type Evidence, makeEvidence } from '../../diagnosis/evidence/make-evidence-file.ts'
import {
  isEvidencePage,
  parsedEvidence,
  readEvidence,
  refuseChangedCall,
} from '../../diagnosis/evidence/read-evidence-file.ts'
import {
  checkServiceEvidence,
  makeServiceEvidence,
  readServiceEvidence,
  type ServiceEvidence,
} from '../../diagnosis/evidence/service-evidence.ts'
import type { OptionsOf } from '../../domain/command-line/flags.ts'
import { AppError } from '../../domain/errors.ts'
import { isEmbedded, networkNamed, rpcVariable } from '../../domain/networks.ts'
import { advice, sameWithout, sluice } from '../../domain/text/next-step.ts'
import { listFileCommand } from '../../domain/text/shell-quoting.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import type { ExecutionContext, JournalOperation } from '../../planning/execution-context-types.ts'
import { isTransactionHash } from '../../planning/named-operation.ts'
import { readOnlyContext } from '../../transactions/operations/read-only-context.ts'
import { explainFromService } from './explain-from-service.ts'

/** `action export` and `action verify`: evidence of one action, for a support case. */
export function addEvidence(command: Command, program: CommandContext): void {
  command
    .command('export')
    .description(
      'Export an action for a support case: plan, attempts, receipts and event log. Contains no keys and no signed transactions.',
    )
    .addHelpText(
      'after',
      '\nExample:\n  $ sluice action export 0f8fad5b-d9cb-469f-a165-70867728950e --out case.json\n  $ sluice action export 0f8fad5b-d9cb-469f-a165-70867728950e --html --out case.html',
    )
    .action(action(program, exportOne))
  command
    .command('verify')
    .description(
      'Verify exported evidence. Offline: its hash, decoded calls and report are consistent. With an RPC: the chain confirms its transactions.',
    )
    .addHelpText('after', '\nExample:\n  $ sluice action verify case.json')
    .action(localAction(program, verify))
}

async function exportOne(cli: Cli, id: string, options: OptionsOf<'action export'>): Promise<void> {
  const context = readOnlyContext(await cli.backend.context())
  const operation = await lookUpOperation(cli, context, id)
  const [evidence, page] = operation
    ? await evidenceOf(cli, context, operation)
    : await serviceEvidenceOf(cli, context, id)
  const text = options.html ? page() : `${toJson(evidence, true)}\n`
  if (options.out === undefined) {
    if (options.html && cli.globals.json)
      throw new AppError('USAGE', '--html and --json cannot be combined', {
        next: advice`For the page: ${sameWithout('--json')}. For the document: ${sameWithout('--html')}`,
      })
    return cli.emit(evidence, () => text.trimEnd())
  }
  const { out } = options
  try {
    writeFileSync(out, text, { mode: 0o600, flag: 'wx' })
  } catch (cause) {
    const exists = (cause as NodeJS.ErrnoException).code === 'EEXIST'
    throw new AppError(
      'USAGE',
      `${exists ? `${sanitizeText(out)} already exists and is not overwritten` : `Cannot write ${sanitizeText(out)}`}`,
      {
        cause,
        next: listFileCommand(out),
      },
    )
  }
  cli.emit(
    { file: out, id: idOf(evidence), sha256: evidence.sha256 },
    ({ file, sha256 }) => `${sanitizeText(file)}  sha256 ${sha256}`,
  )
}

const idOf = (evidence: Evidence | ServiceEvidence): string =>
  String('operation' in evidence ? (evidence as Evidence).operation.id : evidence.action.id)

/** The evidence of an action of the journal, and its page. */
async function evidenceOf(
  cli: Cli,
  context: ExecutionContext,
  operation: JournalOperation,
): Promise<[Evidence, () => string]> {
  const verdict = await verdictFor(cli, context, operation)
  // What was read for the verdict may be recorded.
  const now = context.journal.find(operation.id) ?? operation
  const evidence = makeEvidence(context, now, { report: reportFor(context, now), verdict })
  return [evidence, () => evidencePage(evidence)]
}

/** The error for the hash of a transaction that is of no action: what it did is told, and there is nothing to vouch for. */
const notOursError = (hash: string): AppError =>
  new AppError(
    'ACTION_NOT_FOUND',
    `No action of this machine sent ${hash}, so there is no evidence of it to export`,
    {
      details: { hash },
      next: advice`To save what the chain shows of it: ${sluice('action explain', hash, { '--json': true })}`,
    },
  )

/** What the service reports of an action of another machine, and its page. ACTION_NOT_FOUND if it does not know the action. */
async function serviceEvidenceOf(
  cli: Cli,
  context: ExecutionContext,
  id: string,
): Promise<[ServiceEvidence, () => string]> {
  const action = await actionAtService(cli, id).catch((error: unknown) => {
    const isUnknown = error instanceof AppError && notThereCodes.includes(error.code)
    throw isUnknown && isTransactionHash(id) ? notOursError(id) : error
  })
  const verdict = await explainFromService(cli, context, action.id, []).catch((error: unknown) => {
    if (error instanceof AppError) return null
    throw error
  })
  const evidence = makeServiceEvidence({
    action,
    service: cli.backend.serviceHost,
    verdict,
    now: cli.program.now(),
  })
  cli.notice(
    `Action ${sanitizeText(action.id)} is not in the journal of this machine: the evidence has what the service reports of it.`,
  )
  return [evidence, () => serviceEvidencePage(evidence)]
}

/** Verifies the report of a service on the chains that it names. */
async function verifyServiceEvidence(cli: LocalCli, text: string, evidence: ServiceEvidence): Promise<void> {
  if (isEvidencePage(text) && lines(text) !== lines(serviceEvidencePage(evidence))) throw pageChanged()
  const chainIds = evidence.action.transactions.flatMap(({ chainId }) => chainId ?? [])
  const { rpc } = await contextFor(cli, chainIds)
  conclude(
    cli,
    {
      id: evidence.action.id,
      sha256: evidence.sha256,
      made: evidence.made,
      transactions: await checkServiceEvidence(rpc, evidence),
      statedOnly: evidence.statedOnly,
    },
    'only the word of the service, which no chain confirms',
  )
}

async function verify(cli: LocalCli, file: string): Promise<void> {
  const text = await textOf(file, cli.program)
  const ofService = readServiceEvidence(parsedEvidence(text))
  if (ofService) return verifyServiceEvidence(cli, text, ofService)
  const evidence = readEvidence(text)
  // The text of a page is not part of the evidence in it.
  if (isEvidencePage(text) && lines(text) !== pageOf(evidence)) throw pageChanged()
  const legs = evidence.operation.legs as { chainId: number }[]
  const { catalog, rpc } = await contextFor(
    cli,
    legs.map(({ chainId }) => chainId),
  )
  refuseChangedCall(evidence, catalog)
  const onBitcoin = fieldsOnBitcoin(evidence)
  conclude(
    cli,
    {
      id: String(evidence.operation.id),
      sha256: evidence.sha256,
      made: evidence.made,
      transactions: await checkEvidence(rpc, evidence),
      ...(onBitcoin.length > 0 && { statedOnly: onBitcoin }),
    },
    'not checked, because Bitcoin is not read here',
  )
}

const pageChanged = (): AppError =>
  new AppError(
    'EVIDENCE_CHANGED',
    'The page differs from the evidence embedded in it: it was edited, or written by another version of sluice',
    {
      next: advice`Ask its author for the evidence file: ${sluice('action export', 'ID', { '--out': 'FILE' })}`,
    },
  )

/** The result of a verification; `statedOnly` are the fields of a report that no chain confirms here. */
type Verified = {
  id: string
  sha256: string
  made: string
  transactions: ChainCheck[]
  statedOnly?: readonly string[]
}

/** Reports a verification, with why some fields are not confirmed: EVIDENCE_REFUTED if a chain contradicts it, EVIDENCE_UNCONFIRMED if a transaction could not be checked. */
function conclude(cli: LocalCli, result: Verified, unconfirmed: string): void {
  const checks = result.transactions
  const wrong = checks.filter(({ verdict }) => verdict === 'refuted')
  if (wrong.length > 0)
    throw new AppError(
      'EVIDENCE_REFUTED',
      `The chain contradicts the evidence of ${wrong.map(({ hash }) => hash).join(', ')}`,
      {
        details: result,
      },
    )
  const silent = checks.filter(({ verdict }) => verdict === 'unknown')
  if (silent.length > 0)
    throw new AppError(
      'EVIDENCE_UNCONFIRMED',
      `The evidence is consistent, but the chain could not confirm ${silent.map(({ hash, why }) => `${hash}${why === null ? '' : `: ${why}`}`).join('; ')}`,
      { details: result },
    )
  cli.emit(result, (value, to) =>
    [
      `${to.paint.green('✓')} the hash is valid; exported ${utcTime(value.made)}  ${to.paint.dim(`sha256 ${value.sha256}: compare it with the one you were given`)}`,
      ...value.transactions.map(
        ({ hash, verdict, why }) =>
          `${markOf(verdict, why, to)} ${sanitizeText(hash)}  ${verdict}${why === null ? '' : to.paint.dim(` ${sanitizeText(why)}`)}`,
      ),
      ...(value.statedOnly
        ? [`${to.paint.yellow('?')} ${unconfirmed}: ${value.statedOnly.map(sanitizeText).join(', ')}`]
        : []),
    ].join('\n'),
  )
}

/**
 * The catalogue and RPCs to check evidence with, as far as the profile has them. Only the chain checks
 * need RPCs, and nothing is started for them.
 */
async function contextFor(
  { program, globals }: LocalCli,
  chainIds: readonly number[],
): Promise<Pick<ExecutionContext, 'catalog' | 'rpc'>> {
  const backend = await backendOf(program.openBackend(globals))
  if (backend && (backend.kind !== 'sandbox' || chainIds.some((chainId) => isEmbedded({ chainId }))))
    return backend.context()
  const catalog = await program.wholeCatalog()
  return {
    catalog,
    rpc: (chainId) => {
      const network = networkNamed(catalog.networks, chainId)
      throw new AppError('CONFIG_INVALID', `No RPC for ${network.name}: set ${rpcVariable(network)}`)
    },
  }
}

/** The backend, or `undefined` if the profile lacks a setting. */
const backendOf = (opened: Promise<Backend>): Promise<Backend | undefined> =>
  opened.catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'CONFIG_INVALID') return undefined
    throw error
  })

/** The page that shows an evidence; nothing where one cannot be made of it, as of a time that is none. */
function pageOf(evidence: Evidence): string | undefined {
  try {
    return lines(evidencePage(evidence))
  } catch (error) {
    if (error instanceof RangeError || error instanceof TypeError) return undefined
    throw error
  }
}

/** A text without differences in line endings, which mail and editors change. */
const lines = (text: string): string => text.replaceAll('\r\n', '\n').trim()

/** The mark of a check: ✓ for a success, ✗ for a confirmed failure. */
function markOf(verdict: ChainCheck['verdict'], why: string | null, { paint }: Stream): string {
  if (verdict !== 'confirmed') return paint.yellow('?')
  return why === null ? paint.green('✓') : paint.red('✗')
}
