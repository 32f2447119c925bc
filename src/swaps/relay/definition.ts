import { nativeAddress, sameAddress } from '../../domain/address.ts'
import type { Catalog } from '../../protocols/catalog-types.ts'
import { mustSignAs } from '../../protocols/shared/contract-assertions.ts'
import { provedByCalldata, rowsWithService, type SwapDefinition } from '../definition.ts'
import type { Route } from '../provider.ts'
import { assertionsAbout, contractsIn } from '../swap-contracts.ts'
import { checkRelayCalldata } from './calldata-check.ts'
import { relayContracts } from './constants-schema.ts'
import { followRelay } from './follow.ts'
import { relayOn } from './order.ts'
import { relayOrders } from './order-use.ts'
import { relay as openProvider, provider } from './provider.ts'

/** Whether both tokens are on different chains of Relay. The native coin cannot be the output, because no search finds its payment. */
const isSupportedPair = (
  catalog: Catalog,
  { tokenIn, tokenOut }: Pick<Route, 'tokenIn' | 'tokenOut'>,
): boolean => {
  const [here, there] = [tokenIn, tokenOut].map(({ chainId }) => relayOn(catalog, chainId))
  return (
    here !== undefined &&
    there !== undefined &&
    here.chainId !== there.chainId &&
    here.api === there.api &&
    !sameAddress(tokenOut.address, nativeAddress)
  )
}

/** Relay: a deposit on one chain for an order, which a solver fills on another from its own funds, also in another token. */
export const relay: SwapDefinition<typeof relayContracts> = {
  name: provider,
  title: 'Relay',
  contracts: relayContracts,
  assertions: assertionsAbout(relayContracts, ({ depository }) => [
    // The EIP-712 name under which its allocator signs (source: RelayDepository.sol of relayprotocol/relay-depository).
    mustSignAs('depository of Relay', depository, 'RelayDepository,1'),
  ]),
  pools: 'none',
  reach: 'cross-chain',
  // The hash of the order proves the terms. The deposit can be mined after the deadline of its quote.
  proof: { ...provedByCalldata, deadline: 'none' },
  orders: relayOrders,
  spender: (catalog, chainId) => relayOn(catalog, chainId)?.depository,
  expect: (catalog, intent) => {
    const [here, there] = [intent.tokenIn, intent.tokenOut].map(({ chainId }) => relayOn(catalog, chainId))
    if (!here || !there || !isSupportedPair(catalog, intent)) return undefined
    return {
      targets: [here.depository],
      check: (transaction) => checkRelayCalldata(transaction, intent, [here, there], catalog.tokens),
    }
  },
  follow: followRelay,
  open: (catalog, network) => {
    const ends = rowsWithService(contractsIn(catalog, relayContracts))
    const isOpen = (chainId: number) => ends.some((end) => end.chainId === chainId)
    return ends.length === 0
      ? undefined
      : openProvider(
          ends,
          (route) =>
            isOpen(route.from.chainId) && isOpen(route.to.chainId) && isSupportedPair(catalog, route),
          catalog.tokens,
          network,
        )
  },
}
