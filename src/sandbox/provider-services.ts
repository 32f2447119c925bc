import { networkNamed, sandboxNetworks } from '../domain/networks.ts'
import type { Catalog, SwapRow } from '../protocols/catalog-types.ts'
import { acrossContracts } from '../swaps/across/constants-schema.ts'
import { aveniaContracts } from '../swaps/avenia/constants-schema.ts'
import { cctpV2Contracts } from '../swaps/cctp-v2/constants-schema.ts'
import { cowContracts } from '../swaps/cow/constants-schema.ts'
import { kyberSwapContracts } from '../swaps/kyberswap/constants-schema.ts'
import { lifiContracts } from '../swaps/lifi/constants-schema.ts'
import { oneInchContracts } from '../swaps/oneinch/constants-schema.ts'
import { relayContracts } from '../swaps/relay/constants-schema.ts'
import { contractsIn, type SwapContracts, swapRows } from '../swaps/swap-contracts.ts'
import { roles, sandboxAddress } from './accounts.ts'
import { suggestedFees } from './across/suggested-fees-api.ts'
import { openAcrossV1 } from './across/v1-api.ts'
import { aggregatorAnswer, aggregatorPath, oneInchPath } from './aggregator.ts'
import { aveniaPath, openAvenia, rampFaults } from './avenia.ts'
import { bitcoinServices } from './bitcoin/start-bitcoin.ts'
import { openOrderBooks, orderBookPath } from './cow/order-book.ts'
import type { WorldFaults } from './faults/world-faults.ts'
import { lifiAnswer, lifiPath } from './lifi.ts'
import { openRelay, relayFaults, relayPath } from './relay.ts'
import type { StandInOptions } from './stand-in-option-types.ts'

/** Opens the services that keep orders in memory, and those that swap through the exchanges of the chains. */
export function openProviderServices(
  given: StandInOptions,
  faults: Pick<WorldFaults, 'activeFault'>,
  account: string,
  serviceNow: () => number,
) {
  const [relayer, owner] = [sandboxAddress(roles.relayer), sandboxAddress(roles.owner)]
  const { catalog, chains } = given
  const fees = (url: URL) => suggestedFees(url, { ...given, relayer })
  const orders = openOrderBooks({
    ...given,
    solver: sandboxAddress(roles.solver),
    isIdle: () => faults.activeFault('order-unfilled') !== undefined,
  })
  const desks = openAvenia({
    ...given,
    account,
    now: serviceNow,
    fault: () => faults.activeFault(...rampFaults),
  })
  const relay = openRelay({ ...given, fault: () => faults.activeFault(...relayFaults) })
  const isLying = () => faults.activeFault('lifi-lies') !== undefined
  return {
    answers: [
      aggregatorAnswer(catalog, chains),
      lifiAnswer({ ...given, collector: owner, fees, isLying }),
      orders.answer,
      desks.answer,
      relay.answer,
      openAcrossV1({ ...given, fees }),
      ({ url }: { url: URL }) => fees(url),
    ],
    work: async () => [await orders.solve(), await desks.pay(), await relay.solve()].includes(true),
  }
}

/** The catalogue with the services of the swap providers at the URL at which this process answers for them. */
export function catalogWithServices(
  catalog: Catalog,
  url: string,
  { account, keyFile }: { account: string; keyFile: string },
): Catalog {
  const urlAt = ({ chainId }: { chainId: number }, pathOf: (network: string) => string): string =>
    `${url}${pathOf(networkNamed(sandboxNetworks, chainId).name)}`
  const rows = <row extends SwapRow>(
    contracts: SwapContracts<row>,
    serve: (one: row) => Partial<row>,
  ): Catalog['swaps'] =>
    swapRows(
      contracts,
      contractsIn(catalog, contracts).map((one) => ({ ...one, ...serve(one) })),
    )
  return {
    ...catalog,
    bitcoin: bitcoinServices(url),
    swaps: {
      ...catalog.swaps,
      ...rows(cctpV2Contracts, () => ({ attestation: url })),
      ...rows(acrossContracts, () => ({ api: url })),
      ...rows(cowContracts, (one) => ({ api: urlAt(one, orderBookPath) })),
      ...rows(aveniaContracts, (one) => ({ service: { api: urlAt(one, aveniaPath), account } })),
      ...rows(lifiContracts, () => ({ api: `${url}${lifiPath}` })),
      ...rows(relayContracts, () => ({ api: `${url}${relayPath}` })),
      ...rows(kyberSwapContracts, (one) => ({ api: urlAt(one, aggregatorPath) })),
      ...rows(oneInchContracts, (one) => ({ api: urlAt(one, oneInchPath), keyFile })),
    },
  }
}
