import { encodeFunctionData, parseAbi } from 'viem/utils'
import { type Call, contract } from '../../chain/call.ts'
import type { Address, Hex } from '../../domain/address.ts'

/**
 * The bridge's minter and its mint call (BaseTokenMessenger and TokenMinter of `circlefin/evm-cctp-contracts`, v2; FiatToken of
 * `circlefin/stablecoin-evm`).
 */
const minterAbi = parseAbi([
  'function localMinter() view returns (address)',
  'function mint(address to, uint256 amount) returns (bool)',
])

/** The call that reads the bridge's minter. */
export const minterCall = (messenger: Address): Call<Address> => contract(messenger, minterAbi)('localMinter')

/** The mint call of a delivery, for simulations; only the minter may send it. */
export const mintCall = (token: Address, to: Address, amount: bigint): { to: Address; data: Hex } => ({
  to: token,
  data: encodeFunctionData({ abi: minterAbi, functionName: 'mint', args: [to, amount] }),
})
