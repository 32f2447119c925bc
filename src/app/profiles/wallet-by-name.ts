import type { Globals } from '../../cli/options/global-options.ts'
import { passwordElsewhere, promptSecret } from '../../cli/prompts.ts'
import type { Settings } from '../../cli/settings-files-schema.ts'
import type { Io } from '../../cli/terminal/io-types.ts'
import { EvmAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { didYouMean } from '../../domain/text/did-you-mean.ts'
import { advice, sameWith, sluice } from '../../domain/text/next-step.ts'
import { readPassword } from '../../signing/read-private-file.ts'
import type { SignerChoice, SignerIdentity } from '../../signing/signer.ts'
import { serviceSigner } from '../../signing/signer-process-client.ts'
import type { KeySource, SigningService } from '../../signing/signing-service-protocol.ts'
import type { Secrets } from '../environment-secrets-type.ts'

type Needs = {
  keystores: string
  settings: Settings
  secrets: Secrets
  io: Io
  globals: Globals
  signingService: () => Promise<SigningService>
  stdin: () => Promise<string>
}

/**
 * Returns the wallet for a word: a keystore by name or address, a keystore file by path, or an address without a key.
 */
export async function walletByName(
  name: string,
  choice: SignerChoice,
  needs: Needs,
): Promise<SignerIdentity> {
  if (/^(0x)?[0-9a-fA-F]{64}$/.test(name))
    throw new AppError('INSECURE_KEY_SOURCE', 'A private key is not accepted as an argument')
  if (/[/\\]/.test(name)) return fileNamed(name, choice, needs)
  const { keystores } = needs
  const address = EvmAddress.safeParse(name)
  const { isKeyName, listKeys } = await import('../../signing/keystore/directory.ts')
  const known = listKeys(keystores)
  if (address.success) {
    const { wallet } = await needs.settings.read()
    const all = known.filter((key) => key.address === address.data)
    // If several keystores have the address, prefer the default signer.
    const same = all.find((key) => key.name === wallet) ?? all[0]
    if (!same)
      return { address: address.data, label: name, source: 'address', unlock: async () => bare(name) }
    return walletByName(same.name, choice, needs)
  }
  const names = known.map((key) => key.name)
  const found = known.find((key) => key.name === name)
  if (!found)
    throw new AppError('KEY_SOURCE', `No wallet "${name}"${didYouMean(name, names)}`, {
      next:
        names.length === 0 && isKeyName(name)
          ? advice`No keystore exists on this machine. To import a key, use wallet import. To create one: ${sluice('wallet new', name)}`
          : advice`${names.length > 0 ? `Known: ${names.join(', ')}. Another keystore` : 'A keystore'} is named by its path: ${sameWith({ '--wallet': `./${name}` })}`,
    })
  return openedBy(found.address, name, needs, async () => ({
    kind: 'keystore',
    directory: keystores,
    name,
    password: await passwordOf(name, choice, needs, () => needs.settings.passwordOf(name)),
  }))
}

/** A keystore file of cast, geth or another wallet, at its path. */
async function fileNamed(path: string, choice: SignerChoice, needs: Needs): Promise<SignerIdentity> {
  const { readKeystoreText, storedAddress } = await import('../../signing/keystore/directory.ts')
  const text = await readKeystoreText(path, needs.stdin)
  return openedBy(storedAddress(text, path), path, needs, async () => ({
    kind: 'keystore-file',
    text,
    label: path,
    password: await passwordOf(path, choice, needs),
  }))
}

/** A keystore that does not state its address must be opened to learn it. */
async function openedBy(
  address: SignerIdentity['address'] | null,
  label: string,
  { signingService }: Needs,
  source: () => Promise<KeySource>,
): Promise<SignerIdentity> {
  const open = async () => {
    // Start the signer first: if that fails, do not ask for a password.
    const at = await signingService()
    return serviceSigner(at, await source()).catch((error: unknown) => {
      throw error instanceof AppError && error.code === 'WRONG_PASSWORD'
        ? passwordTrouble(error, label)
        : error
    })
  }
  if (address !== null) return { address, label, source: 'keystore', unlock: open }
  const opened = await open()
  return { address: opened.address, label, source: 'keystore', unlock: async () => opened }
}

async function passwordOf(
  name: string,
  { passwordFile }: SignerChoice,
  { secrets, io, globals, stdin }: Needs,
  remembered: () => Promise<string | undefined> = async () => undefined,
): Promise<string> {
  try {
    if (passwordFile !== undefined) return await readPassword(passwordFile, stdin)
    return (
      secrets.password ??
      (await remembered()) ??
      (await promptSecret(io, globals, `Password of ${name}:`, passwordElsewhere))
    )
  } catch (error) {
    throw passwordTrouble(error, name)
  }
}

/** Adds the keystore to a password error, for the hint of the next command. */
function passwordTrouble(error: unknown, passwordOf: string): unknown {
  if (!(error instanceof AppError) || error.code === 'INTERRUPTED') return error
  return error.with({ details: { passwordOf } })
}

function bare(name: string): never {
  throw new AppError('KEY_REQUIRED', `${name} is an address; signing needs a key`, {
    next: advice`${sluice('wallet import', 'NAME')}, then: ${sameWith({ '--wallet': 'NAME' })}`,
  })
}
