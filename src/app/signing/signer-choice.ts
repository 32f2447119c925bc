import type { Globals } from '../../cli/options/global-options.ts'
import type { Settings } from '../../cli/settings-files-schema.ts'
import type { Io } from '../../cli/terminal/io-types.ts'
import { EvmAddress } from '../../domain/address.ts'
import type { FlagName } from '../../domain/command-line/flags.ts'
import { AppError } from '../../domain/errors.ts'
import { advice, sameWith, sameWithout } from '../../domain/text/next-step.ts'
import { hostOf } from '../../http/client.ts'
import { defaultDerivationPath, derivationPath } from '../../signing/ledger/ledger.ts'
import type { SignerChoice, SignerIdentity } from '../../signing/signer.ts'
import { serviceSigner } from '../../signing/signer-process-client.ts'
import type { KeySource, SigningService } from '../../signing/signing-service-protocol.ts'
import type { Secrets } from '../environment-secrets-type.ts'
import { walletByName } from '../profiles/wallet-by-name.ts'

type Needs = {
  env: Readonly<Record<string, string | undefined>>
  keystores: string
  settings: Settings
  secrets: Secrets
  io: Io
  globals: Globals
  signingService: () => Promise<SigningService>
  stdin: () => Promise<string>
  /** The default signer. */
  otherwise: () => Promise<SignerIdentity>
}

/** Returns the signer: by flag, environment, configured keystore, or default of the profile. */
export const chooseSigner = async (choice: SignerChoice, needs: Needs): Promise<SignerIdentity> => {
  const signer = await signerOf(choice, needs)
  // A failure to start is reported when something must be signed.
  const prepare = () => void needs.signingService().catch(() => undefined)
  return { ...signer, ...(signer.source !== 'address' && { prepare }) }
}

async function signerOf(choice: SignerChoice, needs: Needs): Promise<SignerIdentity> {
  const { settings, secrets } = needs
  const { ledger, signerUrl } = choice
  refuseBoth(choice)
  if (ledger !== undefined || signerUrl !== undefined) return externalSigner(choice, needs)
  if (usesEnvironmentSigner(choice, secrets))
    return externalSigner({ ...choice, signerUrl: secrets.signerUrl }, needs)
  if (choice.wallet !== undefined) return walletByName(choice.wallet, choice, needs)
  if (choice.keyFile !== undefined)
    return fromKey(needs, { kind: 'key-file', path: choice.keyFile }, choice.keyFile)
  if (secrets.hasPrivateKey) return fromKey(needs, { kind: 'environment' }, 'SLUICE_PRIVATE_KEY')
  const { wallet } = await settings.read()
  if (wallet !== undefined) return walletByName(wallet, choice, needs)
  return needs.otherwise()
}

/** Whether the environment's signer is meant: without a choice, or with an account that it must have. */
function usesEnvironmentSigner(
  { wallet, keyFile }: SignerChoice,
  { signerUrl, hasPrivateKey }: Secrets,
): boolean {
  if (signerUrl === undefined || keyFile !== undefined) return false
  if (wallet !== undefined && !EvmAddress.safeParse(wallet).success) return false
  if (!hasPrivateKey) return true
  throw new AppError('USAGE', 'SLUICE_PRIVATE_KEY and SLUICE_SIGNER_URL cannot be combined', {
    next: 'Unset one of them.',
  })
}

const ways = {
  '--key-file': 'the key file',
  '--ledger': 'the Ledger',
  '--signer-url': 'the remote signer',
  '--wallet': 'the wallet',
} as const satisfies Partial<Record<FlagName, string>>

/** Only one signer may be given; `--wallet ADDRESS` also chooses the account of a device or a remote signer. */
function refuseBoth({ wallet, keyFile, ledger, signerUrl }: SignerChoice): void {
  const given = { '--key-file': keyFile, '--ledger': ledger, '--signer-url': signerUrl, '--wallet': wallet }
  const [one, other] = (Object.keys(ways) as (keyof typeof ways)[]).filter(
    (name) => given[name] !== undefined,
  )
  if (one === undefined || other === undefined) return
  const mayNameAccount = other === '--wallet' && one !== '--key-file'
  if (mayNameAccount && EvmAddress.safeParse(wallet).success) return
  const each = advice`To sign with ${ways[one]}: ${sameWithout(other)}. To sign with ${ways[other]}: ${sameWithout(one)}`
  throw new AppError('USAGE', `${one} and ${other} cannot be combined`, {
    next: mayNameAccount
      ? advice`${each}. To require an address of ${ways[one]}: ${sameWith({ '--wallet': 'ADDR' })}`
      : each,
  })
}

/** A Ledger or remote signer. With a given address it is asked only when something must be signed. */
async function externalSigner(
  { wallet, ledger, signerUrl }: SignerChoice,
  needs: Needs,
): Promise<SignerIdentity> {
  const named = wallet === undefined ? null : EvmAddress.parse(wallet)
  const path = ledger === true ? defaultDerivationPath : derivationPath(ledger ?? defaultDerivationPath)
  const source: KeySource & { kind: 'ledger' | 'external' } =
    signerUrl === undefined
      ? { kind: 'ledger', path, emulator: needs.env.SLUICE_LEDGER_SPECULOS ?? null }
      : { kind: 'external', wallet: named }
  const label = signerUrl === undefined ? `Ledger ${path}` : `signer at ${hostOf(signerUrl)}`
  if (named === null) return fromKey(needs, source, label)
  const unlock = async () => {
    const signer = await serviceSigner(await needs.signingService(), source)
    if (signer.address === named) return signer
    throw new AppError('KEY_SOURCE', `${label} is ${signer.address}, not ${named}`, {
      next: `Give the derivation path of ${named}, or connect the device that has its key.`,
    })
  }
  return { address: named, label, source: source.kind, unlock }
}

async function fromKey(
  { signingService }: Needs,
  source: KeySource & { kind: 'key-file' | 'environment' | 'ledger' | 'external' },
  label: string,
): Promise<SignerIdentity> {
  const signer = await serviceSigner(await signingService(), source)
  return { address: signer.address, label, source: source.kind, unlock: async () => signer }
}
