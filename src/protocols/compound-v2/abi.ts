import { parseAbi } from 'viem/utils'
import type { Address } from '../../domain/address.ts'
import type { CompoundV2Constants } from './constants-schema.ts'

/** A market of the Compound v2 family, and the market of a router (sources: VenusProtocol/venus-protocol, moonwell-fi/moonwell-contracts-v2, Benqi-fi/BENQI-Smart-Contracts). */
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

/** A comptroller: pauses (one function of Moonwell and Benqi, two of Venus: of everything, and of an action, 0 mint, 1 redeem), and supply caps, which Benqi does not have. */
export const comptrollerAbi = parseAbi([
  'function treasuryPercent() view returns (uint256)',
  'function mintGuardianPaused(address market) view returns (bool)',
  'function protocolPaused() view returns (bool)',
  'function actionPaused(address market, uint8 action) view returns (bool)',
  'function supplyCaps(address market) view returns (uint256)',
  // Venus returns more values after this one.
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

/** The contract that takes deposits of a market: the market, or the router of a native coin. */
export const entranceOf = ({ market, coin }: Pick<CompoundV2Constants, 'market' | 'coin'>): Address =>
  coin === undefined || coin === 'market' ? market : coin.router
