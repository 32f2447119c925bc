import { setTimeout as sleep } from 'node:timers/promises'
import {
  concatHex,
  encodeErrorResult,
  keccak256,
  numberToHex,
  parseAbi,
  parseTransaction,
  size,
} from 'viem/utils'
import type { ChainClient } from '../../chain/chain-client.ts'
import { type Hex, sameAddress } from '../../domain/address.ts'
import type { FaultRequest } from '../../domain/sandbox-fault.ts'
import type { FaultSet } from './active-faults.ts'

const errors = parseAbi(['error Error(string reason)'])

/** Returns code that reverts every call with a reason, as `require` does. */
function revertingCode(reason: string): Hex {
  const data = encodeErrorResult({ abi: errors, errorName: 'Error', args: [reason] })
  const length = numberToHex(size(data), { size: 2 })
  // PUSH2 length, PUSH2 15, PUSH1 0, CODECOPY, PUSH2 length, PUSH1 0, REVERT: fifteen bytes, followed by the reason.
  return concatHex(['0x61', length, '0x61000f60003961', length, '0x6000fd', data])
}

/** Code that loops until it runs out of gas: JUMPDEST, PUSH1 0, JUMP. */
const endlessCode: Hex = '0x5b600056'

/** A chain that faults act on. */
export type FaultyChain = { name: string; rpc: ChainClient }

/** Applies faults to a signed transaction and returns its hash; `undefined` if it should go to the node unchanged. */
export type SendFaults = {
  take: (chain: FaultyChain, raw: Hex) => Promise<Hex | undefined>
  /** Waits for delayed transactions; clearing the faults releases them all. */
  settle: () => Promise<void>
}

/** Applies the faults of transactions on their way to a node. */
export function openSendFaults(faults: FaultSet): SendFaults {
  const running = new Set<Promise<void>>()
  /** Transactions being sent with replaced contract code; a second send of one gets the same answer. */
  const spoiling = new Map<Hex, Promise<Hex>>()
  const behind = (work: Promise<void>): void => {
    const held = work
      // A later rejection by the node has no caller to report to.
      .catch(() => undefined)
      .finally(() => running.delete(held))
    running.add(held)
  }

  /** Replaces the code of a contract until the transaction is in a block. */
  const spoil = async (rpc: ChainClient, fault: FaultRequest, raw: Hex): Promise<Hex> => {
    const at = fault.at as Hex
    const code = await rpc.request<Hex>('eth_getCode', [at, 'latest'])
    const restore = async () => void (await rpc.request('anvil_setCode', [at, code]))
    await rpc.request('anvil_setCode', [at, faultCode(fault)])
    const hash = await rpc.request<Hex>('eth_sendRawTransaction', [raw]).catch(async (error: unknown) => {
      await restore()
      throw error
    })
    let isCleared = false
    void faults.whenCleared().then(() => {
      isCleared = true
    })
    const mined = (async () => {
      while (!isCleared && !(await rpc.request('eth_getTransactionReceipt', [hash]))) await sleep(5)
    })().finally(restore)
    behind(mined)
    // Without mining, stop waiting after a second.
    await Promise.race([mined, sleep(1_000)])
    return hash
  }

  const take = async ({ name, rpc }: FaultyChain, raw: Hex): Promise<Hex | undefined> => {
    const begun = spoiling.get(raw)
    if (begun) return begun
    const fault = faults.find(['drop', 'delay'], name) ?? contractFault(faults, name, raw)
    if (!fault) return undefined
    faults.countUse(fault)
    if (fault.kind === 'drop') return keccak256(raw)
    if (fault.kind !== 'delay') {
      const sent = spoil(rpc, fault, raw).finally(() => spoiling.delete(raw))
      spoiling.set(raw, sent)
      return sent
    }
    const { amount } = fault
    const later = amount === null ? faults.whenCleared() : Promise.race([sleep(amount), faults.whenCleared()])
    behind(later.then(() => rpc.request('eth_sendRawTransaction', [raw])).then(() => undefined))
    return keccak256(raw)
  }
  return { take, settle: async () => void (await Promise.all(running)) }
}

/** The fault of the contract that a transaction calls. */
function contractFault(faults: FaultSet, network: string, raw: Hex): FaultRequest | undefined {
  const { to } = parseTransaction(raw as `0x02${string}`)
  return faults.find(
    ['revert', 'out-of-gas'],
    network,
    ({ at }) => !!to && at !== null && sameAddress(at, to),
  )
}

const faultCode = ({ kind, reason }: FaultRequest): Hex =>
  kind === 'revert' ? revertingCode(reason ?? 'sandbox fault') : endlessCode
