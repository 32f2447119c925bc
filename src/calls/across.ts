import { encodeFunctionData, parseAbi } from 'viem/utils'

import { type Address, nativeAddress, sameAddress } from '../domain/address.ts'
import { formatAmount } from '../domain/amount.ts'
import type { Intent } from '../domain/intent.ts'
import type { AcrossConstants } from '../domain/market-constants.ts'
import type { Token } from '../domain/token.ts'
import type { Transaction } from '../domain/transaction.ts'
import { printed, refuse, strictDecode, type Verdict } from './decode.ts'
import type { Query } from './queue.ts'
import { isUnits } from './units.ts'

const liquidity = parseAbi([
  'function addLiquidity(address l1Token, uint256 l1TokenAmount) payable',
  'function removeLiquidity(address l1Token, uint256 lpTokenAmount, bool sendEth)',
])

/** The HubPool to read (source: @across-protocol/contracts 5.0.27, HubPool.sol). */
export const hubPoolAbi = parseAbi([
  'function pooledTokens(address l1Token) view returns (address lpToken, bool isEnabled, uint32 lastLpFeeUpdate, int256 utilizedReserves, uint256 liquidReserves, uint256 undistributedLpFees)',
  'function exchangeRateCurrent(address l1Token) returns (uint256)',
  'function lpFeeRatePerSecond() view returns (uint256)',
  'function getCurrentTime() view returns (uint256)',
  'function paused() view returns (bool)',
  'function weth() view returns (address)',
  'function bondToken() view returns (address)',
  'function bondAmount() view returns (uint256)',
  'function rootBundleProposal() view returns (bytes32 poolRebalanceRoot, bytes32 relayerRefundRoot, bytes32 slowRelayRoot, uint256 claimedBitMap, address proposer, uint8 unclaimedPoolRebalanceLeafCount, uint32 challengePeriodEndTimestamp)',
  'event LiquidityAdded(address indexed l1Token, uint256 amount, uint256 lpTokensMinted, address indexed liquidityProvider)',
  'event LiquidityRemoved(address indexed l1Token, uint256 amount, uint256 lpTokensBurnt, address indexed liquidityProvider)',
])

type Pool = { constants: AcrossConstants; asset: Token }

/** The token of a pool: what goes in, or what wraps it where that is the native coin. */
export const pooledToken = ({ constants: { wrapped }, asset }: Pool): Address => wrapped ?? asset.address

/** What one unit of the LP token is worth in units of the pool's token, scaled by 1e18, with the fees of this very second. Not a view: what it does is not kept. */
export const lpRate = (pool: Pool): Query => ({
  address: pool.constants.hubPool,
  abi: hubPoolAbi,
  functionName: 'exchangeRateCurrent',
  args: [pooledToken(pool)],
})

const one = 10n ** 18n

/** What so many LP tokens bring, as the pool rounds. */
export const lpWorth = (rate: bigint, units: bigint): bigint => (units * rate) / one

/** The fewest LP tokens that bring an amount: never more than whoever has that much holds. */
export const lpUnits = (rate: bigint, amount: bigint): bigint =>
  rate === 0n ? 0n : (amount * one + rate - 1n) / rate

/** Puts an amount into a pool; the LP tokens go to the sender. The native coin is sent along. */
export function addLiquidity({
  chainId,
  amount,
  ...pool
}: Pool & { chainId: number; amount: bigint }): Transaction {
  return {
    to: pool.constants.hubPool,
    data: encodeFunctionData({
      abi: liquidity,
      functionName: 'addLiquidity',
      args: [pooledToken(pool), amount],
    }),
    value: isCoin(pool) ? amount : 0n,
    chainId,
  }
}

/** Gives LP tokens back for what they are worth, which goes to the sender, as the native coin where that went in. */
export const removeLiquidity = ({
  chainId,
  units,
  ...pool
}: Pool & { chainId: number; units: bigint }): Transaction => ({
  to: pool.constants.hubPool,
  data: encodeFunctionData({
    abi: liquidity,
    functionName: 'removeLiquidity',
    args: [pooledToken(pool), units, isCoin(pool)],
  }),
  value: 0n,
  chainId,
})

const isCoin = ({ asset }: Pool): boolean => asset.address === nativeAddress

/** Binds a call of the HubPool to the deposit or withdrawal that was asked for. */
export function bindAcross(
  { data }: Transaction,
  intent: Extract<Intent, { kind: 'deposit' | 'withdraw' }>,
  pool: Pool,
): Verdict {
  const { asset } = pool
  if (isCoin(pool) !== (pool.constants.wrapped !== undefined))
    return refuse('POLICY_AMOUNT', `The pool does not take ${asset.symbol}`)
  const call = strictDecode(liquidity, data)
  const wanted = intent.kind === 'deposit' ? 'addLiquidity' : 'removeLiquidity'
  if (call?.functionName !== wanted)
    return refuse('POLICY_DECODE', `It is not a call of ${wanted} of the HubPool`)
  const [l1Token, amount] = call.args
  if (!sameAddress(l1Token, pooledToken(pool)))
    return refuse('POLICY_AMOUNT', `It is about the pool of ${l1Token}, not that of ${asset.symbol}`)
  if (call.functionName === 'addLiquidity') {
    if (amount !== intent.amount) return refuse('POLICY_AMOUNT', `It puts ${amount} in, not ${intent.amount}`)
    return {
      bound: {
        name: wanted,
        args: printed({ l1Token, amount }),
        text: `Put ${formatAmount(amount, asset)} into the pool`,
        value: isCoin(pool) ? amount : 0n,
        ...(!isCoin(pool) && { spends: { token: asset.address, amount } }),
      },
    }
  }
  return boundExit({ l1Token, units: amount, sendEth: call.args[2] }, intent, pool)
}

function boundExit(
  { l1Token, units, sendEth }: { l1Token: Address; units: bigint; sendEth: boolean },
  intent: Intent,
  pool: Pool,
): Verdict {
  const { asset } = pool
  if (intent.kind !== 'withdraw' || !isUnits(units, intent))
    return refuse('POLICY_AMOUNT', `It gives ${units} LP tokens back, not what was asked for`)
  if (sendEth !== isCoin(pool)) return refuse('POLICY_AMOUNT', `It does not pay out in ${asset.symbol}`)
  const much = intent.shares === undefined ? formatAmount(intent.amount, asset) : `all ${asset.symbol}`
  return {
    bound: {
      name: 'removeLiquidity',
      args: printed({ l1Token, lpTokenAmount: units, sendEth }),
      text: `Withdraw ${much} from the pool`,
      value: 0n,
    },
  }
}
