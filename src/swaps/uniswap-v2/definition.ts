import { contract } from '../../chain/call.ts'
import { mustAnswer, mustRespond } from '../../protocols/shared/contract-assertions.ts'
import { pairPool } from '../pool-recognition.ts'
import { poolSwapDefinition } from '../pool-swap-definition.ts'
import { uniswapV2GettersAbi } from './abi.ts'
import { checkUniswapV2Calldata } from './calldata-check.ts'
import { uniswapV2ContractsNamed } from './constants-schema.ts'
import { exchangeOfV2, uniswapV2 as openProvider } from './provider.ts'

/**
 * Defines a provider for a fork of Uniswap v2 with the functions of UniswapV2Router02 and a fee of 0.3 %. `name` is its name in
 * catalogues, `title` in texts.
 */
export const likeUniswapV2 = <const name extends string>(name: name, title: string) =>
  poolSwapDefinition({
    contracts: uniswapV2ContractsNamed(name),
    title,
    assertions: ({ factory, router02 }) => [
      mustAnswer(
        `the factory of the router of ${title}`,
        contract(router02, uniswapV2GettersAbi)('factory'),
        factory,
      ),
      mustRespond(
        `the number of pairs of ${title}`,
        contract(factory, uniswapV2GettersAbi)('allPairsLength'),
      ),
    ],
    pools: pairPool,
    routerOf: ({ router02 }) => router02,
    check: (transaction, intent, here, wrapped) =>
      checkUniswapV2Calldata(transaction, intent, { ...here, exchange: title, wrapped }),
    exchange: exchangeOfV2,
    open: (here, read, wrappedOn) => openProvider(name, here, read, wrappedOn),
  })

/** Uniswap v2: same-chain swaps, also of the native coin. */
export const uniswapV2 = likeUniswapV2('uniswap-v2', 'Uniswap v2')
