import { provedByCalldata, type SwapDefinition } from '../definition.ts'
import { checkAcrossCalldata } from './calldata-check.ts'
import { followDeposit } from './follow.ts'
import { acrossOn, isSupportedPair } from './pairs.ts'
import { across as openProvider } from './provider.ts'
import { refusals } from './refusals.ts'

/** Across: a deposit on one chain, which a relayer pays out on another; tokens only. */
export const across: SwapDefinition = {
  name: 'across',
  reach: 'cross-chain',
  // The deposit can be mined after the deadline of its quote; it is then filled with the agreed amount or refunded.
  proof: { ...provedByCalldata, deadline: 'none' },
  refusals,
  spender: (catalog, chainId) => acrossOn(catalog, chainId)?.spokePool,
  expect: (catalog, intent) => {
    const here = acrossOn(catalog, intent.tokenIn.chainId)
    if (!here || !isSupportedPair(catalog, intent.tokenIn, intent.tokenOut)) return undefined
    return { targets: [here.spokePool], check: (transaction) => checkAcrossCalldata(transaction, intent) }
  },
  follow: followDeposit,
  open: (catalog, network) => {
    const ends = catalog.across.flatMap((end) => {
      const api = end.api ?? catalog.acrossApi
      return api === null ? [] : [{ ...end, api }]
    })
    const isOpen = (chainId: number) => ends.some((end) => end.chainId === chainId)
    return ends.length === 0
      ? undefined
      : openProvider(
          ends,
          ({ from, to, tokenIn, tokenOut }) =>
            isOpen(from.chainId) && isOpen(to.chainId) && isSupportedPair(catalog, tokenIn, tokenOut),
          network,
        )
  },
}
