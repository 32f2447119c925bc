import type { Cli } from '../cli/cli.ts'
import { secret } from '../cli/prompts.ts'
import { AppError } from '../domain/errors.ts'
import { readPrivateFile } from '../wallet/keys/key-source.ts'

/** Where the password of a keystore comes from, and whether the keychain is to have it. */
export type PasswordOptions = { passwordFile?: string; keychain?: boolean }

/** A password for a new keystore: asked twice where nobody gave it. */
export async function newPassword(cli: Cli, { passwordFile }: PasswordOptions): Promise<string> {
  const instead = 'Use --password-file PATH, or set SLUICE_PASSWORD.'
  const given =
    passwordFile === undefined ? cli.world.password : readPrivateFile(passwordFile).replace(/\r?\n$/, '')
  if (given !== undefined) return notEmpty(given)
  const first = notEmpty(await secret(cli.io, cli.globals, 'New password:', instead))
  if ((await secret(cli.io, cli.globals, 'The same once more:', instead)) !== first)
    throw new AppError('KEY_SOURCE', 'The two passwords differ. Nothing was written.', {
      hint: 'Type the command again, and the same password twice.',
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
  throw new AppError('KEY_SOURCE', 'A password must not be empty', {
    hint: 'Type the command again, with a password.',
  })
}
