import { readFileSync } from 'node:fs'

import { sniff } from './cli/globals.ts'
import { stdio } from './cli/io.ts'
import { main } from './main.ts'
import { interruptible } from './world/interrupt.ts'
import type { Secrets } from './world/secrets.ts'
import { createWorld } from './world.ts'

/** Runs the program in this process: the command line, the real terminal, the real signals. */
export async function start(argv: readonly string[], secrets: Secrets): Promise<void> {
  const { noColor, noInput, quiet } = sniff(argv)
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string
  }
  const { interrupt, raced } = interruptible(process)
  const world = createWorld({
    env: process.env,
    secrets,
    version,
    interrupt,
    quiet,
    io: stdio({ noColor, noInput, env: process.env }),
    stdin: readStdin,
  })
  const exit = await raced(main(argv, world), world.io)
  await Promise.all(
    [process.stdout, process.stderr].map(
      (stream) => new Promise<void>((done) => stream.write('', () => done())),
    ),
  )
  // Sockets that are kept alive must not keep a finished command alive.
  process.exit(exit)
}

async function readStdin(): Promise<string> {
  let text = ''
  for await (const chunk of process.stdin.setEncoding('utf8')) text += chunk as string
  return text
}
