import { type Call, optional, type Reading } from '../../chain/call.ts'
import { erc20 } from '../../chain/erc20.ts'
import type { Address } from '../../domain/address.ts'

/** The ERC-20 balance of an owner; `undefined` if the contract refuses. */
export const balance = (token: Address, owner: Address): Reading<bigint | undefined> =>
  readAmount(erc20.balanceOf(token, owner))

/** A number computed from one read; `undefined`, not zero, if the contract refuses. */
export const readAmount = (
  read: Call,
  meaning: (said: bigint) => bigint = (said) => said,
): Reading<bigint | undefined> => optional({ reads: [read], parse: ([said]) => meaning(said as bigint) })
