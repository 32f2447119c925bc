import { parseAbi } from 'viem/utils'
import { contract } from '../../chain/call.ts'
import { mustAnswer, mustRespond } from '../../protocols/shared/contract-assertions.ts'
import { provedByCalldata, rowsWithService, type SwapDefinition } from '../definition.ts'
import { assertionsAbout, contractsIn } from '../swap-contracts.ts'
import { checkAcrossCalldata } from './calldata-check.ts'
import { acrossContracts } from './constants-schema.ts'
import { followDeposit } from './follow.ts'
import { acrossOn, isSupportedPair } from './pairs.ts'
import { across as openProvider } from './provider.ts'
import { refusals } from './refusals.ts'
import { checkAcrossKey } from './service.ts'

/** The getters by which its pool identifies itself (source: SpokePool of Across). */
const abi = parseAbi([
  'function chainId() view returns (uint256)',
  'function fillDeadlineBuffer() view returns (uint32)',
])

/** Across: a deposit on one chain, which a relayer pays out on another; tokens only. */
export const across: SwapDefinition<typeof acrossContracts> = {
  name: acrossContracts.name,
  title: 'Across',
  contracts: acrossContracts,
  assertions: assertionsAbout(acrossContracts, ({ chainId, spokePool: address }) => [
    mustAnswer('the chain of the pool of Across', contract(address, abi)('chainId'), chainId),
    mustRespond('the longest fill deadline', contract(address, abi)('fillDeadlineBuffer')),
  ]),
  pools: 'none',
  reach: 'cross-chain',
  // The deposit can be mined after the deadline of its quote; it is then filled with the agreed amount or refunded.
  proof: { ...provedByCalldata, deadline: 'none' },
  // The pool numbers every deposit anew, and a fill names the number.
  orders: 'none',
  refusals,
  spender: (catalog, chainId) => acrossOn(catalog, chainId)?.spokePool,
  expect: (catalog, intent) => {
    const here = acrossOn(catalog, intent.tokenIn.chainId)
    if (!here || !isSupportedPair(catalog, intent.tokenIn, intent.tokenOut)) return undefined
    return { targets: [here.spokePool], check: (transaction) => checkAcrossCalldata(transaction, intent) }
  },
  follow: followDeposit,
  checkKey: async (catalog, network, signal) => {
    const isTest = (chainId: number) => catalog.networks.some((one) => one.chainId === chainId && one.testnet)
    const [from, to] = rowsWithService(contractsIn(catalog, acrossContracts)).filter(
      ({ chainId }) => !isTest(chainId),
    )
    if (from && to) await checkAcrossKey([from, to], network, signal)
  },
  open: (catalog, network) => {
    const ends = rowsWithService(contractsIn(catalog, acrossContracts))
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
