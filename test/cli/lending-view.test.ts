import { expect, test } from 'vitest'

import { type Stream, unpainted } from '../../src/cli/terminal/io.ts'
import { lendingView } from '../../src/cli/views/lending-view.ts'

const to: Stream = { isTerminal: false, columns: 80, paint: unpainted, write: () => undefined }

test('markets of one name that cannot be read whole are named once, with how many they are', () => {
  const one = { protocol: 'compound-v3', address: null }
  const unread = [
    ...Array.from({ length: 4 }, () => ({ ...one, network: 'base' })),
    { ...one, network: 'polygon' },
  ]
  const nothing = { healthFactor: null, ltv: null, liquidationPriceUsd: null, maxBorrowUsd: null }
  const [shown] = lendingView({ collateral: [], debt: [], ...nothing, unread } as never, to)
  expect(shown).toContain('compound-v3 on base (4 markets), compound-v3 on polygon cannot be read whole')
})
