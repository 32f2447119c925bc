import { expect, test } from 'vitest'
import { listener } from '../support/services/listener.ts'
import { useCommands } from '../support/use-commands.ts'
import { useSandbox } from '../support/use-sandbox.ts'

const { run } = useCommands(useSandbox())
const owner = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const asset = {
  address: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
  decimals: 6,
  symbol: 'USDC',
  name: 'USD Coin',
}
const side = { asset, balance: { raw: '250000000', humanized: 250, decimals: 6 }, balanceUSD: 250 }

/** Output of `wallet show` when the service returns nothing but a lending account. */
async function shown(stats: object) {
  const { url, close } = await listener((request, response) => {
    request.resume()
    response.writeHead(200).end(JSON.stringify({ address: owner, stats }))
  })
  try {
    const env = { SLUICE_BASE_URL: url }
    const asked = (more: string) =>
      run(`wallet show ${owner}${more}`, { env, secrets: { apiKey: 'key-12345' } })
    return { text: await asked(''), document: await asked(' --json') }
  } finally {
    await close()
  }
}

test.each([
  ['with debt', [side], 'debt +250 USDC\n'],
  ['without debt', [], 'debt +-\n'],
])('wallet show prints a lending account %s, and not "no positions"', async (_, debt, owed) => {
  const numbers = { healthFactor: debt.length === 0 ? null : 1.5, ltv: 0.5, maxBorrowValue: 100 }
  const { text, document } = await shown({
    underlying: [{ ...side, price: 1, liquidationThreshold: 0.8 }],
    debt,
    ...numbers,
  })
  expect(text.exit).toBe(0)
  expect(text.out).toMatch(/collateral +250 USDC\n/)
  expect(text.out).toMatch(new RegExp(owed))
  expect(text.out).toMatch(/loan to value +50/)
  expect(text.out).not.toContain('no positions')
  expect(document.json.stats).toMatchObject({
    collateral: [{ balance: { formatted: '250' } }],
    ltv: 0.5,
    markets: null,
  })
})
