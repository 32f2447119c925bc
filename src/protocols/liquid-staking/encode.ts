import { type Address, nativeAddress } from '../../domain/address.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import { callOf } from '../shared/contract-call.ts'
import type { StakedCall, StakingToken } from './calls-and-reads.ts'

type Ask = { chainId: number; wallet: Address }

/** Stakes an amount of the native coin, at `entrance` if the protocol names another contract than the constants. */
export const stake = ({
  staked,
  amount,
  entrance,
  ...rest
}: Ask & { staked: StakingToken; amount: bigint; entrance?: Address | undefined }): Transaction => ({
  ...written(staked.stake, { ...rest, units: 0n }),
  ...(entrance && { to: entrance }),
  value: amount,
})

/** Returns units of the token to the protocol. */
export const unstake = ({ staked, ...rest }: Ask & { staked: StakingToken; units: bigint }): Transaction =>
  written(staked.leave, rest)

const written = (
  { to, abi, name, roles }: StakedCall,
  { chainId, wallet, units }: Ask & { units: bigint },
): Transaction => {
  const args = roles.map((role) => ({ wallet, units, nobody: nativeAddress })[role])
  return callOf({ chainId, to }, { abi, functionName: name, args })
}
