import { formatUnits, keccak256 } from 'viem/utils'
import { type Call, contract, encodeCall } from '../../chain/call.ts'
import type { ChainClient } from '../../chain/chain-client.ts'
import {
  type ChainSnapshot,
  type ConsistentHead,
  refuseMissingTransactions,
} from '../../chain/consistent-head.ts'
import { erc20 } from '../../chain/erc20.ts'
import { ethCall } from '../../chain/eth-call.ts'
import { capFees, feesAt, type GasFees, readTips } from '../../chain/gas-fees.ts'
import type { Head } from '../../chain/head.ts'
import { nonceCountIn, nonceCountRequest } from '../../chain/nonce-count.ts'
import { quantity } from '../../chain/rpc/quantities.ts'
import { requestAtBlock } from '../../chain/rpc/request-at-block.ts'
import { type Address, type Hex, sameAddress } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import { AppError } from '../../domain/errors.ts'
import { sandboxNetworks } from '../../domain/networks.ts'
import { sluice } from '../../domain/text/next-step.ts'
import type { Token, Unit } from '../../domain/token.ts'
import { stakewiseAbi } from '../../protocols/stakewise/abi.ts'

type Question = {
  rpc: ChainClient
  network?: string
  wallet: Address
  tokens: readonly Token[]
  allowances: readonly { token: Address; spender: Address }[]
  needs?: readonly { token: Token; amount: bigint }[]
  maxFeePerGas?: bigint | null
  snapshot?: ChainSnapshot | undefined
}

/** The state of a wallet at a block: nonce, coin, balances, allowances, code, and fees. */
export type WalletState = {
  head: Head
  fees: GasFees
  nonce: number
  coin: bigint
  codeHash: Hex
  balances: bigint[]
  allowed: bigint[]
}

/** The reads that show a leg's effects: a balance for each token, then an allowance for each pair. */
export const walletStateReads = ({ tokens, allowances, wallet }: Omit<Question, 'rpc'>): Call<bigint>[] => [
  ...tokens.map((token) => balanceRead(token, wallet)),
  ...allowances.map(({ token, spender }) => erc20.allowance(token, wallet, spender)),
]

/** The balance read of an account at a token, or at a vault that keeps shares internally. */
export const balanceRead = ({ address, isShares }: Token, account: Address): Call<bigint> =>
  isShares ? contract(address, stakewiseAbi)('getShares', account) : erc20.balanceOf(address, account)

/** The first 32 bytes of an answer as a number. */
export const firstWord = (data: unknown, what: string): bigint => {
  if (typeof data !== 'string' || !/^0x[0-9a-f]{64}/i.test(data))
    throw new AppError('RPC_INCONSISTENT', `The node returns no number for ${what}`)
  return BigInt(data.slice(0, 66))
}

/** The error for a wallet that lacks a token or coin on a chain: INSUFFICIENT_FUNDS. */
export function insufficientFunds(ask: {
  wallet: Address
  unit: Unit
  network: string | undefined
  held: bigint
  needed: bigint
  verb: string
}): AppError {
  const { wallet, unit, network, held, needed, verb } = ask
  return new AppError(
    'INSUFFICIENT_FUNDS',
    `${wallet} has ${formatAmount(held, unit)}${network === undefined ? '' : ` on ${network}`} and ${verb} ${formatAmount(needed, unit)}: ${formatAmount(needed - held, unit)} missing`,
    {
      details: {
        symbol: unit.symbol,
        held: held.toString(),
        needed: needed.toString(),
        missing: (needed - held).toString(),
        ...(network !== undefined && { network }),
      },
      next: sandboxNetworks.some(({ name }) => name === network)
        ? sluice('sandbox fund', wallet, {
            '--token': unit.symbol,
            '--amount': formatUnits(needed - held, unit.decimals),
          })
        : sluice('wallet show', wallet),
    },
  )
}

/**
 * Reads the wallet at a block by hash. INSUFFICIENT_FUNDS if the leg needs more; RPC_INCONSISTENT if a node has a transaction of the
 * wallet that is not in that block.
 */
export async function readWalletState(question: Question, common: ConsistentHead): Promise<WalletState> {
  const { head } = common
  const { rpc, wallet, tokens, needs = [] } = question
  const others = needs.filter(
    ({ token }) => !tokens.some((known) => sameAddress(known.address, token.address)),
  )
  const reads = [...walletStateReads(question), ...others.map(({ token }) => balanceRead(token, wallet))]
  const asked = requestAtBlock(rpc, head, (at) =>
    rpc.batch([
      nonceCountRequest(wallet, at),
      ['eth_getBalance', [wallet, at]],
      ['eth_getCode', [wallet, at]],
      ...reads.map((read) => ethCall(encodeCall(read), at)),
    ]),
  )
  const tips = question.snapshot ? question.snapshot.tips : readTips(rpc)
  const [[count, coin, code, ...answers], fees] = await Promise.all([
    asked,
    Promise.resolve(tips).then((said) => feesAt(head, said)),
  ])
  const nonce = nonceCountIn(count)
  refuseMissingTransactions(rpc, common, { wallet, nonce })
  const values = answers.map((answer) => firstWord(answer, 'a token balance'))
  for (const { token, amount } of needs) {
    const known = tokens.findIndex(({ address }) => sameAddress(address, token.address))
    const other = others.findIndex((one) => one.token === token)
    const held = values[known < 0 ? tokens.length + question.allowances.length + other : known]!
    if (held >= amount) continue
    throw insufficientFunds({
      wallet,
      unit: token,
      network: question.network,
      held,
      needed: amount,
      verb: 'needs',
    })
  }
  return {
    head,
    fees: capFees(fees, head, question.maxFeePerGas),
    nonce,
    coin: quantity(coin, 'the balance'),
    codeHash: keccak256(typeof code === 'string' && /^0x([0-9a-f]{2})*$/i.test(code) ? (code as Hex) : '0x'),
    balances: values.slice(0, tokens.length),
    allowed: values.slice(tokens.length, tokens.length + question.allowances.length),
  }
}
