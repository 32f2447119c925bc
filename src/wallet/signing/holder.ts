import type { Address, Hex } from '../../domain/address.ts'
import type { Signable } from '../guard/plan-hash.ts'

/** What holds a key: this process, a device, or a signer elsewhere. It gives the signed bytes, and sends nothing. */
export type KeyHolder = { address: Address; signTransaction: (signable: Signable) => Promise<Hex> }
