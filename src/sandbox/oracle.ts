import { encodeFunctionData, parseAbi } from 'viem/utils'

import type { Address } from '../domain/address.ts'
import type { Catalog } from '../domain/catalog.ts'
import type { Rpc } from '../net/rpc.ts'
import { roles, sandboxAddress } from './accounts.ts'

const data = encodeFunctionData({ abi: parseAbi(['function report()']), functionName: 'report' })

/** The staking of a chain that wants a report: rewards are paid and requests are finalized by it, as by an oracle once a day. */
export const stakingOn = ({ strategies }: Catalog, chainId: number): Address | undefined =>
  strategies.flatMap(({ chainId: of, constants }) =>
    of === chainId && constants.family === 'lido' ? [constants.stEth] : [],
  )[0]

/** Sends the report of a staking. Where the node mines at once, that is a block. */
export async function report(rpc: Rpc, staking: Address): Promise<void> {
  await rpc.request('eth_sendTransaction', [
    { from: sandboxAddress(roles.keeper), to: staking, data, gas: '0x989680' },
  ])
}
