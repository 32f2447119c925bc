import type { Cli } from '../../cli/command-run-types.ts'
import { passwordElsewhere, promptSecret } from '../../cli/prompts.ts'
import type { OptionsOf } from '../../domain/command-line/flags.ts'
import { AppError } from '../../domain/errors.ts'
import { readPassword } from '../../signing/read-private-file.ts'

/** Where the password of a keystore comes from, and whether the keychain is to have it. */
export type PasswordOptions = OptionsOf<'wallet new'>

/** A password for a new keystore, entered twice if it is not given. */
export async function newPassword(cli: Cli, { passwordFile }: PasswordOptions): Promise<string> {
  const given =
    passwordFile === undefined ? cli.program.password : await readPassword(passwordFile, cli.program.stdin)
  if (given !== undefined) return warned(cli, notEmpty(given))
  const first = notEmpty(await promptSecret(cli.io, cli.globals, 'New password:', passwordElsewhere))
  if ((await promptSecret(cli.io, cli.globals, 'Repeat the password:', passwordElsewhere)) !== first)
    throw new AppError('KEY_SOURCE', 'The two passwords differ', {
      nothing: 'written',
      next: 'Run the command again and enter the same password twice.',
    })
  return warned(cli, first)
}

/** The password of an existing keystore: from a file, the environment, or a prompt. */
export async function existingPassword(
  cli: Cli,
  { passwordFile }: PasswordOptions,
  path: string,
): Promise<string> {
  if (passwordFile !== undefined) return readPassword(passwordFile, cli.program.stdin)
  return cli.program.password ?? promptSecret(cli.io, cli.globals, `Password of ${path}:`, passwordElsewhere)
}

/** Passwords that a search finds at once whatever the encryption, by their letters and digits. */
const common =
  /^(password|passwort|passw0rd|qwerty|letmein|welcome|admin|iloveyou|dragon|monkey|wallet|bitcoin|ethereum|crypto|secret|changeme)[0-9]*$/

/** Warns of a password that a stolen keystore file would not withstand: short, common, or of few characters. */
function warned(cli: Pick<Cli, 'notice'>, password: string): string {
  const plain = password.toLowerCase().replace(/[^a-z0-9]/g, '')
  const why =
    password.length < 12
      ? 'shorter than 12 characters'
      : common.test(plain)
        ? 'a common password'
        : new Set(password).size < 5 || /^[0-9]+$/.test(password)
          ? 'easy to guess'
          : undefined
  if (why !== undefined)
    cli.notice(
      `warning: the password is ${why}. Anyone with the keystore file can try passwords without limit.`,
    )
  return password
}

function notEmpty(password: string): string {
  if (password.length > 0) return password
  throw new AppError('KEY_SOURCE', 'The password is empty', {
    next: 'Run the command again and enter a password.',
  })
}

/** Fails before anything is created if the password could not be saved. */
export async function refuseNoKeychain({ program: { settings } }: Pick<Cli, 'program'>): Promise<void> {
  if (await settings.hasKeychain()) return
  throw new AppError('STATE_UNUSABLE', 'No working desktop keychain', {
    next: 'Unlock the keychain on the desktop. Without one, the password can be in a file.',
  })
}

/** Saves the password of a keystore in the desktop keychain, so that signing needs no prompt. */
export async function rememberPassword(
  { program: { settings } }: Pick<Cli, 'program'>,
  name: string,
  password: string,
): Promise<void> {
  await settings.alone(() => settings.keepPassword(name, password))
}
