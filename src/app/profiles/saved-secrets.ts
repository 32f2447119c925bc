import type { Config, ProfileSecrets, SecretsFile, Settings } from '../../cli/settings-files-schema.ts'
import { AppError } from '../../domain/errors.ts'
import { advice, sluice } from '../../domain/text/next-step.ts'
import type { Keychain } from './keychain.ts'

/** A file, read and written as a whole. */
type File<content> = { read: () => Promise<content>; write: (content: content) => Promise<void> }

/**
 * The secrets of profiles: in the file, or in the keychain with only the entry's name in the file. A move writes the
 * new copy before it deletes the old one; if the keychain does not answer, the old copy stays under an unused name.
 */
export function profileSecrets(
  { read, write }: File<SecretsFile>,
  keychain: Keychain,
): Pick<Settings, 'secretsOf' | 'outlineOf' | 'keepSecrets' | 'hasKeychain'> {
  const entryOf = async (profile: string) => {
    const all = await read()
    return Object.hasOwn(all, profile) ? all[profile] : undefined
  }
  return {
    hasKeychain: async () => keychain.works(),
    secretsOf: async (profile) => {
      const entry = await entryOf(profile)
      if (!entry) return {}
      return isInKeychain(entry)
        ? opened(keychain.get(entry.keychain, sluice('profile remove', profile, { '--yes': true })), profile)
        : entry
    },
    outlineOf: async (profile) => {
      const entry = await entryOf(profile)
      if (!entry) return { storage: null, networks: [] }
      return isInKeychain(entry)
        ? { storage: 'keychain', keyFor: entry.keyFor, networks: entry.networks }
        : { storage: 'file', ...outlineOf(entry) }
    },
    keepSecrets: async (profile, secrets, wanted) => {
      const { [profile]: before, ...others } = await read()
      const was = before && isInKeychain(before) ? before.keychain : undefined
      const isThere = secrets && (wanted ?? (was === undefined ? 'file' : 'keychain')) === 'keychain'
      const name = `profile ${profile} ${crypto.randomUUID()}`
      if (isThere) keychain.set(name, JSON.stringify(secrets))
      const entry = isThere ? { keychain: name, ...outlineOf(secrets) } : secrets
      await write({ ...others, ...(entry && { [profile]: entry }) })
      if (was !== undefined) keychain.remove(was)
    },
  }
}

/** The passwords of keystores: only in the keychain; the settings hold the names of the entries. */
export function keystorePasswords(
  { read, write }: File<Config>,
  keychain: Keychain,
): Pick<Settings, 'passwordOf' | 'keepPassword'> {
  const nameOf = ({ passwords = {} }: Config, wallet: string) =>
    Object.hasOwn(passwords, wallet) ? passwords[wallet] : undefined
  return {
    passwordOf: async (wallet) => {
      const name = nameOf(await read(), wallet)
      return name === undefined ? undefined : keychain.get(name, sluice('wallet forget', wallet))
    },
    keepPassword: async (wallet, password) => {
      const config = await read()
      const before = nameOf(config, wallet)
      if (before === undefined && password === undefined) return false
      const { [wallet]: _, ...others } = config.passwords ?? {}
      const name = `wallet ${wallet} ${crypto.randomUUID()}`
      if (password !== undefined) keychain.set(name, password)
      await write({ ...config, passwords: { ...others, ...(password !== undefined && { [wallet]: name }) } })
      if (before !== undefined) keychain.remove(before)
      return before !== undefined
    },
  }
}

/** Settings with a placeholder for each secret, so that the keychain stays locked. */
export const withoutSecrets = (settings: Settings): Pick<Settings, 'read' | 'secretsOf'> => ({
  read: settings.read,
  secretsOf: async (profile) => {
    const { keyFor, networks } = await settings.outlineOf(profile)
    return {
      ...(keyFor && { apiKey: { key: 'set', ...keyFor } }),
      rpc: Object.fromEntries(networks.map((name) => [name, 'set'])),
    }
  },
})

const isInKeychain = (
  entry: SecretsFile[string],
): entry is Extract<SecretsFile[string], { keychain: string }> => 'keychain' in entry

function outlineOf({ apiKey, rpc = {} }: ProfileSecrets) {
  const { key: _, ...keyFor } = apiKey ?? { key: '', baseUrl: '' }
  return { ...(apiKey && { keyFor }), networks: Object.keys(rpc) }
}

async function opened(text: string, profile: string): Promise<ProfileSecrets> {
  const { ProfileSecrets } = await import('../../cli/settings-files-schema.ts')
  try {
    return ProfileSecrets.parse(JSON.parse(text))
  } catch {
    // The parse error may quote the secrets, so it is not kept as the cause.
    throw new AppError('KEY_SOURCE', `The keychain entry of the profile ${profile} is invalid`, {
      next: advice`Create the profile again: ${sluice('profile remove', profile, { '--yes': true })}, then ${sluice('profile set', profile, { '--help': true })}`,
    })
  }
}
