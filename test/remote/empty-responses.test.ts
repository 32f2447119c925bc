import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { remoteService } from '../../src/remote/client.ts'
import { listener } from '../support/services/listener.ts'
import { useCommands } from '../support/use-commands.ts'
import { useSandbox } from '../support/use-sandbox.ts'

const { run } = useCommands(useSandbox())
const fees = {
  swapFeeBps: 1,
  performanceFeeBps: 2,
  operatorCollector: null,
  markupBps: 10,
  maxMarkupBps: 75,
  collector: null,
}

/** Responses by method and path; any other request gets a 404. */
let answers: Record<string, [status: number, body?: string]>
let asked: string[]
let url: string
let stop: () => Promise<void>
beforeEach(async () => {
  asked = []
  const server = await listener((request, response) => {
    request.resume()
    const line = `${request.method} ${request.url?.split('?')[0]}`
    asked.push(line)
    const [status, body] = answers[line] ?? [404]
    response.writeHead(status).end(body)
  })
  ;({ url, close: stop } = server)
})
afterEach(() => stop())

const ask = (line: string) =>
  run(`${line} --json --timeout 2s`, { env: { SLUICE_BASE_URL: url }, secrets: { apiKey: 'key-12345' } })

describe('a write answered without a body', () => {
  test('sets the fees, and reads them back', async () => {
    answers = { 'PUT /fees': [204], 'GET /fees': [200, JSON.stringify(fees)] }
    const { exit, json } = await ask('fees set --markup-bps 10')
    expect({ exit, json, asked }).toEqual({ exit: 0, json: fees, asked: ['PUT /fees', 'GET /fees'] })
  })

  test('records a signed action, and reads the action back', async () => {
    const action = JSON.stringify({ id: 'an-action', type: 'lend', status: 'pending' })
    answers = { 'POST /actions/ingest/wallet': [204], 'GET /actions/an-action': [200, action] }
    const told = await remoteService({ baseUrl: url, apiKey: 'key-12345' }).ingest({
      actionId: 'an-action',
      event: 'SIGNED',
    })
    expect(told).toMatchObject({ id: 'an-action', status: 'PENDING' })
    expect(asked).toEqual(['POST /actions/ingest/wallet', 'GET /actions/an-action'])
  })

  test.each<[what: string, status: number, body?: string]>([
    ['answers 404', 404],
    ['answers 500', 500],
    ['answers 204', 204],
    ['answers with another type', 200, '[]'],
  ])('is unconfirmed and not retryable when the read-back %s', async (_, ...answer) => {
    answers = { 'PUT /fees': [204], 'GET /fees': answer }
    const { exit, json } = await ask('fees set --markup-bps 10')
    expect({ exit, ...json.error }).toMatchObject({ exit: 6, code: 'WRITE_UNCONFIRMED', retryable: false })
    expect(asked.filter((line) => line === 'PUT /fees')).toHaveLength(1)
  })
})

test.each<[status: number, body: string]>([
  [200, ''],
  [200, '[]'],
  [201, '<html>'],
])('a write answered %i with "%s" is unconfirmed and not retryable', async (...answer) => {
  answers = { 'PUT /fees': answer }
  const { exit, json } = await ask('fees set --markup-bps 10')
  expect({ exit, ...json.error }).toMatchObject({ exit: 6, code: 'WRITE_UNCONFIRMED', retryable: false })
  expect(asked).toEqual(['PUT /fees'])
})

test('a redirected write is SERVICE_BAD_RESPONSE and not retryable', async () => {
  answers = { 'PUT /fees': [307] }
  const { error } = (await ask('fees set --markup-bps 10')).json
  expect(error).toMatchObject({ code: 'SERVICE_BAD_RESPONSE', retryable: false })
})

test.each(['GET /strategies', 'GET /fees'])(
  '%s without a body is an invalid response, and is requested once',
  async (line) => {
    answers = { [line]: [204] }
    const { exit, json } = await ask(line.endsWith('fees') ? 'fees show' : 'strategies list')
    expect({ exit, code: json.error.code, asked }).toEqual({
      exit: 6,
      code: 'SERVICE_BAD_RESPONSE',
      asked: [line],
    })
  },
)

test('transferBytecode without a body is an invalid response, and is requested once', async () => {
  answers = { 'POST /transfer/bytecode': [204] }
  const owner = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
  const service = remoteService({ baseUrl: url, apiKey: 'key-12345' })
  const transfer = {
    chainId: 31337,
    originAddress: owner,
    destinationAddress: owner,
    token: owner,
    amount: 1n,
  } as const
  await expect(service.transferBytecode(transfer)).rejects.toMatchObject({ code: 'SERVICE_BAD_RESPONSE' })
  expect(asked).toEqual(['POST /transfer/bytecode'])
})
