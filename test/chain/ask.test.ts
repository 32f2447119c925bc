import { encodeFunctionResult } from 'viem/utils'
import { describe, expect, test } from 'vitest'
import { ask, askNumber } from '../../src/chain/ask.ts'
import type { Rounds } from '../../src/chain/call.ts'
import type { ChainClient } from '../../src/chain/chain-client.ts'
import { erc20, erc20Abi } from '../../src/chain/erc20.ts'
import type { Node } from '../../src/chain/eth-call.ts'
import { type Address, type Hex, nativeAddress } from '../../src/domain/address.ts'
import { AppError } from '../../src/domain/errors.ts'

const owner = nativeAddress
const token = (last: string): Address => `0x${last.padStart(40, '0')}`
const [held, reverting, silent, empty, away] = ['1', '2', '3', '4', '5'].map(token) as [
  Address,
  Address,
  Address,
  Address,
  Address,
]
const balance = (of: Address) => erc20.balanceOf(of, owner)
const seven = encodeFunctionResult({ abi: erc20Abi, functionName: 'balanceOf', result: 7n })
const nodeError = (code: number, message: string) =>
  new AppError('RPC_ERROR', message, { details: { code, message } })

/** A node with a token that answers seven, one that reverts, one without code, and one whose state it lacks; and what it was sent. */
function nodeOf(form: 'client' | 'function') {
  const sent: string[] = []
  const answer = (method: string, [call, at]: readonly unknown[] = []): Hex => {
    const { to } = call as { to: Address }
    sent.push(`${method} ${at}`)
    if (to === reverting) throw nodeError(3, 'execution reverted')
    if (to === silent) throw nodeError(-32000, 'missing trie node')
    if (to === away) throw new AppError('RPC_UNREACHABLE', 'no answer')
    return to === empty ? '0x' : seven
  }
  const request = async (method: string, params: readonly unknown[] = []) => answer(method, params)
  const client: ChainClient = {
    host: 'node',
    peers: [],
    request: request as ChainClient['request'],
    batch: async (calls) => {
      sent.push(`batch of ${calls.length}`)
      return calls.map((call) => answer(...call))
    },
  }
  return { node: form === 'client' ? client : (request as Node), sent }
}

describe.each(['client', 'function'] as const)('a node that is a %s', (form) => {
  test('gives a number, undefined for a refusal and for an answer of another type, and throws without an answer', async () => {
    const { node } = nodeOf(form)
    expect(await ask(node, balance(held))).toBe(7n)
    expect(await ask(node, [held, reverting, empty].map(balance))).toEqual([7n, undefined, undefined])
    expect(await ask(node, { ...balance(reverting), refused: 5n })).toBe(5n)
    expect(await ask(node, [held, silent].map(balance))).toEqual([7n, undefined])
    await expect(ask(node, { ...balance(silent), refused: 5n })).rejects.toMatchObject({ code: 'RPC_ERROR' })
    await expect(ask(node, [held, away].map(balance))).rejects.toMatchObject({ code: 'RPC_UNREACHABLE' })
    await expect(askNumber(node, balance(empty), 'the balance')).rejects.toMatchObject({
      code: 'RPC_INCONSISTENT',
      message: 'The node returns no number for the balance',
    })
  })

  test('is asked at the given block, and in rounds', async () => {
    const { node, sent } = nodeOf(form)
    function* sum(): Rounds<bigint> {
      const [one] = yield [balance(held)]
      const [other] = yield [balance(held)]
      return (one as bigint) + (other as bigint)
    }
    expect(await ask(node, sum(), 16n)).toBe(14n)
    expect(sent).toEqual(['eth_call 0x10', 'eth_call 0x10'])
  })
})

test('a client is asked several calls in one batch, and each by itself only after a refusal', async () => {
  const { node, sent } = nodeOf('client')
  await ask(node, [held, empty].map(balance))
  expect(sent.splice(0)).toEqual(['batch of 2', 'eth_call latest', 'eth_call latest'])
  await ask(node, [reverting, held].map(balance))
  expect(sent).toEqual(['batch of 2', ...Array(3).fill('eth_call latest')])
})
