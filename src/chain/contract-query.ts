import type { Abi } from 'viem'
import type { Address } from '../domain/address.ts'

/** One question to a contract, as data. */
export type Query = { address: Address; abi: Abi; functionName: string; args?: readonly unknown[] }

/** Questions of which later ones need the answers to earlier ones: each round is asked together, and what a contract refuses is `undefined`. */
export type Rounds<value> = Generator<readonly Query[], value, readonly unknown[]>
