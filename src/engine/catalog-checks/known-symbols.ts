import type { Token } from '../../domain/token.ts'

/**
 * Other symbols of tokens, by `chainId:address`, from their contract or a published list: of renamed and bridged tokens, and of those named after what
 * they wrap (sources: npm @uniswap/default-token-list 22.21.0, @aave-dao/aave-address-book 4.68.1; beefyfinance/beefy-api address-book).
 */
const others: Record<string, readonly string[]> = {
  '56:0x2170Ed0880ac9A755fd29B2688956BD959F933F8': ['WETH'],
  '56:0x0782b6d8c4551B9760e74c0545a9bCD90bdc41E5': ['HAY'],
  '10:0x9560e827aF36c94D2Ac33a39bCE1Fe78631088Db': ['VELOV2'],
  '10:0x7F5c764cBc14f9669B88837ca1490cCa17c31607': ['USDC'],
  '42161:0xFF970A61A04b1cA14834A43f5dE4533eBDDB5CC8': ['USDC'],
  '42161:0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9': ['USDT'],
  '137:0xc2132D05D31c914a87C6611C10748AEb04B58e8F': ['USDT'],
  '137:0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174': ['USDC'],
  '137:0xE0B52e49357Fd4DAf2c15e02058DCE6BC0057db4': ['agEUR'],
  '137:0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270': ['WMATIC'],
  '137:0xa3Fa99A148fA48D14Ed51d610c367C61876997F1': ['MAI'],
  '43114:0xd586E7F844cEa2F87f50152665BCbc2C279D8d70': ['DAI'],
  '43114:0x50b7545627a5162F82A992c33b87aDc75187B218': ['WBTC'],
  '43114:0x63a72806098Bd3D9520cC43356dD78afe5D386D9': ['AAVE.e'],
  '43114:0x5947BB275c521040051D82396192181b413227A3': ['LINK.e'],
  '43114:0x49D5c2BdFfac6CE2BFdB6640F4F80f226bc10bAB': ['WETH.e'],
}

/** Letters and digits only: USD₮0 becomes usdt0, and BTC.b becomes btcb. */
const plain = (symbol: string) =>
  symbol
    .toLowerCase()
    .replaceAll('₮', 't')
    .replace(/[^a-z0-9]/g, '')

/** Whether a word is a token's symbol, or another known symbol of it. */
export const isSymbol = (
  said: string,
  { chainId, address, symbol }: Pick<Token, 'chainId' | 'address' | 'symbol'>,
): boolean => [symbol, ...(others[`${chainId}:${address}`] ?? [])].some((one) => plain(one) === plain(said))
