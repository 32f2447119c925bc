import type { AbiFunction } from 'viem'
import {
  entryPoint06Abi,
  entryPoint06Address,
  entryPoint07Abi,
  entryPoint07Address,
  entryPoint08Abi,
  entryPoint08Address,
  entryPoint09Abi,
  entryPoint09Address,
} from 'viem/account-abstraction'
import { getAddress } from 'viem/utils'
import type { Address, Hex } from '../../domain/address.ts'
import type { DescribedContract, Teller, Telling, Words } from '../../protocols/call-description.ts'

type UserOperation = { sender: Address; callData: Hex }

/**
 * Executed user operations: whose they are, and what each calls on its own account. An account's code is not in the catalogue, so what it does is said
 * only as a condition.
 */
function executed(operations: readonly UserOperation[], payee: Address, say: Words): Telling {
  const calls = operations.map(({ sender, callData }) => say.inner({ to: sender, value: 0n, data: callData }))
  const senders = [...new Set(operations.map(({ sender }) => getAddress(sender)))]
  const many = operations.length === 1 ? 'a user operation' : `${operations.length} user operations`
  const undone = calls.some(({ isDecoded }) => !isDecoded)
    ? '; what it makes an account do is not decoded'
    : ''
  return {
    text: `executes ${many} (ERC-4337) of ${senders.join(', ') || 'nobody'}, and pays the fees to ${getAddress(payee)}${undone}`,
    holders: senders,
    calls,
  }
}

const tellersOf = (abi: readonly unknown[]): Teller[] =>
  (abi as readonly AbiFunction[]).flatMap((item): Teller[] => {
    if (item.type !== 'function') return []
    if (item.name === 'handleOps')
      return [
        {
          item,
          kind: 'other',
          tell: ([operations, payee], say) =>
            executed(operations as readonly UserOperation[], payee as Address, say),
        },
      ]
    if (item.name !== 'handleAggregatedOps') return []
    return [
      {
        item,
        kind: 'other',
        tell: ([groups, payee], say) => {
          const all = groups as readonly { userOps: readonly UserOperation[] }[]
          return executed(
            all.flatMap(({ userOps }) => userOps),
            payee as Address,
            say,
          )
        },
      },
    ]
  })

/** The EntryPoint contracts of ERC-4337, at the same address on every chain (viem 2.57.1, account-abstraction). */
export const entryPoints: readonly DescribedContract[] = [
  { address: entryPoint06Address, name: 'EntryPoint 0.6', tellers: tellersOf(entryPoint06Abi) },
  { address: entryPoint07Address, name: 'EntryPoint 0.7', tellers: tellersOf(entryPoint07Abi) },
  { address: entryPoint08Address, name: 'EntryPoint 0.8', tellers: tellersOf(entryPoint08Abi) },
  { address: entryPoint09Address, name: 'EntryPoint 0.9', tellers: tellersOf(entryPoint09Abi) },
]
