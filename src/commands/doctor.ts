import { Command } from 'commander'
import type { Backend } from '../cli/backend-types.ts'
import { localAction } from '../cli/command-action.ts'
import type { LocalCli } from '../cli/command-run-types.ts'
import {
  doubtful,
  type Finding,
  type FindingJson,
  findingsJson,
  fine,
  found,
} from '../cli/health-findings.ts'
import type { Column } from '../cli/output/view-types.ts'
import type { CommandContext } from '../cli/program-context-types.ts'
import type { Stream } from '../cli/terminal/io-types.ts'
import { findingsView } from '../cli/views/health-checks-view.ts'
import { AppError } from '../domain/errors.ts'
import { sluice } from '../domain/text/next-step.ts'
import { sanitizeText } from '../domain/text/terminal-sanitizing.ts'

/** `doctor`: checks the setup. */
export const doctor = (program: CommandContext) =>
  new Command('doctor')
    .description(
      'Check your setup: profile, settings, journal, policy, signer, service, and the RPC of each network. Changes nothing.',
    )
    .addHelpText('after', '\nExample:\n  $ sluice doctor --profile prod')
    .action(localAction(program, look))

async function look(cli: LocalCli): Promise<void> {
  const all = await findings(cli)
  const checks = findingsJson(all, cli.line)
  const failed = all.filter(({ state }) => state === 'failed')
  const view = (_: unknown, to: Stream) => findingsView(all, to, cli.line)
  const rows = { items: checks, columns: checkColumns }
  if (failed.length === 0) return cli.emit({ ok: true, checks }, view, rows)
  const [first] = failed
  // As one document there is only the failure, which has everything in it; --jq and --template shape no failure.
  if (!cli.globals.json || cli.globals.shaping) cli.emit({ ok: false, checks }, view, rows)
  throw new AppError(
    first!.code!,
    `${failed.length} of ${checks.length} checks failed. First: ${first!.says}`,
    {
      details: { checks },
      ...(first!.next !== null && { next: first!.next }),
    },
  )
}

async function findings({ program, globals }: LocalCli): Promise<Finding[]> {
  const settings = await found('settings', null, async () => {
    const { profiles = {}, wallet } = await program.settings.read()
    const names = Object.keys(profiles)
    return fine(
      'settings',
      null,
      `${program.settings.path}: ${names.length} profiles, ${wallet === undefined ? 'no default wallet' : `wallet ${wallet}`}`,
      { path: program.settings.path, profiles: names, wallet: wallet ?? null },
    )
  })
  let backend: Backend | undefined
  const profile = await found('profile', globals.profile ?? null, async () => {
    backend = await program.openBackend(globals)
    const { storage: secretsIn } = await program.settings.outlineOf(backend.profile)
    const where =
      secretsIn && `; secrets are in ${secretsIn === 'file' ? 'secrets.json (0600)' : 'the desktop keychain'}`
    return fine('profile', backend.profile, `${kindWords[backend.kind]}${where ?? ''}`, {
      kind: backend.kind,
      secretsIn,
    })
  })
  const policy = found('policy', null, () => policyFindings(program))
  if (!backend) return [...settings, ...profile, ...(await policy)]
  const here = backend
  // All checks run at once, so that a silent node delays none.
  const [journal, ...rest] = await Promise.all([
    found('journal', null, async () => {
      const { journal } = await here.context()
      const damaged: string[] = []
      const count = journal.list({ limit: 1_000 }, (id) => damaged.push(id)).length
      if (damaged.length > 0)
        return doubtful(
          'journal',
          null,
          `damaged entries of these actions: ${damaged.join(', ')}`,
          sluice('action show', damaged[0]!),
          { operations: count, damaged },
        )
      return fine('journal', null, `readable and writable; ${count} operation${count === 1 ? '' : 's'}`, {
        operations: count,
      })
    }),
    policy,
    found('signer', null, () => signerFinding(here)),
    found(here.kind === 'remote' ? 'service' : 'rpc', here.profile, here.findings),
  ])
  const others = rest.flat()
  // A setting that is wrong prevents the look at the journal, and is reported by the check of that setting.
  const isWrongSetting = ({ code }: Finding) => code === 'CONFIG_INVALID'
  const isJournal = !journal.some(isWrongSetting) || !others.some(isWrongSetting)
  return [...settings, ...profile, ...(isJournal ? journal : []), ...others]
}

const kindWords: Record<Backend['kind'], string> = {
  sandbox: 'local engine over two local chains',
  engine: 'local engine over your RPCs',
  remote: 'a deployment of the service',
}

/** Checks the policy that applies to every command that signs, if there is one. */
async function policyFindings({ policyPath }: CommandContext): Promise<Finding[]> {
  const { readPolicy } = await import('../guard/policy/policy-file.ts')
  const kept = readPolicy(undefined, policyPath)
  if (!kept) return []
  const rules = Object.keys(kept.policy)
  return [
    fine('policy', null, `${policyPath}: ${rules.length === 0 ? 'no rules' : rules.join(', ')}`, {
      path: policyPath,
      rules,
      sha256: kept.sha256,
    }),
  ]
}

async function signerFinding(backend: Backend): Promise<Finding> {
  try {
    const { address, label, source } = await backend.signerIdentity({})
    return fine('signer', null, `${address} (${label})`, { address, source })
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'KEY_REQUIRED') throw error
    return fine(
      'signer',
      null,
      'no default signer: commands that sign need --wallet NAME, --ledger or SLUICE_PRIVATE_KEY',
      {
        address: null,
      },
    )
  }
}

const checkColumns: readonly Column<FindingJson>[] = (
  ['check', 'subject', 'state', 'says', 'code', 'hint'] as const
).map((field) => ({
  title: field.toUpperCase(),
  field,
  csv: { [field]: (row: FindingJson) => row[field] },
  text: (row: FindingJson) => sanitizeText(row[field] ?? '-'),
}))
