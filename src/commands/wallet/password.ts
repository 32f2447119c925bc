import { secret } from '../../cli/prompts.ts'
import type { Cli } from '../../cli/world.ts'
import { AppError } from '../../domain/errors.ts'
import { exportKey } from '../../signing/keystore/directory.ts'
import { readPrivateFile } from '../../signing/private-files.ts'

/** Where the password of a keystore comes from, and whether the keychain is to have it. */
export type PasswordOptions = { passwordFile?: string; keychain?: boolean }

/** A password for a new keystore: asked twice where nobody gave it. */
export async function newPassword(cli: Cli, { passwordFile }: PasswordOptions): Promise<string> {
  const instead = 'Use --password-file PATH, or set SLUICE_PASSWORD.'
  const given =
    passwordFile === undefined ? cli.world.password : readPrivateFile(passwordFile).replace(/\r?\n$/, '')
  if (given !== undefined) return notEmpty(given)
  const first = notEmpty(await secret(cli.io, cli.globals, 'New password:', instead))
  if ((await secret(cli.io, cli.globals, 'Repeat the password:', instead)) !== first)
    throw new AppError('KEY_SOURCE', 'The two passwords differ. Nothing was written.', {
      hint: 'Run the command again and enter the same password twice.',
    })
  return first
}

/** The password of a keystore that is there: a file, the environment, or whoever is asked. */
export async function existingPassword(
  cli: Cli,
  { passwordFile }: PasswordOptions,
  path: string,
): Promise<string> {
  if (passwordFile !== undefined) return readPrivateFile(passwordFile).replace(/\r?\n$/, '')
  return (
    cli.world.password ??
    secret(cli.io, cli.globals, `Password of ${path}:`, 'Use --password-file PATH, or set SLUICE_PASSWORD.')
  )
}

function notEmpty(password: string): string {
  if (password.length > 0) return password
  throw new AppError('KEY_SOURCE', 'The password is empty', {
    hint: 'Run the command again and enter a password.',
  })
}

/** `wallet remember`: keeps a password in the keychain, once it has opened the keystore. */
export async function rememberWallet(cli: Cli, name: string, options: PasswordOptions): Promise<void> {
  exportKey(cli.world.keystores, name)
  await refuseNoKeychain(cli)
  const password = await existingPassword(cli, options, name)
  const desk = await cli.world.signingService()
  const source = { kind: 'keystore', directory: cli.world.keystores, name, password } as const
  const { address } = await desk({ do: 'open', source })
  await rememberPassword(cli, name, password)
  cli.emit(
    { name, address, remembered: true },
    () => `The password of ${name} is in the keychain; ${name} signs without a prompt.`,
  )
}

/** `wallet forget` */
export async function forgetWallet(cli: Cli, name: string): Promise<void> {
  const { settings } = cli.world
  const wasThere = await settings.alone(() => settings.keepPassword(name, undefined))
  cli.emit({ name, remembered: false }, () =>
    wasThere
      ? `The password of ${name} is deleted from the keychain.`
      : `The keychain had no password of ${name}.`,
  )
}

/** Says no before anything is made, where the password could not be kept afterwards. */
export async function refuseNoKeychain({ world: { settings } }: Pick<Cli, 'world'>): Promise<void> {
  if (await settings.hasKeychain()) return
  throw new AppError('STATE_UNUSABLE', 'No working desktop keychain', {
    hint: 'Unlock the keychain on the desktop. Without one, use --password-file PATH.',
  })
}

/** Keeps the password of a keystore in the keychain of the desktop, from which it signs without being asked. */
export async function rememberPassword(
  { world: { settings } }: Pick<Cli, 'world'>,
  name: string,
  password: string,
): Promise<void> {
  await settings.alone(() => settings.keepPassword(name, password))
}
