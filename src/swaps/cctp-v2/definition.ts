import { parseAbi } from 'viem/utils'
import { contract } from '../../chain/call.ts'
import type { Address } from '../../domain/address.ts'
import { mustAnswer } from '../../protocols/shared/contract-assertions.ts'
import { provedByCalldata, type SwapDefinition } from '../definition.ts'
import { assertionsAbout, contractsIn, contractsOn } from '../swap-contracts.ts'
import { checkCctpV2Calldata } from './calldata-check.ts'
import { cctpV2Contracts } from './constants-schema.ts'
import { followBurn } from './follow.ts'
import { cctp } from './provider.ts'
import { refusals } from './refusals.ts'

/** The getters by which its contracts identify themselves (source: circlefin/evm-cctp-contracts). */
const abi = parseAbi([
  'function localDomain() view returns (uint32)',
  'function version() view returns (uint32)',
  'function messageBodyVersion() view returns (uint32)',
  'function localMessageTransmitter() view returns (address)',
])
const getterOf = (address: Address, functionName: string) => contract(address, abi)(functionName)

/** CCTP v2: burns USDC on one chain and mints it on another. */
export const cctpV2: SwapDefinition<typeof cctpV2Contracts> = {
  name: cctpV2Contracts.name,
  title: 'CCTP v2',
  contracts: cctpV2Contracts,
  assertions: assertionsAbout(cctpV2Contracts, ({ domain, tokenMessenger, messageTransmitter }) => [
    // The earlier version of the bridge has the same getters; its versions are 0.
    mustAnswer('the domain of the bridge', getterOf(messageTransmitter, 'localDomain'), domain),
    mustAnswer('the version of messages', getterOf(messageTransmitter, 'version'), 1),
    mustAnswer(
      'the sender of messages',
      getterOf(tokenMessenger, 'localMessageTransmitter'),
      messageTransmitter,
    ),
    mustAnswer('the version of burn messages', getterOf(tokenMessenger, 'messageBodyVersion'), 1),
  ]),
  pools: 'none',
  reach: 'cross-chain',
  // A burn has no deadline: the attestation service decides when it can be minted.
  proof: { ...provedByCalldata, deadline: 'none' },
  // The attestation service numbers every burn, and the contract mints a number once.
  orders: 'none',
  refusals,
  spender: (catalog, chainId) => contractsOn(catalog, cctpV2Contracts, chainId)?.tokenMessenger,
  payer: (catalog, chainId) => contractsOn(catalog, cctpV2Contracts, chainId)?.messageTransmitter,
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
  open: (catalog, { getJson, head, log, awaited }) => {
    const ends = contractsIn(catalog, cctpV2Contracts).flatMap(({ attestation, ...end }) =>
      attestation === null ? [] : [{ ...end, attestation }],
    )
    return ends.length === 0 ? undefined : cctp(ends, { attestation: getJson, head, log, awaited })
  },
}
