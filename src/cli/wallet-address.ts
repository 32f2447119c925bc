import type { Address } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import { type Advice, sluice } from '../domain/text/next-step.ts'
import type { Cli } from './command-run-types.ts'
import { address } from './options/option-values.ts'

/** The address of a wallet that was named by address or by keystore; the signer's own where nothing was named. `instead` is a line that names one. */
export async function walletAddress(
  cli: Cli,
  name: string | undefined,
  instead: Advice = sluice('wallet show', 'ADDR'),
): Promise<Address> {
  if (name === undefined) return ownAddress(cli, instead)
  if (!name.startsWith('0x')) {
    // Only a name needs the keystores; an address does not wait for that to be loaded.
    const { listKeys } = await import('../signing/keystore/directory.ts')
    const known = listKeys(cli.program.keystores).find((key) => key.name === name)
    if (known?.address) return known.address
    return (await cli.backend.signerIdentity({ wallet: name })).address
  }
  return address(name, 'A wallet')
}

async function ownAddress(cli: Cli, instead: Advice): Promise<Address> {
  try {
    return (await cli.backend.signerIdentity({})).address
  } catch (error) {
    if (!(error instanceof AppError) || error.details?.named !== false) throw error
    // Reading needs only the address.
    throw new AppError('KEY_REQUIRED', 'No wallet given, and this machine has no default wallet', {
      details: error.details,
      cause: error,
      next: instead,
    })
  }
}
