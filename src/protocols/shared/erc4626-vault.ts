import type { Abi } from 'viem'
import { decodeEventLog, parseAbi } from 'viem/utils'
import { type Call, contract, type Reading, type Rounds } from '../../chain/call.ts'
import { erc20Abi } from '../../chain/erc20.ts'
import { type Address, nativeAddress, sameAddress } from '../../domain/address.ts'
import type { StrategyEntry } from '../catalog-types.ts'
import { erc4626Abi } from '../erc4626/abi.ts'
import type { Erc4626Constants } from '../erc4626/constants-schema.ts'
import { deposit, redeem, withdraw } from '../erc4626/encode.ts'
import type { Log, LogFilter, MarketEvent, MarketState, ProtocolMarket } from '../market-adapter.ts'
import { balance, readAmount } from './amount-reads.ts'
import { mustAnswer } from './contract-assertions.ts'
import { addressTopic, eventTopic } from './encode-topics.ts'
import { perTick, ray } from './rate-units.ts'
import { movementOf, transferEvent, transferLogs } from './transfers.ts'

const abi = [...erc4626Abi, ...erc20Abi]

/** The number of shares whose price is read: that of one would be rounded to the few decimals of the asset. */
const precision = 10n ** 9n

/** The receiver for `maxDeposit` where nobody in particular asks; for a deposit `mostIn` asks for the wallet. */
const someone: Address = '0x000000000000000000000000000000000000dEaD'

/**
 * The readings of all ERC-4626 vaults. Shares do not rebase; their price grows. The rate is that of `under`, the lending reserve
 * that a vault wraps, or the one that its protocol states per second. Without either it is `null`, and follows from the growth of `index`.
 */
export function vaultReadings(
  { asset, receipt }: StrategyEntry,
  { vault, stated, limits }: Pick<Erc4626Constants, 'vault' | 'stated' | 'limits'>,
  under?: Reading<MarketState>,
): Omit<ProtocolMarket, 'entry' | 'deposit' | 'withdraw' | 'withdrawAll'> {
  const isLimited = limits !== 'none'
  const oneShare = 10n ** BigInt(receipt.decimals)
  const ask = contract(vault, abi)
  const statedRate = stated && contract(stated.at, statedAbi)(stated.name)
  const priced = ask('convertToAssets', oneShare * precision)
  const indexOf = (price: unknown) => ((price as bigint) * ray) / (10n ** BigInt(asset.decimals) * precision)
  const reads: Call[] = [
    ask('totalAssets'),
    priced,
    // The limits of some vaults are zero by design: another read takes their place.
    isLimited ? ask('maxDeposit', someone) : ask('asset'),
    ...(statedRate ? [statedRate] : []),
    ...(isLimited
      ? []
      : ['performanceFee', 'managementFee'].map((name) => ({
          ...contract(vault, keptAbi)(name),
          refused: null,
        }))),
  ]
  return {
    contractAssertions: [
      mustAnswer('the asset of the vault', ask('asset'), asset.address),
      // The stated rate is a factor per second of at least one.
      ...(statedRate
        ? [
            mustAnswer('the stated rate', statedRate, 'a rate', (rate) =>
              (rate as bigint) >= ray ? 'a rate' : rate,
            ),
          ]
        : []),
    ],
    state: {
      reads: [...reads, ...(under?.reads ?? [])],
      parse: (answers): MarketState => {
        const [assets, price, room] = answers
        const lent = under?.parse(answers.slice(reads.length))
        const rate = stated ? perTick((answers[3] as bigint) - ray, 31_536_000, ray) : lent
        const [kept, yearly] = (isLimited ? [] : answers.slice(reads.length - 2)) as (bigint | null)[]
        const headroom = isLimited ? (room as bigint) : null
        return {
          apr: rate?.apr ?? null,
          apy: rate?.apy ?? null,
          tvl: assets as bigint,
          index: indexOf(price),
          canDeposit: headroom !== 0n && (lent?.canDeposit ?? true),
          canWithdraw: lent?.canWithdraw ?? true,
          headroom: headroom === null || headroom >= 2n ** 255n ? null : headroom,
          liquidity: lent?.liquidity ?? null,
          ...(kept != null && { protocolFee: Number(kept) / 1e18 }),
          ...(yearly != null && { managementFee: (Number(yearly) / 1e18) * 31_536_000 }),
        }
      },
    },
    index: { reads: [priced], parse: ([price]) => indexOf(price) },
    shares: (owner) => balance(vault, owner),
    worth: (shares) => readAmount(ask('convertToAssets', shares)),
    ...(isLimited && { mostIn: (owner: Address) => limitOf(ask('maxDeposit', owner)) }),
    ...(isLimited && !under && { mostOut: (owner: Address) => limitOf(ask('maxWithdraw', owner)) }),
    logs: (owner) => logsOf(vault, owner),
    event: eventOf,
  }
}

/** A limit that a vault states; `null` without an answer. */
function* limitOf(query: Call): Rounds<bigint | null> {
  const [most] = yield [query]
  return (most as bigint | undefined) ?? null
}

/** The rates that savings contracts state: a factor per second, 1e27 or more (sources: makerdao/usds, makerdao/sdai, sparkdotfi). */
const statedAbi: Abi = parseAbi([
  'function ssr() view returns (uint256)',
  'function vsr() view returns (uint256)',
  'function dsr() view returns (uint256)',
  'function getSSR() view returns (uint256)',
])

/** The fees of a vault of Morpho v2, scaled by 1e18: of the earnings, and of all assets per second (source: morpho-org/vault-v2). Its limits are zero by design. */
const keptAbi: Abi = parseAbi([
  'function performanceFee() view returns (uint96)',
  'function managementFee() view returns (uint96)',
])

const logsOf = (vault: Address, owner: Address): LogFilter[] => [
  { address: vault, topics: [eventTopic(abi, 'Deposit'), null, addressTopic(owner)] },
  { address: vault, topics: [eventTopic(abi, 'Withdraw'), null, null, addressTopic(owner)] },
  ...transferLogs(vault, owner),
]

/** Shares that move between two owners are a transfer; minting and burning are in `Deposit` and `Withdraw`. */
function eventOf(log: Log, owner: Address): MarketEvent | undefined {
  const movement = movementOf(log, owner)
  if (movement) return sameAddress(movement.other, nativeAddress) ? undefined : transferEvent(movement)
  const { eventName, args } = decodeEventLog({ abi, topics: log.topics as never, data: log.data })
  if (eventName !== 'Deposit' && eventName !== 'Withdraw') return undefined
  const { assets, shares } = args as unknown as { assets: bigint; shares: bigint }
  return { type: eventName === 'Deposit' ? 'deposit' : 'withdraw', amount: assets, shares: [shares] }
}

/** The steps of a vault by EIP-4626; a vault with other withdrawals replaces those. */
export const vaultSteps = (
  { chainId, asset }: StrategyEntry,
  vault: Address,
): Pick<ProtocolMarket, 'deposit' | 'withdraw' | 'withdrawAll'> => ({
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
})
