import { z } from 'zod'
import { CatalogAddress } from '../../domain/address.ts'

/** Rocket Pool. `depositPool` took stakes when this was written; `storage` names the current contract. */
export const RocketPoolConstants = z.strictObject({
  family: z.literal('rocket-pool'),
  token: CatalogAddress,
  storage: CatalogAddress,
  depositPool: CatalogAddress,
})
export type RocketPoolConstants = z.infer<typeof RocketPoolConstants>

/** Stader: `manager` takes stakes, `withdrawals` takes withdrawal requests. */
export const StaderConstants = z.strictObject({
  family: z.literal('stader'),
  token: CatalogAddress,
  manager: CatalogAddress,
  withdrawals: CatalogAddress,
})
export type StaderConstants = z.infer<typeof StaderConstants>

/** Lista: one contract beside the token does everything. */
export const ListaConstants = z.strictObject({
  family: z.literal('lista'),
  token: CatalogAddress,
  manager: CatalogAddress,
})
export type ListaConstants = z.infer<typeof ListaConstants>

/** sAVAX of Benqi: the token does everything. */
export const BenqiStakingConstants = z.strictObject({
  family: z.literal('benqi-staking'),
  token: CatalogAddress,
})
export type BenqiStakingConstants = z.infer<typeof BenqiStakingConstants>

/** ether.fi: the adapters change the coin into weETH, and weETH into a ticket of `requests`; `pool` states whether all is paused. */
export const EtherFiConstants = z.strictObject({
  family: z.literal('ether-fi'),
  token: CatalogAddress,
  pool: CatalogAddress,
  depositAdapter: CatalogAddress,
  withdrawAdapter: CatalogAddress,
  requests: CatalogAddress,
})
export type EtherFiConstants = z.infer<typeof EtherFiConstants>

/** Staked frxETH: `minter` takes the coin, `queue` takes sfrxETH for a ticket. */
export const FraxEtherConstants = z.strictObject({
  family: z.literal('frax-ether'),
  token: CatalogAddress,
  minter: CatalogAddress,
  queue: CatalogAddress,
})
export type FraxEtherConstants = z.infer<typeof FraxEtherConstants>

/** Savings xDAI: `adapter` deposits the coin into `token`, a vault of the wrapped coin `wrapped`, and withdraws it at once. */
export const GnosisSdaiConstants = z.strictObject({
  family: z.literal('gnosis-sdai'),
  token: CatalogAddress,
  adapter: CatalogAddress,
  wrapped: CatalogAddress,
})
export type GnosisSdaiConstants = z.infer<typeof GnosisSdaiConstants>

/** The constants of every protocol of liquid staking. */
export type StakedConstants =
  | RocketPoolConstants
  | StaderConstants
  | ListaConstants
  | BenqiStakingConstants
  | EtherFiConstants
  | FraxEtherConstants
  | GnosisSdaiConstants
