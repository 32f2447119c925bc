import type { MarketConstants } from '../../../src/protocols/market-constants-union.ts'
import type { RoomLaw } from './law-type.ts'
import { marketLaws } from './market-laws.ts'
import { stakingLaws } from './staking-laws.ts'
import { vaultLaws } from './vault-laws.ts'

/** The laws of every protocol: a protocol that is added does not compile without one. */
export const roomLaws: Record<MarketConstants['family'], readonly RoomLaw[]> = {
  ...marketLaws,
  ...stakingLaws,
  ...vaultLaws,
}
