import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
// The sources that are here are measured.
execFileSync(process.execPath, [join(root, 'bin', 'build', 'build.js')], { stdio: 'inherit' })

/** The program, run by this Node. */
export const sluice = [process.execPath, join(root, 'bin', 'sluice.js')]

/** A comparison program from the project's own packages; without it a benchmark fails. */
export function peer(name: string): string {
  const path = join(root, 'node_modules', '.bin', name)
  if (existsSync(path)) return path
  process.stderr.write(`The peer ${name} is not installed: it comes with npm ci on Linux x64.\n`)
  process.exit(1)
}

/** A separate directory for the program's files, removed by `close`. */
export function home(): { env: NodeJS.ProcessEnv; close: () => Promise<void> } {
  const dir = mkdtempSync(join(tmpdir(), 'sluice-bench-'))
  const env = { PATH: process.env.PATH, HOME: dir, SLUICE_HOME: join(dir, 'sluice') }
  return {
    env,
    close: async () => {
      await run([...sluice, 'sandbox', 'down', '--quiet'], env)
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** One process from start to end: its time in ms, its exit code and its output. */
export function run(
  command: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{ ms: number; exit: number | null; out: string; err: string }> {
  return new Promise((resolve, reject) => {
    const began = performance.now()
    const child = spawn(command[0]!, command.slice(1), { env, stdio: ['ignore', 'pipe', 'pipe'] })
    let out = ''
    let err = ''
    child.stdout.on('data', (part: Buffer) => {
      out += part.toString()
    })
    child.stderr.on('data', (part: Buffer) => {
      err += part.toString()
    })
    child.on('error', reject)
    child.on('close', (exit) => resolve({ ms: performance.now() - began, exit, out, err }))
  })
}

/** The median of some numbers. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** A timed action; each round returns ms. */
export type Timed = { name: string; round: () => Promise<number> }

/** Alternates all actions, A B C A B C, so that a change of machine speed affects all of them; the first round is not counted. */
export async function inTurn(timed: readonly Timed[], rounds: number): Promise<Map<string, number>> {
  const times = new Map<string, number[]>(timed.map(({ name }) => [name, []]))
  for (let round = 0; round <= rounds; round++)
    for (const { name, round: once } of timed) {
      const ms = await once()
      if (round > 0) times.get(name)!.push(ms)
    }
  return new Map([...times].map(([name, all]) => [name, median(all)]))
}

/** Prints a table of medians in ms. */
export function table(medians: ReadonlyMap<string, number>): void {
  const width = Math.max(...[...medians.keys()].map((name) => name.length))
  for (const [name, ms] of medians)
    process.stdout.write(`${name.padEnd(width)}  ${ms.toFixed(1).padStart(8)} ms\n`)
}

/** The summary line of a figure. */
export function figure(
  bench: string,
  name: string,
  value: number,
  peerName: string,
  unit: 'ratio' | 'ms' | 'calls' | 'round-trips' = 'ratio',
): void {
  process.stdout.write(
    `bench=${bench} case=${name} value=${value.toFixed(2)} unit=${unit} peer=${peerName}\n`,
  )
}

/** The value of a flag, for example `--cells 30`, or a default, which may be zero. */
export function flag(name: string, otherwise: number): number {
  const at = process.argv.indexOf(`--${name}`)
  if (at < 0) return otherwise
  const value = Number(process.argv[at + 1])
  if (Number.isInteger(value) && value > 0) return value
  process.stderr.write(`--${name} takes a whole number above zero\n`)
  process.exit(2)
}
