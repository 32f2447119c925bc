import { parseAbi } from 'viem/utils'
import { ask } from '../../src/chain/ask.ts'
import { type Reading, together } from '../../src/chain/call.ts'
import type { Chain } from '../../src/chain/network-client.ts'
import type { Catalog } from '../../src/protocols/catalog-types.ts'
import type { Books } from './books.ts'

/** Vault factories report which vaults they made (sources: morpho-org/metamorpho and vault-v2). */
const abi = parseAbi([
  'function isMetaMorpho(address vault) view returns (bool)',
  'function isVaultV2(address vault) view returns (bool)',
])

/** Asks the Morpho factories of the books whether they made the vaults that the catalogue lists as Morpho's; skips chains that the books do not have. */
export async function makerFaults(chain: Chain, { strategies }: Catalog, books: Books): Promise<string[]> {
  const { chainId } = chain.network
  const book = books.morpho.find((one) => one.chainId === chainId)
  if (!book) return []
  const readings = strategies
    .filter((entry) => entry.chainId === chainId)
    .flatMap(({ slug, constants }): Reading<string[]>[] => {
      const isV1 = constants.family === 'morpho'
      if (!isV1 && !(constants.family === 'erc4626' && constants.limits === 'none')) return []
      const functionName = isV1 ? 'isMetaMorpho' : 'isVaultV2'
      const makers = isV1 ? book.metaMorpho : book.vaultV2
      return [
        {
          reads: makers.map((address) => ({ address, abi, functionName, args: [constants.vault] })),
          parse: (said) =>
            said.includes(true) ? [] : [`the vault of ${slug}, ${constants.vault}, was not made by Morpho`],
        },
      ]
    })
  return (await ask(chain, together(readings))).flat()
}
