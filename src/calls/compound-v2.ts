import { encodeFunctionData, parseAbi } from 'viem/utils'

import { type Address, nativeAddress, sameAddress } from '../domain/address.ts'
import { formatAmount } from '../domain/amount.ts'
import type { Intent } from '../domain/intent.ts'
import type { CompoundV2Constants } from '../domain/market-constants.ts'
import type { Token } from '../domain/token.ts'
import type { Transaction } from '../domain/transaction.ts'
import { printed, refuse, strictDecode, type Verdict } from './decode.ts'

/** A market of the Compound v2 family to read, and which one a router beside it belongs to (sources: VenusProtocol/venus-protocol, moonwell-fi/moonwell-contracts-v2, Benqi-fi/BENQI-Smart-Contracts). */
export const cTokenAbi = parseAbi([
  'function underlying() view returns (address)',
  'function comptroller() view returns (address)',
  'function mToken() view returns (address)',
  'function exchangeRateCurrent() returns (uint256)',
  'function supplyRatePerTimestamp() view returns (uint256)',
  'function supplyRatePerBlock() view returns (uint256)',
  'function getCash() view returns (uint256)',
  'function totalBorrows() view returns (uint256)',
  'function totalReserves() view returns (uint256)',
  'event Transfer(address indexed from, address indexed to, uint256 amount)',
])

/** What a comptroller says of pauses, one question of Moonwell and Benqi, one of Venus (0 mint, 1 redeem), and of what may be in a market, which Benqi does not limit. */
export const comptrollerAbi = parseAbi([
  'function treasuryPercent() view returns (uint256)',
  'function mintGuardianPaused(address market) view returns (bool)',
  'function actionPaused(address market, uint8 action) view returns (bool)',
  'function supplyCaps(address market) view returns (uint256)',
  // Venus says more of it, after this.
  'function markets(address market) view returns (bool isListed)',
])

const mintToken = parseAbi(['function mint(uint256 mintAmount) returns (uint256)'])
const mintCoin = parseAbi(['function mint() payable'])
const mintByRouter = parseAbi(['function mint(address recipient) payable'])
const exits = parseAbi([
  'function redeem(uint256 redeemTokens) returns (uint256)',
  'function redeemUnderlying(uint256 redeemAmount) returns (uint256)',
])

type Place = { chainId: number } & Pick<CompoundV2Constants, 'market' | 'coin'>

/** Where a deposit of a market goes: the native coin of some goes to a router beside it. */
export const entranceOf = ({ market, coin }: Pick<CompoundV2Constants, 'market' | 'coin'>): Address =>
  coin === undefined || coin === 'market' ? market : coin.router

/** Puts `amount` into a market; the receipt goes to `receiver`, who is the sender. A market that refuses may say so only by what it returns. */
export function mint({
  chainId,
  market,
  coin,
  amount,
  receiver,
}: Place & { amount: bigint; receiver: Address }): Transaction {
  const data =
    coin === undefined
      ? encodeFunctionData({ abi: mintToken, functionName: 'mint', args: [amount] })
      : coin === 'market'
        ? encodeFunctionData({ abi: mintCoin, functionName: 'mint' })
        : encodeFunctionData({ abi: mintByRouter, functionName: 'mint', args: [receiver] })
  return { to: entranceOf({ market, coin }), data, value: coin === undefined ? 0n : amount, chainId }
}

const leave =
  (functionName: 'redeem' | 'redeemUnderlying') =>
  ({ chainId, market, amount }: { chainId: number; market: Address; amount: bigint }): Transaction => ({
    to: market,
    data: encodeFunctionData({ abi: exits, functionName, args: [amount] }),
    value: 0n,
    chainId,
  })

/** Gives exactly so much of the receipt back: the way to leave nothing behind. */
export const redeem = leave('redeem')

/** Takes exactly so much of the asset out. */
export const redeemUnderlying = leave('redeemUnderlying')

/** Binds a call of a market, or of its router, to the deposit or withdrawal that was asked for. */
export function bindCompoundV2(
  { to, data }: Transaction,
  intent: Extract<Intent, { kind: 'deposit' | 'withdraw' }>,
  asset: Token,
  { market, coin }: CompoundV2Constants,
): Verdict {
  const isDeposit = intent.kind === 'deposit'
  if (!sameAddress(to, isDeposit ? entranceOf({ market, coin }) : market))
    return refuse('POLICY_CONTRACT_NOT_ALLOWED', `The contract ${to} is not the one that does this here`)
  if (isDeposit) return boundMint(data, intent, asset, coin)
  const found = strictDecode(exits, data)
  const isAll = intent.shares !== undefined
  const wanted = isAll ? 'redeem' : 'redeemUnderlying'
  if (found?.functionName !== wanted)
    return refuse('POLICY_DECODE', `It is not a call of ${wanted} of a lending market`)
  const [amount] = found.args
  const exact = intent.shares ?? intent.amount
  if (amount !== exact) return refuse('POLICY_AMOUNT', `It is about ${amount}, not ${exact}`)
  const text = `Withdraw ${isAll ? `all ${asset.symbol}` : formatAmount(amount, asset)} from the market`
  return { bound: { name: wanted, args: printed({ amount }), text, value: 0n } }
}

function boundMint(
  data: Transaction['data'],
  { wallet, amount }: Extract<Intent, { kind: 'deposit' }>,
  asset: Token,
  coin: CompoundV2Constants['coin'],
): Verdict {
  const bound = { name: 'mint', text: `Supply ${formatAmount(amount, asset)} to the market` }
  const isCoin = asset.address === nativeAddress
  if (isCoin !== (coin !== undefined))
    return refuse('POLICY_AMOUNT', `The market does not take ${asset.symbol}`)
  if (coin === undefined) {
    const found = strictDecode(mintToken, data)
    if (!found) return refuse('POLICY_DECODE', 'It is not a call of mint of a lending market')
    if (found.args[0] !== amount)
      return refuse('POLICY_AMOUNT', `It supplies ${found.args[0]}, not ${amount}`)
    return {
      bound: { ...bound, args: printed({ amount }), value: 0n, spends: { token: asset.address, amount } },
    }
  }
  if (coin === 'market') {
    if (!strictDecode(mintCoin, data))
      return refuse('POLICY_DECODE', 'It is not a call of mint of a market of the native coin')
    return { bound: { ...bound, args: {}, value: amount } }
  }
  const found = strictDecode(mintByRouter, data)
  if (!found) return refuse('POLICY_DECODE', 'It is not a call of mint of the router of a market')
  const [recipient] = found.args
  if (!sameAddress(recipient, wallet))
    return refuse('POLICY_RECIPIENT', `It is for the account ${recipient}, not for ${wallet}`)
  return { bound: { ...bound, args: printed({ recipient }), value: amount } }
}
