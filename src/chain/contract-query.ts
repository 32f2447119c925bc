import type { Abi } from 'viem'
import type { Address } from '../domain/address.ts'

/** A contract read, as data. */
export type Query = { address: Address; abi: Abi; functionName: string; args?: readonly unknown[] }

/** Reads in rounds, where later ones depend on earlier answers. Each round is one batch; a refused read is `undefined`. */
export type Rounds<value> = Generator<readonly Query[], value, readonly unknown[]>
