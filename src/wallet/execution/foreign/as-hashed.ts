import type { AccessList } from 'viem'
import { keccak256, recoverAddress, serializeTransaction } from 'viem/utils'

import { type Address, type Hex, sameAddress } from '../../../domain/address.ts'
import { AppError } from '../../../domain/errors.ts'
import type { Rpc } from '../../../net/rpc.ts'
import { ifAnswered, within } from '../../chain/within.ts'
import { lookMs } from '../agreement.ts'
import type { Shown } from '../pinned.ts'

/** A transaction as a node shows it, in the fields that its hash and its signature cover; a chain may have types of its own, with other ones. */
export type Whole = Shown & { hash: Hex } & Partial<{
    type: string
    nonce: string
    gas: string
    gasPrice: string
    maxFeePerGas: string
    maxPriorityFeePerGas: string
    maxFeePerBlobGas: string
    blobVersionedHashes: readonly Hex[]
    accessList: AccessList | null
    authorizationList: readonly Authorised[] | null
    r: Hex
    s: Hex
    v: string
    yParity: string
  }>

type Authorised = { chainId: string; address: Address; nonce: string; r: Hex; s: Hex } & Partial<
  Record<'yParity' | 'v', string>
>

/** Whose transaction it is said to be, and under which nonce. */
type Whose = { wallet: Address; chainId: number; nonce: number }

/**
 * Gives what a node shows of a transaction of a wallet, once that is what its hash says and the wallet has signed under this nonce for this chain, by this node or another
 * one. Of what cannot be held against its hash, as of a type that only its chain knows, all endpoints that answer must show the same call, and none of them nothing.
 * RPC_INCONSISTENT where they do not, or it is not as its hash says: it may be any call.
 */
export async function believed<T extends Whole>(rpc: Rpc, whose: Whose, shown: T): Promise<T> {
  const is = await isAsHashed(shown, whose)
  if (is) return shown
  const told = await Promise.all(
    rpc.peers.map((peer) =>
      ifAnswered(within(peer.request<T | null>('eth_getTransactionByHash', [shown.hash]), lookMs)),
    ),
  )
  const others = told.filter((one) => one !== undefined)
  for (const other of others)
    if (other && (await isAsHashed({ ...other, hash: shown.hash }, whose))) return other
  if (is === undefined && others.every((other) => other !== null && isSameCall(other, shown))) return shown
  throw new AppError(
    'RPC_INCONSISTENT',
    `The node at ${rpc.host} shows a transaction ${shown.hash} of ${whose.wallet} that is not what its hash says: it may be any call, also this one`,
    {
      details: { host: rpc.host, hash: shown.hash, chainId: whose.chainId },
      hint: 'Name another RPC in SLUICE_RPC_<NETWORK>, which shows it as it is, and run the same command again',
    },
  )
}

const isSameCall = (a: Whole, b: Whole): boolean =>
  [String(a.to), String(a.input), String(a.value), Number(a.nonce)].join(' ').toLowerCase() ===
  [String(b.to), String(b.input), String(b.value), Number(b.nonce)].join(' ').toLowerCase()

/** Whether what is shown has the hash, and a wallet signed it under this nonce for this chain; `undefined` where that cannot be told of what is shown. */
async function isAsHashed(shown: Whole, { wallet, chainId, nonce }: Whose): Promise<boolean | undefined> {
  if (shown.nonce !== undefined && Number(shown.nonce) !== nonce) return false
  const written = writtenAs(shown, chainId)
  if (!written) return undefined
  const { call, signature, isWhole, isOfHash } = written
  // One that is bound to another chain was never in a block of this one.
  if (call.chainId !== undefined && call.chainId !== chainId) return false
  // What is left out of it, or said in another form, is in its hash.
  if (!isOfHash) return isWhole ? false : undefined
  const { r, s, yParity } = signature
  const hash = keccak256(serializeTransaction(call))
  const signer = await recoverAddress({ hash, signature: { r, s, yParity } }).catch(() => undefined)
  return signer && sameAddress(signer, wallet)
}

type Call = Parameters<typeof serializeTransaction>[0]
type Signature = { r: Hex; s: Hex; yParity: number; v?: bigint }

/** A call and its signature, as they are shown; `isWhole` where all that its hash covers is shown in the usual form. */
type SignedCall = { call: Call; signature: Signature; isWhole: boolean }

/** The same with the bytes that were sent of it and their hash, and whether that is the hash that is shown. */
export type Written = SignedCall & { raw: Hex; hash: Hex; isOfHash: boolean }

/** The bytes of what a node shows; nothing where a chain has its own form of it, or it is not even a transaction. */
export function writtenAs(shown: Whole, chainId: number): Written | undefined {
  try {
    const signed = signedAs(shown, chainId)
    if (!signed) return undefined
    const { v, ...parity } = signed.signature
    const raw = serializeTransaction(signed.call, v === undefined ? parity : { ...parity, v })
    const hash = keccak256(raw)
    return { ...signed, raw, hash, isOfHash: sameAddress(hash, shown.hash) }
  } catch {
    return undefined
  }
}

/** The call that was signed, and its signature; nothing where a chain has its own form of it. Throws where something is shown that is no number. */
function signedAs(shown: Whole, chainId: number): SignedCall | undefined {
  const { type = '0x0', r, s, v, to, input, value, nonce, gas } = shown
  if (!r || !s || v === undefined || nonce === undefined || gas === undefined) return undefined
  // What a chain makes by itself is signed with nothing.
  if (BigInt(r) === 0n) return undefined
  const basic = {
    ...(to !== null && { to }),
    data: input,
    value: BigInt(value),
    nonce: Number(nonce),
    gas: BigInt(gas),
  }
  if (Number(type) === 0) {
    const isBound = BigInt(v) >= 35n
    const yParity = Number(isBound ? (BigInt(v) - 35n) % 2n : BigInt(v) - 27n)
    const bound = isBound ? { chainId: Number((BigInt(v) - 35n) / 2n) } : {}
    const call = { type: 'legacy', ...basic, gasPrice: BigInt(shown.gasPrice!), ...bound } as const
    return { call, signature: { r, s, yParity, v: BigInt(v) }, isWhole: true }
  }
  const priced = pricedAs(shown)
  const signature = { r, s, yParity: parityOf({ v, ...shown }) }
  const isWhole = Array.isArray(shown.accessList) && signature.yParity < 2 && areWhole(shown)
  return priced && { call: { ...basic, chainId, ...priced } as Call, signature, isWhole }
}

/** Which of the two keys signed: some nodes write it as the oldest transactions do. */
function parityOf({ yParity, v }: { yParity?: string; v?: string }): number {
  const parity = Number(yParity ?? v)
  return parity === 27 || parity === 28 ? parity - 27 : parity
}

const areWhole = ({ authorizationList }: Whole): boolean =>
  (authorizationList ?? []).every(({ yParity }) => yParity !== undefined && Number(yParity) < 2)

/** What the types of Ethereum have beside the call (EIP-2930, EIP-1559, EIP-4844, EIP-7702). */
function pricedAs(shown: Whole) {
  const accessList = shown.accessList ?? []
  if (Number(shown.type) === 1)
    return { type: 'eip2930', accessList, gasPrice: BigInt(shown.gasPrice!) } as const
  const fees = () => ({
    accessList,
    maxFeePerGas: BigInt(shown.maxFeePerGas!),
    maxPriorityFeePerGas: BigInt(shown.maxPriorityFeePerGas!),
  })
  if (Number(shown.type) === 2) return { type: 'eip1559', ...fees() } as const
  if (Number(shown.type) === 3) {
    const maxFeePerBlobGas = BigInt(shown.maxFeePerBlobGas!)
    return {
      type: 'eip4844',
      ...fees(),
      maxFeePerBlobGas,
      blobVersionedHashes: shown.blobVersionedHashes,
    } as const
  }
  if (Number(shown.type) !== 4) return undefined
  const authorizationList = shown.authorizationList!.map(({ chainId, address, nonce, r, s, ...of }) => ({
    chainId: Number(chainId),
    address,
    nonce: Number(nonce),
    r,
    s,
    yParity: parityOf(of),
  }))
  return { type: 'eip7702', ...fees(), authorizationList } as const
}
