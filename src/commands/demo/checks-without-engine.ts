import { askNumber } from '../../chain/ask.ts'
import { erc20 } from '../../chain/erc20.ts'
import { ethCall, type NodeCall, sendTo } from '../../chain/eth-call.ts'
import { readHeader, timeOf } from '../../chain/head.ts'
import { quantity } from '../../chain/rpc/quantities.ts'
import type { Backend } from '../../cli/backend-types.ts'
import { type Address, type Hex, nativeAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import type { Token } from '../../domain/token.ts'

/** Transfer(address,address,uint256) */
const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

type Receipt = {
  blockNumber: string
  status: string
  gasUsed: string
  effectiveGasPrice: string
  from: string
  logs: { address: string; topics: string[]; data: string }[]
}

/** Raw JSON-RPC to the nodes, so that the demo checks the chains without the engine. */
export function rawChain({ read }: Backend) {
  const nodeOf =
    (chainId: number): NodeCall =>
    (method, params) =>
      read(chainId, method, params)
  return {
    /** The balance of a token, or of the native coin where the token is the zero address. */
    balance: async (
      { chainId, address }: Pick<Token, 'chainId' | 'address'>,
      owner: Address,
    ): Promise<bigint> =>
      address === nativeAddress
        ? quantity(await read(chainId, 'eth_getBalance', [owner, 'latest']), 'the balance')
        : askNumber(nodeOf(chainId), erc20.balanceOf(address, owner), 'the balance'),
    /** The yearly rate of an Aave v3 reserve: the third word that `getReserveData` (0x35ea6a75) answers is `currentLiquidityRate`, in ray. */
    supplyApy: async (chainId: number, pool: Address, asset: Address): Promise<number> => {
      const data: Hex = `0x35ea6a75${asset.slice(2).toLowerCase().padStart(64, '0')}`
      const answer = await sendTo(nodeOf(chainId), ethCall({ to: pool, data }))
      if (typeof answer !== 'string' || answer.length < 2 + 3 * 64)
        throw new AppError('RPC_INCONSISTENT', 'The pool returned no reserve data')
      const apr = Number(BigInt(`0x${answer.slice(2 + 2 * 64, 2 + 3 * 64)}`)) / 1e27
      return (1 + apr / 31_536_000) ** 31_536_000 - 1
    },
    /** When the newest block was made, in Unix seconds. */
    time: async (chainId: number): Promise<number> => timeOf(await readHeader(nodeOf(chainId), 'latest')),
    receipt: async (chainId: number, hash: string): Promise<Receipt> => {
      const receipt = (await read(chainId, 'eth_getTransactionReceipt', [hash])) as Receipt | null
      if (receipt) return receipt
      throw new AppError('RPC_INCONSISTENT', `No receipt for ${hash}`)
    },
  }
}

/** The net amount of a token that a receipt moved for an owner. */
export function netTransferred(receipt: Receipt, token: string, owner: string): bigint {
  const word = owner.slice(2).toLowerCase().padStart(64, '0')
  let sum = 0n
  for (const { address, topics, data } of receipt.logs) {
    if (topics[0] !== transferTopic || address.toLowerCase() !== token.toLowerCase()) continue
    if (topics[2]?.slice(2) === word) sum += BigInt(data)
    if (topics[1]?.slice(2) === word) sum -= BigInt(data)
  }
  return sum
}

/** The gas that an owner paid in a receipt, in wei; zero if another account sent it. */
export const gasPaid = ({ from, gasUsed, effectiveGasPrice }: Receipt, owner: string): bigint =>
  from.toLowerCase() === owner.toLowerCase() ? BigInt(gasUsed) * BigInt(effectiveGasPrice) : 0n

/** Balances that grow with every block may be a few units apart between two reads. */
export const isNearlyEqual = (a: bigint, b: bigint) => (a > b ? a - b : b - a) <= 100n

/** The same rate, but for the last digits of two ways to compute it. */
export const isSameRate = (shown: number | null, read: number) =>
  shown !== null && Math.abs(shown - read) < 1e-6
