import { parseAbi } from 'viem/utils'
import { type Address, sameAddress } from '../../domain/address.ts'
import { isEverything, type Teller, teller, type Words } from '../call-description.ts'
import { named, short } from './abi.ts'

/** Further functions of a market (`compound-finance/comet`, CometMainInterface and CometExtInterface; `@compound-finance/compound-js` 0.6.2). */
const others = parseAbi([
  'function supplyTo(address dst, address asset, uint256 amount)',
  'function withdrawTo(address to, address asset, uint256 amount)',
  'function transferAsset(address dst, address asset, uint256 amount)',
  'function transferAssetFrom(address src, address dst, address asset, uint256 amount)',
  'function allow(address manager, bool isAllowed)',
  'function buyCollateral(address asset, uint256 minAmount, uint256 baseAmount, address recipient)',
  'function absorb(address absorber, address[] accounts)',
])

/** The contract that pays rewards (`compound-finance/comet`, CometRewards.sol). */
const rewards = parseAbi([
  'function claim(address comet, address src, bool shouldAccrue)',
  'function claimTo(address comet, address src, address to, bool shouldAccrue)',
])

const marketAt = ({ catalog, chainId }: Words, comet: Address) =>
  catalog.strategies.find(
    ({ constants, chainId: on }) =>
      on === chainId && constants.family === 'compound-v3' && sameAddress(constants.comet, comet),
  )

const nameOf = (say: Words, comet = say.call.to): string => marketAt(say, comet)?.name ?? comet

const isBase = (say: Words, asset: Address): boolean =>
  sameAddress(marketAt(say, say.call.to)?.asset.address ?? '', asset)

/** Whether it earns depends on the asset: only the base asset of a market is a deposit, unless there is a debt to repay. */
function supplied(
  say: Words,
  asset: Address,
  amount: bigint,
  from: Address | undefined,
  owner: Address | undefined,
) {
  const base = isBase(say, asset)
  return {
    kind: base ? ('deposit' as const) : ('other' as const),
    text: `supplies ${say.upTo(asset, amount)} to ${nameOf(say)}${base ? '' : ' as collateral'}${owner ? say.forWhom(owner) : ''}${base ? '; a debt there is repaid first' : ''}`,
    gives: from === undefined || say.forWhom(from) === '' ? [{ token: asset, units: amount }] : [],
    holders: [from, owner].filter((one) => one !== undefined),
  }
}

function withdrawn(
  say: Words,
  asset: Address,
  amount: bigint,
  owner: Address | undefined,
  to: Address | undefined,
) {
  const base = isBase(say, asset)
  const what = isEverything(amount) ? `all ${say.token(asset)}` : say.amount(asset, amount)
  return {
    kind: base ? ('withdraw' as const) : ('other' as const),
    text: `withdraws ${what}${base ? '' : ' of collateral'} from ${nameOf(say)}${to ? say.toWhom(to) : ''}${owner && say.forWhom(owner) !== '' ? `, of the account ${owner}` : ''}${base ? '; what exceeds the deposit is borrowed' : ''}`,
    holders: [owner, to].filter((one) => one !== undefined),
  }
}

/** What calls of a market of Compound v3 do. */
export const compoundV3Tellers: readonly Teller[] = [
  teller(short, 'supply', 'deposit', ([asset, amount], say) =>
    supplied(say, asset, amount, undefined, undefined),
  ),
  teller(short, 'withdraw', 'withdraw', ([asset, amount], say) =>
    withdrawn(say, asset, amount, undefined, undefined),
  ),
  teller(named, 'supplyFrom', 'deposit', ([from, owner, asset, amount], say) =>
    supplied(say, asset, amount, from, owner),
  ),
  teller(named, 'withdrawFrom', 'withdraw', ([owner, to, asset, amount], say) =>
    withdrawn(say, asset, amount, owner, to),
  ),
  teller(others, 'supplyTo', 'deposit', ([owner, asset, amount], say) =>
    supplied(say, asset, amount, undefined, owner),
  ),
  teller(others, 'withdrawTo', 'withdraw', ([to, asset, amount], say) =>
    withdrawn(say, asset, amount, undefined, to),
  ),
  teller(others, 'transferAsset', 'transfer', ([to, asset, amount], say) => ({
    text: `moves ${say.upTo(asset, amount)} inside ${nameOf(say)} to ${to}`,
    holders: [to],
  })),
  teller(others, 'transferAssetFrom', 'transfer', ([from, to, asset, amount], say) => ({
    text: `moves ${say.upTo(asset, amount)} inside ${nameOf(say)} from ${from} to ${to}`,
    holders: [from, to],
  })),
  teller(others, 'allow', 'approve', ([manager, isAllowed], say) => ({
    text: `${isAllowed ? 'lets' : 'no longer lets'} ${manager} manage the account in ${nameOf(say)}${isAllowed ? ', without a limit' : ''}`,
  })),
  teller(others, 'buyCollateral', 'swap', ([asset, least, paid, to], say) => {
    const base = marketAt(say, say.call.to)?.asset.address
    return base === undefined
      ? undefined
      : {
          text: `buys at least ${say.amount(asset, least)} of collateral from ${nameOf(say)} for ${say.amount(base, paid)}${say.toWhom(to)}`,
          gives: [{ token: base, units: paid }],
          holders: [to],
        }
  }),
  teller(others, 'absorb', 'other', ([, accounts], say) => ({
    text: `takes over the debts of ${accounts.length} ${accounts.length === 1 ? 'account' : 'accounts'} in ${nameOf(say)}`,
  })),
]

/** What calls of the contract that pays rewards do. */
export const compoundV3RewardTellers: readonly Teller[] = [
  teller(rewards, 'claim', 'claim', ([comet, owner], say) => ({
    text: `claims the rewards of ${nameOf(say, comet)}${say.forWhom(owner)}; the amount is not in the call`,
    holders: [owner],
  })),
  teller(rewards, 'claimTo', 'claim', ([comet, owner, to], say) => ({
    text: `claims the rewards of ${nameOf(say, comet)} of ${owner}${say.toWhom(to)}; the amount is not in the call`,
    holders: [to],
  })),
]
