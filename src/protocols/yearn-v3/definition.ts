import { parseAbi } from 'viem/utils'
import { type Call, contract, type Rounds } from '../../chain/call.ts'
import type { Address } from '../../domain/address.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import type { StrategyEntry } from '../catalog-types.ts'
import { vaultProtocol } from '../erc4626/vault-protocol-parts.ts'
import type { Moment, ProtocolMarket, Rate } from '../market-adapter.ts'
import type { Protocol } from '../protocol.ts'
import { callOf } from '../shared/contract-call.ts'
import { vaultReadings, vaultSteps } from '../shared/erc4626-vault.ts'
import { perTick } from '../shared/rate-units.ts'
import { checkYearnV3Calldata, exits, maxLoss } from './calldata-check.ts'
import type { YearnV3Constants } from './constants-schema.ts'

/** The profit of a vault of Yearn v3: it burns shares of its own at this rate per second, scaled by 1e12, until a date (source: VaultV3.vy). */
const unlockingAbi = parseAbi([
  'function profitUnlockingRate() view returns (uint256)',
  'function fullProfitUnlockDate() view returns (uint256)',
  'function totalSupply() view returns (uint256)',
])

/** The limit of a withdrawal that accepts a loss: without the loss it is zero as soon as a strategy has lost a unit (source: VaultV3.vy, maxWithdraw). */
const lossyLimitAbi = parseAbi([
  'function maxWithdraw(address owner, uint256 maxLoss, address[] strategies) view returns (uint256)',
])

/** How much a vault pays an owner now, at the loss that our withdrawals accept; `null` without an answer. */
function* mostOut(vault: Address, owner: Address): Rounds<bigint | null> {
  const [most] = yield [contract(vault, lossyLimitAbi)('maxWithdraw', owner, maxLoss, [])]
  return (most as bigint | undefined) ?? null
}

const names = ['profitUnlockingRate', 'fullProfitUnlockDate', 'totalSupply'] as const

/**
 * The current rate of a vault of Yearn v3: the share of its supply that it burns per second, which raises the price of the rest. `null` if it does not
 * answer, or if all reported profit is paid out.
 */
function* unlockingRate(vault: Address, { now }: Moment): Rounds<Rate | null> {
  const answers = yield names.map((functionName): Call => contract(vault, unlockingAbi)(functionName))
  if (answers.includes(undefined)) return null
  const [each, until, supply] = answers as [bigint, bigint, bigint]
  if (until <= BigInt(now) || each === 0n || supply === 0n) return null
  return perTick((each * 10n ** 6n) / supply, 31_536_000)
}

/** A vault of Yearn v3: ERC-4626, but withdrawals limit the loss; without that, a redemption accepts any loss (source: VaultV3.vy). */
const market = (entry: StrategyEntry, { vault }: YearnV3Constants): ProtocolMarket => {
  const { chainId } = entry
  const leave = (functionName: 'withdraw' | 'redeem', amount: bigint, owner: Address): Transaction =>
    callOf({ chainId, to: vault }, { abi: exits, functionName, args: [amount, owner, owner, maxLoss] })
  return {
    entry,
    ...vaultReadings(entry, { vault }),
    mostOut: (owner) => mostOut(vault, owner),
    rate: (at) => unlockingRate(vault, at),
    ...vaultSteps(entry, vault),
    withdraw: ({ amount, owner }) => ({ transaction: leave('withdraw', amount, owner) }),
    withdrawAll: ({ owner, shares }) => ({ transaction: leave('redeem', shares, owner) }),
  }
}

/** The vaults of Yearn v3. */
export const yearnV3: Protocol<YearnV3Constants> = {
  grade: { grade: 'C', by: 'yearn/yearn-vaults-v3, VaultV3.vy' },
  description: (symbol) =>
    `A vault that puts ${symbol} into the strategies that its managers choose. The value of a share grows as these earn.`,
  rateConvention: () => 'the profit paid out per second, compounded every second over 365 days',
  ...vaultProtocol(checkYearnV3Calldata),
  market,
}
