// Prints, as JSON, the addresses that published address books list for the networks of the catalogue. No random input, no network.
const aave = require('@aave-dao/aave-address-book')
const { tokens } = require('@uniswap/default-token-list/build/uniswap-default.tokenlist.json')
const { CHAIN_TO_ADDRESSES_MAP } = require('@uniswap/sdk-core')

const chainIds = [
  1, 8453, 42161, 10, 137, 56, 43114, 100, 59144, 534352, 146, 130, 11155111, 84532, 421614, 11155420, 43113,
  560048,
]
const isOurs = (chainId) => chainIds.includes(Number(chainId))

const pools = Object.values(aave)
  .filter((book) => book?.POOL && book.ASSETS && isOurs(book.CHAIN_ID))
  .map(({ CHAIN_ID, POOL, ORACLE, ASSETS }) => ({
    chainId: CHAIN_ID,
    pool: POOL,
    oracle: ORACLE,
    reserves: Object.values(ASSETS).map(({ UNDERLYING, A_TOKEN, decimals }) => ({
      asset: UNDERLYING,
      aToken: A_TOKEN,
      decimals,
    })),
  }))
const listed = tokens
  .filter(({ chainId }) => isOurs(chainId))
  .map(({ chainId, address, symbol, decimals }) => ({ chainId, address, symbol, decimals }))
const uniswap = Object.entries(CHAIN_TO_ADDRESSES_MAP)
  .filter(([chainId]) => isOurs(chainId))
  .map(([chainId, { v3CoreFactoryAddress, swapRouter02Address }]) => ({
    chainId: Number(chainId),
    factory: v3CoreFactoryAddress,
    swapRouter02: swapRouter02Address ?? null,
  }))
process.stdout.write(JSON.stringify({ pools, listed, uniswap }))
