import type { Abi } from 'viem'
import { encodeDeployData, encodeFunctionData, getContractAddress, numberToHex } from 'viem/utils'
import { ask } from '../../chain/ask.ts'
import { contract } from '../../chain/call.ts'
import type { ChainClient } from '../../chain/chain-client.ts'
import { readNonceCount } from '../../chain/nonce-count.ts'
import type { Address } from '../../domain/address.ts'
import { receiptOf } from '../mined-transactions.ts'
import type { Artifact } from './artifacts.ts'

/** Queues transactions of one unlocked account; computes addresses in advance and sends nothing before `flush`. */
export type Deployer = {
  from: Address
  deploy: (artifact: Artifact, args?: readonly unknown[], value?: bigint) => Address
  /** Queues an empty transfer to itself, which uses up a nonce. */
  skip: () => void
  call: (abi: Abi, to: Address, name: string, args?: readonly unknown[], value?: bigint) => void
  /** Makes a call after flushing the queue. */
  read: <T>(abi: Abi, to: Address, name: string, args?: readonly unknown[]) => Promise<T>
  /** Sends the queue and waits until every transaction has succeeded. */
  flush: () => Promise<void>
}

type Queued = { label: string; tx: Record<string, string> }

// The largest transaction (the Aave pool) needs 5.5 M; a block takes 1,000 M.
const gasEach = numberToHex(15_000_000)
// The node accepts request bodies of up to 2 MB.
const bodyLimit = 900_000

/** Creates a deployer at the account's current nonce. */
export async function startDeployer(rpc: ChainClient, from: Address): Promise<Deployer> {
  let nonce = await readNonceCount(rpc, from)
  let queue: Queued[] = []

  const push = (label: string, tx: Record<string, string>): void => {
    queue.push({ label, tx: { from, gas: gasEach, nonce: numberToHex(nonce++), ...tx } })
  }

  const flush = async (): Promise<void> => {
    const sent = queue
    queue = []
    if (sent.length === 0) return
    // A node that mines while a batch arrives can lose transactions that arrive out of order. So the whole queue
    // enters the pool first, and then one block.
    await rpc.request('evm_setAutomine', [false])
    const hashes: unknown[] = []
    for (const part of parts(sent))
      hashes.push(...(await rpc.batch(part.map(({ tx }) => ['eth_sendTransaction', [tx]] as const))))
    await rpc.request('evm_mine')
    await rpc.request('evm_setAutomine', [true])
    for (let index = 0; index < hashes.length; index++) {
      const receipt = await receiptOf(rpc, hashes[index])
      if (receipt.status !== '0x1') throw new Error(`${sent[index]!.label} reverted`)
    }
  }

  return {
    from,
    flush,
    deploy: ({ abi, bytecode }, args = [], value = 0n) => {
      const address = getContractAddress({ from, nonce: BigInt(nonce) })
      push(`deployment ${nonce}`, {
        data: encodeDeployData({ abi, bytecode, args: [...args] }),
        ...(value > 0n && { value: numberToHex(value) }),
      })
      return address
    },
    skip: () => push('skip', { to: from }),
    call: (abi, to, functionName, args = [], value = 0n) =>
      push(functionName, {
        to,
        data: encodeFunctionData({ abi, functionName, args: [...args] }),
        value: numberToHex(value),
      }),
    read: async <T>(abi: Abi, to: Address, functionName: string, args: readonly unknown[] = []) => {
      await flush()
      const answer = await ask<T>(rpc, contract(to, abi)(functionName, ...args))
      if (answer === undefined) throw new Error(`${functionName} of ${to} returns nothing`)
      return answer
    },
  }
}

function* parts(queue: readonly Queued[]): Generator<Queued[]> {
  let part: Queued[] = []
  let size = 0
  for (const item of queue) {
    const length = item.tx.data?.length ?? 0
    if (size + length > bodyLimit && part.length > 0) {
      yield part
      part = []
      size = 0
    }
    part.push(item)
    size += length
  }
  if (part.length > 0) yield part
}
