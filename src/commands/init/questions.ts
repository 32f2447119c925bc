import type { LocalCli } from '../../cli/command-run-types.ts'
import { promptChoice, promptChoices, promptLine, promptYesNo } from '../../cli/prompts.ts'
import { AppError } from '../../domain/errors.ts'
import { publicNetworks } from '../../domain/networks.ts'
import { checkedApiKey, checkedServiceUrl } from '../../domain/service-url-and-key.ts'
import type { Said } from '../profile/set.ts'

/** The settings that the answers make. */
type Wish = { kind: 'sandbox' } | { kind: 'profile'; name: string; said: Said; use: boolean }

/** Asks for a profile, question by question, and saves nothing. Ctrl-C is INTERRUPTED. */
export async function askedProfile({ io, program }: LocalCli, typed: string | undefined): Promise<Wish> {
  const kind = await promptChoice(io, 'Where should commands run?', [
    { value: 'remote', name: 'a deployment of the service, over HTTPS' },
    { value: 'engine', name: 'the local engine, over your own RPCs' },
    { value: 'sandbox', name: 'the sandbox: local engine over two local chains, with play money' },
  ])
  if (kind === 'sandbox') return { kind }
  const isRemote = kind === 'remote'
  const baseUrl = isRemote
    ? await promptLine(io, 'Base URL of the service:', {
        check: (text) => void checkedServiceUrl(text, 'base URL'),
      })
    : undefined
  const apiKey = isRemote
    ? await promptLine(io, 'API key (not shown):', {
        check: (text) => void checkedApiKey(text),
        hidden: true,
      })
    : undefined
  const networks = await promptChoices(
    io,
    isRemote ? 'Networks to sign on, each with your own RPC (none for read-only use):' : 'Networks:',
    publicNetworks.map(({ name }) => name),
    !isRemote,
  )
  const rpc: Record<string, string> = {}
  for (const network of networks)
    rpc[network] = await promptLine(io, `RPC URL of ${network} (not shown):`, {
      check: refuseNoUrl,
      hidden: true,
    })
  const { ProfileName } = await import('../../cli/settings-files-schema.ts')
  const name =
    typed ??
    (await promptLine(io, 'Name of the profile:', {
      otherwise: isRemote ? 'prod' : 'mine',
      check: (text) => {
        if (!ProfileName.safeParse(text).success)
          throw new AppError(
            'USAGE',
            'Use lowercase letters, digits, dots and dashes; sandbox, engine and remote are reserved',
          )
      },
    }))
  const { profile: inUse } = await program.settings.read()
  const use = inUse === name || (await promptYesNo(io, 'Use this profile from now on?', true))
  // Where there is no desktop there is nothing to choose.
  const backend = (await program.settings.hasKeychain())
    ? await promptChoice(io, 'Where should the API key and the RPC URLs be stored?', [
        { value: 'file', name: 'in a file readable only by you (mode 0600)' },
        { value: 'keychain', name: 'in the desktop keychain' },
      ])
    : 'file'
  const options = {
    kind,
    ...(baseUrl !== undefined && { baseUrl }),
    ...(backend === 'keychain' && { keychain: true }),
  }
  return { kind: 'profile', name, said: { options, given: { rpc }, apiKey }, use }
}

/** Parses one or several RPC URLs, separated by commas. An invalid one is never repeated, because it may contain a key. */
function refuseNoUrl(text: string): void {
  const urls = text.split(',').map((url) => URL.parse(url.trim()))
  if (urls.some((url) => !url || !/^https?:$/.test(url.protocol)))
    throw new AppError('CONFIG_INVALID', 'An http(s) URL; several are separated by commas')
}
