import { expect, test } from 'vitest'
import { list } from '../../../src/commands/strategies/list.ts'

test('strategies list without --network and --asset does not read the catalogue, which costs more than the list itself', async () => {
  const printed: unknown[] = []
  const none = { items: [], page: 1, limit: 100, total: 0, hasMore: false }
  const cli = {
    backend: {
      profile: 'remote',
      catalog: () => Promise.reject(new Error('the catalogue was read')),
    },
    service: async () => ({ listStrategies: async () => none }),
    program: { rememberStrategies: async () => undefined },
    globals: {},
    io: { out: {} },
    list: async ({ items }: { items: unknown }) => void printed.push(items),
  }
  const options = { paused: 'include', sort: 'apy', page: '1', limit: '10', interval: '15s' } as const
  await list(cli as never, options)
  expect(printed).toEqual([[]])
  await expect(list(cli as never, { ...options, asset: 'USDC' })).rejects.toThrow('the catalogue was read')
})
