import type { Address } from '../domain/address.ts'
import type { Cli } from './cli.ts'
import { address } from './options.ts'

/** The address of a wallet that was named by address or by keystore; the signer's own where nothing was named. */
export async function walletAddress(cli: Cli, name: string | undefined): Promise<Address> {
  if (name === undefined) return (await cli.place.who({})).address
  if (!name.startsWith('0x')) {
    // Only a name needs the keystores; an address does not wait for that to be loaded.
    const { listKeys } = await import('../wallet/keys/keystore-names.ts')
    const known = listKeys(cli.world.keystores).find((key) => key.name === name)
    if (known?.address) return known.address
    return (await cli.place.who({ wallet: name })).address
  }
  return address(name, 'A wallet')
}
