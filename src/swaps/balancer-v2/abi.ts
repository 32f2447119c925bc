import { parseAbi } from 'viem/utils'

/*
 * Source: `@balancer-labs/v2-deployments` 3.2.0, tasks 20210418-vault, 20220721-balancer-queries and 20210418-weighted-pool.
 */

const funds =
  'struct Funds { address sender; bool fromInternalBalance; address recipient; bool toInternalBalance; }'
const step =
  'struct Step { bytes32 poolId; uint256 assetInIndex; uint256 assetOutIndex; uint256 amount; bytes userData; }'

/**
 * The swap functions of the Vault, through one pool or several, before `deadline` (Unix seconds). `kind` is 0 for a given input and 1 for a
 * given output. The zero address in the assets is the native coin. Limits of `batchSwap` are positive for inputs and negative for outputs.
 */
export const vaultSwaps = parseAbi([
  funds,
  step,
  'struct Single { bytes32 poolId; uint8 kind; address assetIn; address assetOut; uint256 amount; bytes userData; }',
  'function swap(Single singleSwap, Funds funds, uint256 limit, uint256 deadline) payable returns (uint256 amountCalculated)',
  'function batchSwap(uint8 kind, Step[] swaps, address[] assets, Funds funds, int256[] limits, uint256 deadline) payable returns (int256[] assetDeltas)',
])

/** The Vault's read of a pool's tokens and balances. */
export const vaultPoolsAbi = parseAbi([
  'function getPoolTokens(bytes32 poolId) view returns (address[] tokens, uint256[] balances, uint256 lastChangeBlock)',
])

/** BalancerQueries, for eth_call: returns each asset's current input (positive) or output (negative). */
export const queriesAbi = parseAbi([
  funds,
  step,
  'function queryBatchSwap(uint8 kind, Step[] swaps, address[] assets, Funds funds) returns (int256[] assetDeltas)',
])

/** A weighted pool's read of its token weights, in the Vault's order; they add up to 1e18. */
export const weightedPoolAbi = parseAbi(['function getNormalizedWeights() view returns (uint256[] weights)'])

/** The getters of a pool (IBasePool of `@balancer-labs/v2-interfaces`). */
export const poolGettersAbi = parseAbi([
  'function getVault() view returns (address)',
  'function getPoolId() view returns (bytes32)',
])

/** The Vault that BalancerQueries uses. */
export const queriesVaultAbi = parseAbi(['function vault() view returns (address)'])
