import { type Address, nativeAddress, sameAddress } from '../address.ts'

type Named = { chainId: number; address: Address; symbol: string }

/**
 * Other symbols of tokens, by `chainId:address`, from their contract or a published list: of renamed and bridged tokens, and of those named after what
 * they wrap (sources: npm @uniswap/default-token-list 22.21.0, @aave-dao/aave-address-book 4.68.1; beefyfinance/beefy-api address-book). The coin of
 * Polygon was MATIC until it was renamed, as WMATIC was.
 */
const others: Readonly<Record<string, readonly string[]>> = {
  '1:0x111111111117dC0aa78b770fA6A738034120C302': ['ONE.INCH'],
  '56:0x2170Ed0880ac9A755fd29B2688956BD959F933F8': ['WETH'],
  '56:0x0782b6d8c4551B9760e74c0545a9bCD90bdc41E5': ['HAY'],
  '10:0x9560e827aF36c94D2Ac33a39bCE1Fe78631088Db': ['VELOV2'],
  '10:0x7F5c764cBc14f9669B88837ca1490cCa17c31607': ['USDC'],
  '42161:0xFF970A61A04b1cA14834A43f5dE4533eBDDB5CC8': ['USDC'],
  '42161:0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9': ['USDT'],
  '10:0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85': ['USDCn'],
  '42161:0xaf88d065e77c8cC2239327C5EDb3A432268e5831': ['USDCn'],
  '137:0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359': ['USDCn'],
  '137:0x7ceB23fD6bC0adD59E62ac25578270cFf1b9f619': ['ETH'],
  [`137:${nativeAddress}`]: ['MATIC'],
  '137:0xc2132D05D31c914a87C6611C10748AEb04B58e8F': ['USDT'],
  '137:0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174': ['USDC'],
  '137:0xE0B52e49357Fd4DAf2c15e02058DCE6BC0057db4': ['agEUR'],
  '137:0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270': ['WMATIC'],
  '137:0xa3Fa99A148fA48D14Ed51d610c367C61876997F1': ['MAI'],
  '43114:0xd586E7F844cEa2F87f50152665BCbc2C279D8d70': ['DAI'],
  '43114:0x50b7545627a5162F82A992c33b87aDc75187B218': ['WBTC'],
  '43114:0x63a72806098Bd3D9520cC43356dD78afe5D386D9': ['AAVE.e'],
  '43114:0x5947BB275c521040051D82396192181b413227A3': ['LINK.e'],
  '43114:0x49D5c2BdFfac6CE2BFdB6640F4F80f226bc10bAB': ['WETH.e', 'ETH'],
}

/** The other symbols of a token; empty if none is known. */
export const otherSymbols = ({ chainId, address }: Omit<Named, 'symbol'>): readonly string[] =>
  others[`${chainId}:${address}`] ?? []

/** A symbol as letters and digits in lower case: USD₮0 becomes usdt0, and BTC.b becomes btcb. */
export const plainSymbol = (symbol: string): string =>
  symbol
    .toLowerCase()
    .replaceAll('₮', 't')
    .replace(/[^a-z0-9]/g, '')

/**
 * The tokens of one network that a symbol names: those that have it in any casing, else those that have it with other punctuation, else
 * those of which it is another symbol. A token with the symbol itself always goes first, so `USDC` is never a bridged one beside it.
 */
export function tokensCalled<token extends Named>(here: readonly token[], symbol: string): token[] {
  const wanted = plainSymbol(symbol)
  const ways: ((one: token) => boolean)[] = [
    (one) => one.symbol.toLowerCase() === symbol.toLowerCase(),
    (one) => wanted !== '' && plainSymbol(one.symbol) === wanted,
    (one) => wanted !== '' && otherSymbols(one).some((other) => plainSymbol(other) === wanted),
  ]
  for (const is of ways) {
    const found = here.filter(is)
    if (found.length > 0) return found
  }
  return []
}

/**
 * Returns whether a token is what a symbol names on its network, among the tokens that are known there. For lists over several networks:
 * `USDT` is the token of that symbol on Ethereum, and USDT0 on Arbitrum.
 */
export function assetCalled(symbol: string, known: readonly Named[]): (asset: Named) => boolean {
  const named = new Map<number, Named[]>()
  return (asset) => {
    const { chainId } = asset
    const found =
      named.get(chainId) ??
      tokensCalled(
        known.filter((one) => one.chainId === chainId),
        symbol,
      )
    named.set(chainId, found)
    return found.some(({ address }) => sameAddress(address, asset.address))
  }
}

/**
 * The end of a sentence that suggests the symbol that was meant: one with two letters next to each other swapped. Any other slip of the hand may be
 * the symbol of another asset (USDT and USDC, stETH and wstETH), which is never suggested.
 */
export function symbolMeant(typed: string, known: readonly string[]): string {
  const found = known.find((one) => isSwapped(typed, one))
  return found === undefined ? '' : `; did you mean ${found}?`
}

/** Whether two words differ by two neighbouring letters in the other order, in any casing. */
function isSwapped(typed: string, symbol: string): boolean {
  const [a, b] = [typed.toLowerCase(), symbol.toLowerCase()]
  const at = [...a].findIndex((letter, index) => letter !== b[index])
  return (
    a.length === b.length &&
    at >= 0 &&
    a[at] === b[at + 1] &&
    a[at + 1] === b[at] &&
    a.slice(at + 2) === b.slice(at + 2)
  )
}

/**
 * The slugs and ids among some that can be suggested for a typed one, which are those of the same asset: a slip in the protocol, which a slug begins
 * with, in the network, which it ends with, or two letters swapped anywhere. Between them are the asset and the name of the market.
 */
export function slugsOfSameAsset(
  typed: string,
  slugs: readonly string[],
  symbols: readonly string[],
): string[] {
  const assets = new Set(symbols.map(plainSymbol))
  const parts = (slug: string) => slug.toLowerCase().split('-').map(plainSymbol)
  const own = parts(typed)
  return slugs.filter((slug) => {
    const all = parts(slug)
    const isFree = (at: number) =>
      (at === 0 || at === all.length - 1) && !assets.has(all[at]!) && !assets.has(own[at]!)
    return (
      all.length === own.length &&
      all.every((part, at) => part === own[at] || isSwapped(own[at]!, part) || isFree(at))
    )
  })
}
