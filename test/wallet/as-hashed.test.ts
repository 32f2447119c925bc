import { parseTransaction } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { keccak256, numberToHex } from 'viem/utils'
import { describe, expect, it } from 'vitest'

import type { Hex } from '../../src/domain/address.ts'
import type { Rpc } from '../../src/net/rpc.ts'
import type { Step } from '../../src/store/operation.ts'
import { believed, type Whole } from '../../src/wallet/execution/foreign/as-hashed.ts'
import { asStep } from '../../src/wallet/execution/foreign/signed-elsewhere.ts'
import { payee, signer } from './operation.ts'

const base = { to: payee, data: '0x1234', value: 5n, nonce: 3, gas: 60_000n } as const
const fees = { maxFeePerGas: 9n, maxPriorityFeePerGas: 2n }
const accessList = [{ address: payee, storageKeys: [`0x${'01'.repeat(32)}`] }] as const
const [one, here] = [{ chainId: 31337 }, { wallet: signer.address, chainId: 31337, nonce: 3 }]
const at = (form: object) => ({ ...here, nonce: (form as { nonce: number }).nonce })
const delegate = await signer.signAuthorization({ ...one, address: payee, nonce: 4 })
const forms = {
  legacy: { type: 'legacy', ...base, gasPrice: 9n, ...one },
  'legacy of any chain': { type: 'legacy', ...base, gasPrice: 9n },
  eip2930: { type: 'eip2930', ...base, ...one, gasPrice: 9n, accessList },
  eip1559: { type: 'eip1559', ...base, ...one, ...fees, nonce: 0, value: 0n },
  eip4844: {
    type: 'eip4844',
    ...base,
    ...one,
    ...fees,
    maxFeePerBlobGas: 7n,
    blobVersionedHashes: [`0x01${'ab'.repeat(31)}`],
  },
  eip7702: { type: 'eip7702', ...base, ...one, ...fees, authorizationList: [delegate] },
}

/** A signed transaction as a node shows it. */
async function shown(form: object, by = signer): Promise<Whole> {
  const raw = await by.signTransaction(form as Parameters<typeof signer.signTransaction>[0])
  const { type, r, s, v, yParity, ...rest } = parseTransaction(raw as `0x02${string}`) as never as Record<
    string,
    unknown
  > & { type: string }
  const types = ['legacy', 'eip2930', 'eip1559', 'eip4844', 'eip7702']
  const words = Object.entries({ nonce: 0, value: 0n, ...rest }).map(([name, value]) => [
    name === 'data' ? 'input' : name,
    typeof value === 'bigint' || typeof value === 'number' ? numberToHex(value) : value,
  ])
  const list = rest.authorizationList as { chainId: number; nonce: number; yParity: number }[] | undefined
  const authorizationList = list?.map((each) => ({
    ...each,
    chainId: numberToHex(each.chainId),
    nonce: numberToHex(each.nonce),
    yParity: numberToHex(each.yParity),
  }))
  return {
    input: '0x',
    ...(type !== 'legacy' && { accessList: [] }),
    ...Object.fromEntries(words),
    type: numberToHex(types.indexOf(type)),
    ...(authorizationList && { authorizationList }),
    hash: keccak256(raw),
    r,
    s,
    v: numberToHex(type === 'legacy' ? (v as bigint) : (yParity as number)),
  } as Whole
}

/** A node, and others beside it that show this under the hash, or are silent. */
const nodeOf = (...others: (Whole | null)[]): Rpc =>
  ({
    host: 'first',
    peers: others.map((other) => ({ host: 'other', peers: [], request: async () => other })),
  }) as unknown as Rpc
const odd = { code: 'RPC_INCONSISTENT' }

describe('what a node shows as a transaction of a wallet', () => {
  it.each(Object.entries(forms))('is believed where its hash says the same: %s', async (_, form) => {
    const tx = await shown(form)
    expect(await believed(nodeOf(), at(form), tx)).toBe(tx)
    const lies: object[] = [
      { value: '0x6' },
      { input: '0x' },
      { to: signer.address },
      { nonce: '0x7' },
      { gas: '0x1' },
    ]
    for (const lie of lies) {
      const told = { ...tx, ...lie } as Whole
      await expect(believed(nodeOf(), at(form), told)).rejects.toMatchObject(odd)
      expect(await believed(nodeOf(null, tx), at(form), told)).toBe(tx)
    }
    // Another one of the wallet's is not what used this nonce, whoever shows it as it is.
    const moved = { ...tx, nonce: '0x9' } as Whole
    for (const node of [nodeOf(), nodeOf(tx)])
      await expect(believed(node, { ...here, nonce: 9 }, moved)).rejects.toMatchObject(odd)
    await expect(believed(nodeOf(), { ...here, nonce: 9 }, tx)).rejects.toMatchObject(odd)
  })

  it.each([
    ['v of the oldest transactions', 'eip1559', ({ v }: Whole) => ({ v: numberToHex(Number(v) + 27) })],
    ['no list of what it reads', 'eip2930', () => ({ accessList: null })],
    [
      'v in its authorisations',
      'eip7702',
      ({ authorizationList }: Whole) => ({
        authorizationList: authorizationList!.map(({ yParity, ...rest }) => ({ ...rest, v: yParity })),
      }),
    ],
  ] as const)('is no lie in another form: %s', async (_, form, change) => {
    const tx = await shown(forms[form])
    const told = { ...tx, ...change(tx) } as Whole
    expect(await believed(nodeOf(), at(forms[form]), told)).toBe(told)
  })

  it('is not where another wallet signed it, or it is bound to another chain', async () => {
    const other = privateKeyToAccount(generatePrivateKey()) as typeof signer
    await expect(
      believed(nodeOf(), at(forms.eip1559), await shown(forms.eip1559, other)),
    ).rejects.toMatchObject(odd)
    for (const form of [forms.legacy, forms.eip1559])
      await expect(believed(nodeOf(), at(form), await shown({ ...form, chainId: 1 }))).rejects.toMatchObject(
        odd,
      )
    const anywhere = await shown(forms['legacy of any chain'])
    expect(await believed(nodeOf(), { ...here, chainId: 1 }, anywhere)).toBe(anywhere)
  })

  it('is by all endpoints that answer where only its chain knows the type, or nobody signed it', async () => {
    const tx = await shown(forms.eip1559)
    for (const own of [{ type: '0x7e' }, { r: '0x0' as Hex }, { gas: 'x' }]) {
      const told = { ...tx, ...own }
      const where = { ...here, nonce: 0 }
      expect(await believed(nodeOf(), where, told)).toBe(told)
      expect(await believed(nodeOf(told), where, told)).toBe(told)
      for (const others of [nodeOf(told, { ...told, value: '0x9' }), nodeOf(null), nodeOf(told, null)])
        await expect(believed(others, where, told)).rejects.toMatchObject(odd)
    }
  })
})

describe('what a node shows of a step that has the nonce of it', () => {
  const transaction = { to: payee, data: base.data, value: base.value, chainId: 31337 }
  const step = { role: 'action', nonce: 3, wallet: signer.address, transaction } as unknown as Step
  const showing = (tx: Whole, ...others: Whole[]): Rpc =>
    ({ ...nodeOf(...others), request: async () => ({ ...tx, from: signer.address }) }) as unknown as Rpc
  const sent = () => shown({ ...forms.eip1559, nonce: 3, value: base.value })

  it('is taken for the step where it has that nonce, and for nothing where it is said to have another one or none', async () => {
    const tx = await sent()
    const as = (odd: object) =>
      asStep(showing({ ...tx, ...odd }, tx), step, { hash: tx.hash, blockNumber: 9 })
    expect(await as({})).toMatchObject({ hash: tx.hash, nonce: 3 })
    expect(await as({ nonce: '0x4' })).toBeUndefined()
    expect(await as({ nonce: undefined })).toBeUndefined()
  })
})
