import type { Cli } from '../../cli/command-run-types.ts'
import type { OptionsOf } from '../../domain/command-line/flags.ts'
import { exportKey } from '../../signing/keystore/directory.ts'
import { existingPassword, refuseNoKeychain, rememberPassword } from './keystore-password.ts'

/** `wallet remember`: keeps a password in the keychain, once it has opened the keystore. */
export async function rememberWallet(
  cli: Cli,
  name: string,
  options: OptionsOf<'wallet remember'>,
): Promise<void> {
  exportKey(cli.program.keystores, name)
  await refuseNoKeychain(cli)
  const password = await existingPassword(cli, options, name)
  const signingService = await cli.program.signingService()
  const source = { kind: 'keystore', directory: cli.program.keystores, name, password } as const
  const { address } = await signingService({ do: 'open', source })
  await rememberPassword(cli, name, password)
  cli.emit(
    { name, address, remembered: true },
    () => `The password of ${name} is in the keychain; ${name} signs without a prompt.`,
  )
}

/** `wallet forget` */
export async function forgetWallet(cli: Cli, name: string): Promise<void> {
  const { settings } = cli.program
  const wasThere = await settings.alone(() => settings.keepPassword(name, undefined))
  cli.emit({ name, remembered: false }, () =>
    wasThere
      ? `The password of ${name} is deleted from the keychain.`
      : `The keychain had no password of ${name}.`,
  )
}
