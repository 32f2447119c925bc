import { z } from 'zod'
import type { Address } from '../../domain/address.ts'

/** An address in a catalogue file. Files hold checksummed addresses; a test checks that, because it costs too much at every start. */
export const At = z.custom<Address>((value) => typeof value === 'string' && /^0x[0-9a-fA-F]{40}$/.test(value))
