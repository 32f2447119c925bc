import type { Settings } from '../cli/config.ts'
import type { Globals } from '../cli/globals.ts'
import type { Io } from '../cli/io.ts'
import { secret } from '../cli/prompts.ts'

import { EvmAddress } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import { readPrivateFile } from '../wallet/key-source.ts'
import { deskSigner } from '../wallet/signing/account.ts'
import type { Desk, KeySource } from '../wallet/signing/words.ts'
import type { SignerChoice, Who } from '../wallet/who.ts'
import type { Secrets } from './secrets.ts'

type Needs = {
  keystores: string
  settings: Settings
  secrets: Secrets
  io: Io
  globals: Globals
  desk: () => Promise<Desk>
  /** Who signs when nobody is named. */
  otherwise: () => Promise<Who>
}

/** Whose wallet: a flag, then the environment, then the configured keystore, then whoever the profile has for that. */
export async function whoSigns(choice: SignerChoice, needs: Needs): Promise<Who> {
  const { settings, secrets } = needs
  if (choice.wallet !== undefined && choice.keyFile !== undefined)
    throw new AppError('USAGE', '--wallet and --key-file exclude each other')
  if (choice.wallet !== undefined) return named(choice.wallet, choice, needs)
  if (choice.keyFile !== undefined)
    return fromKey(needs, { kind: 'key-file', path: choice.keyFile }, choice.keyFile)
  if (secrets.hasPrivateKey) return fromKey(needs, { kind: 'environment' }, 'SLUICE_PRIVATE_KEY')
  const { wallet } = await settings.read()
  if (wallet !== undefined) return named(wallet, choice, needs)
  return needs.otherwise()
}

async function named(name: string, choice: SignerChoice, needs: Needs): Promise<Who> {
  const { keystores, secrets, io, globals, desk } = needs
  if (/^(0x)?[0-9a-fA-F]{64}$/.test(name))
    throw new AppError('INSECURE_KEY_SOURCE', 'A private key is not accepted as an argument')
  const address = EvmAddress.safeParse(name)
  const { listKeys } = await import('../wallet/keystore-names.ts')
  const known = listKeys(keystores)
  if (address.success) {
    const same = known.find((key) => key.address === address.data)
    if (!same)
      return { address: address.data, label: name, source: 'address', unlock: async () => bare(name) }
    return named(same.name, choice, needs)
  }
  const found = known.find((key) => key.name === name)
  if (!found)
    throw new AppError('KEY_SOURCE', `There is no wallet "${name}"`, {
      hint:
        known.length > 0 ? `Known: ${known.map((key) => key.name).join(', ')}` : `sluice wallet new ${name}`,
    })
  const password = async () => {
    if (choice.passwordFile !== undefined) return readPrivateFile(choice.passwordFile).replace(/\r?\n$/, '')
    return (
      secrets.password ??
      secret(io, globals, `Password of ${name}:`, 'Use --password-file PATH, or set SLUICE_PASSWORD.')
    )
  }
  const open = async () =>
    deskSigner(await desk(), { kind: 'keystore', directory: keystores, name, password: await password() })
  if (found.address !== null) return { address: found.address, label: name, source: 'keystore', unlock: open }
  const opened = await open()
  return { address: opened.address, label: name, source: 'keystore', unlock: async () => opened }
}

function bare(name: string): never {
  throw new AppError('KEY_REQUIRED', `${name} is an address; signing needs its key`, {
    hint: 'sluice wallet import NAME, then --wallet NAME',
  })
}

async function fromKey(
  { desk }: Needs,
  source: KeySource & { kind: 'key-file' | 'environment' },
  label: string,
): Promise<Who> {
  const signer = await deskSigner(await desk(), source)
  return { address: signer.address, label, source: source.kind, unlock: async () => signer }
}
