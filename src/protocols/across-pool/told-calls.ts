import { type Address, sameAddress } from '../../domain/address.ts'
import { type Teller, teller, type Words } from '../call-description.ts'
import { liquidity } from './abi.ts'

/** The market of a token in the called pool, whose native coin is the wrapped one there. */
const marketOf = ({ catalog, chainId, call }: Words, token: Address) =>
  catalog.strategies.find(
    ({ constants, chainId: on, asset }) =>
      on === chainId &&
      constants.family === 'across' &&
      sameAddress(constants.hubPool, call.to) &&
      sameAddress(constants.wrapped ?? asset.address, token),
  )

/** What calls of the pool of Across do. */
export const acrossPoolTellers: readonly Teller[] = [
  teller(liquidity, 'addLiquidity', 'deposit', ([token, amount], say) => ({
    text: `deposits ${say.call.value === 0n ? say.amount(token, amount) : say.coin(amount)} into ${marketOf(say, token)?.name ?? 'the pool of Across'}`,
    gives: say.call.value === 0n ? [{ token, units: amount }] : [],
  })),
  teller(liquidity, 'removeLiquidity', 'withdraw', ([token, units, asCoin], say) => {
    const market = marketOf(say, token)
    const shares = market ? say.amount(market.receipt.address, units) : `${units} units of the LP token`
    return {
      text: `withdraws ${say.token(token)}${asCoin ? ' as the native coin' : ''} from ${market?.name ?? 'the pool of Across'} for ${shares}`,
      ...(asCoin && { paysCoinTo: 'caller' as const }),
      ...(market && { gives: [{ token: market.receipt.address, units }] }),
    }
  }),
]
