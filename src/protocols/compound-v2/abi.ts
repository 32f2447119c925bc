import { parseAbi } from 'viem/utils'
import type { Address } from '../../domain/address.ts'
import type { CompoundV2Constants } from './constants.ts'

/** A market of the Compound v2 family to read, and which one a router beside it belongs to (sources: VenusProtocol/venus-protocol, moonwell-fi/moonwell-contracts-v2, Benqi-fi/BENQI-Smart-Contracts). */
export const cTokenAbi = parseAbi([
  'function underlying() view returns (address)',
  'function comptroller() view returns (address)',
  'function mToken() view returns (address)',
  'function exchangeRateCurrent() returns (uint256)',
  'function supplyRatePerTimestamp() view returns (uint256)',
  'function supplyRatePerBlock() view returns (uint256)',
  'function getCash() view returns (uint256)',
  'function totalBorrows() view returns (uint256)',
  'function totalReserves() view returns (uint256)',
  'event Transfer(address indexed from, address indexed to, uint256 amount)',
])

/** What a comptroller says of pauses, one question of Moonwell and Benqi, one of Venus (0 mint, 1 redeem), and of what may be in a market, which Benqi does not limit. */
export const comptrollerAbi = parseAbi([
  'function treasuryPercent() view returns (uint256)',
  'function mintGuardianPaused(address market) view returns (bool)',
  'function actionPaused(address market, uint8 action) view returns (bool)',
  'function supplyCaps(address market) view returns (uint256)',
  // Venus says more of it, after this.
  'function markets(address market) view returns (bool isListed)',
])

/** Deposits an ERC-20 into its market. */
export const mintToken = parseAbi(['function mint(uint256 mintAmount) returns (uint256)'])
/** Deposits the native coin into its market. */
export const mintCoin = parseAbi(['function mint() payable'])
/** Deposits the native coin by the router beside its market. */
export const mintByRouter = parseAbi(['function mint(address recipient) payable'])
/** The functions that leave a market. */
export const exits = parseAbi([
  'function redeem(uint256 redeemTokens) returns (uint256)',
  'function redeemUnderlying(uint256 redeemAmount) returns (uint256)',
])

/** Where a deposit of a market goes: the native coin of some goes to a router beside it. */
export const entranceOf = ({ market, coin }: Pick<CompoundV2Constants, 'market' | 'coin'>): Address =>
  coin === undefined || coin === 'market' ? market : coin.router
