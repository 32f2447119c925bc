import { checkedPricesUrl } from '../domain/service-address.ts'
import type { OutsidePrices } from '../engine/outside-prices.ts'

/** The variable that names a server of USD prices. */
const variable = 'SLUICE_PRICES_URL'

/** Who prices what the chains do not, where the environment or the profile names somebody; unless it does, nobody is asked. */
export async function outsideOf(
  env: Readonly<Record<string, string | undefined>>,
  now: () => number,
): Promise<{ outside?: OutsidePrices }> {
  const said = env[variable]
  if (!said || said === 'none') return {}
  const url = checkedPricesUrl(said, variable)
  const { outsidePrices } = await import('../engine/outside-prices.ts')
  return { outside: outsidePrices(url, { now }) }
}
