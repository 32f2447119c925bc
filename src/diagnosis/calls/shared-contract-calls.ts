import { multicall3Abi } from 'viem'
import { parseAbi } from 'viem/utils'
import { permit2Abi } from '../../chain/permit2.ts'
import type { Address, Hex } from '../../domain/address.ts'
import { momentText } from '../../domain/text/time-spans.ts'
import {
  isEverything,
  joinTexts,
  kindOfAll,
  type RawCall,
  type Teller,
  type Telling,
  teller,
  type Words,
} from '../../protocols/call-description.ts'

/** Other forms of several calls in one (Multicall3.sol, as `multicall3Abi` of viem). */
const multicalls = parseAbi([
  'struct Plain { address target; bytes callData; }',
  'struct Valued { address target; bool allowFailure; uint256 value; bytes callData; }',
  'function aggregate(Plain[] calls) payable returns (uint256 blockNumber, bytes[] returnData)',
  'function tryAggregate(bool requireSuccess, Plain[] calls) payable returns ((bool success, bytes returnData)[] returnData)',
  'function blockAndAggregate(Plain[] calls) payable returns (uint256 blockNumber, bytes32 blockHash, (bool success, bytes returnData)[] returnData)',
  'function tryBlockAndAggregate(bool requireSuccess, Plain[] calls) payable returns (uint256 blockNumber, bytes32 blockHash, (bool success, bytes returnData)[] returnData)',
  'function aggregate3Value(Valued[] calls) payable returns ((bool success, bytes returnData)[] returnData)',
])

const several = (
  calls: readonly { target: Address; callData: Hex; value?: bigint }[],
  { inner }: Words,
): Telling => {
  const described = calls.map(({ target, callData, value = 0n }) =>
    inner({ to: target, value, data: callData }),
  )
  return {
    kind: kindOfAll(described),
    text: `in one call: ${joinTexts(described) || 'nothing'}`,
    calls: described,
  }
}

// viem's ABI has `aggregate3` as a payable function, typed as a view by its name alone.
const aggregate3 = multicall3Abi.filter((item) => 'name' in item && item.name === 'aggregate3')

/** What calls of Multicall3 do. */
export const multicall3Tellers: readonly Teller[] = [
  {
    item: aggregate3[0] as Teller['item'],
    kind: 'other',
    tell: ([calls], say) => several(calls as readonly { target: Address; callData: Hex }[], say),
  },
  teller(multicalls, 'aggregate', 'other', ([calls], say) => several(calls, say)),
  teller(multicalls, 'tryAggregate', 'other', ([, calls], say) => several(calls, say)),
  teller(multicalls, 'blockAndAggregate', 'other', ([calls], say) => several(calls, say)),
  teller(multicalls, 'tryBlockAndAggregate', 'other', ([, calls], say) => several(calls, say)),
  teller(multicalls, 'aggregate3Value', 'other', ([calls], say) => several(calls, say)),
]

const details = 'struct Details { address token; uint160 amount; uint48 expiration; uint48 nonce; }'

/** Transfers, revocations and signed allowances (`@uniswap/permit2-sdk` 1.4.0, Permit2.json). */
const moves = parseAbi([
  'function transferFrom(address from, address to, uint160 amount, address token)',
  'function lockdown((address token, address spender)[] approvals)',
  'function invalidateNonces(address token, address spender, uint48 newNonce)',
  'function invalidateUnorderedNonces(uint256 wordPos, uint256 mask)',
])
const batch = parseAbi([
  'function transferFrom((address from, address to, uint160 amount, address token)[] transferDetails)',
])
const permit = parseAbi([
  details,
  'struct Single { Details details; address spender; uint256 sigDeadline; }',
  'function permit(address owner, Single permitSingle, bytes signature)',
])
const permits = parseAbi([
  details,
  'struct Batch { Details[] details; address spender; uint256 sigDeadline; }',
  'function permit(address owner, Batch permitBatch, bytes signature)',
])
const signed = parseAbi([
  'function permitTransferFrom(((address token, uint256 amount) permitted, uint256 nonce, uint256 deadline) permit, (address to, uint256 requestedAmount) transferDetails, address owner, bytes signature)',
  'function permitWitnessTransferFrom(((address token, uint256 amount) permitted, uint256 nonce, uint256 deadline) permit, (address to, uint256 requestedAmount) transferDetails, address owner, bytes32 witness, string witnessTypeString, bytes signature)',
])

const allowance = (say: Words, token: Address, units: bigint): string =>
  isEverything(units) ? `an unlimited amount of ${say.token(token)}` : say.amount(token, units)

const until = (seconds: number): string => {
  const time = new Date(seconds * 1_000)
  return Number.isNaN(time.getTime()) ? 'without an end' : `until ${momentText(time.getTime())}`
}

/** What calls of Permit2 do. */
export const permit2Tellers: readonly Teller[] = [
  teller(permit2Abi, 'approve', 'approve', ([token, spender, units, expiration], say) => ({
    text: `allows ${spender} to spend ${allowance(say, token, units)} through Permit2 ${until(expiration)}`,
  })),
  teller(moves, 'transferFrom', 'transfer', ([from, to, units, token], say) => ({
    text: `sends ${say.amount(token, units)} of ${from} to ${to} by a Permit2 allowance`,
    holders: [from, to],
  })),
  teller(batch, 'transferFrom', 'transfer', ([all], say) => ({
    text: `${all.map(({ from, to, amount, token }) => `sends ${say.amount(token, amount)} of ${from} to ${to}`).join('; ') || 'sends nothing'} by Permit2 allowances`,
    holders: all.flatMap(({ from, to }) => [from, to]),
  })),
  teller(moves, 'lockdown', 'other', ([all], say) => ({
    text: `revokes ${all.length} Permit2 ${all.length === 1 ? 'allowance' : 'allowances'}: ${all.map(({ token, spender }) => `of ${spender} for ${say.token(token)}`).join(', ')}`,
  })),
  teller(moves, 'invalidateNonces', 'other', ([token, spender], say) => ({
    text: `cancels unused Permit2 signatures for ${spender} and ${say.token(token)}; nothing moves`,
  })),
  teller(moves, 'invalidateUnorderedNonces', 'other', () => ({
    text: 'cancels unused Permit2 signatures; nothing moves',
  })),
  teller(permit, 'permit', 'approve', ([owner, { details: one, spender }], say) => ({
    text: `allows ${spender} to spend ${allowance(say, one.token, one.amount)} of ${owner} through Permit2 ${until(one.expiration)}, by a signature`,
  })),
  teller(permits, 'permit', 'approve', ([owner, { details: all, spender }], say) => ({
    text: `allows ${spender} to spend ${all.map(({ token, amount }) => allowance(say, token, amount)).join(' and ')} of ${owner} through Permit2, by a signature`,
  })),
  teller(
    signed,
    'permitTransferFrom',
    'transfer',
    ([{ permitted }, { to, requestedAmount }, owner], say) => ({
      text: `sends ${say.amount(permitted.token, requestedAmount)} of ${owner} to ${to} by a Permit2 signature`,
      holders: [owner, to],
    }),
  ),
  teller(
    signed,
    'permitWitnessTransferFrom',
    'transfer',
    ([{ permitted }, { to, requestedAmount }, owner], say) => ({
      text: `sends ${say.amount(permitted.token, requestedAmount)} of ${owner} to ${to} by a Permit2 signature`,
      holders: [owner, to],
      unread: ['the terms that were signed with it'],
    }),
  ),
]

/** The call of an account contract that executes another one (`@safe-global/safe-deployments`, Safe.json). */
const safe = parseAbi([
  'function execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures) payable returns (bool success)',
])

/** The calls of an account of ERC-4337 that execute others (viem 2.57.1, toSimple7702SmartAccount.ts). */
const account = parseAbi([
  'function execute(address target, uint256 value, bytes data)',
  'function executeBatch((address target, uint256 value, bytes data)[] calls)',
])
const isAccount = 'an account that executes what it is told (ERC-4337)'

const executedCall = ([to, value, data]: readonly unknown[]): RawCall[] => [
  { to: to as Address, value: value as bigint, data: data as Hex },
]

const executedCalls = ([calls]: readonly unknown[]): RawCall[] =>
  (calls as { target: Address; value: bigint; data: Hex }[]).map(({ target, value, data }) => ({
    to: target,
    value,
    data,
  }))

/**
 * Calls whose contract is not in the catalogue, but whose function is that of accounts of which every user has an own one: what it would do if
 * the contract is such an account. Never taken for certain.
 */
export const conditionalCalls: readonly {
  item: Teller['item']
  ifIs: string
  inside: (args: readonly unknown[]) => RawCall[]
}[] = [
  {
    item: safe[0],
    ifIs: 'a Safe',
    inside: executedCall,
  },
  { item: account[0], ifIs: isAccount, inside: executedCall },
  { item: account[1], ifIs: isAccount, inside: executedCalls },
]
