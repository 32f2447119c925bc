import { AppError } from '../domain/errors.ts'
import { checkedServiceKey, isSafe } from '../domain/service-url-and-key.ts'
import { exchangeJson, hostOf } from '../http/client.ts'
import { createRedactor } from '../http/redaction.ts'
import {
  keyedServices,
  keyHeaderOf,
  keyVariable,
  type PublicService,
  type ServiceKeys,
} from '../protocols/public-services.ts'
import type { SwapDependencies } from './provider-dependencies.ts'
import { type Retirement, retirementIn } from './service-answers/retirement-headers.ts'

/** How the services of providers are asked: with the keys that are set. */
export type ServiceAccess = Pick<SwapDependencies, 'exchangeJson' | 'hasKey' | 'passedOver'>

/** Called when a service says that it retires what was asked. `isKeyed`: the request carried a key. */
export type OnRetirement = (
  retirement: Retirement & { service: PublicService; host: string; path: string; isKeyed: boolean },
) => void

/**
 * Opens the services of providers with some keys. A key goes only to its own service, over https or to this machine (CONFIG_INVALID
 * otherwise), and is removed from all texts of the answer and of errors.
 */
export function serviceAccess(
  keys: ServiceKeys = {},
  onRetirement?: OnRetirement,
  passedOver: ServiceAccess['passedOver'] = () => undefined,
): ServiceAccess {
  const hide = createRedactor(Object.values(keys), '[key of the service]')
  const keyOf = (service: PublicService, url: string): Record<string, string> => {
    const key = keys[service]
    const as = keyHeaderOf(service)
    if (key === undefined || !as) return {}
    if (!isSafe(new URL(url)))
      throw new AppError(
        'CONFIG_INVALID',
        `The service at ${hostOf(url)} is not https; the key in ${keyVariable(service)} is sent only over https`,
        { next: `Set an https URL for the service, or unset ${keyVariable(service)}.` },
      )
    return { [as.header]: as.scheme + key }
  }
  return {
    hasKey: (service) => keys[service] !== undefined && keyHeaderOf(service) !== undefined,
    passedOver: (line) => passedOver(hide(line)),
    exchangeJson: async ({ service, url, body, headers = {}, signal }) => {
      const key = keyOf(service, url)
      const answer = await exchangeJson(body === undefined ? 'GET' : 'POST', url, body, {
        headers: { ...headers, ...key },
        hide,
        ...(signal && { signal }),
      })
      const retirement = onRetirement && retirementIn(answer.headers)
      if (retirement) {
        const { host, pathname: path } = new URL(url)
        onRetirement({ ...retirement, service, host, path, isKeyed: Object.keys(key).length > 0 })
      }
      return answer
    },
  }
}

/** Asks services without any key, for those that take none. */
export const serviceExchange = serviceAccess().exchangeJson

/**
 * The keys of services among the secrets of the environment, by variable. CONFIG_INVALID for one that is no header text; variables of no
 * service are left out.
 */
export const serviceKeysIn = (secrets: Readonly<Record<string, string>> = {}): ServiceKeys =>
  Object.fromEntries(
    keyedServices.flatMap((name) => {
      const variable = keyVariable(name)
      const key = secrets[variable]
      return key === undefined ? [] : [[name, checkedServiceKey(key.trim(), variable)]]
    }),
  )
