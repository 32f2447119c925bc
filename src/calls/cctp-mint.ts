import { encodeFunctionData, parseAbi } from 'viem/utils'

import type { Address, Hex } from '../domain/address.ts'

/** Who mints for the bridge, and how (BaseTokenMessenger and TokenMinter of `circlefin/evm-cctp-contracts`, v2; FiatToken of `circlefin/stablecoin-evm`). */
const mints = parseAbi([
  'function localMinter() view returns (address)',
  'function mint(address to, uint256 amount) returns (bool)',
])

/** Asks the bridge who mints what it brings. */
export const askMinter = (messenger: Address): { to: Address; data: Hex } => ({
  to: messenger,
  data: encodeFunctionData({ abi: mints, functionName: 'localMinter' }),
})

/** What the token is told where the bridge brings some of it. Only the minter may; it is for simulations. */
export const minted = (token: Address, to: Address, amount: bigint): { to: Address; data: Hex } => ({
  to: token,
  data: encodeFunctionData({ abi: mints, functionName: 'mint', args: [to, amount] }),
})
