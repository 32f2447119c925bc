import { decodeFunctionData, parseAbi } from 'viem/utils'
import type { Hex } from '../domain/address.ts'

/**
 * Calls that grant authority over tokens, debt, a contract or the wallet's own code, and calls that can hide such a call. Only a
 * plain exact `approve` in a step of its own is ever allowed, and the one of Permit2 before an action that is paid through it. Selector ->
 * signature; the signatures are those of ERC-20, ERC-721, ERC-1155, ERC-777, ERC-2612, ERC-3009, ERC-4337, ERC-7579, Permit2, Aave,
 * Compound v3, Morpho, Balancer, Maker, Safe and OpenZeppelin.
 */
export const authoritySelectors: Readonly<Record<Hex, string>> = {
  '0x095ea7b3': 'approve(address,uint256)',
  '0x39509351': 'increaseAllowance(address,uint256)',
  '0xa457c2d7': 'decreaseAllowance(address,uint256)',
  '0xd73dd623': 'increaseApproval(address,uint256)',
  '0x66188463': 'decreaseApproval(address,uint256)',
  '0xcae9ca51': 'approveAndCall(address,uint256,bytes)',
  '0x3177029f': 'approveAndCall(address,uint256)',
  '0x4000aea0': 'transferAndCall(address,uint256,bytes)',
  '0x23b872dd': 'transferFrom(address,address,uint256)',
  '0x42842e0e': 'safeTransferFrom(address,address,uint256)',
  '0xb88d4fde': 'safeTransferFrom(address,address,uint256,bytes)',
  '0xf242432a': 'safeTransferFrom(address,address,uint256,uint256,bytes)',
  '0x2eb2c2d6': 'safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)',
  '0xa22cb465': 'setApprovalForAll(address,bool)',
  '0xd505accf': 'permit(address,address,uint256,uint256,uint8,bytes32,bytes32)',
  '0x9fd5a6cf': 'permit(address,address,uint256,uint256,bytes)',
  '0x8fcbaf0c': 'permit(address,address,uint256,uint256,bool,uint8,bytes32,bytes32)',
  '0x87517c45': 'approve(address,address,uint160,uint48)',
  '0x2b67b570': 'permit(address,((address,uint160,uint48,uint48),address,uint256),bytes)',
  '0x2a2d80d1': 'permit(address,((address,uint160,uint48,uint48)[],address,uint256),bytes)',
  '0x36c78516': 'transferFrom(address,address,uint160,address)',
  '0x0d58b1db': 'transferFrom((address,address,uint160,address)[])',
  '0x30f28b7a': 'permitTransferFrom(((address,uint256),uint256,uint256),(address,uint256),address,bytes)',
  '0xe21bb674': 'transferWithAuthorization(address,address,uint256,uint256,uint256,uint8,bytes32,bytes32)',
  '0x11e8b412': 'receiveWithAuthorization(address,address,uint256,uint256,uint256,uint8,bytes32,bytes32)',
  '0xc04a8a10': 'approveDelegation(address,uint256)',
  '0x0b52d558': 'delegationWithSig(address,address,uint256,uint256,uint8,bytes32,bytes32)',
  '0x558a7297': 'setOperator(address,bool)',
  '0x959b8c3f': 'authorizeOperator(address)',
  '0x110496e5': 'allow(address,bool)',
  '0xeecea000': 'setAuthorization(address,bool)',
  '0xfa6e671d': 'setRelayerApproval(address,address,bool)',
  '0xa3b22fc4': 'hope(address)',
  '0x5c19a95c': 'delegate(address)',
  '0xc3cda520': 'delegateBySig(address,uint256,uint256,uint8,bytes32,bytes32)',
  '0xca5eb5e1': 'setDelegate(address)',
  '0x28530a47': 'setUserEMode(uint8)',
  '0x5a3b74b9': 'setUserUseReserveAsCollateral(address,bool)',
  '0xf2fde38b': 'transferOwnership(address)',
  '0x79ba5097': 'acceptOwnership()',
  '0x13af4035': 'setOwner(address)',
  '0x8f283970': 'changeAdmin(address)',
  '0x2f2ff15d': 'grantRole(bytes32,address)',
  '0x3659cfe6': 'upgradeTo(address)',
  '0x4f1ef286': 'upgradeToAndCall(address,bytes)',
  '0x6a761202': 'execTransaction(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,bytes)',
  '0x468721a7': 'execTransactionFromModule(address,uint256,bytes,uint8)',
  '0x610b5925': 'enableModule(address)',
  '0xe19a9dd9': 'setGuard(address)',
  '0x0d582f13': 'addOwnerWithThreshold(address,uint256)',
  '0xe318b52b': 'swapOwner(address,address,address)',
  '0xb61d27f6': 'execute(address,uint256,bytes)',
  '0xe9ae5c53': 'execute(bytes32,bytes)',
  '0x34fcd5be': 'executeBatch((address,uint256,bytes)[])',
  '0xac9650d8': 'multicall(bytes[])',
  '0x82ad56cb': 'aggregate3((address,bool,bytes)[])',
  '0xbce38bd7': 'tryAggregate(bool,(address,bytes)[])',
  '0xf08a0323': 'setFallbackHandler(address)',
  '0xbd4da916': 'setAccountRecoverer(address)',
  '0xa5e90eee': 'setManager(address,bool)',
  '0xcc53287f': 'lockdown((address,address)[])',
}

/** Those of them that give no rights themselves, but execute the calls in their arguments. */
const executing: readonly string[] = [
  '0x6a761202',
  '0x468721a7',
  '0xb61d27f6',
  '0xe9ae5c53',
  '0x34fcd5be',
  '0xac9650d8',
  '0x82ad56cb',
  '0xbce38bd7',
]

/** The signature of such a function and what it does; `undefined` for any other selector. */
export function authorityText(selector: Hex): string | undefined {
  const power = authoritySelectors[selector]
  if (power === undefined) return undefined
  return `${power}, which ${executing.includes(selector) ? 'executes the calls in its arguments' : 'gives another address rights'}`
}

/** Calls that contain other calls, which are searched; anything else is judged by its selector alone. */
const containers = parseAbi([
  'function multicall(bytes[] data)',
  'function multicall(uint256 deadline, bytes[] data)',
  'function multicall(bytes32 previousBlockhash, bytes[] data)',
])

/** The deepest nesting that is searched. */
const maxDepth = 5

/** The calls inside a container call; empty for others. */
function innerCalls(data: Hex): readonly Hex[] {
  try {
    return decodeFunctionData({ abi: containers, data }).args.at(-1) as readonly Hex[]
  } catch {
    return [] // Not one of the containers: there is nothing inside that could be told.
  }
}

/** The signature of the first nested call that grants authority; `undefined` without one. */
export function findAuthorityCall(data: Hex, depth = 0): string | undefined {
  if (depth === maxDepth) return undefined
  for (const call of innerCalls(data)) {
    const selector = call.slice(0, 10).toLowerCase() as Hex
    const power = findAuthorityCall(call, depth + 1) ?? authoritySelectors[selector]
    if (power !== undefined) return power
  }
  return undefined
}
