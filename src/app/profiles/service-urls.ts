import { AppError } from '../../domain/errors.ts'
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
    const [url = '', second, ...more] = said.split(',').map((one) => one.trim())
    // Only THORChain has a second node, which confirms its vault.
    if (more.length > 0 || (second !== undefined && name !== 'thornode')) throw tooMany(name)
    return [
      [name, checked(name, url)],
      ...(second === undefined ? [] : [['secondThornode', checked(name, second)] as [string, string]]),
    ]
  })
  return Object.fromEntries(found)
}

const checked = (name: PublicService, url: string): string =>
  checkedPricesUrl(url, serviceVariable(name), `Such as ${publicServices[name].base}`)

const tooMany = (name: PublicService): AppError =>
  new AppError('CONFIG_INVALID', `${serviceVariable(name)} has more URLs than are asked`, {
    next: `Such as ${publicServices[name].base}`,
  })
