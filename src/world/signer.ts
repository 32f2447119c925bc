import type { LocalAccount } from 'viem'

import type { Globals } from '../cli/globals.ts'
import type { Io } from '../cli/io.ts'
import { secret } from '../cli/prompts.ts'
import type { Settings } from '../cli/world.ts'
import { EvmAddress } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import { readKeyFile, readPrivateFile } from '../wallet/key-source.ts'
import type { SignerChoice, Who } from '../wallet/who.ts'
import type { Secrets } from './secrets.ts'

type Needs = {
  keystores: string
  settings: Settings
  secrets: Secrets
  io: Io
  globals: Globals
  /** Who signs when nobody is named. */
  otherwise: () => Promise<Who>
}

/** Whose wallet: a flag, then the environment, then the configured keystore, then whoever the profile has for that. */
export async function whoSigns(choice: SignerChoice, needs: Needs): Promise<Who> {
  const { settings, secrets } = needs
  if (choice.wallet !== undefined && choice.keyFile !== undefined)
    throw new AppError('USAGE', '--wallet and --key-file exclude each other')
  if (choice.wallet !== undefined) return named(choice.wallet, choice, needs)
  if (choice.keyFile !== undefined) return fromKey(readKeyFile(choice.keyFile), choice.keyFile, 'key-file')
  if (secrets.privateKey) return fromKey(secrets.privateKey, 'SLUICE_PRIVATE_KEY', 'environment')
  const { wallet } = await settings.read()
  if (wallet !== undefined) return named(wallet, choice, needs)
  return needs.otherwise()
}

async function named(
  name: string,
  { passwordFile }: SignerChoice,
  { keystores, secrets, io, globals }: Needs,
): Promise<Who> {
  if (/^(0x)?[0-9a-fA-F]{64}$/.test(name))
    throw new AppError('INSECURE_KEY_SOURCE', 'A private key is not accepted as an argument')
  const address = EvmAddress.safeParse(name)
  const { listKeys, openKey } = await import('../wallet/keystore.ts')
  const known = listKeys(keystores)
  if (address.success) {
    const same = known.find((key) => key.address === address.data)
    if (!same)
      return { address: address.data, label: name, source: 'address', unlock: async () => bare(name) }
    return named(same.name, { passwordFile }, { keystores, secrets, io, globals } as Needs)
  }
  const found = known.find((key) => key.name === name)
  if (!found)
    throw new AppError('KEY_SOURCE', `There is no wallet "${name}"`, {
      hint:
        known.length > 0 ? `Known: ${known.map((key) => key.name).join(', ')}` : `sluice wallet new ${name}`,
    })
  const password = async () => {
    if (passwordFile !== undefined) return readPrivateFile(passwordFile).replace(/\r?\n$/, '')
    return (
      secrets.password ??
      secret(io, globals, `Password of ${name}:`, 'Use --password-file PATH, or set SLUICE_PASSWORD.')
    )
  }
  const open = async () => accountOf(await openKey(keystores, name, await password()))
  if (found.address !== null) return { address: found.address, label: name, source: 'keystore', unlock: open }
  const opened = await open()
  return { address: opened.address, label: name, source: 'keystore', unlock: async () => opened }
}

function bare(name: string): never {
  throw new AppError('KEY_REQUIRED', `${name} is an address; signing needs its key`, {
    hint: 'sluice wallet import NAME, then --wallet NAME',
  })
}

async function fromKey(text: string, label: string, source: Who['source']): Promise<Who> {
  const signer = await accountOf(text)
  return { address: signer.address, label, source, unlock: async () => signer }
}

/** The account of a private key, which is checked first. */
export async function accountOf(key: string): Promise<LocalAccount> {
  const { parseKey, signerOf } = await import('../wallet/signer.ts')
  return signerOf(parseKey(key))
}
