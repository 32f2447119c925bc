import { type Call, contract } from '../../chain/call.ts'
import type { Address } from '../../domain/address.ts'
import { mustAnswer, mustRespond } from '../../protocols/shared/contract-assertions.ts'
import { poolSwapDefinition } from '../pool-swap-definition.ts'
import { poolGettersAbi, queriesVaultAbi } from './abi.ts'
import { checkBalancerV2Calldata } from './calldata-check.ts'
import { balancerV2Contracts } from './constants-schema.ts'
import { priceQueries } from './path-quote.ts'
import { exchangeOfBalancerV2, balancerV2 as open } from './provider.ts'

/** Balancer v2: same-chain swaps through the pools in the catalogue, also of the native coin. */
export const balancerV2 = poolSwapDefinition({
  contracts: balancerV2Contracts,
  title: 'Balancer v2',
  assertions: ({ vault, queries, pools }) => [
    mustAnswer('the Vault of the queries of Balancer v2', contract(queries, queriesVaultAbi)('vault'), vault),
    // A pool must have exactly the listed tokens, and weights.
    ...pools.flatMap(({ id, tokens }) => {
      const [held, weights] = priceQueries(vault, { tokens, pools: [id] }) as [Call, Call]
      return [
        mustAnswer(`the tokens of the pool ${id}`, held, tokens.join(), (said) =>
          (said as Address[][])[0]!.join(),
        ),
        mustRespond(`the weights of the pool ${id}`, weights),
      ]
    }),
  ],
  pools: {
    abi: poolGettersAbi,
    getters: [{ functionName: 'getPoolId' }],
    // The ID of a pool begins with its address.
    isPool: ([id], address) => String(id).toLowerCase().startsWith(address.toLowerCase()),
    madeBy: 'getVault',
  },
  isUsable: ({ pools }) => pools.length > 0,
  routerOf: ({ vault }) => vault,
  check: checkBalancerV2Calldata,
  exchange: exchangeOfBalancerV2,
  open,
})
