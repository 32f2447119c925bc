import type { Address } from '../../domain/address.ts'
import type { RelayConstants } from './constants-schema.ts'

/**
 * Relay's router 3.2, in use since 2026-10-26 beside the one of the catalogue; with the address on Linea, which differs (docs.relay.link:
 * those who validate contract addresses allow both).
 */
const router32: Address = '0x0729e2a4716d9f7dd17858d5d504426d228697f7'
const router32OnLinea: Address = '0x6328ea02d28131e58b28e55c6258258a30d90e05'
const linea = 59_144

/** The contracts of Relay that pay out the native coin on a chain. */
export const routersOf = ({
  chainId,
  router,
}: Pick<RelayConstants, 'chainId' | 'router'>): readonly Address[] => [
  router,
  chainId === linea ? router32OnLinea : router32,
]
