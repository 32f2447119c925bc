import { checkedPricesUrl } from '../../domain/service-url-and-key.ts'
import type { ExternalPriceSource } from '../../engine/prices/external-prices.ts'

/** The variable with the URL of a server of USD prices. */
const variable = 'SLUICE_PRICES_URL'

/** Returns the external price source of the environment or profile; by default there is none. */
export async function externalPricesFrom(
  env: Readonly<Record<string, string | undefined>>,
  now: () => number,
): Promise<{ externalPrices?: ExternalPriceSource }> {
  const said = env[variable]
  if (!said || said === 'none') return {}
  const url = checkedPricesUrl(said, variable)
  const { externalPriceSource } = await import('../../engine/prices/external-prices.ts')
  return { externalPrices: externalPriceSource(url, { now }) }
}
