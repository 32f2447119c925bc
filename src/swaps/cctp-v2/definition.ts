import type { Catalog } from '../../protocols/catalog-types.ts'
import { provedByCalldata, type SwapDefinition } from '../definition.ts'
import { checkCctpV2Calldata } from './calldata-check.ts'
import { followBurn } from './follow.ts'
import { cctp } from './provider.ts'
import { refusals } from './refusals.ts'

const contractsOn = ({ cctpV2 }: Catalog, chainId: number) =>
  cctpV2.find((entry) => entry.chainId === chainId)

/** CCTP v2: burns USDC on one chain and mints it on another. */
export const cctpV2: SwapDefinition = {
  name: 'cctp',
  reach: 'cross-chain',
  // A burn has no deadline: the attestation service decides when it can be minted.
  proof: { ...provedByCalldata, deadline: 'none' },
  refusals,
  spender: (catalog, chainId) => contractsOn(catalog, chainId)?.tokenMessenger,
  expect: (catalog, intent) => {
    const here = contractsOn(catalog, intent.tokenIn.chainId)
    const there = contractsOn(catalog, intent.tokenOut.chainId)
    // Mainnet and testnet chains share domain numbers, so both chains must use the same attestation service.
    if (!here || !there || here.attestation !== there.attestation) return undefined
    return {
      targets: [here.tokenMessenger],
      check: (transaction) => checkCctpV2Calldata(transaction, intent, { here, there }),
    }
  },
  follow: followBurn,
  open: ({ cctpV2: contracts, attestation }, { getJson, head, log }) => {
    const ends = contracts.flatMap((end) => {
      const url = end.attestation ?? attestation
      return url === null ? [] : [{ ...end, attestation: url }]
    })
    return ends.length === 0 ? undefined : cctp(ends, { attestation: getJson, head, log })
  },
}
