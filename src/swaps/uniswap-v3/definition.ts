import { contract } from '../../chain/call.ts'
import type { Address } from '../../domain/address.ts'
import { mustAnswer, mustRespond } from '../../protocols/shared/contract-assertions.ts'
import { pairPool } from '../pool-recognition.ts'
import { poolSwapDefinition } from '../pool-swap-definition.ts'
import { uniswapV3GettersAbi } from './abi.ts'
import { checkUniswapV3Calldata } from './calldata-check.ts'
import { uniswapV3ContractsNamed } from './constants-schema.ts'
import { exchangeOfV3, uniswapV3 as openProvider } from './provider.ts'

const getterOf = (address: Address, functionName: string) =>
  contract(address, uniswapV3GettersAbi)(functionName)
const spacingOf = (factory: Address, tier: number) => ({
  ...getterOf(factory, 'feeAmountTickSpacing'),
  args: [tier],
})

/**
 * Defines a provider for Uniswap v3, or for a fork with the same quoter and router functions. `name` is its name in catalogues, `exchange`
 * in texts; the fee tier with its tick spacing is one that its factory has from the start.
 */
export const likeUniswapV3 = <const name extends string>(
  name: name,
  exchange: string,
  [firstTier, spacing]: readonly [tier: number, spacing: number],
) =>
  poolSwapDefinition({
    contracts: uniswapV3ContractsNamed(name),
    title: exchange,
    assertions: ({ factory, quoterV2, swapRouter02, feeTiers }) => [
      mustAnswer(`a tier of ${exchange}`, spacingOf(factory, firstTier), spacing),
      ...feeTiers.map((tier) =>
        mustAnswer(`the tier ${tier} of ${exchange}`, spacingOf(factory, tier), 'a tier', (given) =>
          Number(given) > 0 ? 'a tier' : 'none',
        ),
      ),
      mustAnswer(`the factory of the quoter of ${exchange}`, getterOf(quoterV2, 'factory'), factory),
      mustAnswer(`the factory of the router of ${exchange}`, getterOf(swapRouter02, 'factory'), factory),
      // The earlier router supports v3 pools only, and lacks this getter.
      mustRespond(`the other factory of the router of ${exchange}`, getterOf(swapRouter02, 'factoryV2')),
    ],
    pools: pairPool,
    routerOf: ({ swapRouter02 }) => swapRouter02,
    check: (transaction, intent, here, wrapped) =>
      checkUniswapV3Calldata(transaction, intent, { ...here, exchange, wrapped }),
    exchange: ({ quoterV2 }, { data }) => exchangeOfV3(quoterV2, data),
    open: (here, read, wrappedOn) => openProvider(name, here, read, wrappedOn),
  })

/** Uniswap v3: same-chain swaps, also of the native coin. */
export const uniswapV3 = likeUniswapV3('uniswap-v3', 'Uniswap v3', [3000, 60])
