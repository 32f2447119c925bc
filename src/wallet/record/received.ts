import { queueOf } from '../../calls/queues.ts'
import { nativeAddress, sameAddress } from '../../domain/address.ts'
import { tokenAmount } from '../../domain/amount.ts'
import { AppError } from '../../domain/errors.ts'
import type { Operation } from '../../store/operation.ts'
import { findOnChain, type Log } from '../execution/watch.ts'
import type { Ground } from '../ground.ts'
import { decodeIntent, type KeptPlan } from '../plan/intent-json.ts'
import type { Report } from './report.ts'

/** Transfer(address,address,uint256) */
const transfer = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/** A report that also says how much came out where "max" was asked for: by the receipt, so always the same. */
export async function withReceived(
  { rpc, catalog }: Ground,
  operation: Operation,
  report: Report,
): Promise<Report> {
  const [kept] = (operation.plan as KeptPlan).intents
  const step = operation.steps.findLast(({ role }) => role === 'action')
  if (operation.kind !== 'withdraw' || report.amounts.out !== null || !kept || !step?.inclusion) return report
  const intent = decodeIntent(kept, catalog)
  if (intent.kind !== 'withdraw' || queueOf(intent.strategy)) return report
  const { asset } = intent.strategy
  // No log tells of the native coin: how much came is not known, which is not nothing.
  if (asset.address === nativeAddress) return report
  const found = await findOnChain(rpc(step.transaction.chainId), step.inclusion.hash).catch(
    (error: unknown) => {
      // The money moved; a node that is silent now must not make a failure of it.
      if (error instanceof AppError && error.code.startsWith('RPC_')) return undefined
      throw error
    },
  )
  if (!found) return report
  const came = found.logs
    .filter((log) => isTo(log, asset.address, intent.wallet))
    .reduce((sum, { data }) => sum + BigInt(data), 0n)
  return { ...report, amounts: { in: null, out: tokenAmount(came, asset) } }
}

const isTo = ({ address, topics }: Log, token: string, wallet: string): boolean =>
  sameAddress(address, token) &&
  topics[0] === transfer &&
  topics[2] !== undefined &&
  sameAddress(`0x${topics[2].slice(26)}`, wallet)
