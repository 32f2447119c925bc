import type { Address } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import type { Network } from '../domain/networks.ts'
import { didYouMean } from '../domain/text/did-you-mean.ts'
import { sluice } from '../domain/text/next-step.ts'
import type { Cli } from './command-run-types.ts'
import { address, addressOnAnyNetwork } from './options/option-values.ts'

/** Whether a text is meant as an address: with 0x, or with a network before it. A name of a wallet is neither. */
const isAddressLike = (text: string): boolean => /^0x|:|^[0-9a-fA-F]{40}$|^[0-9a-fA-F]{64}$/i.test(text)

/** Checks the form of a recipient as far as it is an address; the name of a wallet is looked up later. */
export const recipientForm = (text: string, what: string): string =>
  isAddressLike(text) ? addressOnAnyNetwork(text, what) : text

/**
 * The recipient of a payment: an address, or the name of a wallet of this machine, whose address a notice states. USAGE for anything else, and for a
 * wallet whose file does not name its address.
 */
export async function recipientOf(
  cli: Pick<Cli, 'program' | 'notice'>,
  text: string,
  what: string,
  on?: Pick<Network, 'name' | 'chainId'>,
): Promise<Address> {
  if (isAddressLike(text)) return address(text, what, on)
  const { listKeys } = await import('../signing/keystore/directory.ts')
  const keys = listKeys(cli.program.keystores)
  const named = keys.find(({ name }) => name === text)
  if (named?.address) {
    cli.notice(`${what}: the wallet ${text} is ${named.address}`)
    return named.address
  }
  if (named)
    throw new AppError(
      'USAGE',
      `The keystore of ${text} does not name its address, so ${what} needs the address`,
      {
        next: sluice('wallet list'),
      },
    )
  throw new AppError(
    'USAGE',
    `${what} must be an address or the name of a wallet of this machine, not "${text}"${didYouMean(
      text,
      keys.map(({ name }) => name),
    )}`,
    {
      next:
        keys.length === 0
          ? 'There is no wallet on this machine, so give the address: 0x and 40 hex digits.'
          : `Wallets: ${keys.map(({ name }) => name).join(', ')}`,
    },
  )
}
