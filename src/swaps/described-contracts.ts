import type { Address } from '../domain/address.ts'
import type { DescribedContract, Teller } from '../protocols/call-description.ts'
import type { CallLog, LogTelling } from '../protocols/call-logs.ts'
import type { Catalog } from '../protocols/catalog-types.ts'
import { acrossTellers } from './across/told-calls.ts'
import { balancerV2Tellers } from './balancer-v2/told-calls.ts'
import { burnTellers, deliveryTellers } from './cctp-v2/told-calls.ts'
import { cowLogs, cowTellers } from './cow/told-calls.ts'
import { kyberSwapLogs, kyberSwapTellers } from './kyberswap/told-calls.ts'
import { lifiTellers } from './lifi/told-calls.ts'
import { oneInchTellers } from './oneinch/told-calls.ts'
import { relayTellers } from './relay/told-calls.ts'
import type { SwapsOfFile } from './swap-provider-registry.ts'
import { uniswapV2Tellers } from './uniswap-v2/told-calls.ts'
import { uniswapV3Tellers } from './uniswap-v3/told-calls.ts'
import { universalRouterTellers } from './uniswap-v4/told-calls.ts'

/** A contract of a provider: its field in the catalogue, its name, what its calls do, and what its events tell. */
type Described = {
  field: string
  name: string
  tellers: readonly Teller[]
  logs?: (logs: readonly CallLog[], receivers: readonly Address[]) => LogTelling
}

/** The contracts of each provider whose calls are described: one entry each, loaded only for that. */
const contractsOf: { readonly [name in keyof Required<SwapsOfFile>]: readonly Described[] } = {
  'uniswap-v3': [{ field: 'swapRouter02', name: 'Uniswap v3', tellers: uniswapV3Tellers('Uniswap v3') }],
  'uniswap-v2': [{ field: 'router02', name: 'Uniswap v2', tellers: uniswapV2Tellers('Uniswap v2') }],
  'sushiswap-v2': [{ field: 'router02', name: 'SushiSwap v2', tellers: uniswapV2Tellers('SushiSwap v2') }],
  'pancakeswap-v3': [
    { field: 'swapRouter02', name: 'PancakeSwap v3', tellers: uniswapV3Tellers('PancakeSwap v3') },
  ],
  kyberswap: [{ field: 'router', name: 'KyberSwap', tellers: kyberSwapTellers, logs: kyberSwapLogs }],
  'uniswap-v4': [{ field: 'universalRouter', name: 'Uniswap', tellers: universalRouterTellers }],
  cctp: [
    { field: 'tokenMessenger', name: 'CCTP', tellers: burnTellers },
    { field: 'messageTransmitter', name: 'CCTP', tellers: deliveryTellers },
  ],
  across: [{ field: 'spokePool', name: 'Across', tellers: acrossTellers }],
  cow: [{ field: 'settlement', name: 'CoW Protocol', tellers: cowTellers, logs: cowLogs }],
  'balancer-v2': [{ field: 'vault', name: 'Balancer v2', tellers: balancerV2Tellers }],
  // Tokens are sent to an account of the partner: these are plain transfers.
  avenia: [],
  lifi: [{ field: 'diamond', name: 'LI.FI', tellers: lifiTellers }],
  '1inch': [{ field: 'router', name: '1inch', tellers: oneInchTellers }],
  relay: [{ field: 'depository', name: 'Relay', tellers: relayTellers }],
}

/** The contracts of swap providers on a chain whose calls are described. */
export const describedSwapContracts = (
  { swaps }: Pick<Catalog, 'swaps'>,
  chainId: number,
): (DescribedContract & Pick<Described, 'logs'>)[] =>
  Object.entries(contractsOf).flatMap(([provider, all]) =>
    (swaps[provider] ?? []).flatMap((row) =>
      row.chainId === chainId
        ? all.map(({ field, ...one }) => ({
            ...one,
            address: (row as never as Record<string, Address>)[field]!,
          }))
        : [],
    ),
  )
