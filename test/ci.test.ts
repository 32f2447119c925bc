import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { parse } from 'yaml'
import type { Hex } from '../src/domain/address.ts'
import { sandboxAddress, sandboxKey } from '../src/sandbox/accounts.ts'
import { type ProgramHome, programHome, spawnSluice } from './support/spawn-program.ts'
import { oneDocument } from './support/use-commands.ts'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const yamlOf = (page: string) => parse(/^```yaml\n([\s\S]*?)^```$/m.exec(read(page))![1]!)

type Step = {
  id?: string
  uses?: string
  run?: string
  env?: Record<string, string>
  with?: Record<string, string>
  if?: string
  'working-directory'?: string
}
type Job = {
  needs?: string
  environment?: string
  outputs?: Record<string, string>
  permissions?: Record<string, string>
  steps: Step[]
}
const treasury = yamlOf('docs/ci.md') as { env: Record<string, string>; jobs: Record<string, Job> }
const release = parse(read('.github/workflows/release.yml')) as { jobs: Record<string, Job> }
const action = parse(read('.github/actions/sluice/action.yml')) as { runs: { steps: Step[] } }
type GitlabJob = { extends: string; script: string[]; environment?: string; artifacts: { paths: string[] } }
const gitlab = yamlOf('docs/containers.md') as Record<string, GitlabJob> & {
  '.sluice': { before_script: string[] }
}

/** The variables that a page says a job of an environment gets, with their values here. */
function variablesOf(page: string, environment: string | undefined): Record<string, string> {
  const values = {
    RPC_BASE: '',
    WALLET: sandboxAddress(2),
    TREASURY_WALLET: sandboxAddress(2),
    TREASURY_KEY: sandboxKey(2),
  }
  const rows = [
    ...read(page).matchAll(/^\| `([\w.]*[A-Z_]{6,})` \| (all|those of the environment `(\w+)`)/gm),
  ]
  const named = rows.filter(([, , jobs, only]) => jobs === 'all' || only === environment)
  return Object.fromEntries(
    named.map(([, name]) => [name!, values[name!.replace(/^.*\./, '') as keyof typeof values]]),
  )
}

const stepsOf = (jobs: Record<string, Job>) => Object.values(jobs).flatMap(({ steps }) => steps)
const allSteps = [...stepsOf(treasury.jobs), ...stepsOf(release.jobs), ...action.runs.steps]

describe('the workflows', () => {
  test('use the actions of the versions of November 2026, and only those of GitHub and ours', () => {
    const known = [
      'actions/checkout@v7',
      'actions/setup-node@v7',
      'actions/upload-artifact@v7',
      'actions/download-artifact@v8',
      'sluice-cli/sluice/.github/actions/sluice@v0.1.0',
    ]
    const used = new Set(allSteps.flatMap(({ uses }) => uses ?? []))
    expect([...used].toSorted()).toEqual(known.toSorted())
  })

  test('name the version of this program', () => {
    const { version } = JSON.parse(read('package.json'))
    for (const { uses, with: given } of stepsOf(treasury.jobs))
      if (uses?.includes('/sluice@'))
        expect([uses.split('@')[1], given!.version]).toEqual([`v${version}`, version])
    // The variant without a registry, which the page shows apart: it uses inputs that the action has.
    const local = parse(/^```\n( {6}- uses: [\s\S]+?)^```/m.exec(read('docs/ci.md'))![1]!) as Step[]
    const { inputs } = action as unknown as { inputs: object }
    expect(local).toEqual([
      { uses: 'actions/checkout@v7' },
      { uses: './.github/actions/sluice', with: { version, from: 'packages' } },
    ])
    expect(Object.keys(inputs)).toEqual(expect.arrayContaining(['version', 'from']))
    expect((gitlab.variables as unknown as Record<string, string>).SLUICE_VERSION).toBe(version)
  })

  test.each(allSteps.flatMap(({ run }) => (run ? [run] : [])))(
    'have shell lines that bash accepts, without an expression that could bring in commands: %s',
    (run) => {
      expect(spawnSync('bash', ['-n', '-c', run], { encoding: 'utf8' })).toMatchObject({
        status: 0,
        stderr: '',
      })
      expect(run).not.toContain('$' + '{{')
    },
  )

  test('give the key only to jobs of the environment, and mint tokens only to stage', () => {
    for (const { environment, steps } of Object.values(treasury.jobs))
      expect(JSON.stringify(steps).includes('TREASURY_KEY')).toBe(environment === 'treasury')
    for (const [name, { permissions = {}, environment }] of Object.entries(release.jobs))
      expect([name, permissions['id-token'], environment]).toEqual(
        name === 'stage' ? [name, 'write', 'npm'] : [name, undefined, undefined],
      )
    expect(JSON.stringify(release.jobs.stage)).toContain('--provenance')
    const names = Object.entries(gitlab as Record<string, { environment?: string }>).filter(([, job]) =>
      JSON.stringify(job).includes('TREASURY_KEY'),
    )
    expect(names.map(([name, { environment }]) => [name, environment])).toEqual([['sign', 'treasury']])
  })
})

describe('the jobs of the documents, on the sandbox', () => {
  let place: ProgramHome
  let base: Record<string, string>
  beforeAll(async () => {
    place = programHome()
    mkdirSync(join(place.home, 'cache'))
    cpSync(inject('sandboxCache'), join(place.home, 'cache'), { recursive: true })
    const programs = join(place.home, 'programs')
    mkdirSync(programs)
    writeFileSync(
      join(programs, 'sluice'),
      `#!/bin/sh\nexec ${process.execPath} ${join(root, 'bin', 'sluice.js')} "$@"\n`,
      { mode: 0o755 },
    )
    base = {
      PATH: `${programs}:${dirname(process.execPath)}:/usr/bin:/bin`,
      SLUICE_HOME: place.home,
      SLUICE_PROFILE: 'sandbox',
      SWAP: '--from sandbox-one --token-in USDC --token-out USDT --amount-in 5 --slippage 1%',
      DEPOSIT: 'aave-v3-usdc-sandbox-one --amount 10',
    }
    await spawnSluice(place.home, ['sandbox', 'fund', sandboxAddress(2)], { env: base })
  })
  afterAll(async () => {
    await spawnSluice(place.home, ['sandbox', 'down'], { env: base })
    await place.end()
  })

  /** A runner with an empty disk: it has the chains, as everybody does, and no journal. */
  const freshRunner = () => {
    for (const end of ['', '-wal', '-shm'])
      rmSync(join(place.home, 'data', 'sandbox', `journal.db${end}`), { force: true })
  }

  /** What the wallet has sent so far. */
  const sent = async (): Promise<number> => {
    const { out } = await spawnSluice(place.home, ['sandbox', 'status', '--json'], { env: base })
    const [{ rpcUrl }] = oneDocument(out).chains
    const body = {
      jsonrpc: '2.0',
      id: 1,
      method: 'eth_getTransactionCount',
      params: [sandboxAddress(2), 'latest'],
    }
    const answer = await fetch(rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return Number(((await answer.json()) as { result: Hex }).result)
  }

  const shell = (folder: string, program: string[], run: string, env: Record<string, string>) => {
    mkdirSync(folder, { recursive: true })
    writeFileSync(
      join(folder, 'treasury-policy.json'),
      '{ "perTransaction": { "sandbox-one:USDC": "1000" } }',
    )
    const { status, stdout, stderr } = spawnSync(program[0]!, [...program.slice(1), run], {
      cwd: folder,
      env: { ...base, ...env },
      encoding: 'utf8',
    })
    return { exit: status, out: stdout, err: stderr }
  }

  /** Runs the shell steps of a job as the runner does, with the expressions that it fills in. */
  function github(name: string, more: Record<string, string> = {}) {
    const folder = join(place.home, 'work')
    const { steps, environment } = treasury.jobs[name]!
    const files = { GITHUB_OUTPUT: join(folder, 'output'), GITHUB_STEP_SUMMARY: join(folder, 'summary') }
    const values: Record<string, string> = {
      ...variablesOf('docs/ci.md', environment),
      'github.run_id': '4711',
      'needs.nonce.outputs.nonce': existsSync(files.GITHUB_OUTPUT)
        ? /^nonce=(\d+)$/m.exec(readFileSync(files.GITHUB_OUTPUT, 'utf8'))![1]!
        : '',
    }
    const fill = (text: string) =>
      text.replace(/\$\{\{ *([\w.]+) *\}\}/g, (_, key: string) => {
        if (!(key in values)) throw new Error(`no value for ${key}`)
        return values[key]!
      })
    let last = { exit: 0 as number | null, out: '', err: '' }
    const { SWAP: _, DEPOSIT: __, ...ofWorkflow } = treasury.env
    for (const { run, env = {} } of steps) {
      if (!run || last.exit !== 0) continue
      const filled = Object.fromEntries(
        Object.entries({ ...ofWorkflow, ...env }).map(([key, text]) => [key, fill(text)]),
      )
      last = shell(folder, ['bash', '-e', '-u', '-c'], run, { ...files, ...filled, ...more })
    }
    const result = (file: string) => oneDocument(readFileSync(join(folder, file), 'utf8'))
    return { ...last, result }
  }

  test('GitHub: a swap is paid once, although it is not final at first and its job is repeated on a fresh runner', async () => {
    expect(github('nonce')).toMatchObject({ exit: 0 })
    // Exit 20 first, then the resume of the job.
    const first = github('swap', { SWAP: `${base.SWAP} --no-wait` })
    expect(first).toMatchObject({ exit: 0 })
    expect(first.result('swap.json').status).toBe('SUCCESS')
    const paid = await sent()
    expect(github('swap')).toMatchObject({ exit: 0 })
    freshRunner()
    const again = github('swap')
    expect(again).toMatchObject({ exit: 23, out: expect.stringContaining('::error::The nonce is used') })
    expect(again.result('swap.json').error.code).toBe('NONCE_USED')
    expect(await sent()).toBe(paid)
  })

  test('GitHub: a deposit is planned without a key, signed by another job, and sent once', async () => {
    freshRunner()
    expect(github('plan')).toMatchObject({ exit: 0 })
    expect(readFileSync(join(place.home, 'work', 'summary'), 'utf8')).toMatch(/^Plan [0-9a-f]{64}$/m)
    const before = await sent()
    freshRunner()
    const signed = github('sign')
    expect(signed).toMatchObject({ exit: 0 })
    expect(signed.result('deposit.json').status).toBe('SUCCESS')
    const paid = await sent()
    expect(paid).toBeGreaterThan(before)
    freshRunner()
    expect(github('sign')).toMatchObject({ exit: 23 })
    expect(await sent()).toBe(paid)
  })

  test('without a pinned nonce, the same key on a fresh runner pays again, as the page says', async () => {
    const pay = () =>
      spawnSluice(
        place.home,
        [
          ...'deposit aave-v3-usdc-sandbox-one --amount 1 --yes --json --idempotency-key job-4711-again'.split(
            ' ',
          ),
        ],
        {
          env: { ...base, SLUICE_PRIVATE_KEY: sandboxKey(2) },
        },
      )
    expect((await pay()).exit).toBe(0)
    const paid = await sent()
    expect(oneDocument((await pay()).out).replayed).toBe(true)
    expect(await sent()).toBe(paid)
    freshRunner()
    expect((await pay()).exit).toBe(0)
    expect(await sent()).toBeGreaterThan(paid)
  })

  test('GitLab: the plan of one job is signed by another, and a repeated one pays nothing', async () => {
    freshRunner()
    const folder = join(place.home, 'gitlab')
    const run = (name: string) => {
      const lines = [
        ...gitlab['.sluice'].before_script.filter((line) => !line.startsWith('npm ')),
        ...gitlab[name]!.script,
      ]
      return shell(folder, ['sh', '-e', '-u', '-c'], lines.join('\n'), {
        CI_PROJECT_DIR: folder,
        CI_PIPELINE_ID: '12',
        ...variablesOf('docs/containers.md', gitlab[name]!.environment),
      })
    }
    expect(run('plan')).toMatchObject({ exit: 0 })
    freshRunner()
    expect(run('sign')).toMatchObject({ exit: 0 })
    const paid = await sent()
    freshRunner()
    expect(run('sign')).toMatchObject({ exit: 23, out: expect.stringContaining('The nonce is used') })
    expect(await sent()).toBe(paid)
  })
})
