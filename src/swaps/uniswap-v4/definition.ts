import { parseAbi } from 'viem/utils'
import { contract } from '../../chain/call.ts'
import type { Address } from '../../domain/address.ts'
import { mustAnswer, mustRespond } from '../../protocols/shared/contract-assertions.ts'
import { poolSwapDefinition } from '../pool-swap-definition.ts'
import { checkUniswapV4Calldata } from './calldata-check.ts'
import { uniswapV4Contracts } from './constants-schema.ts'
import { exchangeOfV4, uniswapV4 as open } from './provider.ts'

/** The getters by which its contracts identify themselves (source: Uniswap v4-periphery, universal-router and permit2). */
const gettersAbi = parseAbi([
  'function poolManager() view returns (address)',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
])
const getterOf = (address: Address, functionName: string) => contract(address, gettersAbi)(functionName)

/** Uniswap v4: same-chain swaps, also of the native coin, which its pools hold unwrapped. Tokens are paid through Permit2. */
export const uniswapV4 = poolSwapDefinition({
  contracts: uniswapV4Contracts,
  title: 'Uniswap v4',
  assertions: ({ poolManager, quoter, stateView, universalRouter, permit2 }) => [
    mustAnswer('the pools of the quoter of Uniswap v4', getterOf(quoter, 'poolManager'), poolManager),
    mustAnswer('the pools of the prices of Uniswap v4', getterOf(stateView, 'poolManager'), poolManager),
    mustAnswer(
      'the pools of the router of Uniswap v4',
      getterOf(universalRouter, 'poolManager'),
      poolManager,
    ),
    mustRespond('the domain of Permit2', getterOf(permit2, 'DOMAIN_SEPARATOR')),
  ],
  // The pool manager holds the tokens of all pools.
  pools: 'none',
  routerOf: ({ universalRouter }) => universalRouter,
  permit2Of: ({ permit2 }) => permit2,
  check: checkUniswapV4Calldata,
  exchange: exchangeOfV4,
  open,
})
