import type { IncomingMessage, ServerResponse } from 'node:http'
import { privateKeyToAccount } from 'viem/accounts'
import type { Address, Hex } from '../../../src/domain/address.ts'
import { listener } from './listener.ts'

/** A transaction in a JSON-RPC signing request. */
export type AskedTransaction = Record<
  'from' | 'to' | 'data' | 'value' | 'chainId' | 'nonce' | 'gas' | 'maxFeePerGas' | 'maxPriorityFeePerGas',
  Hex
>

/** The reply of a signer to one call: a result, an error, none at all, or a response that the test writes. */
export type SignerSays =
  | { result: unknown }
  | { error: { code: number; message: string } }
  | 'nothing'
  | ((request: IncomingMessage, response: ServerResponse) => void)

/** A JSON-RPC signer with its own keys, and the methods it has received. */
export type ExternalSigner = {
  url: string
  accounts: readonly Address[]
  asked: string[]
  /** Changes the reply to a method. */
  says: (method: string, what: (transaction: AskedTransaction) => SignerSays | Promise<SignerSays>) => void
  /** Signs the request with the key of `from`, or with another key. */
  sign: (transaction: AskedTransaction, key?: Hex) => Promise<Hex>
  close: () => Promise<void>
}

/** Starts a signer on a free local port. */
export async function startSigner(keys: readonly Hex[]): Promise<ExternalSigner> {
  const own = keys.map((key) => privateKeyToAccount(key))
  const other = new Map<string, (transaction: AskedTransaction) => SignerSays | Promise<SignerSays>>()
  const asked: string[] = []
  const sign: ExternalSigner['sign'] = async (transaction, key) => {
    const { from, to, data, value, chainId, nonce, gas, maxFeePerGas, maxPriorityFeePerGas } = transaction
    const account = key ? privateKeyToAccount(key) : own.find(({ address }) => address === from)
    if (!account) throw new Error(`there is no key of ${from}`)
    return account.signTransaction({
      type: 'eip1559',
      to,
      data,
      value: BigInt(value),
      chainId: Number(chainId),
      nonce: Number(nonce),
      gas: BigInt(gas),
      maxFeePerGas: BigInt(maxFeePerGas),
      maxPriorityFeePerGas: BigInt(maxPriorityFeePerGas),
    })
  }
  const usual = async (method: string, transaction: AskedTransaction): Promise<SignerSays> => {
    if (method === 'eth_accounts') return { result: own.map(({ address }) => address.toLowerCase()) }
    if (method === 'eth_signTransaction') return { result: await sign(transaction) }
    return { error: { code: -32601, message: `there is no ${method}` } }
  }
  const server = await listener(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    const { id, method, params } = JSON.parse(text) as {
      id: number
      method: string
      params: [AskedTransaction]
    }
    asked.push(method)
    const said = await (other.get(method)?.(params[0]) ?? usual(method, params[0]))
    if (said === 'nothing') return
    if (typeof said === 'function') return said(request, response)
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', id, ...said }))
  })
  return {
    url: server.url,
    accounts: own.map(({ address }) => address),
    asked,
    says: (method, what) => void other.set(method, what),
    sign,
    close: server.close,
  }
}
