import { noble } from 'ox/Secp256k1'

/**
 * Precomputes the table of the curve for a process that signs or recovers a few times. The library's default table pays off after hundreds of
 * signatures and takes longer to build than all of ours.
 */
export const precomputeCurve = (): void => void noble.utils.precompute(4)
