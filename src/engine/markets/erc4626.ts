import { decodeEventLog } from 'viem/utils'
import { erc20Abi } from '../../calls/erc20.ts'
import { deposit, erc4626Abi, redeem, withdraw } from '../../calls/erc4626.ts'
import { type Address, nativeAddress, sameAddress } from '../../domain/address.ts'
import type { Erc4626Constants, StrategyEntry } from '../../domain/catalog.ts'
import type { Answer } from '../reading.ts'
import { balance, ray, reserve } from '../readings/reserve.ts'
import { topic, topicOf } from '../readings/topics.ts'
import type { Log, LogFilter, Market, MarketEvent, MarketState } from './market.ts'

const abi = [...erc4626Abi, ...erc20Abi]

/**
 * Any ERC-4626 vault. Shares do not grow; their price does. A vault that wraps a lending reserve pays what the reserve
 * pays; another one's rate is read off the growth of its share price (`index`) by whoever has two readings.
 */
export const erc4626 = (entry: StrategyEntry, { vault, backing }: Erc4626Constants): Market => {
  const { chainId, asset, receipt } = entry
  const oneShare = 10n ** BigInt(receipt.decimals)
  const own = [
    { address: vault, abi, functionName: 'totalAssets' },
    { address: vault, abi, functionName: 'convertToAssets', args: [oneShare * precision] },
    { address: vault, abi, functionName: 'maxDeposit', args: [someone] },
  ]
  const under = backing && reserve({ ...backing, asset: asset.address, decimals: asset.decimals })
  return {
    entry,
    state: {
      reads: [...own, ...(under?.reads ?? [])],
      parse: ([assets, price, room, ...rest]: readonly Answer[]): MarketState => {
        const lent = under?.parse(rest)
        const headroom = (room as bigint | undefined) ?? 0n
        return {
          apr: lent?.apr ?? 0,
          apy: lent?.apy ?? 0,
          tvl: assets as bigint,
          index: ((price as bigint) * ray) / (10n ** BigInt(asset.decimals) * precision),
          canDeposit: headroom > 0n && (lent?.canDeposit ?? true),
          canWithdraw: lent?.canWithdraw ?? true,
          headroom: headroom >= 2n ** 255n ? null : headroom,
          liquidity: lent?.liquidity ?? null,
        }
      },
    },
    shares: (owner) => balance(vault, owner),
    worth: (shares) => ({
      reads: [{ address: vault, abi, functionName: 'convertToAssets', args: [shares] }],
      parse: ([assets]) => (assets as bigint | undefined) ?? 0n,
    }),
    deposit: ({ amount, owner }) => ({
      transaction: deposit({ chainId, vault, assets: amount, receiver: owner }),
      needs: { token: asset.address, spender: vault, amount },
    }),
    withdraw: ({ amount, owner }) => ({
      transaction: withdraw({ chainId, vault, assets: amount, receiver: owner, owner }),
    }),
    withdrawAll: ({ owner, shares }) => ({
      transaction: redeem({ chainId, vault, shares, receiver: owner, owner }),
    }),
    logs: (owner) => logsOf(vault, owner),
    event: eventOf,
  }
}

/** So many shares are priced at once: the price of one would be rounded to the few digits of the asset. */
const precision = 10n ** 9n

/** `maxDeposit` asks for a receiver; limits of a public vault do not depend on whose it is. */
const someone: Address = '0x000000000000000000000000000000000000dEaD'

const logsOf = (vault: Address, owner: Address): LogFilter[] => [
  { address: vault, topics: [topicOf(abi, 'Deposit'), null, topic(owner)] },
  { address: vault, topics: [topicOf(abi, 'Withdraw'), null, null, topic(owner)] },
  { address: vault, topics: [topicOf(abi, 'Transfer'), topic(owner)] },
  { address: vault, topics: [topicOf(abi, 'Transfer'), null, topic(owner)] },
]

/** Shares that move between two owners are a transfer, whose worth is read at its block; minting and burning stand in `Deposit` and `Withdraw`. */
function eventOf(log: Log, owner: Address): MarketEvent | undefined {
  const { eventName, args } = decodeEventLog({ abi, topics: log.topics as never, data: log.data })
  if (eventName === 'Deposit' || eventName === 'Withdraw') {
    const { assets, shares } = args as unknown as { assets: bigint; shares: bigint }
    return { type: eventName === 'Deposit' ? 'deposit' : 'withdraw', amount: assets, shares }
  }
  if (eventName !== 'Transfer') return undefined
  const { from, to, value } = args as unknown as { from: Address; to: Address; value: bigint }
  if (sameAddress(from, nativeAddress) || sameAddress(to, nativeAddress) || sameAddress(from, to))
    return undefined
  return { type: sameAddress(to, owner) ? 'transfer_in' : 'transfer_out', amount: null, shares: value }
}
