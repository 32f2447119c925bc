import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { campaignEnds } from './arguments.ts'

/** A campaign within test files, each of which reads `SLUICE_CELLS` and `SLUICE_SEED` and runs all cells. `under` is a pattern of titles. */
type Campaign = { files: readonly string[]; under?: string; cells: number | 'all'; seed: number }

type Results = { testResults: { assertionResults: { title: string; status: string; fullName: string }[] }[] }

/** Runs all requested campaign cases of each test file, and counts those that did not pass. */
export async function vitestCampaign(name: string, { files, under, cells, seed }: Campaign): Promise<void> {
  const root = join(import.meta.dirname, '..')
  const dir = mkdtempSync(join(tmpdir(), 'sluice-campaign-'))
  const report = join(dir, 'report.json')
  try {
    const args = [
      'run',
      '--config',
      'test/vitest.config.ts',
      ...files,
      ...(under === undefined ? [] : ['-t', under]),
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
    ]
    const child = spawn(process.execPath, [join(root, 'node_modules', 'vitest', 'vitest.mjs'), ...args], {
      cwd: root,
      env: { ...process.env, SLUICE_CELLS: String(cells), SLUICE_SEED: String(seed) },
      stdio: 'inherit',
    })
    await new Promise((resolve) => child.once('close', resolve))
    const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Results
    const ran = testResults
      .flatMap(({ assertionResults }) => assertionResults)
      .filter(({ status }) => status !== 'skipped')
    const wrong = ran.filter(({ status }) => status !== 'passed').length
    // A cell that did not run counts as failed.
    const missing = cells === 'all' ? 0 : Math.max(0, cells * files.length - ran.length)
    campaignEnds(name, cells === 'all' ? ran.length : cells, wrong + missing, seed)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}
