import { afterAll, expect, test } from 'vitest'
import type { Service } from '../../src/api/service-type.ts'
import { createApp } from '../../src/server/app.ts'
import { onlyFor } from '../support/services/serve-in-process.ts'

// These requests have no API key: the link is sent before authentication.
const app = createApp(onlyFor({} as Service, 'key-12345'))
afterAll(() => app.close())

test.each([
  ['/v1/strategies', '/strategies'],
  ['/v1/strategies/a%2Fb%20%C3%BC?x=1', '/strategies/a%2Fb%20%C3%BC'],
  ['/v1/wallets/0xAb/history/%3C%3E%22;rel', '/wallets/0xAb/history/%3C%3E%22%3Brel'],
  ['/swap/status/%7Bid%7D', '/v2/swap/status/%7Bid%7D'],
  ['/v1/yield/$&', '/yield/%24%26'],
])('%s links to its successor %s', async (older, current) => {
  const { headers } = await app.inject({ url: older })
  expect(headers.link).toBe(`<${current}>; rel="successor-version"`)
})
