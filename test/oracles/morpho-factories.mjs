// What made the vaults of Morpho on the networks of the catalogue, by the address book of @morpho-org/blue-sdk now and by an older one, as JSON on stdout. No network.
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
