import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** A process as the system shows it. Number and start time together name it for ever. */
export type ProcessFacts = { pid: number; startedAt: string; command: string }

/** All processes that can be seen: from /proc where the system has it, else by `ps`. */
export const allProcesses = (): ProcessFacts[] =>
  process.platform === 'linux'
    ? readdirSync('/proc')
        .filter((name) => /^[0-9]+$/.test(name))
        .flatMap((pid) => inProc(Number(pid)) ?? [])
    : byPs(['-axo', 'pid=,lstart=,command='])

/** One process; `undefined` when there is none with that number. */
const processAt = (pid: number): ProcessFacts | undefined =>
  process.platform === 'linux' ? inProc(pid) : byPs(['-p', String(pid), '-o', 'pid=,lstart=,command='])[0]

function inProc(pid: number): ProcessFacts | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in brackets may hold spaces. After it come the state and, nineteen fields later, the start time.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (fields[0] === 'Z') return undefined
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
    return { pid, startedAt: fields[19] ?? '', command }
  } catch {
    return undefined // It ended while we looked.
  }
}

function byPs(args: readonly string[]): ProcessFacts[] {
  let text: string
  try {
    text = execFileSync('ps', args, { encoding: 'utf8' })
  } catch {
    return [] // `ps` fails when there is no such process.
  }
  return text.split('\n').flatMap((line) => {
    const [, pid, startedAt, command] =
      /^\s*(\d+)\s+(\w+\s+\w+\s+\d+\s+[\d:]+\s+\d+)\s+(.*)$/.exec(line) ?? []
    return pid && startedAt && command ? [{ pid: Number(pid), startedAt, command: `${command} ` }] : []
  })
}

/** Asks a process to end, then makes it, and waits until it is gone. It must be known to be ours. */
export async function endProcess({ pid, startedAt }: ProcessFacts): Promise<void> {
  const isThere = () => processAt(pid)?.startedAt === startedAt
  if (isThere()) process.kill(pid, 'SIGTERM')
  const until = performance.now() + 5000
  while (isThere() && performance.now() < until) await sleep(10)
  if (isThere()) process.kill(pid, 'SIGKILL')
  while (isThere()) await sleep(10)
}
