import { erc20Abi } from '../../chain/erc20.ts'
import { optional, type Read, type Reading } from '../../chain/reading.ts'
import type { Address } from '../../domain/address.ts'

/** The ERC-20 balance of an owner; `undefined` where the contract refuses. */
export const balance = (token: Address, owner: Address): Reading<bigint | undefined> =>
  readAmount({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [owner] })

/** One read that answers with a number, and what it means; `undefined` where the contract refuses: what is not said is not zero. */
export const readAmount = (
  read: Read,
  meaning: (said: bigint) => bigint = (said) => said,
): Reading<bigint | undefined> => optional({ reads: [read], parse: ([said]) => meaning(said as bigint) })
