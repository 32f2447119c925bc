import { parseAbi } from 'viem/utils'

/*
 * Source: `@balancer-labs/v2-deployments` 3.2.0, tasks 20210418-vault, 20220721-balancer-queries and 20210418-weighted-pool.
 */

const funds =
  'struct Funds { address sender; bool fromInternalBalance; address recipient; bool toInternalBalance; }'
const step =
  'struct Step { bytes32 poolId; uint256 assetInIndex; uint256 assetOutIndex; uint256 amount; bytes userData; }'

/**
 * The swaps of the Vault, in one pool or along several, before `deadline` (Unix seconds). `kind` is 0 where the input is given, and 1 where
 * the output is; the zero address among the assets is the native coin. Of the limits of several, what goes in is positive, and what comes
 * out negative.
 */
export const vaultSwaps = parseAbi([
  funds,
  step,
  'struct Single { bytes32 poolId; uint8 kind; address assetIn; address assetOut; uint256 amount; bytes userData; }',
  'function swap(Single singleSwap, Funds funds, uint256 limit, uint256 deadline) payable returns (uint256 amountCalculated)',
  'function batchSwap(uint8 kind, Step[] swaps, address[] assets, Funds funds, int256[] limits, uint256 deadline) payable returns (int256[] assetDeltas)',
])

/** The Vault: the tokens of a pool, and how much of each it has. */
export const vaultPoolsAbi = parseAbi([
  'function getPoolTokens(bytes32 poolId) view returns (address[] tokens, uint256[] balances, uint256 lastChangeBlock)',
])

/** BalancerQueries: called with eth_call, it tells what goes in (positive) and comes out (negative) of each asset now. */
export const queriesAbi = parseAbi([
  funds,
  step,
  'function queryBatchSwap(uint8 kind, Step[] swaps, address[] assets, Funds funds) returns (int256[] assetDeltas)',
])

/** A weighted pool: the weights of its tokens, in the order of the Vault, which are 1e18 together. */
export const weightedPoolAbi = parseAbi(['function getNormalizedWeights() view returns (uint256[] weights)'])
