import { parseAbi, toFunctionSelector } from 'viem/utils'
import { contract } from '../../chain/call.ts'
import { nativeAddress } from '../../domain/address.ts'
import type { Catalog } from '../../protocols/catalog-types.ts'
import { mustAnswer } from '../../protocols/shared/contract-assertions.ts'
import { followDeposit } from '../across/follow.ts'
import { acrossOn, isSupportedPair } from '../across/pairs.ts'
import { provedByCalldata, rowsWithService, type SwapDefinition } from '../definition.ts'
import { assertionsAbout, contractsIn, contractsOn } from '../swap-contracts.ts'
import { diamondAbi } from './abi.ts'
import { checkLifiCalldata } from './calldata-check.ts'
import { lifiContracts } from './constants-schema.ts'
import { lifi as openProvider } from './provider.ts'
import { refusals } from './refusals.ts'

const diamondOn = (catalog: Catalog, chainId: number) => contractsOn(catalog, lifiContracts, chainId)?.diamond

/** The loupe of a diamond (ERC-2535). */
const abi = parseAbi(['function facetAddress(bytes4 selector) view returns (address)'])

/** The function of LI.FI that every swap needs. */
const swapSelector = () =>
  toFunctionSelector(diamondAbi.find(({ name }) => name === 'swapTokensMultipleV3ERC20ToERC20')!)

/** LI.FI: same-chain swaps along a route from its service, and transfers to other chains through Across. */
export const lifi: SwapDefinition<typeof lifiContracts> = {
  name: lifiContracts.name,
  title: 'LI.FI',
  contracts: lifiContracts,
  assertions: assertionsAbout(lifiContracts, ({ diamond }) => [
    // Each function of a diamond must have a facet (ERC-2535).
    mustAnswer(
      'the facet of LI.FI that swaps tokens',
      contract(diamond, abi)('facetAddress', swapSelector()),
      'a facet',
      (facet) => (facet === nativeAddress ? 'none' : 'a facet'),
    ),
  ]),
  pools: 'none',
  reach: 'both',
  // A swap call has no deadline, and a deposit can be mined at any time.
  proof: { ...provedByCalldata, deadline: 'none' },
  // A swap is paid by its own transaction, and the pool of Across numbers every deposit anew.
  orders: 'none',
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
    const chains = rowsWithService(contractsIn(catalog, lifiContracts))
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
