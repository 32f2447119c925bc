import { setTimeout as sleep } from 'node:timers/promises'
import { getAddress, hexToBigInt, keccak256, numberToHex, toBytes } from 'viem/utils'
import type { ChainClient } from '../chain/chain-client.ts'
import type { Address, Hex } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import { advice, sameWith, sluice } from '../domain/text/next-step.ts'
import { isExempt, type Terms } from '../guard/user-limits-and-exemptions.ts'
import type { CodePin, CodePinJournal } from '../store/journal/journal-interface.ts'
import type { ExecutionContext } from './execution-context-types.ts'

/** The storage slot in which a proxy keeps its implementation (EIP-1967). */
const implementationSlot = numberToHex(hexToBigInt(keccak256(toBytes('eip1967.proxy.implementation'))) - 1n, {
  size: 32,
})
/** The code of a minimal proxy (EIP-1167). */
const minimalProxy = /^0x363d3d373d3d3d363d73([0-9a-f]{40})5af43d82803e903d91602b57fd5bf3$/

/** A contract that an operation calls, with the state of its code. `firstUse`: it was never pinned in this journal. */
export type CheckedContract = CodePin & {
  chainId: number
  address: Address
  state: 'pinned' | 'trusted' | 'new' | 'vouched'
  firstUse: boolean
}

const isHex = (value: unknown): value is Hex => typeof value === 'string' && /^0x[0-9a-f]*$/i.test(value)

/**
 * The code at an address and, behind a proxy, of its implementation; `undefined` without code. The code of the implementation that it is
 * `likely` to have is asked for in the same exchange.
 */
async function readCode(
  rpc: ChainClient,
  address: Address,
  likely: Address | null | undefined,
): Promise<CodePin | undefined> {
  const [code, slot, ...guessed] = await rpc.batch([
    ['eth_getCode', [address, 'latest']],
    ['eth_getStorageAt', [address, implementationSlot, 'latest']],
    ...(likely ? [['eth_getCode', [likely, 'latest']] as const] : []),
  ])
  if (!isHex(code) || !isHex(slot))
    throw new AppError('RPC_INCONSISTENT', `The node at ${rpc.host} returns no code of ${address}`)
  if (code === '0x') return undefined
  const [, minimal] = minimalProxy.exec(code.toLowerCase()) ?? []
  const behind = minimal ?? (BigInt(slot) === 0n ? undefined : slot.slice(-40))
  const implementation = behind === undefined ? null : getAddress(`0x${behind}`)
  const asking =
    implementation === null || implementation === likely
      ? guessed[0]
      : rpc.request('eth_getCode', [implementation, 'latest'])
  if (asking instanceof Promise) asking.catch(() => undefined) // Awaited below.
  // A hash takes some ms: what others ask after the same answer is sent first.
  await sleep(1)
  const codeHash = keccak256(code)
  if (implementation === null) return { codeHash, implementation: null, implementationHash: null }
  const inner = await asking
  if (!isHex(inner)) throw new AppError('RPC_INCONSISTENT', `The node at ${rpc.host} returns no code`)
  return { codeHash, implementation, implementationHash: keccak256(inner) }
}

const isSameCode = (a: CodePin, b: CodePin): boolean =>
  a.codeHash === b.codeHash &&
  a.implementation === b.implementation &&
  a.implementationHash === b.implementationHash

const noContractError = advice`Funds sent there are lost: do not trust it. Check where the address comes from, and which chain the node serves: ${sluice('doctor')}`

/**
 * G5 on the chain: the contract of an action has code, and the same code as when this wallet first used it. Changed code is
 * POLICY_CONTRACT_CHANGED, unless the person exempts the contract.
 */
export async function checkCode(
  { journal, rpc }: Pick<ExecutionContext, 'journal' | 'rpc'>,
  chainId: number,
  address: Address,
  terms: Terms,
): Promise<CheckedContract> {
  const pinned = journal.codePin(chainId, address)
  const code = await readCode(rpc(chainId), address, pinned?.implementation)
  if (!code)
    throw new AppError(
      'POLICY_CONTRACT_NOT_ALLOWED',
      `There is no contract at ${address} on chain ${chainId}`,
      { details: { address, chainId }, next: noContractError },
    )
  const vouched = isExempt(terms, address)
  const contract = { ...code, chainId, address }
  if (pinned && isSameCode(pinned, code)) return { ...contract, state: 'pinned', firstUse: false }
  if (pinned && !vouched)
    throw new AppError(
      'POLICY_CONTRACT_CHANGED',
      `The code of the contract ${address} on chain ${chainId} has changed since it was first used`,
      {
        details: { address, chainId, pinned, found: code },
        next: advice`If you know why it changed: ${sameWith({ '--allow-contract': address })}`,
      },
    )
  const firstUse = pinned === undefined
  if (vouched) return { ...contract, state: 'vouched', firstUse }
  return { ...contract, state: terms.trustFirstUse ? 'trusted' : 'new', firstUse }
}

/** Pins the code of contracts at first use, or again after a change that the person exempted. */
export function pinContracts(
  { journal }: { journal: CodePinJournal },
  contracts: readonly CheckedContract[],
): void {
  for (const { chainId, address, state, firstUse, ...code } of contracts)
    if (state !== 'pinned') journal.pinCode(chainId, address, code, !firstUse)
}
