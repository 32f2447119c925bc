import { expect, test } from 'vitest'
import { getJson } from '../../src/http/client.ts'
import { attestationOf } from '../../src/swaps/cctp-v2/follow.ts'
import { listener } from '../support/services/listener.ts'

test('attestationOf returns undefined for an unreadable response, and unattested for an unreadable message', async () => {
  let body = ''
  let status = 200
  const service = await listener(async (_, response) => {
    response.statusCode = status
    response.setHeader('content-type', 'application/json')
    response.end(body)
  })
  const asked = (said: string) => {
    body = said
    return attestationOf(
      { getJson: (url) => getJson(url) },
      { domain: 0, attestation: service.url } as never,
      '0x12',
    )
  }
  for (const odd of [
    '{"messages":5}',
    '{"messages":{"0":{}}}',
    '{"messages":null}',
    '{"messages":[null]}',
    'null',
    '[]',
    '5',
  ])
    expect([odd, await asked(odd)]).toEqual([odd, undefined])
  for (const none of ['{}', '{"messages":[]}'])
    expect(await asked(none)).toMatchObject({ isKnown: false, isAttested: false })
  const first = { isKnown: true, isAttested: false }
  for (const odd of ['{"messages":[5]}', '{"messages":[{"message":7,"status":7}]}'])
    expect(await asked(odd)).toMatchObject(first)
  // A limited service says nothing about the burn, so it is asked again.
  status = 429
  expect(await asked('{"messages":[]}')).toBeUndefined()
  await service.close()
})
