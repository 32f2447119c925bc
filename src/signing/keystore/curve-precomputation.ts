import { noble } from 'ox/Secp256k1'

/*
 * The first signature or recovery of a process takes several times as long as the second one: its code is not compiled yet, and the library's
 * default table of the curve pays off after hundreds of signatures only. A process does this once while it waits for something else.
 */

const anyHash = new Uint8Array(32).fill(1)

/** Prepares a process that signs a few times: a small table of the curve, and one signature that nobody sees. */
export function prepareSigning(): void {
  noble.utils.precompute(4)
  noble.sign(anyHash, noble.utils.randomPrivateKey())
}

/** Prepares a process that recovers the signers of a few transactions: a small table of the curve, and one recovery. */
export function prepareRecovery(): void {
  noble.utils.precompute(4)
  const { Gx, n } = noble.CURVE
  new noble.Signature(Gx % n, 1n).addRecoveryBit(0).recoverPublicKey(anyHash)
}
