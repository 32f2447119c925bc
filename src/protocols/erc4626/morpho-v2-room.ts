import { keccak256, parseAbi } from 'viem/utils'
import { contract, type Rounds } from '../../chain/call.ts'
import { erc20Abi } from '../../chain/erc20.ts'
import { type Address, type Hex, nativeAddress, sameAddress } from '../../domain/address.ts'
import { erc4626Abi } from './abi.ts'

/** What limits a vault of Morpho v2, whose `max*` functions are zero by design (source: morpho-org/vault-v2, VaultV2.sol). */
const vaultV2Abi = parseAbi([
  'function liquidityAdapter() view returns (address)',
  'function liquidityData() view returns (bytes)',
  'function canReceiveShares(address account) view returns (bool)',
  'function canSendShares(address account) view returns (bool)',
  'function canReceiveAssets(address account) view returns (bool)',
  'function canSendAssets(address account) view returns (bool)',
])

/** The adapters to a vault of Morpho v1 and to one market of Morpho (source: morpho-org/vault-v2, MorphoVaultV1Adapter and MorphoMarketV1AdapterV2). */
const adapterAbi = parseAbi([
  'function morphoVaultV1() view returns (address)',
  'function morpho() view returns (address)',
  'function expectedSupplyAssets(bytes32 marketId) view returns (uint256)',
])

/** A lending market of Morpho (source: morpho-org/morpho-blue). */
const morphoAbi = parseAbi([
  'function market(bytes32 id) view returns (uint128 totalSupplyAssets, uint128 totalSupplyShares, uint128 totalBorrowAssets, uint128 totalBorrowShares, uint128 lastUpdate, uint128 fee)',
])

/** Zero if a gate of the vault refuses deposits of an owner; `null` if no gate does, since no contract states a limit. */
export function* roomIn(vault: Address, owner: Address): Rounds<bigint | null> {
  const ask = contract(vault, vaultV2Abi)
  const allowed = yield [ask('canReceiveShares', owner), ask('canSendAssets', owner)]
  return allowed.includes(false) ? 0n : null
}

/**
 * How much a vault pays an owner now: the asset that lies in it, and what its liquidity adapter can give; zero if a gate refuses the owner,
 * `null` with an adapter of another kind.
 */
export function* roomOut(
  { vault, asset }: { vault: Address; asset: Address },
  owner: Address,
): Rounds<bigint | null> {
  const ask = contract(vault, vaultV2Abi)
  const [idle, adapter, data, ...allowed] = yield [
    contract(asset, erc20Abi)('balanceOf', vault),
    ask('liquidityAdapter'),
    ask('liquidityData'),
    ask('canSendShares', owner),
    ask('canReceiveAssets', owner),
  ]
  if (allowed.includes(false)) return 0n
  if (idle === undefined || adapter === undefined) return null
  if (sameAddress(adapter as Address, nativeAddress)) return idle as bigint
  const given = yield* givenBy(adapter as Address, (data ?? '0x') as Hex)
  return given === null ? null : (idle as bigint) + given
}

/** What an adapter can give now; `null` for an adapter of another kind. */
function* givenBy(adapter: Address, data: Hex): Rounds<bigint | null> {
  const ask = contract(adapter, adapterAbi)
  // A market is named by the hash of its parameters, which are the data.
  const id = keccak256(data)
  const [under, morpho, supplied] = yield [
    ask('morphoVaultV1'),
    ask('morpho'),
    ask('expectedSupplyAssets', id),
  ]
  if (under !== undefined) {
    const [most] = yield [contract(under as Address, erc4626Abi)('maxWithdraw', adapter)]
    return (most as bigint | undefined) ?? null
  }
  if (morpho === undefined || supplied === undefined) return null
  const [market] = yield [contract(morpho as Address, morphoAbi)('market', id)]
  if (market === undefined) return null
  const [lendable, , borrowed] = market as readonly bigint[]
  const left = lendable! > borrowed! ? lendable! - borrowed! : 0n
  return left < (supplied as bigint) ? left : (supplied as bigint)
}
