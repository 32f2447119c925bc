import { BlockList, isIP } from 'node:net'

/**
 * The IPv4 networks that are not globally reachable (https://www.iana.org/assignments/iana-ipv4-special-registry), multicast and reserved addresses, and the
 * address of the metadata service of Azure, which is public but answers inside its machines only.
 */
const private4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]

/**
 * The IPv6 networks within global unicast (2000::/3) that are not globally reachable, or carry an IPv4 address (Teredo, 6to4)
 * (https://www.iana.org/assignments/iana-ipv6-special-registry). All addresses outside of 2000::/3 are refused: unspecified, loopback, mapped, NAT64, unique
 * local, link-local, site-local and multicast.
 */
const private6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20']

const listOf = (networks: readonly string[], family: 'ipv4' | 'ipv6'): BlockList => {
  const list = new BlockList()
  for (const network of networks) {
    const [address, bits] = network.split('/')
    list.addSubnet(address!, Number(bits), family)
  }
  return list
}

const refused4 = listOf(private4, 'ipv4')
const refused6 = listOf(private6, 'ipv6')
const global6 = listOf(['2000::/3'], 'ipv6')
const loopback4 = listOf(['127.0.0.0/8'], 'ipv4')
const loopback6 = listOf(['::1/128'], 'ipv6')

/** Whether an IP address is globally reachable; not for anything else, an address with a zone, or one that carries an IPv4 address. */
export function isPublicAddress(address: string): boolean {
  if (address.includes('%')) return false
  const family = isIP(address)
  if (family === 4) return !refused4.check(address, 'ipv4')
  return family === 6 && global6.check(address, 'ipv6') && !refused6.check(address, 'ipv6')
}

/** Whether an IP address is this machine's own: 127.0.0.0/8 or ::1. */
export function isLoopbackAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return loopback4.check(address, 'ipv4')
  return family === 6 && !address.includes('%') && loopback6.check(address, 'ipv6')
}
