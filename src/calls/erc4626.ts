import { encodeFunctionData, parseAbi } from 'viem/utils'

import { type Address, sameAddress } from '../domain/address.ts'
import { formatAmount } from '../domain/amount.ts'
import type { Intent } from '../domain/intent.ts'
import type { Token } from '../domain/token.ts'
import type { Transaction } from '../domain/transaction.ts'
import { printed, refuse, strictDecode, type Verdict } from './decode.ts'

/** A tokenized vault, as EIP-4626 gives it. */
export const erc4626Abi = parseAbi([
  'function deposit(uint256 assets, address receiver) returns (uint256 shares)',
  'function withdraw(uint256 assets, address receiver, address owner) returns (uint256 shares)',
  'function redeem(uint256 shares, address receiver, address owner) returns (uint256 assets)',
  'function convertToAssets(uint256 shares) view returns (uint256)',
  'function convertToShares(uint256 assets) view returns (uint256)',
  'function previewDeposit(uint256 assets) view returns (uint256)',
  'function previewRedeem(uint256 shares) view returns (uint256)',
  'function previewWithdraw(uint256 assets) view returns (uint256)',
  'function maxDeposit(address receiver) view returns (uint256)',
  'function maxWithdraw(address owner) view returns (uint256)',
  'function maxRedeem(address owner) view returns (uint256)',
  'function totalAssets() view returns (uint256)',
  'function asset() view returns (address)',
  'event Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)',
  'event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)',
])

const writes = parseAbi([
  'function deposit(uint256 assets, address receiver) returns (uint256 shares)',
  'function withdraw(uint256 assets, address receiver, address owner) returns (uint256 shares)',
  'function redeem(uint256 shares, address receiver, address owner) returns (uint256 assets)',
])

type Vault = { chainId: number; vault: Address }

const call = ({ chainId, vault }: Vault, data: `0x${string}`): Transaction => ({
  to: vault,
  data,
  value: 0n,
  chainId,
})

/** Puts `assets` into a vault; the shares go to `receiver`. */
export const deposit = (ask: Vault & { assets: bigint; receiver: Address }): Transaction =>
  call(ask, encodeFunctionData({ abi: writes, functionName: 'deposit', args: [ask.assets, ask.receiver] }))

/** Takes exactly `assets` out of a vault, for as many shares as that costs. */
export const withdraw = (ask: Vault & { assets: bigint; receiver: Address; owner: Address }): Transaction =>
  call(
    ask,
    encodeFunctionData({
      abi: writes,
      functionName: 'withdraw',
      args: [ask.assets, ask.receiver, ask.owner],
    }),
  )

/** Gives exactly `shares` back to a vault, for whatever they are worth: the way to leave nothing behind. */
export const redeem = (ask: Vault & { shares: bigint; receiver: Address; owner: Address }): Transaction =>
  call(
    ask,
    encodeFunctionData({ abi: writes, functionName: 'redeem', args: [ask.shares, ask.receiver, ask.owner] }),
  )

/** How much a call puts into a vault; `undefined` where it is no call of `deposit`. */
export function decodeDeposited({ data }: Transaction): bigint | undefined {
  const found = strictDecode(writes, data)
  return found?.functionName === 'deposit' ? found.args[0] : undefined
}

/** Binds a call of the vault to the deposit or withdrawal that was asked for. */
export function bindErc4626(
  { data }: Transaction,
  intent: Extract<Intent, { kind: 'deposit' | 'withdraw' }>,
  asset: Token,
): Verdict {
  const found = strictDecode(writes, data)
  const wanted = intent.kind === 'deposit' ? 'deposit' : intent.shares === undefined ? 'withdraw' : 'redeem'
  if (found?.functionName !== wanted)
    return refuse('POLICY_DECODE', `It is not a call of ${wanted} of an ERC-4626 vault`)
  const [amount, receiver, owner] = found.args
  if (!sameAddress(receiver, intent.wallet))
    return refuse('POLICY_RECIPIENT', `It pays out to ${receiver}, not to ${intent.wallet}`)
  if (owner !== undefined && !sameAddress(owner, intent.wallet))
    return refuse('POLICY_RECIPIENT', `It takes the shares of ${owner}, not of ${intent.wallet}`)
  const asked = intent.kind === 'withdraw' && intent.shares !== undefined ? intent.shares : intent.amount
  if (amount !== asked) return refuse('POLICY_AMOUNT', `It is about ${amount}, not ${asked}`)
  const args = wanted === 'redeem' ? { shares: amount, receiver, owner } : { assets: amount, receiver, owner }
  const text = {
    deposit: `Deposit ${formatAmount(amount, asset)} into the vault`,
    withdraw: `Withdraw ${formatAmount(amount, asset)} from the vault`,
    redeem: `Withdraw all ${asset.symbol} from the vault`,
  }[wanted]
  return {
    bound: {
      name: wanted,
      args: printed(owner === undefined ? { assets: amount, receiver } : args),
      text,
      value: 0n,
      ...(wanted === 'deposit' ? { spends: { token: asset.address, amount } } : {}),
    },
  }
}
