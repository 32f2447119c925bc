import { expect, test } from 'vitest'
import { useServe } from '../support/services/serve-as-process.ts'
import { besideSlowSockets } from '../support/services/slow-sockets.ts'
import { useSandbox } from '../support/use-sandbox.ts'

const served = useServe(useSandbox())

// `npm run bench:serve` measures response times; 5 s only detect a server that waits for slow sockets.
test('2,000 slow sockets are closed while another client gets all its responses', {
  timeout: 60_000,
}, async () => {
  const { took, refused, left } = await besideSlowSockets(served.url(), 2_000)
  expect({ left, refused }).toEqual({ left: 0, refused: [] })
  expect(took.length).toBeGreaterThan(20)
  expect(took[Math.floor(took.length * 0.99)]).toBeLessThan(5_000)
})
