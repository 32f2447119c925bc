import type { Address } from '../../src/domain/address.ts'
import type { AaveV3Constants } from '../../src/protocols/aave-v3/constants-schema.ts'
import type { StrategyEntry } from '../../src/protocols/catalog-types.ts'
import type { Erc4626Constants } from '../../src/protocols/erc4626/constants-schema.ts'

/** Whether a market belongs to a protocol that every sandbox chain has. */
export const isBasic = ({ constants: { family } }: StrategyEntry): boolean =>
  family === 'aave-v3' || family === 'erc4626'

/** The constants of a market of a protocol that every sandbox chain has. */
export function basicOf({ id, constants }: StrategyEntry): AaveV3Constants | Erc4626Constants {
  if (constants.family === 'aave-v3' || constants.family === 'erc4626') return constants
  throw new Error(`${id} is of another family`)
}

/** The contract that receives deposits of the market. */
export function targetOf(entry: StrategyEntry): Address {
  const constants = basicOf(entry)
  return constants.family === 'aave-v3' ? constants.pool : constants.vault
}

/** The lending reserve behind the market. */
export function reserveOf(entry: StrategyEntry): { pool: Address; aToken: Address } {
  const constants = basicOf(entry)
  return constants.family === 'aave-v3' ? constants : constants.backing!
}
