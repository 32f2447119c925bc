import type { ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { httpRpc } from '../../src/chain/rpc/failover.ts'
import { secretUrlParts } from '../../src/http/secret-url-parts.ts'
import { listener } from '../support/services/listener.ts'
import { rpcEnvOf, useCommands } from '../support/use-commands.ts'
import { useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run } = useCommands(sandbox)
const token = 'SECRETTOKEN99'

let says: (response: ServerResponse, id: number) => unknown
let url: string
let stop: () => Promise<void>
beforeEach(async () => {
  const server = await listener(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk as string
    says(response, (JSON.parse(body) as { id: number }).id)
  })
  ;({ url, close: stop } = server)
})
afterEach(() => stop())

const failure = (text: string) => (response: ServerResponse, id: number) =>
  response.end(
    `{"jsonrpc":"2.0","id":${id},"error":{"code":-32000,"message":"no access for ${text}","data":{"${text}":["${text}"]}}}`,
  )

describe('the secret parts of an RPC URL', () => {
  test.each<[url: string, secrets: string[]]>([
    ['https://node.example', []],
    ['https://node.example/rpc/v2/eth/8453/', []],
    ['https://node.example/v2/SECRETTOKEN99', ['SECRETTOKEN99']],
    ['https://node.example/v2/a1b2c', ['a1b2c']],
    ['https://node.example/abcdefgh?chain=base&key=x%2By%2Bz', ['abcdefgh', 'x+y+z']],
    ['https://node.example/?SecretTok3nAbCdEf99', ['SecretTok3nAbCdEf99']],
    [
      'https://node.example/rpc;key=SecretTok3nAbCdEf99',
      ['rpc;key=SecretTok3nAbCdEf99', 'SecretTok3nAbCdEf99'],
    ],
    ['https://someone:p%40ss@node.example/jsonrpc', ['someone', 'p%40ss', 'p@ss', btoa('someone:p@ss')]],
    ['https://error:result@node.example/a%zz%20b', [btoa('error:result'), 'a%zz%20b']],
  ])('are found in %s', (at, secrets) => {
    expect(secretUrlParts(at)).toEqual(secrets)
  })

  test.each([token, [...token].join('\\u200b'), '%53ECRETTOKEN99', Buffer.from(token).toString('base64url')])(
    'do not appear in an error when the node returns them as %j',
    async (text) => {
      says = failure(text)
      const rpc = httpRpc(`${url.replace('//', '//user-name:pass-word@')}/v2/${token}?key=${token}b`, {
        retries: 0,
      })
      const error = (await rpc.request('eth_chainId').catch((thrown: unknown) => thrown)) as Error & {
        details: object
      }
      const told = '[secret of the RPC]'
      expect(error).toMatchObject({
        message: expect.stringContaining(`no access for ${told}`),
        details: { data: { [told]: [told] } },
      })
    },
  )

  test('do not appear in any cause of a connection error', async () => {
    says = (response) => response.socket?.end(`HTTP/1.1 200 OK\r\n${token} pass-word\r\n\r\n`)
    const rpc = httpRpc(`${url.replace('//', '//user-name:pass-word@')}/v2/${token}`, { retries: 0 })
    let at: unknown = await rpc.request('eth_chainId').catch((thrown: unknown) => thrown)
    let causes = 0
    for (; at instanceof Error; at = at.cause, causes++)
      expect(`${at.message}${at.stack}${JSON.stringify(at)}`).not.toMatch(/SECRETTOKEN99|pass-word/)
    expect(causes).toBeGreaterThan(1)
  })

  test.each(['', '--json', '--debug'])('are not printed by commands with the option "%s"', async (mode) => {
    says = failure(token)
    const env = rpcEnvOf(sandbox, { 'sandbox-one': `${url}/v2/${token}` })
    let told = 0
    for (const line of [
      'doctor',
      'wallet show 0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
      'strategies list',
    ]) {
      const { out, err } = await run(`${line} --profile engine --timeout 2s ${mode}`, { env })
      expect({ line, said: out + err }).toEqual({ line, said: expect.not.stringContaining(token) })
      if ((out + err).includes('no access for [secret')) told++
    }
    expect(told).toBeGreaterThan(0)
  })

  test('are not replaced in the results of a node', async () => {
    says = (response) =>
      response.end(`{"jsonrpc":"2.0","id":1,"result":"0x12${'ab'.repeat(1000)}deadbeef00"}`)
    const rpc = httpRpc(`${url}/deadbeef/rpc`, { retries: 0 })
    expect(await rpc.request('eth_call')).toBe(`0x12${'ab'.repeat(1000)}deadbeef00`)
  })
})
