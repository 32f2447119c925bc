import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { guardedPost, type Resolve, urlFlaw } from '../../src/http/guarded-post.ts'

let connections = 0
let redirects = ''
const server = createServer((_, response) => {
  response.writeHead(redirects === '' ? 200 : 307, redirects === '' ? {} : { location: redirects }).end('ok')
})
server.on('connection', () => connections++)
let port = 0
beforeAll(async () => {
  server.listen(0, '0.0.0.0')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
})
afterAll(() => server.close())

const post = (url: string, resolve?: Resolve, allowLoopback = false) =>
  guardedPost({
    url,
    headers: {},
    body: '{}',
    timeoutMs: 2_000,
    allowLoopback,
    ...(resolve && { resolve }),
  })

/** Addresses that no webhook may reach, as a host of a URL or as the answer of a name server. */
const addresses4 = [
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '10.255.255.255',
  '100.64.0.1',
  '100.100.100.200',
  '100.127.255.254',
  '127.0.0.1',
  '127.1.2.3',
  '127.255.255.254',
  '168.63.129.16',
  '169.254.0.1',
  '169.254.169.254',
  '169.254.170.2',
  '172.16.0.1',
  '172.31.255.254',
  '192.0.0.1',
  '192.0.0.192',
  '192.0.2.7',
  '192.88.99.1',
  '192.168.0.1',
  '192.168.255.254',
  '198.18.0.1',
  '198.19.255.254',
  '198.51.100.1',
  '203.0.113.9',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
]
const addresses6 = [
  '::',
  '::1',
  '::2',
  '::127.0.0.1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:10.0.0.1',
  '::ffff:169.254.169.254',
  '::ffff:8.8.8.8',
  '::ffff:0:127.0.0.1',
  '64:ff9b::127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::7f00:1',
  '100::1',
  '2001::1',
  '2001:0:7f00:1::',
  '2001:2::1',
  '2001:10::1',
  '2001:20::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '2002:a9fe:a9fe::1',
  '2002:c0a8:1::1',
  '2620:4f:8000::1',
  '3fff::1',
  '4000::1',
  '5f00::1',
  'fc00::1',
  'fd00:ec2::254',
  'fd12:3456:789a::1',
  'fe80::1',
  'febf::1',
  'fec0::1',
  'ff02::1',
  'ff0e::1',
]
/** Other spellings of hosts that are this machine, a private network, or no host. `PORT` is that of the listening server. */
const spellings = [
  'https://localhost:PORT/',
  'https://LOCALHOST:PORT/',
  'https://localhost.:PORT/',
  'https://127.0.0.1.:PORT/',
  'https://127.1:PORT/',
  'https://127.0.1:PORT/',
  'https://2130706433:PORT/',
  'https://0x7f000001:PORT/',
  'https://0x7f.1:PORT/',
  'https://0x7f.0x0.0x0.0x1:PORT/',
  'https://0177.0.0.1:PORT/',
  'https://0177.1:PORT/',
  'https://017700000001:PORT/',
  'https://00000177.0.0.1:PORT/',
  'https://127.0.0.0x1:PORT/',
  'https://127.00.00.01:PORT/',
  'https://1２7.0.0.1:PORT/',
  'https://①②⑦.⓪.⓪.①:PORT/',
  'https://127。0。0。1:PORT/',
  'https://127．0．0．1:PORT/',
  'https://ｌｏｃａｌｈｏｓｔ:PORT/',
  'https://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ:PORT/',
  'https://%31%32%37.0.0.1:PORT/',
  'https://%6cocalhost:PORT/',
  'https://127.0.0.1%2f@localhost:PORT/',
  'https://0:PORT/',
  'https://0.0.0.0:PORT/',
  'https://00:PORT/',
  'https://[::]:PORT/',
  'https://[0:0:0:0:0:0:0:0]:PORT/',
  'https://[::1]:PORT/',
  'https://[0000:0000:0000:0000:0000:0000:0000:0001]:PORT/',
  'https://[::ffff:127.0.0.1]:PORT/',
  'https://[::FFFF:7F00:0001]:PORT/',
  'https://[::ffff:0x7f.1]:PORT/',
  'https://[::1%25lo]:PORT/',
  'https://[fe80::1%25eth0]:PORT/',
  'https://3232235777:PORT/',
  'https://0xc0a80101:PORT/',
  'https://192.168.257:PORT/',
  'https://10.1:PORT/',
  'https://167772161:PORT/',
  'https://2852039166/latest/meta-data/',
  'https://0xa9fea9fe/latest/meta-data/',
  'https://0251.0376.0251.0376/',
  'https://169.254.43518/',
  'https://user@127.0.0.1:PORT/',
  'https://user:pass@example.com:PORT/',
  'https://example.com@127.0.0.1:PORT/',
  'https://127.0.0.1:PORT\\@example.com/',
  'https://127.0.0.1:PORT#@example.com/',
  'https://127.0.0.1:PORT?@example.com/',
  'https:127.0.0.1:PORT/',
  'https:/127.0.0.1:PORT/',
  'https:\\\\127.0.0.1:PORT/',
  ' https://127.0.0.1:PORT/',
  'https://127.0.\t0.1:PORT/',
  'https://127.0.0.1\n:PORT/',
  'http://127.0.0.1:PORT/',
  'http://localhost:PORT/',
  'http://example.com:PORT/',
  'http://[::1]:PORT/',
  'HTTP://127.0.0.1:PORT/',
  'http:127.0.0.1:PORT',
  '//127.0.0.1:PORT/',
  '127.0.0.1:PORT',
  'localhost:PORT',
  '',
  'https://',
  'https:///',
  'file:///etc/passwd',
  'ftp://127.0.0.1:PORT/',
  'gopher://127.0.0.1:PORT/_x',
  'data:text/plain,x',
  'unix:/var/run/docker.sock',
  'ws://127.0.0.1:PORT/',
  'wss://127.0.0.1:PORT/',
  'blob:https://127.0.0.1:PORT/x',
  'view-source:https://127.0.0.1:PORT/',
  'jar:https://127.0.0.1:PORT!/',
  'dict://127.0.0.1:PORT/x',
  'javascript:alert(1)',
  'about:blank',
  'https://[::ffff:a9fe:a9fe]/',
  'https://[64:ff9b::169.254.169.254]/',
]
const urls = [
  ...spellings,
  ...addresses4.map((address) => `https://${address}:PORT/`),
  ...addresses6.map((address) => `https://[${address}]:PORT/`),
]

it(`reaches no private address by ${urls.length} spellings of a URL`, async () => {
  expect(urls.length).toBeGreaterThanOrEqual(150)
  connections = 0
  const reached: string[] = []
  for (const url of urls.map((one) => one.replace('PORT', String(port)))) {
    const answer = await post(url)
    if (!('error' in answer)) reached.push(url)
    // An endpoint is refused when it is added, except where only the name server knows.
    if (urlFlaw(url, { allowLoopback: false }) === undefined) reached.push(`${url} (may be added)`)
  }
  expect(reached).toEqual([])
  expect(connections).toBe(0)
})

it('reaches no private address that a name server answers, alone or beside a public one, first or last', async () => {
  connections = 0
  const family = (address: string) => (address.includes(':') ? 6 : 4)
  for (const address of [...addresses4, ...addresses6, 'fe80::1%lo', '']) {
    const own = { address, family: family(address) }
    const other = { address: '93.184.215.14', family: 4 }
    for (const answers of [[own], [own, other], [other, own]])
      expect(await post(`https://hook.example:${port}/`, async () => answers), address).toEqual({
        error: 'the host has an address in a private network',
      })
  }
  expect(await post(`https://hook.example:${port}/`, async () => [])).toEqual({
    error: 'the host has no address',
  })
  expect(connections).toBe(0)
})

it('asks the name server once an attempt, and connects to the address that it answered then', async () => {
  connections = 0
  const asked: string[] = []
  // A name that is public at the first question and private at the second.
  const rebinding: Resolve = async (host) => {
    asked.push(host)
    return [{ address: asked.length === 1 ? '192.0.2.1' : '127.0.0.1', family: 4 }]
  }
  await post(`https://hook.example:${port}/`, rebinding, true)
  expect(asked).toEqual(['hook.example'])
  expect(connections).toBe(0)
  // With HTTP for this machine, the name must be this machine's.
  const elsewhere: Resolve = async () => [{ address: '10.0.0.1', family: 4 }]
  expect(await post(`http://localhost:${port}/`, elsewhere, true)).toEqual({
    error: 'the host has an address in a private network',
  })
  expect(connections).toBe(0)
})

it('reaches this machine over HTTP if that is allowed, follows no redirect and uses no proxy', async () => {
  connections = 0
  expect(await post(`http://127.0.0.1:${port}/`, undefined, true)).toEqual({
    status: 200,
    retryAfterMs: null,
  })
  const own: Resolve = async () => [{ address: '127.0.0.1', family: 4 }]
  expect(await post(`http://localhost:${port}/`, own, true)).toMatchObject({ status: 200 })
  redirects = `http://127.0.0.1:${port}/again`
  expect(await post(`http://127.0.0.1:${port}/`, undefined, true)).toMatchObject({ status: 307 })
  redirects = ''
  expect(connections).toBe(3)
  expect(await post(`http://10.0.0.1:${port}/`, undefined, true)).toMatchObject({ error: expect.anything() })
})

it('a URL on this machine is refused with the flag that allows it, and another http:// without it', () => {
  const flaw = (url: string, allowLoopback: boolean) => urlFlaw(url, { allowLoopback })
  expect(flaw('http://localhost:3000/hook', false)).toMatch(/^must begin with https:.*--allow-http$/)
  expect(flaw('http://localhost:3000/hook', true)).toBeUndefined()
  expect(flaw('http://example.com/hook', false)).toBe('must begin with https://')
})
