import type { Catalog } from '../../protocols/catalog-types.ts'
import { followDeposit } from '../across/follow.ts'
import { acrossOn, isSupportedPair } from '../across/pairs.ts'
import { provedByCalldata, rowsWithService, type SwapDefinition } from '../definition.ts'
import { checkLifiCalldata } from './calldata-check.ts'
import { lifi as openProvider } from './provider.ts'
import { refusals } from './refusals.ts'

const diamondOn = ({ lifi }: Catalog, chainId: number) =>
  lifi.find((entry) => entry.chainId === chainId)?.diamond

/** LI.FI: same-chain swaps along a route from its service, and transfers to other chains through Across. */
export const lifi: SwapDefinition = {
  name: 'lifi',
  reach: 'both',
  // A swap call has no deadline, and a deposit can be mined at any time.
  proof: { ...provedByCalldata, deadline: 'none' },
  refusals,
  spender: diamondOn,
  expect: (catalog, intent) => {
    const { tokenIn, tokenOut } = intent
    const diamond = diamondOn(catalog, tokenIn.chainId)
    if (!diamond) return undefined
    if (tokenIn.chainId !== tokenOut.chainId && !isSupportedPair(catalog, tokenIn, tokenOut)) return undefined
    return { targets: [diamond], check: (transaction) => checkLifiCalldata(transaction, intent) }
  },
  // It deposits into the pool of Across.
  follow: followDeposit,
  open: (catalog, network) => {
    const chains = rowsWithService(catalog.lifi)
    return chains.length === 0
      ? undefined
      : openProvider(
          chains,
          {
            on: (chainId) => acrossOn(catalog, chainId),
            isSupportedPair: ({ tokenIn, tokenOut }) => isSupportedPair(catalog, tokenIn, tokenOut),
          },
          network,
        )
  },
}
