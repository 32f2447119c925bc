import { parseAbi } from 'viem/utils'
import { nativeAddress, sameAddress } from '../../domain/address.ts'
import { isEverything, type Teller, teller } from '../call-description.ts'
import type { StrategyEntry } from '../catalog-types.ts'
import { exits, mintByRouter, mintCoin, mintToken } from './abi.ts'

/** Debts of a market (sources: moonwell-fi/moonwell-contracts-v2, VenusProtocol/venus-protocol, CErc20.sol). */
const debts = parseAbi([
  'function borrow(uint256 borrowAmount) returns (uint256)',
  'function repayBorrow(uint256 repayAmount) returns (uint256)',
  'function repayBorrowBehalf(address borrower, uint256 repayAmount) returns (uint256)',
])

/** The same in the market of the native coin (CEther.sol). */
const coinDebts = parseAbi([
  'function repayBorrow() payable',
  'function repayBorrowBehalf(address borrower) payable',
])

/** The exit by the router of a native coin (moonwell-fi/moonwell-contracts-v2, WETHRouter.sol). */
const routerExit = parseAbi(['function redeem(uint256 mTokenRedeemAmount, address recipient)'])

/** What calls of a market of the Compound v2 family do. */
export function compoundV2Tellers({
  asset: { address: asset },
  receipt: { address: receipt },
  name,
}: Pick<StrategyEntry, 'asset' | 'receipt' | 'name'>): readonly Teller[] {
  const isCoin = sameAddress(asset, nativeAddress)
  const paysCoin = isCoin ? { paysCoinTo: 'caller' as const } : {}
  return [
    teller(mintToken, 'mint', 'deposit', ([amount], say) => ({
      text: `deposits ${say.amount(asset, amount)} into ${name}`,
      gives: [{ token: asset, units: amount }],
    })),
    ...(isCoin
      ? [
          teller(mintCoin, 'mint', 'deposit', (_, say) => ({
            text: `deposits ${say.coin(say.call.value)} into ${name}`,
          })),
          teller(coinDebts, 'repayBorrow', 'other', (_, say) => ({
            text: `repays a debt of ${say.coin(say.call.value)} to ${name}`,
          })),
          teller(coinDebts, 'repayBorrowBehalf', 'other', ([owner], say) => ({
            text: `repays a debt of ${say.coin(say.call.value)} to ${name}${say.forWhom(owner)}`,
          })),
        ]
      : []),
    teller(exits, 'redeem', 'withdraw', ([units], say) => ({
      text: `redeems ${say.upTo(receipt, units)} of ${name} for ${say.token(asset)}`,
      gives: [{ token: receipt, units }],
      ...paysCoin,
    })),
    teller(exits, 'redeemUnderlying', 'withdraw', ([amount], say) => ({
      text: `withdraws ${say.upTo(asset, amount)} from ${name}`,
      ...paysCoin,
    })),
    teller(debts, 'borrow', 'other', ([amount], say) => ({
      text: `borrows ${say.amount(asset, amount)} from ${name}: a debt`,
      ...paysCoin,
    })),
    teller(debts, 'repayBorrow', 'other', ([amount], say) => ({
      text: `repays ${isEverything(amount) ? `all debt in ${say.token(asset)}` : `a debt of ${say.amount(asset, amount)}`} to ${name}`,
      gives: [{ token: asset, units: amount }],
    })),
    teller(debts, 'repayBorrowBehalf', 'other', ([owner, amount], say) => ({
      text: `repays ${isEverything(amount) ? `all debt in ${say.token(asset)}` : `a debt of ${say.amount(asset, amount)}`} to ${name}${say.forWhom(owner)}`,
      gives: [{ token: asset, units: amount }],
    })),
  ]
}

/** What calls of the router of a native coin do. */
export const compoundV2RouterTellers = ({
  receipt: { address: receipt },
  name,
}: Pick<StrategyEntry, 'receipt' | 'name'>): readonly Teller[] => [
  teller(mintByRouter, 'mint', 'deposit', ([owner], say) => ({
    text: `deposits ${say.coin(say.call.value)} into ${name}${say.forWhom(owner)}`,
    holders: [owner],
  })),
  teller(routerExit, 'redeem', 'withdraw', ([units, to], say) => ({
    text: `redeems ${say.upTo(receipt, units)} of ${name} for the coin${say.toWhom(to)}`,
    gives: [{ token: receipt, units }],
    holders: [to],
    paysCoinTo: to,
  })),
]
