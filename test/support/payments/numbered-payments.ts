import { privateKeyToAccount } from 'viem/accounts'
import type { ChainClient } from '../../../src/chain/chain-client.ts'
import { httpRpc } from '../../../src/chain/rpc/failover.ts'
import type { Address, Hex } from '../../../src/domain/address.ts'
import { sandboxNetworks } from '../../../src/domain/networks.ts'
import type { Journal } from '../../../src/store/journal/journal-interface.ts'
import { executeOperation } from '../../../src/transactions/execution/execute-operation.ts'
import { fileLocks } from '../../../src/transactions/nonces/wallet-lock.ts'
import type { Execution } from '../../../src/transactions/run.ts'

/** An operation with payments of one wallet to a payee of its own, as text that processes can exchange. */
export type Payments = { id: string; home: string; url: string; key: Hex; payee: Address; steps: number }

/** The amount of one payment, in wei. */
export const onePayment = 1_000n

/** The key and the payee for a number. */
export const numbered = (number: number): { key: Hex; payee: Address } => ({
  key: `0x${(0x51_00_00_00 + number).toString(16).padStart(64, '0')}`,
  payee: `0x7a7a${number.toString(16).padStart(36, '0')}`,
})

/** The address of a key. */
export const addressOf = (key: Hex): Address => privateKeyToAccount(key).address

/** Stores the operation in the journal. */
export function planned(journal: Journal, { id, key, payee, steps }: Payments): void {
  journal.insert({
    id,
    idemKey: `key-of-${id}`,
    request: { pay: id },
    kind: 'transfer',
    wallet: addressOf(key),
    legs: [
      {
        chainId: 31337,
        steps: Array.from({ length: steps }, () => ({
          role: 'action',
          text: 'Pay',
          transaction: { to: payee, data: '0x' as const, value: onePayment, chainId: 31337 },
        })),
      },
    ],
  })
}

/** A node that is waited for 1.5 s, or so many times as long. */
export const patientRpc = (url: string, times: number): ChainClient =>
  httpRpc(url, { deadlineMs: 1_500 * times, budgetMs: 3_000 * times, retries: 1 })

/** Executes the operation against a real node with a short timeout. */
export const pay = (journal: Journal, payments: Payments, more: Partial<Execution> = {}) =>
  executeOperation({
    journal,
    operationId: payments.id,
    signer: privateKeyToAccount(payments.key),
    rpc: () => patientRpc(payments.url, 1),
    networks: sandboxNetworks,
    lock: fileLocks(`${payments.home}/locks`),
    timeoutMs: 20_000,
    ...more,
  })

/** The facts about the payments, read from the node itself: the amount received, and the number of transactions of the wallet. */
export async function truth(
  rpc: ChainClient,
  { key, payee }: Payments,
): Promise<{ paid: bigint; nonce: number }> {
  return {
    paid: BigInt(await rpc.request<Hex>('eth_getBalance', [payee, 'latest'])),
    nonce: Number(await rpc.request('eth_getTransactionCount', [addressOf(key), 'latest'])),
  }
}
