import { decodeEventLog } from 'viem/utils'
import { contract, type Rounds } from '../../chain/call.ts'
import { erc20, erc20Abi } from '../../chain/erc20.ts'
import { type Address, sameAddress } from '../../domain/address.ts'
import type { StrategyEntry } from '../catalog-types.ts'
import type { Bounds, Log, LogFilter, MarketEvent, MarketState, ProtocolMarket } from '../market-adapter.ts'
import { balance, readAmount } from '../shared/amount-reads.ts'
import { mustAnswer } from '../shared/contract-assertions.ts'
import { addressTopic, eventTopic } from '../shared/encode-topics.ts'
import { perTick, ray } from '../shared/rate-units.ts'
import { movementOf, transferEvent, transferLogs } from '../shared/transfers.ts'
import { psm3Abi as abi } from './abi.ts'
import type { SparkPsm3Constants } from './constants-schema.ts'
import { swapExactIn } from './encode.ts'
import { psm3Rate, psm3Units, psm3Worth } from './price.ts'

const none: Bounds = { least: 0n, isMature: false }

/** sUSDS as a bridged token: bought from a PSM and sold back to it, at the rate that is bridged from Ethereum. Withdrawals are limited by the funds of the PSM. */
export const sparkPsm3 = (entry: StrategyEntry, constants: SparkPsm3Constants): ProtocolMarket => {
  const { chainId, asset, receipt } = entry
  const { psm, oracle } = constants
  const rate = psm3Rate(constants)
  const leave = (amount: bigint, owner: Address, { least }: Bounds = none) => ({
    transaction: swapExactIn({
      chainId,
      psm,
      from: receipt.address,
      to: asset.address,
      amount,
      least,
      owner,
    }),
    needs: { token: receipt.address, spender: psm, amount },
  })
  return {
    entry,
    contractAssertions: [
      mustAnswer('the USDC of the PSM', contract(psm, abi)('usdc'), asset.address),
      mustAnswer('the sUSDS of the PSM', contract(psm, abi)('susds'), receipt.address),
      mustAnswer('the rate of the oracle', contract(oracle, abi)('getSSR'), 'a rate', (rate) =>
        (rate as bigint) >= ray ? 'a rate' : rate,
      ),
    ],
    state: {
      reads: [
        psm3Rate(constants),
        contract(oracle, abi)('getSSR'),
        contract(psm, abi)('totalAssets'),
        erc20.balanceOf(asset.address, psm),
        erc20.balanceOf(receipt.address, psm),
        { address: psm, abi, functionName: 'pocket', refused: psm },
      ],
      parse: ([rate, each, all, idle, there, pocket]: readonly unknown[]): MarketState => ({
        ...perTick((each as bigint) - ray, 31_536_000, ray),
        tvl: (all as bigint) / 10n ** BigInt(18 - asset.decimals),
        index: rate as bigint,
        canDeposit: true,
        canWithdraw: true,
        headroom: psm3Worth(rate as bigint, there as bigint, asset),
        // What lies in another pocket is read for a withdrawal (`mostOut`).
        liquidity: sameAddress(pocket as Address, psm) ? (idle as bigint) : null,
      }),
    },
    index: { reads: [psm3Rate(constants)], parse: ([rate]) => rate as bigint },
    shares: (owner) => balance(receipt.address, owner),
    worth: (shares) => readAmount(rate, (said) => psm3Worth(said, shares, asset)),
    units: (amount) => readAmount(rate, (said) => psm3Units(said, amount, asset)),
    mostOut: () => usdcIn(psm, asset.address),
    deposit: ({ amount, owner, bounds: { least } = none }) => ({
      transaction: swapExactIn({
        chainId,
        psm,
        from: asset.address,
        to: receipt.address,
        amount,
        least,
        owner,
      }),
      needs: { token: asset.address, spender: psm, amount },
    }),
    withdraw: ({ owner, units, bounds }) => leave(units ?? 0n, owner, bounds),
    withdrawAll: ({ owner, shares, bounds }) => leave(shares, owner, bounds),
    logs: (owner) => logsOf(psm, receipt.address, owner),
    event: (log, owner, inSame) => eventOf(log, owner, inSame, { psm, asset: asset.address }),
  }
}

/**
 * The USDC that a PSM can pay: it may lie in a `pocket` other than the PSM, which then also needs its allowance (source:
 * sparkdotfi/spark-psm, PSM3.sol). `null` if the PSM does not answer.
 */
function* usdcIn(psm: Address, usdc: Address): Rounds<bigint | null> {
  const token = contract(usdc, erc20Abi)
  const [pocket, here] = yield [contract(psm, abi)('pocket'), token('balanceOf', psm)]
  if (pocket === undefined || sameAddress(pocket as Address, psm)) return (here as bigint | undefined) ?? null
  const [there, allowed] = yield [
    token('balanceOf', pocket as Address),
    token('allowance', pocket as Address, psm),
  ]
  if (there === undefined || allowed === undefined) return null
  return (there as bigint) < (allowed as bigint) ? (there as bigint) : (allowed as bigint)
}

const logsOf = (psm: Address, receipt: Address, owner: Address): LogFilter[] => [
  ...transferLogs(receipt, owner),
  { address: psm, topics: [eventTopic(abi, 'Swap'), null, null, addressTopic(owner)] },
]

type Swap = { assetIn: Address; assetOut: Address; sender: Address; amountIn: bigint; amountOut: bigint }

/** A transfer from or to the PSM is a deposit or a withdrawal, at the amount of its `Swap` event; any other is a transfer. */
function eventOf(
  log: Log,
  owner: Address,
  inSame: readonly Log[],
  { psm, asset }: { psm: Address; asset: Address },
): MarketEvent | undefined {
  const movement = movementOf(log, owner)
  if (!movement) return undefined
  const { isIncoming, other, value } = movement
  const event = transferEvent(movement)
  if (!sameAddress(other, psm)) return event
  const swaps = inSame
    .filter(({ address }) => sameAddress(address, psm))
    .map(({ topics, data }) => decodeEventLog({ abi, topics: topics as never, data }).args as unknown as Swap)
    .filter(({ amountIn, amountOut }) => (isIncoming ? amountOut : amountIn) === value)
  const [only] = swaps
  const isPaid = only && swaps.length === 1 && sameAddress(isIncoming ? only.assetIn : only.assetOut, asset)
  const amount = isPaid ? (isIncoming ? only.amountIn : only.amountOut) : null
  return { ...event, type: isIncoming ? 'deposit' : 'withdraw', amount }
}
