import { contract } from '../../chain/call.ts'
import { oneForOne, type Protocol, stakingDescription } from '../protocol.ts'
import { entranceOf, lidoAbi } from './abi.ts'
import { checkLidoCalldata } from './calldata-check.ts'
import type { LidoConstants } from './constants-schema.ts'
import { lido as market } from './market-adapter.ts'
import { lidoQueue } from './queue.ts'

/** Lido, held as stETH or as wstETH. */
export const lido: Protocol<LidoConstants> = {
  grade: { grade: 'B', by: '@lidofinance/lido-ethereum-sdk 4.9.0' },
  description: stakingDescription,
  calldata: ({ asset, receipt }, constants) => ({
    targets: [entranceOf(constants), constants.queue],
    check: (transaction, intent) => checkLidoCalldata(transaction, intent, asset, receipt, constants),
    cost: (amount) =>
      constants.holds === 'stETH'
        ? oneForOne(amount)
        : {
            read: contract(constants.wstEth, lidoAbi)('getWstETHByStETH', amount),
            unitsOf: (units) => units,
          },
    takesReceipt: true,
    ...(constants.holds === 'wstETH' && { byUnits: true }),
  }),
  queue: lidoQueue,
  market,
}
