import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { httpRpc } from '../../src/chain/rpc/failover.ts'
import { getJson } from '../../src/http/client.ts'

/** What a server on loopback was asked: as a node, and as a proxy by the host and port of `CONNECT`. */
const seen: { headers: IncomingHttpHeaders[]; proxied: string[] } = { headers: [], proxied: [] }
const server = createServer(async (request, response) => {
  seen.headers.push(request.headers)
  if (/^http:/.test(request.url ?? '')) seen.proxied.push(new URL(request.url!).host)
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const { id = 0 } = JSON.parse(Buffer.concat(chunks).toString() || '{}') as { id?: number }
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result: '0x7a69' }))
})
/** How the proxy refuses a tunnel. */
let refusal = '502 Bad Gateway'
server.on('connect', ({ url }, socket) => {
  seen.proxied.push(url ?? '')
  socket.end(`HTTP/1.1 ${refusal}\r\n\r\n`)
})
let port: number
beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
beforeEach(() => {
  seen.headers = []
  seen.proxied = []
  refusal = '502 Bad Gateway'
})

test('every request names the program and its version', async () => {
  await getJson(`http://127.0.0.1:${port}/`)
  await httpRpc(`http://127.0.0.1:${port}/`, { chainId: 31337 }).request('eth_chainId', [])
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'))
  expect(new Set(seen.headers.map((one) => one['user-agent']))).toEqual(new Set([`sluice/${version}`]))
})

test('no request is made without the client that names the program', () => {
  const root = join(import.meta.dirname, '../../src')
  const others = globSync('**/*.ts', { cwd: root }).filter(
    (file) =>
      !file.startsWith('http/') &&
      /from '(undici|node:https?)'|import\('(undici|node:https?)'\)|(?<![.\w])fetch\(/.test(
        readFileSync(join(root, file), 'utf8').replace(/^import type .*$/gm, ''),
      ),
  )
  // These only serve.
  expect(others.filter((file) => !/^(server|sandbox)\//.test(file))).toEqual([])
})

test('the user and password of a URL are sent by Basic authentication, with any character', async () => {
  await getJson(`http://op:s3cret@127.0.0.1:${port}/`)
  await getJson(`http://op:p%40ss%3A%25w%C3%B6rd@127.0.0.1:${port}/`)
  await getJson(`http://127.0.0.1:${port}/`)
  expect(seen.headers.map(({ authorization }) => authorization)).toEqual([
    `Basic ${Buffer.from('op:s3cret').toString('base64')}`,
    `Basic ${Buffer.from('op:p@ss:%wörd').toString('base64')}`,
    undefined,
  ])
})

test('a password is not sent to another machine without encryption', async () => {
  await expect(getJson('http://op:s3cret@node.example/')).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: 'The URL for node.example has a password, but its connection is not encrypted',
  })
})

/** Asks for URLs with the client, in a process with these variables; a proxy is chosen when it starts. Returns the errors. */
const askWith = async (
  variables: Record<string, string>,
  urls: readonly string[],
): Promise<{ code: string; message: string; details?: object }[]> => {
  const script = `const { getJson } = await import(process.argv[1])
    for (const url of process.argv.slice(2))
      await getJson(url).catch(({ code, message, details }) => console.log(JSON.stringify({ code, message, details })))`
  const client = join(import.meta.dirname, '../../src/http/client.ts')
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, client, ...urls], {
    env: variables,
  })
  const [said] = await Promise.all([child.stdout.toArray(), once(child, 'close')])
  return said
    .join('')
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

test.each([
  ['an empty variable in lower case', { https_proxy: '' }, (at: string) => `http://${at}`],
  ['spaces around it', {}, (at: string) => ` http://${at} `],
  ['no scheme', {}, (at: string) => at],
])('a proxy is asked with %s', async (_, more, proxy) => {
  const at = `127.0.0.1:${port}`
  const errors = await askWith({ ...more, HTTPS_PROXY: proxy(at) }, ['https://node.example/'])
  expect(seen.proxied).toEqual(['node.example:443'])
  expect(errors).toMatchObject([
    {
      code: 'SERVICE_UNREACHABLE',
      message: `node.example cannot be reached: The proxy ${at} of HTTPS_PROXY answers with HTTP status 502`,
      details: { fault: 'unreachable' },
    },
  ])
})

test('a proxy that refuses or is not there is named', async () => {
  refusal = '403 Forbidden'
  const at = `127.0.0.1:${port}`
  const url = 'https://node.example/'
  expect(await askWith({ HTTPS_PROXY: `http://op:s3cret@${at}` }, [url])).toMatchObject([
    {
      message: `node.example cannot be reached: The proxy ${at} of HTTPS_PROXY answers with HTTP status 403`,
      details: { fault: 'proxy' },
    },
  ])
  expect(await askWith({ https_proxy: 'http://127.0.0.1:1' }, [url])).toMatchObject([
    { message: 'node.example cannot be reached: The proxy 127.0.0.1:1 of https_proxy cannot be reached' },
  ])
  // A host that is reached without it is its own fault.
  expect(
    await askWith({ https_proxy: `http://${at}`, no_proxy: '127.0.0.2' }, ['https://127.0.0.2:1/']),
  ).toMatchObject([{ message: '127.0.0.2:1 cannot be reached' }])
})

test.each(['http://:::', 'ftp://proxy.example', 'http://'])(
  'the proxy %s is refused without being shown',
  async (value) => {
    const errors = await askWith({ HTTPS_PROXY: value }, ['https://node.example/'])
    expect(errors).toMatchObject([
      { code: 'CONFIG_INVALID', message: 'HTTPS_PROXY is not the URL of a proxy' },
    ])
  },
)

test.each([
  ['HTTPS_PROXY', 'https://node.example/', 'node.example:443'],
  ['https_proxy', 'https://node.example:8443/', 'node.example:8443'],
  ['HTTP_PROXY', 'http://node.example/', /^node\.example(:80)?$/],
])('%s is asked for %s', async (variable, url, host) => {
  await askWith({ [variable]: `http://127.0.0.1:${port}` }, [url])
  expect(seen.proxied).toEqual([typeof host === 'string' ? host : expect.stringMatching(host)])
})

test('no proxy is asked for this machine, and for hosts of NO_PROXY', async () => {
  const proxy = `http://127.0.0.1:${port}`
  const own = ['127.0.0.1', 'localhost', '[::1]'].map((host) => `http://${host}:${port}/`)
  await askWith({ HTTPS_PROXY: proxy, HTTP_PROXY: proxy, NO_PROXY: 'node.invalid,.internal' }, [
    ...own,
    'https://node.invalid/',
    'https://rpc.internal/',
  ])
  expect(seen.proxied).toEqual([])
  expect(seen.headers.length).toBeGreaterThan(0)
})

test.each([403, 500, 502, 503])('a web page with status %i is said to be of a gateway', async (status) => {
  const gateway = createServer((_, response) => {
    response.writeHead(status, { 'content-type': 'text/html', ...(status !== 500 && { 'retry-after': '7' }) })
    response.end('<html><body>Attention Required!</body></html>')
  })
  gateway.listen(0, '127.0.0.1')
  await once(gateway, 'listening')
  const host = `127.0.0.1:${(gateway.address() as AddressInfo).port}`
  await expect(getJson(`http://${host}/`)).rejects.toMatchObject({
    code: 'SERVICE_UNREACHABLE',
    message: `The gateway in front of ${host} answers with HTTP status ${status} and a web page${status === 500 ? '' : ', and asks to wait 7 seconds'}`,
    details: { fault: 'gateway', status, ...(status !== 500 && { retryAfterSeconds: 7 }) },
  })
  gateway.close()
})
