import { z } from 'zod'
import { AaveV3Constants } from './aave-v3/constants-schema.ts'
import { AcrossPoolConstants } from './across-pool/constants-schema.ts'
import { CompoundV2Constants } from './compound-v2/constants-schema.ts'
import { CompoundV3Constants } from './compound-v3/constants-schema.ts'
import { Erc4626Constants } from './erc4626/constants-schema.ts'
import { EthenaConstants } from './ethena/constants-schema.ts'
import { FluidConstants } from './fluid/constants-schema.ts'
import { LidoConstants } from './lido/constants-schema.ts'
import {
  BenqiStakingConstants,
  EtherFiConstants,
  FraxEtherConstants,
  GnosisSdaiConstants,
  ListaConstants,
  RocketPoolConstants,
  StaderConstants,
} from './liquid-staking/constants-schema.ts'
import { MorphoConstants } from './morpho/constants-schema.ts'
import { PendlePtConstants } from './pendle-pt/constants-schema.ts'
import { SparkPsm3Constants } from './spark-psm3/constants-schema.ts'
import { StakewiseConstants } from './stakewise/constants-schema.ts'
import { YearnV3Constants } from './yearn-v3/constants-schema.ts'

/** The schema of these constants, as a catalogue file has them: one line per protocol. */
export const MarketConstants = z.discriminatedUnion('family', [
  AaveV3Constants,
  AcrossPoolConstants,
  CompoundV2Constants,
  CompoundV3Constants,
  Erc4626Constants,
  EthenaConstants,
  FluidConstants,
  LidoConstants,
  RocketPoolConstants,
  StaderConstants,
  ListaConstants,
  BenqiStakingConstants,
  EtherFiConstants,
  FraxEtherConstants,
  GnosisSdaiConstants,
  MorphoConstants,
  PendlePtConstants,
  SparkPsm3Constants,
  StakewiseConstants,
  YearnV3Constants,
])
/** The constants of a market, by its protocol. */
export type MarketConstants = z.infer<typeof MarketConstants>
