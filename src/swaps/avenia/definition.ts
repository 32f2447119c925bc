import type { SwapDefinition } from '../definition.ts'
import { checkAveniaCalldata } from './calldata-check.ts'
import { aveniaOn, isRamp } from './pairs.ts'
import { avenia as openProvider, provider } from './provider.ts'

/** Avenia: a partner that takes USDC or BRLA by a plain transfer to its account, and pays the other one out later. */
export const avenia: SwapDefinition = {
  name: provider,
  reach: 'same-chain',
  isLater: true,
  // What comes back, to whom and until when is the word of the partner.
  proof: { spender: 'calldata', amount: 'calldata', recipient: 'none', minimum: 'none', deadline: 'none' },
  // It takes nothing by itself: the wallet sends.
  spender: () => undefined,
  expect: (catalog, intent) => {
    const { tokenIn, tokenOut } = intent
    const here = aveniaOn(catalog, tokenIn.chainId)
    // What is not called by this name would be taken for a swap that is done with its transaction.
    if (!here || intent.provider !== provider || !isRamp(here, [tokenIn, tokenOut])) return undefined
    return {
      targets: [tokenIn.address],
      check: (transaction) => checkAveniaCalldata(transaction, intent, here),
    }
  },
  open: ({ avenia: chains = [] }, network) => openProvider(chains, network),
}
