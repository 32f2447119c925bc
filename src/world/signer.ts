import type { Settings } from '../cli/config.ts'
import type { Globals } from '../cli/globals.ts'
import type { Io } from '../cli/io.ts'
import { secret } from '../cli/prompts.ts'

import { EvmAddress } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import { hostOf } from '../net/http.ts'
import { readPrivateFile } from '../wallet/key-source.ts'
import { derivationPath, usualPath } from '../wallet/ledger-path.ts'
import { deskSigner } from '../wallet/signing/account.ts'
import type { Desk, KeySource } from '../wallet/signing/words.ts'
import type { SignerChoice, Who } from '../wallet/who.ts'
import type { Secrets } from './secrets.ts'

type Needs = {
  env: Readonly<Record<string, string | undefined>>
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
  const { ledger, signerUrl } = choice
  refuseBoth(choice)
  if (ledger !== undefined || signerUrl !== undefined) return elsewhere(choice, needs)
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
      (await needs.settings.passwordOf(name)) ??
      secret(io, globals, `Password of ${name}:`, 'Use --password-file PATH, or set SLUICE_PASSWORD.')
    )
  }
  const open = async () =>
    deskSigner(await desk(), { kind: 'keystore', directory: keystores, name, password: await password() })
  if (found.address !== null) return { address: found.address, label: name, source: 'keystore', unlock: open }
  const opened = await open()
  return { address: opened.address, label: name, source: 'keystore', unlock: async () => opened }
}

/** A person names one key: only `--wallet` with an address says which account of a device or of a signer elsewhere it has to be. */
function refuseBoth({ wallet, keyFile, ledger, signerUrl }: SignerChoice): void {
  const ways = { '--key-file': keyFile, '--ledger': ledger, '--signer-url': signerUrl, '--wallet': wallet }
  const [one, other] = Object.entries(ways).flatMap(([name, value]) => (value === undefined ? [] : [name]))
  if (other === undefined) return
  const isAccount = other === '--wallet' && one !== '--key-file' && EvmAddress.safeParse(wallet).success
  if (isAccount) return
  throw new AppError('USAGE', `${one} and ${other} exclude each other`, {
    ...(other === '--wallet' &&
      one !== '--key-file' && { hint: `${one} with --wallet 0x... is held to that address.` }),
  })
}

/** A key on a Ledger or at a signer elsewhere. Where its address is named, nobody is asked before something is to be signed. */
async function elsewhere({ wallet, ledger, signerUrl }: SignerChoice, needs: Needs): Promise<Who> {
  const named = wallet === undefined ? null : EvmAddress.parse(wallet)
  const path = ledger === true ? usualPath : derivationPath(ledger ?? usualPath)
  const source: KeySource & { kind: 'ledger' | 'external' } =
    signerUrl === undefined
      ? { kind: 'ledger', path, emulator: needs.env.SLUICE_LEDGER_SPECULOS ?? null }
      : { kind: 'external', wallet: named }
  const label = signerUrl === undefined ? `Ledger ${path}` : `signer at ${hostOf(signerUrl)}`
  if (named === null) return fromKey(needs, source, label)
  const unlock = async () => {
    const signer = await deskSigner(await needs.desk(), source)
    if (signer.address === named) return signer
    throw new AppError('KEY_SOURCE', `${label} is ${signer.address}, and not ${named}. Nothing was signed.`, {
      hint: `Name the path of ${named}, or connect the device that has it.`,
    })
  }
  return { address: named, label, source: source.kind, unlock }
}

function bare(name: string): never {
  throw new AppError('KEY_REQUIRED', `${name} is an address; signing needs its key`, {
    hint: 'sluice wallet import NAME, then --wallet NAME',
  })
}

async function fromKey(
  { desk }: Needs,
  source: KeySource & { kind: 'key-file' | 'environment' | 'ledger' | 'external' },
  label: string,
): Promise<Who> {
  const signer = await deskSigner(await desk(), source)
  return { address: signer.address, label, source: source.kind, unlock: async () => signer }
}
