import type { Abi } from 'viem'
import { encodeFunctionData, keccak256, parseAbi, toBytes } from 'viem/utils'

import { type Address, nativeAddress, sameAddress } from '../domain/address.ts'
import { formatAmount } from '../domain/amount.ts'
import type { StakedConstants } from '../domain/catalog.ts'
import type { Intent } from '../domain/intent.ts'
import type { Token } from '../domain/token.ts'
import type { Transaction } from '../domain/transaction.ts'
import { printed, refuse, strictDecode, type Verdict } from './decode.ts'
import type { Query } from './queue.ts'
import { isUnits } from './units.ts'

/** A call of one function: what each of its arguments is. */
type Call = { to: Address; abi: Abi; name: string; roles: readonly ('wallet' | 'units' | 'nobody')[] }

/**
 * A token of staked coins whose price grows: how one gets in and out, and what there is to read. `stake` carries the coin; `leave` gives units
 * of the token back. `rate` is what 1e18 units are worth.
 */
export type Staked = {
  rate: Query
  stake: Call
  leave: Call
  /** Whether units are taken through an allowance. */
  takesReceipt?: true
  /** Whether it is closed both ways, or to what goes in, how much more fits in, and how much can come out at once. */
  paused?: Query
  closed?: Query
  headroom?: Query
  liquidity?: Query
  /** Where the protocol itself says that stakes go now: it may have moved. */
  registry?: Query
}

const one = 10n ** 18n

/** What each protocol is to read and to call (sources: rocket-pool/rocketpool, etherfi-protocol/smart-contracts, FraxFinance/frxETH-public, stader-labs/ethx, lista-dao/synclub-contracts, Benqi-fi/BENQI-Smart-Contracts). */
export function stakedOf(constants: StakedConstants): Staked {
  switch (constants.family) {
    case 'rocket-pool': {
      const { token, storage, depositPool } = constants
      return {
        rate: ask(token, 'function getExchangeRate() view returns (uint256)'),
        stake: call(depositPool, 'function deposit() payable', []),
        leave: call(token, 'function burn(uint256 rethAmount)', ['units']),
        headroom: ask(depositPool, 'function getMaximumDepositAmount() view returns (uint256)'),
        liquidity: ask(token, 'function getTotalCollateral() view returns (uint256)'),
        registry: ask(storage, 'function getAddress(bytes32 key) view returns (address)', [
          keccak256(toBytes('contract.addressrocketDepositPool')),
        ]),
      }
    }
    case 'stader': {
      const { manager, withdrawals } = constants
      const leave = 'function requestWithdraw(uint256 ethXAmount, address owner) returns (uint256)'
      return {
        rate: ask(manager, 'function getExchangeRate() view returns (uint256)'),
        stake: call(manager, 'function deposit(address receiver) payable returns (uint256 shares)', [
          'wallet',
        ]),
        leave: call(withdrawals, leave, ['units', 'wallet']),
        takesReceipt: true,
        headroom: ask(manager, 'function maxDeposit() view returns (uint256)'),
      }
    }
    case 'ether-fi': {
      const { token, pool, depositAdapter, withdrawAdapter } = constants
      const into = 'function depositETHForWeETH(address referral) payable returns (uint256)'
      const leave =
        'function requestWithdraw(uint256 weETHAmount, address recipient) returns (uint256 requestId)'
      return {
        rate: ask(token, 'function getRate() view returns (uint256)'),
        stake: call(depositAdapter, into, ['nobody']),
        leave: call(withdrawAdapter, leave, ['units', 'wallet']),
        takesReceipt: true,
        paused: ask(pool, 'function paused() view returns (bool)'),
      }
    }
    case 'frax-ether': {
      const { token, minter, queue } = constants
      const into = 'function submitAndDeposit(address recipient) payable returns (uint256 shares)'
      const leave =
        'function enterRedemptionQueueViaSfrxEth(address recipient, uint120 sfrxEthAmount) returns (uint256 nftId)'
      return {
        rate: ask(token, 'function pricePerShare() view returns (uint256)'),
        stake: call(minter, into, ['wallet']),
        leave: call(queue, leave, ['wallet', 'units']),
        takesReceipt: true,
        closed: ask(minter, 'function mintFrxEthPaused() view returns (bool)'),
      }
    }
    case 'lista': {
      const { manager } = constants
      const rate = 'function convertSnBnbToBnb(uint256 amountInSlisBnb) view returns (uint256)'
      return {
        rate: ask(manager, rate, [one]),
        stake: call(manager, 'function deposit() payable', []),
        leave: call(manager, 'function requestWithdraw(uint256 amountInSlisBnb)', ['units']),
        takesReceipt: true,
        paused: ask(manager, 'function paused() view returns (bool)'),
      }
    }
    case 'benqi-staking': {
      const { token } = constants
      return {
        rate: ask(token, 'function getPooledAvaxByShares(uint256 shareAmount) view returns (uint256)', [one]),
        stake: call(token, 'function submit() payable returns (uint256)', []),
        leave: call(token, 'function requestUnlock(uint256 shareAmount)', ['units']),
        paused: ask(token, 'function paused() view returns (bool)'),
      }
    }
  }
}

const ask = (address: Address, signature: string, args: readonly unknown[] = []): Query => ({
  address,
  abi: parseAbi([signature]),
  functionName: nameIn(signature),
  args,
})
const call = (to: Address, signature: string, roles: Call['roles']): Call => ({
  to,
  abi: parseAbi([signature]),
  name: nameIn(signature),
  roles,
})
const nameIn = (signature: string): string => /function (\w+)/.exec(signature)![1]!

/** What a part costs in units of the token, by its rate: as many as are worth no less. */
export const unitsAt = (rate: bigint, amount: bigint): bigint =>
  rate === 0n ? 0n : (amount * one) / rate + 1n

type Ask = { chainId: number; wallet: Address }

/** Stakes an amount of the native coin, where the protocol says that this is done, or where it was done. */
export const stake = ({
  staked,
  amount,
  entrance,
  ...rest
}: Ask & { staked: Staked; amount: bigint; entrance?: Address | undefined }): Transaction => ({
  ...written(staked.stake, { ...rest, units: 0n }),
  ...(entrance && { to: entrance }),
  value: amount,
})

/** Gives units of the token back. */
export const unstake = ({ staked, ...rest }: Ask & { staked: Staked; units: bigint }): Transaction =>
  written(staked.leave, rest)

const written = (
  { to, abi, name, roles }: Call,
  { chainId, wallet, units }: Ask & { units: bigint },
): Transaction => ({
  to,
  data: encodeFunctionData({
    abi,
    functionName: name,
    args: roles.map((role) => ({ wallet, units, nobody: nativeAddress })[role]),
  }),
  value: 0n,
  chainId,
})

/** Binds a call to the stake, or to the giving back, that was asked for. */
export function bindStaked(
  { to, data }: Transaction,
  intent: Extract<Intent, { kind: 'deposit' | 'withdraw' }>,
  { asset, receipt }: { asset: Token; receipt: Token },
  { stake: into, leave, takesReceipt }: Staked,
  isQueued: boolean,
): Verdict {
  const isDeposit = intent.kind === 'deposit'
  const [mine, other] = isDeposit ? [into, leave] : [leave, into]
  if (sameAddress(to, other.to) && !sameAddress(to, mine.to))
    return refuse('POLICY_CONTRACT_NOT_ALLOWED', `The contract ${to} is not the one that does this here`)
  const found = strictDecode(mine.abi, data) as { args?: readonly unknown[] } | undefined
  if (!found) return refuse('POLICY_DECODE', `It is not a call of ${mine.name} of this protocol`)
  const args = found.args ?? []
  const [given, wanted] = [args[mine.roles.indexOf('units')], args[mine.roles.indexOf('wallet')]]
  if (typeof wanted === 'string' && !sameAddress(wanted, intent.wallet))
    return refuse('POLICY_RECIPIENT', `It is for ${wanted}, not for ${intent.wallet}`)
  const referral = args[mine.roles.indexOf('nobody')]
  if (typeof referral === 'string' && !sameAddress(referral, nativeAddress))
    return refuse('POLICY_RECIPIENT', `It names ${referral} as whoever brought the deposit`)
  const shown = printed(Object.fromEntries(args.map((value, at) => [mine.roles[at]!, value])))
  if (isDeposit) {
    const text = `Stake ${formatAmount(intent.amount, asset)} for ${receipt.symbol}`
    return { bound: { name: mine.name, args: shown, text, value: intent.amount } }
  }
  if (typeof given !== 'bigint' || !isUnits(given, intent))
    return refuse('POLICY_AMOUNT', `It gives ${given} of ${receipt.symbol} back, not what was asked for`)
  const much = intent.shares === undefined ? formatAmount(intent.amount, asset) : `all ${receipt.symbol}`
  return {
    bound: {
      name: mine.name,
      args: shown,
      text: isQueued ? `Request the withdrawal of ${much}, to be claimed later` : `Withdraw ${much}`,
      value: 0n,
      ...(takesReceipt && { spends: { token: receipt.address, amount: given } }),
    },
  }
}
