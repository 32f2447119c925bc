import type { Hex } from '../../../domain/address.ts'
import { AppError } from '../../../domain/errors.ts'
import { type EngineContext, marketNamed } from '../../context.ts'

/** Refuses to say that nothing has happened in a strategy of which there is no contract on its chain. */
export async function refuseMissingContract(context: EngineContext, strategyId: string): Promise<void> {
  const { slug, network, receipt, chainId } = marketNamed(context, strategyId).entry
  const code = await context.chain(chainId).rpc.request<Hex>('eth_getCode', [receipt.address, 'latest'])
  if (code !== '0x') return
  throw new AppError(
    'STRATEGY_NOT_FOUND',
    `${slug} is not on the chain that answers for ${network}: no contract is at ${receipt.address}`,
    { details: { strategy: slug, address: receipt.address }, hint: 'sluice doctor' },
  )
}
