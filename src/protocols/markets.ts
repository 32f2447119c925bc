import { aaveV3 } from './aave-v3/market.ts'
import { across } from './across/market.ts'
import type { Catalog, StrategyEntry } from './catalog.ts'
import { compoundV2 } from './compound-v2/market.ts'
import { compoundV3 } from './compound-v3/market.ts'
import { erc4626 } from './erc4626/market.ts'
import { ethena } from './ethena/market.ts'
import { lido } from './lido/market.ts'
import { staked } from './liquid-staking/market.ts'
import type { Market } from './market.ts'
import { morpho } from './morpho/market.ts'
import { pendlePt } from './pendle-pt/market.ts'
import { sparkPsm3 } from './spark-psm3/market.ts'
import { stakewise } from './stakewise/market.ts'
import { yearnV3 } from './yearn-v3/market.ts'

/** The market behind an entry of the catalogue: a new protocol family is one line here and a file beside this one. */
export function marketOf(entry: StrategyEntry): Market {
  const { constants } = entry
  switch (constants.family) {
    case 'aave-v3':
      return aaveV3(entry, constants)
    case 'across':
      return across(entry, constants)
    case 'compound-v2':
      return compoundV2(entry, constants)
    case 'compound-v3':
      return compoundV3(entry, constants)
    case 'erc4626':
      return erc4626(entry, constants)
    case 'ethena':
      return ethena(entry, constants)
    case 'pendle-pt':
      return pendlePt(entry, constants)
    case 'spark-psm3':
      return sparkPsm3(entry, constants)
    case 'gnosis-sdai':
    case 'ether-fi':
    case 'frax-ether':
    case 'rocket-pool':
    case 'stader':
    case 'lista':
    case 'benqi-staking':
      return staked(entry, constants)
    case 'stakewise':
      return stakewise(entry, constants)
    case 'lido':
      return lido(entry, constants)
    case 'morpho':
      return morpho(entry, constants)
    case 'yearn-v3':
      return yearnV3(entry, constants)
  }
}

/** Every market of a catalogue. */
export const marketsOf = (catalog: Catalog): Market[] => catalog.strategies.map(marketOf)
