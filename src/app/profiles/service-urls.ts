import { checkedPricesUrl } from '../../domain/service-url-and-key.ts'
import {
  type PublicService,
  publicServiceNames,
  publicServices,
  type ServiceUrls,
  serviceVariable,
} from '../../protocols/public-services.ts'

type Env = Readonly<Record<string, string | undefined>>

/** The base URLs of public services in the environment (`SLUICE_<NAME>_URL`). CONFIG_INVALID for one that is not https or loopback. */
export function serviceUrls(env: Env): ServiceUrls & { secondThornode?: string } {
  const found = publicServiceNames.flatMap((name): [string, string][] => {
    const said = env[serviceVariable(name)]
    if (!said) return []
    const all = said.split(',').map((url) => checked(name, url.trim()))
    if (name !== 'thornode' || all.length > 2) return [[name, checked(name, said)]]
    return [
      [name, all[0]!],
      ...(all[1] === undefined ? [] : [['secondThornode', all[1]] as [string, string]]),
    ]
  })
  return Object.fromEntries(found)
}

const checked = (name: PublicService, url: string): string =>
  checkedPricesUrl(url, serviceVariable(name), `Such as ${publicServices[name].base}`)
