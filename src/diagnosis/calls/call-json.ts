import type { Address } from '../../domain/address.ts'
import { formatAmount, type TokenAmount, tokenAmount, unlimitedThreshold } from '../../domain/amount.ts'
import type { Network } from '../../domain/networks.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import type { CallArgument, CallKind, DescribedCall, TokenUnits } from '../../protocols/call-description.ts'
import type { Catalog } from '../../protocols/catalog-types.ts'
import { amountText, isCoinAddress, knownToken } from './describe-call.ts'
import type { Move, ReceiptMoves } from './receipt-moves.ts'

/** An amount as JSON prints it: `native` for the coin; without symbol, decimals and amount for an unknown token. */
export type MovedAmount = {
  token: Address | 'native'
  symbol: string | null
  decimals: number | null
  units: string
  amount: string | null
}

/** A move as JSON prints it. */
export type MoveJson = MovedAmount & {
  direction: 'in' | 'out'
  holder: Address
  debt: boolean
  inferred: boolean
}

/** A call as JSON prints it. */
export type CallJson = {
  to: Address | null
  contract: string | null
  decoded: boolean
  kind: CallKind
  function: string | null
  arguments: readonly CallArgument[]
  text: string
  gives: readonly MovedAmount[]
  calls: readonly CallJson[]
  unread: readonly string[]
}

/** What a mined transaction did, as JSON prints it: its call, and what it moved by its logs and its value. */
export type TransactionJson = CallJson & {
  network: string
  chainId: number
  from: Address
  value: TokenAmount
  status: 'pending' | 'success' | 'reverted'
  revertReason: string | null
  fee: TokenAmount | null
  moves: readonly MoveJson[]
  approvals: readonly (MovedAmount & { spender: Address; unlimited: boolean })[]
  nfts: readonly { token: Address; id: string; direction: 'in' | 'out'; holder: Address }[]
  unseen: readonly string[]
}

function movedAmount(catalog: Catalog, network: Network, { token, units }: TokenUnits): MovedAmount {
  const isCoin = isCoinAddress(token)
  const unit = isCoin ? network.native : knownToken(catalog, network.chainId, token)
  const shown = unit && tokenAmount(units, unit)
  return {
    token: isCoin ? 'native' : token,
    symbol: unit ? sanitizeText(unit.symbol) : null,
    decimals: unit?.decimals ?? null,
    units: units.toString(),
    amount: shown?.formatted ?? null,
  }
}

export const callJson = (catalog: Catalog, network: Network, call: DescribedCall): CallJson => ({
  to: call.to,
  contract: call.contract,
  decoded: call.isDecoded,
  kind: call.kind,
  function: call.signature,
  arguments: call.args,
  text: call.text,
  gives: call.gives.map((one) => movedAmount(catalog, network, one)),
  calls: call.calls.map((one) => callJson(catalog, network, one)),
  unread: call.unread,
})

export const transactionJson = (
  catalog: Catalog,
  network: Network,
  {
    from,
    value,
    call,
    moved,
    ...rest
  }: {
    from: Address
    value: bigint
    call: DescribedCall
    moved: ReceiptMoves
    status: TransactionJson['status']
    revertReason: string | null
    fee: bigint | null
  },
): TransactionJson => ({
  network: network.name,
  chainId: network.chainId,
  from,
  ...callJson(catalog, network, call),
  value: tokenAmount(value, network.native),
  status: rest.status,
  revertReason: rest.revertReason,
  fee: rest.fee === null ? null : tokenAmount(rest.fee, network.native),
  moves: moved.moves.map((one) => ({
    ...movedAmount(catalog, network, one),
    direction: one.direction,
    holder: one.holder,
    debt: one.isDebt,
    inferred: one.isInferred,
  })),
  approvals: moved.approvals.map((one) => ({
    ...movedAmount(catalog, network, one),
    ...(one.units >= unlimitedThreshold && { amount: 'unlimited' }),
    spender: one.spender,
    unlimited: one.units >= unlimitedThreshold,
  })),
  nfts: moved.nfts.map((one) => ({ ...one, id: one.id.toString() })),
  unseen: moved.unseen,
})

/** What each account gave and got, in one sentence for each; `undefined` if nothing moved. */
export function movesText(
  catalog: Catalog,
  network: Network,
  { moves, nfts }: ReceiptMoves,
): string | undefined {
  const holders = [...new Set([...moves, ...nfts].map(({ holder }) => holder.toLowerCase()))]
  const sentences = holders.map((lower) => {
    const own = moves.filter(({ holder }) => holder.toLowerCase() === lower)
    const ids = nfts.filter(({ holder }) => holder.toLowerCase() === lower)
    const side = (direction: 'in' | 'out') =>
      [
        ...own.flatMap((one) => (one.direction === direction ? [moveText(catalog, network, one)] : [])),
        ...ids.flatMap((one) => (one.direction === direction ? [`number ${one.id} of ${one.token}`] : [])),
      ].join(' and ')
    const [gave, got] = [side('out'), side('in')]
    const who = own[0]?.holder ?? ids[0]!.holder
    return `${who} ${[...(gave ? [`gave ${gave}`] : []), ...(got ? [`got ${got}`] : [])].join(' and ')}`
  })
  return sentences.length === 0 ? undefined : `${sentences.join('; ')}.`
}

const moveText = (catalog: Catalog, network: Network, { token, units, isDebt, isInferred }: Move): string =>
  `${amountText(catalog, network, token, units)}${isDebt ? ' (a debt)' : ''}${isInferred ? ' (unwrapped by the called contract for it)' : ''}`

/** A fee in the coin of a network. */
export const feeText = (network: Network, fee: bigint): string => formatAmount(fee, network.native)
