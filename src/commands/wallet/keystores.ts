import { pageOf } from '../../api/page.ts'
import type { Cli } from '../../cli/command-run-types.ts'
import { confirm, promptSecret } from '../../cli/prompts.ts'
import { fieldTable } from '../../cli/terminal/table.ts'
import type { OptionsOf } from '../../domain/command-line/flags.ts'
import { AppError } from '../../domain/errors.ts'
import { advice, sameWith, sameWithout, sluice } from '../../domain/text/next-step.ts'
import {
  exportKey,
  keyFilePath,
  listKeys,
  readKeystoreText,
  refuseUnwritableDirectory,
  removeKey,
  storedAddress,
} from '../../signing/keystore/directory.ts'
import { parsePrivateKey } from '../../signing/keystore/private-key.ts'
import type { ImportSource } from '../../signing/signing-service-protocol.ts'
import { existingPassword, newPassword, refuseNoKeychain, rememberPassword } from './keystore-password.ts'

/** `wallet list` */
export async function listWallets(cli: Cli): Promise<void> {
  const { wallet } = await cli.program.settings.read()
  const items = listKeys(cli.program.keystores).map((key) => ({ ...key, default: key.name === wallet }))
  await cli.list(pageOf(items, { all: true }), {
    empty: advice`No keystores. Create one: ${sluice('wallet new', 'NAME')}`,
    columns: [
      { title: 'NAME', field: 'name', csv: { name: ({ name }) => name }, text: ({ name }) => name },
      {
        title: 'ADDRESS',
        field: 'address',
        csv: { address: ({ address }) => address },
        text: ({ address }) => address ?? '-',
      },
      {
        title: 'DEFAULT',
        field: 'default',
        csv: { default: (row) => row.default },
        text: (row) => (row.default ? 'yes' : ''),
        drop: 1,
      },
    ],
  })
}

/** `wallet new` */
export async function newWallet(cli: Cli, name: string, options: OptionsOf<'wallet new'>): Promise<void> {
  refuseTaken(cli, name)
  if (options.keychain) await refuseNoKeychain(cli)
  const password = await newPassword(cli, options)
  const signingService = await cli.program.signingService()
  const key = await signingService({ do: 'make', directory: cli.program.keystores, name, password })
  if (options.keychain) await rememberPassword(cli, name, password)
  saved(cli, key)
}

/** `wallet import` */
export async function importKey(cli: Cli, name: string, options: OptionsOf<'wallet import'>): Promise<void> {
  refuseTaken(cli, name)
  if (options.keychain) await refuseNoKeychain(cli)
  if (options.keyFile !== undefined && options.keystore !== undefined)
    throw new AppError('USAGE', '--key-file and --keystore cannot be combined', {
      next: advice`From the file with the key: ${sameWithout('--keystore')}. From the keystore: ${sameWithout('--key-file')}`,
    })
  const { from, password } = await toImport(cli, options)
  const signingService = await cli.program.signingService()
  const key = await signingService({ do: 'import', directory: cli.program.keystores, name, password, from })
  if (options.keychain) await rememberPassword(cli, name, password)
  saved(cli, key)
}

async function toImport(
  cli: Cli,
  options: OptionsOf<'wallet import'>,
): Promise<{ from: ImportSource; password: string }> {
  const { keyFile, keystore: label } = options
  if (label !== undefined) {
    // Check the file before asking for a password.
    const text = await readKeystoreText(label, cli.program.stdin)
    storedAddress(text, label)
    const password = await existingPassword(cli, options, label)
    return { from: { kind: 'keystore', text, label, password }, password }
  }
  const from: ImportSource =
    keyFile === undefined
      ? {
          kind: 'key',
          text: parsePrivateKey(
            await promptSecret(
              cli.io,
              cli.globals,
              'Private key (not shown):',
              advice`From a file with the key: ${sameWith({ '--key-file': 'PATH' })}. From a keystore: ${sameWith({ '--keystore': 'PATH' })}`,
            ),
            'The text that was typed',
          ),
        }
      : keyFile === '-'
        ? { kind: 'key', text: parsePrivateKey(await cli.program.stdin(), 'Standard input') }
        : await checkedFile(cli, keyFile)
  return { from, password: await newPassword(cli, options) }
}

/** Reads a file with a private key; a fault is reported before a password is asked for. */
async function checkedFile(cli: Cli, path: string): Promise<ImportSource> {
  const source = { kind: 'key-file', path } as const
  await (await cli.program.signingService())({ do: 'open', source })
  return source
}

/** `wallet export` */
export async function exportKeystore(cli: Cli, name: string): Promise<void> {
  const text = exportKey(cli.program.keystores, name)
  cli.emit(JSON.parse(text) as object, () => text.trimEnd())
}

/** `wallet remove` */
export async function removeWallet(cli: Cli, name: string): Promise<void> {
  exportKey(cli.program.keystores, name)
  await confirm(
    cli.io,
    cli.globals,
    `Remove the keystore "${name}"? Without a backup, the funds of its address are lost`,
  )
  removeKey(cli.program.keystores, name)
  const { settings } = cli.program
  await settings.alone(async () => {
    const { wallet, ...others } = await settings.read()
    if (wallet === name) await settings.write(others)
    await settings.keepPassword(name, undefined)
  })
  cli.emit({ removed: name }, () => `Removed ${name}.`)
}

/** `wallet use` */
export async function useWallet(cli: Cli, name: string | undefined): Promise<void> {
  const { settings } = cli.program
  if (name !== undefined) exportKey(cli.program.keystores, name)
  await settings.alone(async () => {
    const { wallet: _, ...others } = await settings.read()
    await settings.write({ ...others, ...(name !== undefined && { wallet: name }) })
  })
  cli.emit({ default: name ?? null }, () =>
    name === undefined ? 'No default signing keystore.' : `${name} is the default signing keystore.`,
  )
}

/** Refuses a name that a new key cannot have: no name, read as an address by every command, or another one's already. */
function refuseTaken(cli: Cli, name: string): void {
  keyFilePath(cli.program.keystores, name)
  if (/^0x/i.test(name))
    throw new AppError(
      'USAGE',
      `"${name}" is not a valid keystore name: names that start with 0x are read as addresses`,
      { next: 'Choose a name such as treasury' },
    )
  refuseUnwritableDirectory(cli.program.keystores)
  if (listKeys(cli.program.keystores).some((key) => key.name === name))
    throw new AppError('KEY_SOURCE', `A wallet named "${name}" already exists`, {
      next: sluice('wallet list'),
    })
}

function saved(cli: Cli, key: { name: string; address: string | null }): void {
  cli.emit(key, (value, to, line) =>
    fieldTable(
      [
        ['wallet', value.name],
        ['address', value.address ?? '-'],
        ['backup', line({ ...sluice('wallet export', value.name), into: `${value.name}.json` })],
        ['next', line(sluice('wallet show', value.name))],
      ],
      to,
    ),
  )
}
