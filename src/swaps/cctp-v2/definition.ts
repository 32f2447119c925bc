import { provedByCalldata, type SwapDefinition } from '../definition.ts'
import { contractsIn, contractsOn } from '../swap-contracts.ts'
import { checkCctpV2Calldata } from './calldata-check.ts'
import { cctpV2Contracts } from './constants-schema.ts'
import { followBurn } from './follow.ts'
import { cctp } from './provider.ts'

/** CCTP v2: burns USDC on one chain and mints it on another. */
export const cctpV2: SwapDefinition<typeof cctpV2Contracts> = {
  name: cctpV2Contracts.name,
  contracts: cctpV2Contracts,
  reach: 'cross-chain',
  // A burn has no deadline: the attestation service decides when it can be minted.
  proof: { ...provedByCalldata, deadline: 'none' },
  spender: (catalog, chainId) => contractsOn(catalog, cctpV2Contracts, chainId)?.tokenMessenger,
  expect: (catalog, intent) => {
    const here = contractsOn(catalog, cctpV2Contracts, intent.tokenIn.chainId)
    const there = contractsOn(catalog, cctpV2Contracts, intent.tokenOut.chainId)
    // Mainnet and testnet chains share domain numbers, so both chains must use the same attestation service.
    if (!here || !there || here.attestation !== there.attestation) return undefined
    return {
      targets: [here.tokenMessenger],
      check: (transaction) => checkCctpV2Calldata(transaction, intent, { here, there }),
    }
  },
  follow: followBurn,
  open: (catalog, { getJson, head, log }) => {
    const ends = contractsIn(catalog, cctpV2Contracts).flatMap(({ attestation, ...end }) =>
      attestation === null ? [] : [{ ...end, attestation }],
    )
    return ends.length === 0 ? undefined : cctp(ends, { attestation: getJson, head, log })
  },
}
