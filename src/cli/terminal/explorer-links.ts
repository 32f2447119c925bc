import { publicNetworks } from '../../domain/networks.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import type { Stream } from './io-types.ts'

/** A transaction hash, linked to the explorer of its network if it has one. */
export const hashLink = (to: Stream, network: string, hash: string): string =>
  /^0x[0-9a-fA-F]{64}$/.test(hash) ? linked(to, network, 'tx', hash) : sanitizeText(hash)

/** An address, linked to the explorer of its network if it has one. */
export const addressLink = (to: Stream, network: string, address: string): string =>
  /^0x[0-9a-fA-F]{40}$/.test(address) ? linked(to, network, 'address', address) : sanitizeText(address)

/** Only explorers of this program are linked; a service may name any URL. */
function linked({ link }: Stream, network: string, kind: 'tx' | 'address', text: string): string {
  const explorer = publicNetworks.find(({ name }) => name === network)?.explorer
  return link && explorer ? link(text, `${explorer}/${kind}/${text}`) : text
}
