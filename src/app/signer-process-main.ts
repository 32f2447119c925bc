import { createInterface } from 'node:readline'
import { config } from 'zod/v4/core'
import {
  type CommandLine,
  flagValue,
  hasFlag,
  readCommandLine,
} from '../domain/command-line/read-command-line.ts'
import { AppError } from '../domain/errors.ts'
import { brokenBetweenWords } from '../domain/text/broken-lines.ts'
import { escapeJsonText, sanitizeText } from '../domain/text/terminal-sanitizing.ts'
import type { Catalog } from '../protocols/catalog-types.ts'
import { openSigningService } from '../signing/signing-service.ts'
import type { SigningRequests, SigningService } from '../signing/signing-service-protocol.ts'
import { directories } from './profiles/directories.ts'
import { type SelectedProfile, selectProfile } from './profiles/profile-selection.ts'
import { withoutSecrets } from './profiles/saved-secrets.ts'
import { fileSettings } from './profiles/settings-files.ts'
import type { SignerLine } from './signing/signer-process.ts'
import { preloadReaders, signerReads } from './signing/signer-recorded-inputs.ts'

/**
 * The process that holds the keys. It starts before any terminal code is loaded, with an environment that has only
 * paths, and loads no terminal code itself. The first input line has the command line and the environment's key, if
 * any; every other line is a request. It ends when its input ends.
 */

type First = {
  argv: string[]
  privateKey: string | null
  signerUrl?: string
  redraws?: boolean
}

// It ends before compiled validators would pay off.
config({ jitless: true })

// A signal of the terminal also reaches the main program, which then ends this process.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)

// The main program may be gone before the answer; then nothing is sent.
process.stdout.on('error', () => process.exit(0))

let signingService: Promise<SigningService> | undefined
createInterface({ input: process.stdin })
  .on('line', (line) => void answer(line))
  .on('close', () => process.exit(0))

async function answer(line: string): Promise<void> {
  if (!signingService) {
    signingService = signingServiceFor(JSON.parse(line) as First)
    // A failure to open is reported to the first request.
    signingService.catch(() => undefined)
    void preload(JSON.parse(line) as First).catch(() => undefined)
    return
  }
  const { id, ask } = JSON.parse(line) as { id: number; ask: SigningRequests }
  process.stdout.write(
    `${escapeJsonText(
      JSON.stringify(
        await signerAnswer(
          id,
          signingService.then((open) => open(ask)),
        ),
      ),
    )}\n`,
  )
}

async function signerAnswer(id: number, work: Promise<unknown>): Promise<SignerLine> {
  try {
    return { id, value: await work }
  } catch (error) {
    if (!(error instanceof AppError)) return { id, error: { code: 'BUG', message: String(error) } }
    const { code, message, details, next } = error
    return { id, error: { code, message, ...(details && { details }), ...(next !== undefined && { next }) } }
  }
}

const sandboxAccounts = () => import('../sandbox/accounts.ts')
const sandboxRecord = () => import('../sandbox/daemon-record.ts')
const known = () => import('./profiles/catalog-of-configured-networks.ts')

/** Loads the code that the command line will need, while the main program is busy. */
async function preload({ argv }: First): Promise<void> {
  const line = readCommandLine(argv)
  const { kind } = await profileOfLine(line)
  await Promise.all(kind === 'sandbox' ? [sandboxAccounts(), sandboxRecord()] : [known()])
  await preloadReaders(line)
}

/** The profile of the command line; `demo` always uses the sandbox. */
const profileOfLine = (line: CommandLine): Promise<SelectedProfile> => {
  const named = line.command === 'demo' ? 'sandbox' : flagValue(line, '--profile')
  return selectProfile(process.env, named, withoutSecrets(fileSettings(directories(process.env))))
}

async function signingServiceFor({
  argv,
  privateKey,
  signerUrl,
  redraws = true,
}: First): Promise<SigningService> {
  const dirs = directories(process.env)
  const line = readCommandLine(argv)
  const isQuiet = hasFlag(line, '--quiet') || hasFlag(line, '--json')
  const profile = await profileOfLine(line)
  const catalog = () => ownCatalog(profile)
  return openSigningService({
    ...signerReads({ line, dirs, isSandbox: profile.kind === 'sandbox', catalog }),
    line,
    privateKey: privateKey ?? undefined,
    signerUrl,
    catalog,
    sandboxKey: async () => (await sandboxAccounts()).sandboxKey(),
    say: (text) => {
      if (!isQuiet) write(text, redraws)
    },
    tell: (text) => write(text, redraws),
  })
}

/** Writes a line to the person, after clearing a progress indicator in the last line of the terminal. */
const write = (text: string, redraws: boolean): void => {
  const { isTTY, columns } = process.stderr
  const line = `signing: ${sanitizeText(text)}`
  process.stderr.write(
    `${redraws && isTTY ? '\r\u001b[K' : ''}${isTTY ? brokenBetweenWords(line, Math.max(20, columns)) : line}\n`,
  )
}

/** Reads the catalogue of the profile itself, because the main program is not trusted with it. */
async function ownCatalog({ kind, env }: SelectedProfile): Promise<Catalog> {
  const dirs = directories(process.env)
  if (kind === 'sandbox') {
    const { readRecord, sandboxFiles } = await sandboxRecord()
    const record = readRecord(sandboxFiles(dirs.data).record)
    if (record) return record.catalog
    throw new AppError('SANDBOX_UNAVAILABLE', 'The sandbox is not running, so its contracts are unknown')
  }
  return (await known()).knownCatalog(dirs, env)
}
