// Prints, as JSON, the factories of Morpho vaults on the networks of the catalogue, from the current and an older address book of @morpho-org/blue-sdk. No network.
import { addressesRegistry } from '@morpho-org/blue-sdk'
import { addresses as before } from 'blue-sdk-before'

const chainIds = [1, 8453, 42161, 10, 137]
const found = (list) => [...new Set(list.filter((at) => at !== undefined))]
const book = chainIds.map((chainId) => {
  const [now, then] = [addressesRegistry[chainId], before[chainId]]
  return {
    chainId,
    metaMorpho: found([now.metaMorphoFactory, then?.metaMorphoFactory]),
    vaultV2: found([now.vaultV2Factory]),
  }
})
process.stdout.write(JSON.stringify({ book }))
