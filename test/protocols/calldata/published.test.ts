import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Abi, AbiEvent, AbiFunction } from 'viem'
import { toEventSelector, toFunctionSelector } from 'viem/utils'
import { describe, expect, it } from 'vitest'
import { erc20Abi } from '../../../src/chain/erc20.ts'
import { permit2Abi } from '../../../src/chain/permit2.ts'
import { aaveV3ATokenAbi, aaveV3OracleAbi, aaveV3PoolAbi } from '../../../src/protocols/aave-v3/abi.ts'
import { erc4626Abi } from '../../../src/protocols/erc4626/abi.ts'
import { pendleRouterAbi } from '../../../src/protocols/pendle-pt/abi.ts'
import { depositAbi, spokePoolAbi } from '../../../src/swaps/across/abi.ts'
import { queriesAbi, vaultPoolsAbi, vaultSwaps } from '../../../src/swaps/balancer-v2/abi.ts'
import { messageTransmitterV2Abi, tokenMessengerV2Abi } from '../../../src/swaps/cctp-v2/abi.ts'
import { pairPool } from '../../../src/swaps/pool-recognition.ts'
import { uniswapV2PairAbi, uniswapV2RouterAbi } from '../../../src/swaps/uniswap-v2/abi.ts'
import { quoterV2Abi, swapRouter02Abi } from '../../../src/swaps/uniswap-v3/abi.ts'
import { stateViewAbi, universalRouterAbi, v4QuoterAbi } from '../../../src/swaps/uniswap-v4/abi.ts'

const published = (file: string): Abi => {
  const path = file.startsWith('.')
    ? new URL(file, import.meta.url)
    : createRequire(import.meta.url).resolve(file)
  return (JSON.parse(readFileSync(path, 'utf8')) as { abi: Abi }).abi
}
type Parameter = { type: string; components?: readonly Parameter[] }
const shape = ({ type, components }: Parameter): string =>
  components ? `(${components.map(shape).join(',')})${type.slice(5)}` : type
/** The outputs as encoded: a struct with one word is encoded as that word. */
const wire = (text: string): string => text.replace(/\(([a-z0-9]+)\)/g, '$1')
const functionLine = (item: AbiFunction): string =>
  `${toFunctionSelector(item)} ${wire(item.outputs.map(shape).join())} ${item.stateMutability}`
const eventLine = (item: AbiEvent): string =>
  `${toEventSelector(item)} ${item.inputs.map(({ indexed }) => (indexed ? 'i' : '-')).join('')}`
const lines = (abi: Abi): string[] =>
  abi.flatMap((item) => {
    if (item.type === 'function') return [functionLine(item)]
    return item.type === 'event' ? [eventLine(item)] : []
  })

const sandbox = '../../../src/sandbox/contracts'
const packaged = '../../../src/sandbox/published'

describe('functions and events in use have the published signature', () => {
  it.each<[string, Abi, string[]]>([
    ['the pool of Aave v3', aaveV3PoolAbi, [`${packaged}/Pool.json`]],
    ['the oracle of Aave v3', aaveV3OracleAbi, [`${packaged}/AaveOracle.json`]],
    ['the aToken', aaveV3ATokenAbi, [`${packaged}/AToken.json`]],
    ['QuoterV2', quoterV2Abi, [`${packaged}/QuoterV2.json`]],
    ['the router of Uniswap v2', uniswapV2RouterAbi, [`${packaged}/UniswapV2Router02.json`]],
    ['a pair of Uniswap v2', uniswapV2PairAbi, [`${packaged}/UniswapV2Pair.json`]],
    ['SwapRouter02', swapRouter02Abi, [`${packaged}/SwapRouter02.json`]],
    [
      'a pool of two tokens',
      pairPool.abi,
      [`${packaged}/UniswapV2Pair.json`, `${packaged}/UniswapV3Pool.json`],
    ],
    ['the quoter of Uniswap v4', v4QuoterAbi, [`${packaged}/V4Quoter.json`]],
    ['StateView of Uniswap v4', stateViewAbi, [`${packaged}/StateView.json`]],
    ['the Universal Router', universalRouterAbi, [`${packaged}/UniversalRouter.json`]],
    ['the Vault of Balancer v2', [...vaultSwaps, ...vaultPoolsAbi], [`${packaged}/Vault.json`]],
    ['BalancerQueries of Balancer v2', queriesAbi, [`${packaged}/BalancerQueries.json`]],
    ['Permit2', permit2Abi, [`${packaged}/Permit2.json`]],
    [
      'the router of Pendle',
      pendleRouterAbi,
      ['../artifacts/ActionSwapPTV3.json', '../artifacts/ActionMiscV3.json'],
    ],
    [
      'the SpokePool of Across',
      [...depositAbi, ...spokePoolAbi].filter(({ type }) => type === 'function'),
      ['../artifacts/Ethereum_SpokePool.json'],
    ],
    ['ERC-20', erc20Abi, ['@openzeppelin/contracts/build/contracts/IERC20Metadata.json']],
    ['ERC-4626', erc4626Abi, ['@openzeppelin/contracts/build/contracts/IERC4626.json']],
    ['TokenMessengerV2 of CCTP', tokenMessengerV2Abi, [`${sandbox}/TokenMessengerV2.json`]],
    ['MessageTransmitterV2 of CCTP', messageTransmitterV2Abi, [`${sandbox}/MessageTransmitterV2.json`]],
  ])('%s', (_, abi, files) => {
    const known = new Set(files.flatMap((file) => lines(published(file))))
    for (const line of lines(abi)) expect([...known]).toContain(line)
  })
})
