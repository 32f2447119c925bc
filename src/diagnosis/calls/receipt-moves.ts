import { getAddress, size, toEventSelector } from 'viem/utils'
import { transferTopic } from '../../chain/erc20.ts'
import { type Address, type Hex, nativeAddress, sameAddress } from '../../domain/address.ts'
import type { Network } from '../../domain/networks.ts'
import { wrappedOn } from '../../domain/token.ts'
import type { DescribedCall } from '../../protocols/call-description.ts'
import type { CallLog } from '../../protocols/call-logs.ts'
import type { Catalog } from '../../protocols/catalog-types.ts'
import { describedContractsAt, knownToken } from './describe-call.ts'

/**
 * The net change of a token for an account in one transaction, in the smallest unit; the zero address is the native coin. `isDebt`: the token
 * stands for a debt. `isInferred`: coin that the called contract unwrapped, which no log shows reaching the account.
 */
export type Move = {
  token: Address
  units: bigint
  direction: 'in' | 'out'
  holder: Address
  isDebt: boolean
  isInferred: boolean
}

/** An allowance that an event of the transaction states. */
export type ApprovalEvent = { token: Address; spender: Address; units: bigint }

/** A token without an amount, by its number. */
export type NftMove = { token: Address; id: bigint; direction: 'in' | 'out'; holder: Address }

/** What a transaction moved for its sender and for the accounts that its call and the events of the called contract name. */
export type ReceiptMoves = {
  moves: readonly Move[]
  approvals: readonly ApprovalEvent[]
  nfts: readonly NftMove[]
  /** What logs cannot show. */
  unseen: readonly string[]
}

const approvalTopic = toEventSelector(
  'event Approval(address indexed owner, address indexed spender, uint256 value)',
)
const wrapTopic = toEventSelector('event Deposit(address indexed dst, uint256 wad)')
const unwrapTopic = toEventSelector('event Withdrawal(address indexed src, uint256 wad)')

const accountOf = (topic: Hex): Address => getAddress(`0x${topic.slice(26)}`)

/** One change of a balance by a log. */
type Change = { token: Address; holder: Address; units: bigint; isMint: boolean }

/** A call with all calls inside it. */
const withInner = (call: DescribedCall): DescribedCall[] => [call, ...call.calls.flatMap(withInner)]

/** The sum of the changes of each token and holder; only what was minted throughout is a mint. */
function changeSums(): { sums: ReadonlyMap<string, Change>; add: (change: Change) => void } {
  const sums = new Map<string, Change>()
  const add = (change: Change) => {
    const key = `${change.token} ${change.holder}`.toLowerCase()
    const before = sums.get(key)
    sums.set(key, {
      ...change,
      units: change.units + (before?.units ?? 0n),
      isMint: change.isMint && (before?.isMint ?? true),
    })
  }
  return { sums, add }
}

/** The move of a changed balance; none if it came out even. */
const moveOf = ({ token, holder, units }: Change, isDebt: boolean): Move[] =>
  units === 0n
    ? []
    : [
        {
          token,
          units: units < 0n ? -units : units,
          direction: units < 0n ? 'out' : 'in',
          holder,
          isDebt,
          isInferred: false,
        },
      ]

/** The approval of an ERC-20 token that a log shows of an owner. */
const approvalBy = (
  from: Address,
  { address: token, topics: [event, owner, spender, third], data }: CallLog,
): ReceiptMoves['approvals'][number][] =>
  event === approvalTopic &&
  owner &&
  spender &&
  third === undefined &&
  size(data) === 32 &&
  sameAddress(accountOf(owner), from)
    ? [{ token, spender: accountOf(spender), units: BigInt(data) }]
    : []

/** A transaction with the logs of its receipt. */
type MinedCall = { from: Address; to: Address | null; value: bigint; logs: readonly CallLog[]; ok: boolean }

/** What the logs of the called contract say, if it is described. */
function toldByLogs(
  catalog: Catalog,
  chainId: number,
  to: Address | null,
  logs: readonly CallLog[],
  named: readonly Address[],
) {
  if (to === null) return undefined
  const contract = describedContractsAt(catalog, chainId, to).find((one) => 'logs' in one && one.logs)
  return contract?.logs?.(
    logs.filter(({ address }) => sameAddress(address, to)),
    named,
  )
}

/** The coin that the called contract paid to its only payee: surely what it unwrapped, if it unwrapped once. */
function inferredPayout(
  to: Address | null,
  payees: readonly Address[],
  unwraps: readonly { account: Address; units: bigint }[],
): Move[] {
  const [holder] = payees
  const [unwrapped, ...more] = unwraps.filter(({ account }) => to !== null && sameAddress(account, to))
  if (!holder || payees.length > 1 || !unwrapped || more.length > 0) return []
  const { units } = unwrapped
  return [{ token: nativeAddress, units, direction: 'in', holder, isDebt: false, isInferred: true }]
}

/** What a receipt shows; a reverted transaction moved nothing. */
export function movesOfReceipt(
  catalog: Catalog,
  network: Network,
  { from, to, value, logs: shown, ok }: MinedCall,
  call: DescribedCall,
): ReceiptMoves {
  if (!ok) return { moves: [], approvals: [], nfts: [], unseen: [] }
  const { chainId } = network
  // Nodes write addresses in lower case.
  const logs = shown.map((log) => ({ ...log, address: getAddress(log.address) }))
  const all = withInner(call)
  const named = all.flatMap(({ holders }) => holders)
  const told = toldByLogs(catalog, chainId, to, logs, named)
  const holders = unique([from, ...named, ...(told?.holders ?? [])]).filter((one) => BigInt(one) !== 0n)
  const wrapped = wrappedOn(catalog, chainId)
  const changes = changesOf(logs, wrapped, from).filter(({ holder }) =>
    holders.some((one) => sameAddress(one, holder)),
  )
  const unwraps = logs.flatMap((log) => wrappedLog(log, wrapped, unwrapTopic))
  const { sums, add } = changeSums()
  const coin = (holder: Address, units: bigint) => add({ token: nativeAddress, holder, units, isMint: false })
  for (const change of changes) add(change)
  if (value > 0n) {
    coin(from, -value)
    const payee = to !== null && holders.find((one) => sameAddress(one, to))
    if (payee) coin(payee, value)
  }
  // The contract of the wrapped coin pays out to who unwraps.
  for (const { account, units } of unwraps) {
    const holder = holders.find((one) => sameAddress(one, account) && !(to !== null && sameAddress(one, to)))
    if (holder) coin(holder, units)
  }
  for (const { to: payee, units } of told?.coins ?? []) coin(payee, units)
  // The wrapped coin of some chains logs no unwrapping, only that it burns.
  const burned = unlogged(call, changes, { from, wrapped, isLogged: unwraps.length > 0 })
  if (burned > 0n) coin(from, burned)
  const payees = unique(
    all.flatMap(({ paysCoinTo }) => (paysCoinTo === 'caller' ? [from] : paysCoinTo ? [paysCoinTo] : [])),
  )
  const isToldOf =
    payees[0] !== undefined && (sums.get(`${nativeAddress} ${payees[0]}`.toLowerCase())?.units ?? 0n) > 0n
  const inferred = isToldOf ? [] : inferredPayout(to, payees, unwraps)
  const isDebt = all.some((one) => one.isDebt)
  const moves = [...sums.values()].flatMap((change) =>
    moveOf(change, isDebt && change.isMint && !knownToken(catalog, chainId, change.token)),
  )
  const twins = twinsOf(logs, catalog, chainId)
  return {
    moves: [...moves.filter(({ token }) => !twins.some((one) => sameAddress(one, token))), ...inferred],
    approvals: logs.flatMap((log) => approvalBy(from, log)),
    nfts: logs.flatMap((log) => nftMoves(log, holders)),
    unseen: [
      ...twins.map(
        (one) => `${one} logs the same transfers as a token of the catalogue: they are counted once`,
      ),
      ...(payees.length > 0 && !isToldOf && inferred.length === 0
        ? [`how much ${network.native.symbol} it paid out: internal calls are in no log`]
        : []),
    ],
  }
}

/** Coin that a call of the wrapped coin itself paid to the sender, by what it burned without a log of its own; zero otherwise. */
function unlogged(
  { to, paysCoinTo }: DescribedCall,
  changes: readonly Change[],
  { from, wrapped, isLogged }: { from: Address; wrapped: Address | undefined; isLogged: boolean },
): bigint {
  if (isLogged || paysCoinTo !== 'caller' || !wrapped || !to || !sameAddress(to, wrapped)) return 0n
  return -changes.reduce(
    (sum, { token, holder, units, isMint }) =>
      isMint && units < 0n && sameAddress(token, wrapped) && sameAddress(holder, from) ? sum + units : sum,
    0n,
  )
}

/** Unknown tokens whose transfers are all those of a token of the catalogue: a second contract of the same token, as EURe has on Gnosis. */
function twinsOf(logs: readonly CallLog[], catalog: Catalog, chainId: number): Address[] {
  const transfers = new Map<string, string[]>()
  for (const { address, topics, data } of logs)
    if (topics[0] === transferTopic && topics.length === 3)
      transfers.set(address.toLowerCase(), [
        ...(transfers.get(address.toLowerCase()) ?? []),
        `${topics.join()} ${data}`,
      ])
  const all = [...transfers].map(([token, list]) => ({
    token: token as Address,
    list: list.toSorted().join('|'),
  }))
  return all.flatMap(({ token, list }) =>
    !knownToken(catalog, chainId, token) &&
    all.some((one) => one.list === list && knownToken(catalog, chainId, one.token))
      ? [token]
      : [],
  )
}

const unique = (accounts: readonly Address[]): Address[] =>
  accounts.filter((one, at) => accounts.findIndex((other) => sameAddress(one, other)) === at)

/**
 * Every change of a balance: transfers of ERC-20, and the wrapped coin's own events where it logs no transfer beside them. Coin that an account
 * other than the sender wraps came to it by an internal call, so that wrapping it is not counted as received.
 */
function changesOf(logs: readonly CallLog[], wrapped: Address | undefined, from: Address): Change[] {
  const transfers = logs.flatMap(({ address: token, topics: [event, from, to, third], data }): Change[] => {
    if (event !== transferTopic || !from || !to || third !== undefined || size(data) !== 32) return []
    const units = BigInt(data)
    const isMint = BigInt(from) === 0n || BigInt(to) === 0n
    return [
      { token, holder: accountOf(from), units: -units, isMint },
      { token, holder: accountOf(to), units, isMint },
    ]
  })
  const unmatched = transfers.filter(({ isMint, token }) => isMint && wrapped && sameAddress(token, wrapped))
  const own = logs.flatMap((log) =>
    [
      ...wrappedLog(log, wrapped, wrapTopic).map((one) => ({ ...one, sign: 1n })),
      ...wrappedLog(log, wrapped, unwrapTopic).map((one) => ({ ...one, sign: -1n })),
    ].flatMap(({ account, units, sign }): Change[] => {
      const at = unmatched.findIndex((one) => sameAddress(one.holder, account) && one.units === sign * units)
      if (at >= 0) {
        unmatched.splice(at, 1)
        return []
      }
      if (sign > 0n && !sameAddress(account, from)) return []
      return [{ token: log.address, holder: account, units: sign * units, isMint: true }]
    }),
  )
  return [...transfers, ...own]
}

/** A wrapping or unwrapping of the wrapped coin; empty for any other log. */
function wrappedLog(
  { address, topics: [event, account, more], data }: CallLog,
  wrapped: Address | undefined,
  topic: Hex,
): { account: Address; units: bigint }[] {
  const isOwn =
    wrapped !== undefined && sameAddress(address, wrapped) && event === topic && more === undefined
  return isOwn && account && size(data) === 32 ? [{ account: accountOf(account), units: BigInt(data) }] : []
}

function nftMoves(
  { address: token, topics: [event, from, to, id] }: CallLog,
  holders: readonly Address[],
): NftMove[] {
  if (event !== transferTopic || !from || !to || !id || sameAddress(from, to)) return []
  return holders.flatMap((holder): NftMove[] =>
    [
      { account: from, direction: 'out' as const },
      { account: to, direction: 'in' as const },
    ].flatMap(({ account, direction }) =>
      sameAddress(accountOf(account), holder) ? [{ token, id: BigInt(id), direction, holder }] : [],
    ),
  )
}
