import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer as createPlain, type RequestListener, type Server } from 'node:http'
import { createServer as createSecure } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { spawnSluice } from '../support/spawn-program.ts'
import { useCommands } from '../support/use-commands.ts'
import { useSandbox } from '../support/use-sandbox.ts'

const { run, home } = useCommands(useSandbox())
const page =
  '{"docs":[],"totalDocs":0,"limit":100,"page":1,"totalPages":0,"hasNextPage":false,"hasPrevPage":false}'

let asked: number
let open: Server[]
beforeEach(() => {
  asked = 0
  open = []
})
afterEach(async () => {
  for (const server of open) {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
})

async function portOf(server: Server): Promise<number> {
  open.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

const ask = (url: string, line = 'strategies list --json') =>
  run(`${line} --timeout 3s`, { env: { SLUICE_BASE_URL: url }, secrets: { apiKey: 'key-12345' } })

const saying = async (status: number, body: string, headers: Record<string, string> = {}) => {
  const answers: RequestListener = (request, response) => {
    request.resume()
    asked++
    response.writeHead(status, headers).end(body)
  }
  return `http://127.0.0.1:${await portOf(createPlain(answers))}`
}

describe('error hint', () => {
  test('of a redirect names SLUICE_BASE_URL', async () => {
    const { json } = await ask(await saying(307, '', { location: '/there' }))
    expect(json.error.hint).toContain('Set SLUICE_BASE_URL to the final URL of the service')
  })

  test.each(['[]', '{"rows":[]}', '<html>', '', '{"docs":7}'])(
    'of the invalid response %s names --raw, after one request',
    async (body) => {
      const { exit, json } = await ask(await saying(200, body))
      expect({ exit, code: json.error.code, asked }).toEqual({
        exit: 6,
        code: 'SERVICE_BAD_RESPONSE',
        asked: 1,
      })
      expect(json.error.hint).toContain('--raw')
    },
  )

  test.each(['SLUICE_BASE_URL', 'SLUICE_LEGACY_BASE_URL'])(
    'of %s without TLS names https://',
    async (name) => {
      const { exit, json } = await run('strategies list --json', {
        env: { SLUICE_BASE_URL: 'https://service.example', [name]: 'http://service.example' },
        secrets: { apiKey: 'key-12345' },
      })
      expect({ exit, code: json.error.code }).toEqual({ exit: 2, code: 'CONFIG_INVALID' })
      expect(json.error.hint).toContain('https://')
    },
  )
})

describe('a 404 response', () => {
  const missing = (path: string) =>
    `{"error":{"code":"NOT_FOUND","message":"No","details":{"endpoint":"GET ${path}"}}}`
  const step = 'Check SLUICE_BASE_URL and correct its path: sluice config list --show-origin'
  test.each([
    ['strategies list', missing('/foo/strategies')],
    ['strategies list', '{"error":{"code":"NOT_FOUND","message":"Not Found"}}'],
    ['strategies list', '<html>'],
    ['strategies show x', missing('/foo/strategies/x')],
    ['action show x', '<html>'],
    ['fees show', '{"message":"Cannot GET /foo/fees"}'],
  ])('to `%s` with the body %s points to the path in SLUICE_BASE_URL', async (line, body) => {
    const { exit, json } = await ask(`${await saying(404, body)}/foo`, `${line} --json`)
    expect({ exit, ...json.error }).toMatchObject({ exit: 4, code: 'NOT_FOUND', hint: step })
  })

  test('for a missing strategy points to the list of strategies', async () => {
    const body = '{"error":{"code":"NOT_FOUND","message":"Strategy not found"}}'
    const { json } = await ask(await saying(404, body), 'strategies show x --json')
    expect(json.error.hint).toBe('To list strategies: sluice strategies list')
  })
})

describe('responses with status 403 and 401', () => {
  test.each([
    '{"error":{"code":"FORBIDDEN","message":"testnets are not for you"}}',
    '{"error":{"code":"UNAUTHORIZED","message":"testnets are not for you"}}',
    '{"error":{"message":"testnets are not for you"}}',
    '{"error":"testnets are not for you"}',
    '{"message":"testnets are not for you"}',
  ])('403 keeps the message of %s, and the hint does not ask for an API key', async (body) => {
    const { exit, json } = await ask(await saying(403, body))
    expect({ exit, ...json.error }).toMatchObject({
      exit: 3,
      code: 'UNAUTHORIZED',
      message: 'testnets are not for you',
    })
    expect(json.error.hint).not.toContain('SLUICE_API_KEY')
  })

  test.each(['', '<html>', '[]', '{"message":7}'])(
    '403 has a default message for the body "%s"',
    async (body) => {
      const { exit, json } = await ask(await saying(403, body))
      const who =
        body === '<html>' ? 'The gateway in front of the service, and not the service,' : 'The service'
      expect({ exit, message: json.error.message }).toEqual({ exit: 3, message: `${who} answered 403` })
    },
  )

  test('401 keeps its message, and the hint points to the origin of the API key', async () => {
    const { json } = await ask(await saying(401, '{"error":{"code":"X","message":"invalid API key"}}'))
    expect(json.error).toMatchObject({
      message: 'invalid API key',
      hint: 'Check which API key is used and where it comes from: sluice config list --show-origin',
    })
  })
})

const hasOpenssl = spawnSync('openssl', ['version']).status === 0
describe.skipIf(!hasOpenssl)('an untrusted certificate (needs openssl)', () => {
  const openssl = (line: string) => execFileSync('openssl', line.split(' '), { cwd: home(), stdio: 'ignore' })
  const newKey = 'req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes'
  /** Serves with a certificate for `name`, signed by a new authority whose certificate is `ca.pem`. */
  const serve = async (name: string, days = 2, certificate = 'cert.pem') => {
    openssl(`${newKey} -x509 -days 2 -subj /CN=authority -keyout ca-key.pem -out ca.pem`)
    openssl(`${newKey} -subj /CN=service -addext subjectAltName=${name} -keyout key.pem -out ask.pem`)
    openssl(
      `x509 -req -in ask.pem -CA ca.pem -CAkey ca-key.pem -days ${days} -copy_extensions copy -out cert.pem`,
    )
    const [cert, key] = [certificate, certificate === 'ca.pem' ? 'ca-key.pem' : 'key.pem'].map((file) =>
      readFileSync(join(home(), file)),
    )
    const server = createSecure({ cert: cert!, key: key! }, (_, response) => response.end(page))
    server.on('connection', () => asked++)
    return `https://127.0.0.1:${await portOf(server)}`
  }
  const trusting = (url: string) =>
    spawnSluice(home(), ['strategies', 'list', '--json', '--timeout', '1m'], {
      env: {
        SLUICE_BASE_URL: url,
        SLUICE_API_KEY: 'key-12345',
        TMPDIR: home(),
        NODE_EXTRA_CA_CERTS: join(home(), 'ca.pem'),
      },
    })

  test('of an unknown authority is reported, and accepted with NODE_EXTRA_CA_CERTS', async () => {
    const url = await serve('IP:127.0.0.1')
    const { exit, json } = await ask(url)
    expect({ exit, asked, ...json.error }).toMatchObject({
      exit: 6,
      asked: 1,
      code: 'SERVICE_UNREACHABLE',
      message: expect.stringMatching(
        /^The certificate of 127\.0\.0\.1:\d+ is not trusted: .*\(UNABLE_TO_VERIFY_LEAF_SIGNATURE\)$/,
      ),
      hint: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
    })
    expect(await trusting(url)).toMatchObject({ exit: 0 })
  })

  test('that is self-signed is reported', async () => {
    const { json } = await ask(await serve('IP:127.0.0.1', 2, 'ca.pem'))
    expect(json.error.message).toContain('(DEPTH_ZERO_SELF_SIGNED_CERT)')
  })

  test('for another host is reported', async () => {
    const { out } = await trusting(await serve('DNS:service.example'))
    expect(JSON.parse(out).error.message).toContain('it is for another host (ERR_TLS_CERT_ALTNAME_INVALID)')
  })

  test('that has expired is reported', async () => {
    const { out } = await trusting(await serve('IP:127.0.0.1', -1))
    expect(JSON.parse(out).error.message).toContain('it has expired (CERT_HAS_EXPIRED)')
  })
})

describe('the failure of a service', () => {
  const refused = JSON.stringify({ error: { code: 'INVALID_API_KEY', message: 'invalid API key' } })
  const limited = JSON.stringify({ error: { code: 'INTERNAL_SERVER_ERROR', message: 'down' } })
  const unknown = '0x00000000000000000000000000000000000000aa'
  const lines = [
    'strategies list --json',
    `strategies show nothing --json`,
    'yield recommend USDC --json',
    `wallet show ${unknown} --json`,
    `history nothing --address ${unknown} --json`,
    'swap list --json',
    'swap quote --from base --token-in USDC --token-out WETH --amount-in 10 --json',
    `swap quote --from base --token-in USDC --token-out ${unknown} --amount-in 10 --json`,
    'swap quote --from base --token-in NOTHING --token-out WETH --amount-in 10 --json',
    `swap quote --from sandbox-one --token-in NOTHING --token-out WETH --amount-in 10 --json`,
    'swap execute --from base --token-in NOTHING --token-out WETH --amount-in 10 --yes --json',
    `transfer --network base --token NOTHING --to ${unknown} --amount 1 --yes --json`,
    'swap status 0f8fad5b-d9cb-469f-a165-70867728950e --json',
    'deposit nothing --amount 10NOTHING --yes --json',
  ]

  test.each(lines)('is told by %s: exit 3 for 401, exit 6 for 500 and for no connection', async (line) => {
    const invalid = await ask(await saying(401, refused), line)
    expect([invalid.exit, invalid.json.error.code]).toEqual([3, 'UNAUTHORIZED'])
    const down = await ask(await saying(500, limited), line)
    expect([down.exit, down.json.error.code]).toEqual([6, 'INTERNAL_SERVER_ERROR'])
    const dead = await ask('http://127.0.0.1:9', line)
    expect([dead.exit, dead.json.error.code]).toEqual([6, 'SERVICE_UNREACHABLE'])
  })

  test('is not told of a healthy service: an unknown token is UNKNOWN_TOKEN with exit 2', async () => {
    for (const line of lines.filter((one) => /--token(-in)? NOTHING/.test(one))) {
      const { exit, json } = await ask(await saying(200, page), line)
      expect({ line, exit, code: json.error.code }).toEqual({ line, exit: 2, code: 'UNKNOWN_TOKEN' })
    }
  })
})
