import type { LocalAccount, TransactionSerializableEIP1559 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { fromRlp, parseTransaction, serializeTransaction, toHex, toRlp } from 'viem/utils'
import { expect, test } from 'vitest'
import type { Hex } from '../../src/domain/address.ts'
import type { Journal } from '../../src/store/journal/journal-interface.ts'
import type { Chain } from '../support/anvil.ts'
import { attemptsOf } from '../support/attempts-of.ts'
import { payee, planPayments, run, signer } from '../support/payments/payment-operation.ts'
import { useChain, useHome } from '../support/use-journal-and-chain.ts'

let chain: Chain
let home: string
let journal: Journal
useHome((made) => {
  ;({ home, journal } = made)
})
useChain((made) => {
  chain = made
})

type Asked = TransactionSerializableEIP1559
const thief = '0x6666666666666666666666666666666666666666'
const other = privateKeyToAccount(`0x${'11'.repeat(32)}`)

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
/** The same signature with the complementary `s`: the same signer and another hash. */
function otherWay(raw: Hex): Hex {
  const { r, s, v: _, yParity, ...rest } = parseTransaction(raw as `0x02${string}`)
  const other = { r: r!, s: toHex(order - BigInt(s!), { size: 32 }), yParity: 1 - yParity! }
  return serializeTransaction({ ...rest, type: 'eip1559' } as Asked, other)
}
/** The same transaction with a leading zero byte in its gas limit. */
const withZero = (raw: Hex): Hex => rewritten(raw, 4, (gas) => `0x00${gas.slice(2)}`)
/** The same transaction with a tip above its maximum fee. */
const withTip = (raw: Hex): Hex => rewritten(raw, 2, () => `0x${'ff'.repeat(20)}`)
function rewritten(raw: Hex, at: number, change: (field: Hex) => Hex): Hex {
  const fields = fromRlp(`0x${raw.slice(4)}`, 'hex') as Hex[]
  fields[at] = change(fields[at]!)
  return `0x02${toRlp(fields).slice(2)}`
}

/** The test signer, but signing something else than requested. */
const lying = (sign: (asked: Asked) => Promise<Hex> | Hex): LocalAccount => ({
  ...signer,
  signTransaction: (async (asked: Asked) => sign(asked)) as LocalAccount['signTransaction'],
})
const changed = (change: (asked: Asked) => Partial<Asked>) =>
  lying((asked) => signer.signTransaction({ ...asked, ...change(asked) }))

test.each<[string, LocalAccount]>([
  ['to another recipient', changed(() => ({ to: thief }))],
  ['of another value', changed(({ value }) => ({ value: value! + 1n }))],
  ['with other data', changed(() => ({ data: '0x00' }))],
  ['with another nonce', changed(({ nonce }) => ({ nonce: nonce! + 1 }))],
  ['for another chain', changed(() => ({ chainId: 31338 }))],
  ['with more gas', changed(({ gas }) => ({ gas: gas! + 1n }))],
  ['with a higher fee', changed(({ maxFeePerGas }) => ({ maxFeePerGas: maxFeePerGas! + 1n }))],
  ['with an access list', changed(() => ({ accessList: [{ address: thief, storageKeys: [] }] }))],
  ['by another key', lying((asked) => other.signTransaction(asked))],
  ['without a signature', lying((asked) => serializeTransaction(asked))],
  ['with the complementary s value', lying(async (asked) => otherWay(await signer.signTransaction(asked)))],
  ['with a leading zero in a field', lying(async (asked) => withZero(await signer.signTransaction(asked)))],
  ['with a tip above its fee', lying(async (asked) => withTip(await signer.signTransaction(asked)))],
  ['as an empty list', lying(() => '0x02c0')],
])('a transaction signed %s is refused before it is recorded in the journal', async (_, account) => {
  planPayments(journal, 'pay')
  const seen = () =>
    Promise.all([
      chain.rpc.request('eth_getTransactionCount', [signer.address, 'pending']),
      chain.rpc.request('eth_getBalance', [payee, 'latest']),
      chain.rpc.request('eth_getBalance', [thief, 'latest']),
    ])
  const before = await seen()
  const error = await run(journal, home, chain.url, 'pay', { signer: account }).catch(
    (caught: unknown) => caught,
  )
  expect(error).toMatchObject({ code: 'POLICY_TAMPER' })
  expect(attemptsOf(journal, 'pay', 0)).toEqual([])
  expect(journal.find('pay')).toMatchObject({ state: 'OPEN', steps: [{ state: 'PLANNED', nonce: null }] })
  expect(await seen()).toEqual(before)
})
