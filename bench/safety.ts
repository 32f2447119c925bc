import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { httpRpc } from '../src/chain/rpc/failover.ts'
import { strictTerms } from '../src/guard/user-limits-and-exemptions.ts'
import { checkProposal } from '../src/planning/check-proposal.ts'
import type { ExecutionContext } from '../src/planning/execution-context-types.ts'
import { decodePlan } from '../src/planning/plan-format.ts'
import { connectSandbox } from '../src/sandbox/daemon-client.ts'
import { openJournal } from '../src/store/journal/journal.ts'
import { numbered, type Payments, planned } from '../test/support/payments/numbered-payments.ts'
import { figure, flag, home, inTurn, run, sluice, table } from './measure.ts'

/*
 * The cost of safety: the journal of one step on a disk, guard and simulation of a deposit on the sandbox, and a whole
 * process that resumes a signed transaction, compared with a bare Node. `npm run bench:safety -- --rounds 15`
 */

const place = home()
// A home directory is on a disk; the directory of temporary files may not be.
const cache = join(homedir(), '.cache')
mkdirSync(cache, { recursive: true })
const disk = mkdtempSync(join(cache, 'sluice-bench-'))
const line = 'deposit aave-v3-usdc-sandbox-one --amount 1 --json --quiet'.split(' ')

/** The journal writes of one-step operations, from plan to final, as the executor makes them. */
function journalRound(): () => Promise<number> {
  const journal = openJournal(join(disk, 'journal.db'), Date.now)
  const { key, payee } = numbered(1)
  let at = 0
  return async () => {
    const payments: Payments = { id: `step-${at}`, home: disk, url: '', key, payee, steps: 1 }
    const hash = `0x${at.toString(16).padStart(64, '0')}` as const
    const inclusion = { hash, blockNumber: at, blockHash: hash, gasUsed: 21_000n, gasPrice: 1n }
    const began = performance.now()
    planned(journal, payments)
    const { id } = payments
    journal.recordHead(31337, at, hash)
    journal.reserveNonce(id, 0, at, at)
    journal.recordSigned(id, 0, {
      hash,
      raw: `0x${'ab'.repeat(120)}`,
      kind: 'run',
      nonce: at,
      transaction: journal.find(id)!.steps[0]!.transaction,
      gas: 21_000n,
      maxFeePerGas: 1n,
      maxPriorityFeePerGas: 1n,
    })
    journal.recordSent(hash, { is: 'accepted', words: '' })
    journal.moveStep(id, 0, 'INCLUDED', 'block', inclusion)
    journal.moveStep(id, 0, 'FINAL_OK', 'block, depth 1', inclusion)
    journal.settle(id, 'DONE', 'all steps are final', 0)
    at++
    return performance.now() - began
  }
}

/** Guard and simulation of one plan, repeated in this process. */
async function guardRound(): Promise<() => Promise<number>> {
  const { exit, out } = await run([...sluice, ...line, '--dry-run'], place.env)
  const sandbox = await connectSandbox(join(place.env.SLUICE_HOME!, 'data'))
  if (exit !== 0 || !sandbox) throw new Error(`the plan ended with ${exit}: ${out}`)
  const { catalog, found } = sandbox
  const rpcs = new Map(found.chains.map(({ chainId, rpcUrl }) => [chainId, httpRpc(rpcUrl)]))
  const ground: ExecutionContext = {
    journal: openJournal(join(disk, 'guard.db'), Date.now),
    rpc: (chainId) => rpcs.get(chainId)!,
    catalog,
    locks: join(disk, 'locks'),
    now: Date.now,
  }
  const { proposal } = decodePlan(out, catalog)
  return async () => {
    const began = performance.now()
    const { assurance, simulation } = await checkProposal(ground, proposal, { ...strictTerms, lowest: 'L1' })
    if (simulation?.how === 'unavailable') throw new Error(`nothing was simulated: ${assurance}`)
    return performance.now() - began
  }
}

/** A whole process that resumes a signed and sent deposit to its end. */
async function resumeRound(): Promise<number> {
  const sent = await run([...sluice, ...line, '--yes', '--no-wait'], place.env)
  const { error } = JSON.parse(sent.out) as { error?: { details: { operation: string } } }
  if (sent.exit !== 20 || !error) throw new Error(`the deposit ended with ${sent.exit}: ${sent.out}`)
  const command = [...sluice, 'action', 'resume', error.details.operation, '--json', '--quiet']
  const { ms, exit, out } = await run(command, place.env)
  if (exit !== 0) throw new Error(`${command.join(' ')} ended with ${exit}: ${out}`)
  return ms
}

try {
  await run([...sluice, 'sandbox', 'up'], place.env)
  const medians = await inTurn(
    [
      { name: 'node', round: async () => (await run([process.execPath, '-e', '0'], place.env)).ms },
      { name: 'journal', round: journalRound() },
      { name: 'guard', round: await guardRound() },
      { name: 'resume', round: resumeRound },
    ],
    flag('rounds', 15),
  )
  table(medians)
  for (const name of ['journal', 'guard', 'resume'])
    figure('safety', `${name}-ms`, medians.get(name)!, 'none', 'ms')
} finally {
  await place.close()
  rmSync(disk, { recursive: true, force: true })
}
