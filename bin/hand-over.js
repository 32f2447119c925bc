// Starts the program with the Node that npm installed beside it. Plain JavaScript that any Node can parse.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

import { nodeFile } from './node-version.js'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
const isWindows = process.platform === 'win32'

/** The installed Node: in the same node_modules, or in that of the package of this project that brings it. */
function installedNode() {
  const file = nodeFile(process.platform, process.arch)
  const require = createRequire(import.meta.url)
  try {
    return require.resolve(file)
  } catch {
    try {
      const companion = `@sluice-cli/node-${process.platform}-${process.arch}/package.json`
      return createRequire(require.resolve(companion)).resolve(file)
    } catch {
      return undefined
    }
  }
}

/** Runs this command line with the installed Node, passes signals on, and ends as it ends. */
export async function handOver() {
  const node = installedNode()
  if (!node) {
    const isClone = existsSync(new URL('../src/app/launch.ts', import.meta.url))
    const again = isClone
      ? 'run `npm ci` where sluice is'
      : 'install sluice again with this Node, and npm brings a newer one for it'
    process.stderr.write(
      `sluice needs Node 24.15 or newer, and this is ${process.version}.\nInstall Node 24 from https://nodejs.org, or ${again}.\n`,
    )
    process.exitCode = 12
    return
  }
  const program = fileURLToPath(new URL('./sluice.js', import.meta.url))
  const start = (stopped) => {
    const child = spawn(node, [...process.execArgv, program, ...process.argv.slice(2)], {
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
      // The program ends when the process with this pid is killed.
      env: {
        ...process.env,
        SLUICE_LAUNCHER: String(process.pid),
        ...(stopped && { SLUICE_STOPPED: String(process.pid) }),
      },
    })
    let isListening = false
    child.on('message', () => {
      isListening = true
    })
    child.on('exit', (code, signal) => {
      if (signal === null) process.exit(code ?? 1)
      // A program that a signal ended before it listened has done nothing. A second one tells what an earlier command signed.
      if (signals.includes(signal) && !isListening && !stopped) {
        running = start(true)
        return
      }
      process.removeAllListeners(signal)
      process.kill(process.pid, signal)
    })
    return child
  }
  let running
  // On Windows the terminal tells every process of its group, and `kill` would end the program at once.
  for (const signal of signals) process.on(signal, () => isWindows || running.kill(signal))
  running = start(false)
}
