import type { Address } from '../src/domain/address.ts'

/** Yearn receipts without a symbol in the survey, with their symbols from Yearn's API (responses of ydaemon.yearn.fi, recorded in public repositories). */
const yearn: Readonly<Record<Address, string>> = {
  '0x028eC7330ff87667b6dfb0D94b954c820195336c': 'yvDAI-1',
  '0x182863131F9a4630fF9E27830d945B1413e347E8': 'yvUSDS-1',
  '0x310B7Ea7475A0B449Cfd73bE81522F1B88eFAFaa': 'yvUSDT-1',
  '0x92545bCE636E6eE91D88D2D017182cD0bd2fC22e': 'yvDAI-2',
  '0xAc37729B76db6438CE62042AE1270ee574CA7571': 'yvWETH-2',
  '0xAe7d8Db82480E6d8e3873ecbF22cf17b3D8A7308': 'yvUSDC-2',
  '0xBe53A109B494E5c9f97b9Cd39Fe969BE68BF6204': 'yvUSDC-1',
  '0xBF319dDC2Edc1Eb6FDf9910E39b37Be221C8805F': 'yvcrvUSD-2',
  '0xc56413869c6CDf96496f2b1eF801fEDBdFA7dDB0': 'yvWETH-1',
}

const source = 'symbol: answers of ydaemon.yearn.fi, recorded in public repositories'

/**
 * The symbol of a receipt, and its source outside the survey. The survey's symbols of Yearn receipts are invented and not unique; a receipt
 * without a published symbol is named after its protocol and asset.
 */
export function receiptName(
  market: {
    asset: Address
    receiptSymbol: string | null
    underlyingSymbol: string
    implementationSelector: string
  },
  protocol: string,
): { symbol: string; source: string | undefined } {
  const published = yearn[market.asset]
  if (published) return { symbol: published, source }
  const isMadeUp = market.implementationSelector === 'erc4626-yearn-v3' && protocol.startsWith('yearn-')
  const said = isMadeUp ? null : market.receiptSymbol
  // A symbol is one word, so that it can be typed.
  return { symbol: (said ?? `${protocol}-${market.underlyingSymbol}`).replace(/ .*$/, ''), source: undefined }
}
