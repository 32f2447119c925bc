import type { Cli } from '../cli/cli.ts'
import { AppError } from '../domain/errors.ts'
import { exportKey } from '../wallet/keys/keystore-names.ts'
import { existingPassword, type PasswordOptions } from './password.ts'

/** `wallet remember`: keeps a password in the keychain, once it has opened the keystore. */
export async function rememberWallet(cli: Cli, name: string, options: PasswordOptions): Promise<void> {
  exportKey(cli.world.keystores, name)
  await refuseNoKeychain(cli)
  const password = await existingPassword(cli, options, name)
  const desk = await cli.world.desk()
  const source = { kind: 'keystore', directory: cli.world.keystores, name, password } as const
  const { address } = await desk({ do: 'open', source })
  await rememberPassword(cli, name, password)
  cli.emit(
    { name, address, remembered: true },
    () => `${name} signs with the password that the keychain has.`,
  )
}

/** `wallet forget` */
export async function forgetWallet(cli: Cli, name: string): Promise<void> {
  const { settings } = cli.world
  const wasThere = await settings.alone(() => settings.keepPassword(name, undefined))
  cli.emit({ name, remembered: false }, () =>
    wasThere
      ? `The keychain has the password of ${name} no more.`
      : `The keychain had no password of ${name}.`,
  )
}

/** Says no before anything is made, where the password could not be kept afterwards. */
export async function refuseNoKeychain({ world: { settings } }: Pick<Cli, 'world'>): Promise<void> {
  if (await settings.hasKeychain()) return
  throw new AppError('STATE_UNUSABLE', 'There is no keychain of a desktop that keeps what it is given', {
    hint: 'Unlock it on the desktop. Without one a password is read with --password-file PATH.',
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
