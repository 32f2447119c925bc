import { existsSync, readFileSync, statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createApp } from '../../src/server/app.ts'
import { serveHttp } from '../../src/server/listen.ts'
import { useServe } from '../support/services/serve-as-process.ts'
import { onlyFor } from '../support/services/serve-in-process.ts'
import { startSluice } from '../support/spawn-program.ts'
import { chromiumHere, needsChromium, startBrowser, type Watched } from '../support/terminal/browser.ts'
import { useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()
const served = useServe(sandbox)
const slug = 'aave-v3-usdc-sandbox-one'

const get = (path: string, key?: string) =>
  fetch(`${served.url()}${path}`, { headers: key === undefined ? {} : { 'x-api-key': key } })

/** Requests the transactions of a deposit, which creates an action of the customer. */
async function asked(
  key: string,
): Promise<{ id: string; bytecode: { to: `0x${string}`; data: `0x${string}` }[] }> {
  const query = `action=lend&amount=1000000&wallet=${sandbox.user.address}`
  const answer = await get(`/strategies/${slug}/bytecode?${query}`, key)
  return (await answer.json()) as never
}

/** Sends these transactions. */
async function done({ bytecode }: Awaited<ReturnType<typeof asked>>): Promise<void> {
  for (const { to, data } of bytecode) await sandbox.sendAs(31337, sandbox.user.address, { to, data })
}

describe('page at /', () => {
  test('loads only scripts and styles of its own server, and has none inline', async () => {
    const page = await get('/')
    const html = await page.text()
    expect(page.headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    )
    expect(html).not.toMatch(/<style|style=|<script(?![^>]*src=)|\son\w+=|https?:/)
    const named = [...html.matchAll(/(?:src|href)="(\/[^"]*)"/g)].map(([, path]) => path!)
    const types = await Promise.all(
      [...named, '/rows.js'].map(async (path) => {
        const { status, headers } = await get(path)
        expect([status, headers.get('x-content-type-options')]).toEqual([200, 'nosniff'])
        return `${path} ${headers.get('content-type')}`
      }),
    )
    expect(types).toContain('/page.css text/css; charset=utf-8')
    expect(types).toContain('/page.js text/javascript; charset=utf-8')
    expect(types).toContain('/rows.js text/javascript; charset=utf-8')
    for (const path of ['/', '/page.js', '/rows.js', '/page.css'])
      expect((await get(path)).headers.get('referrer-policy')).toBe('no-referrer')
  })

  test('needs an API key for its data, and shows a customer only its own actions', async () => {
    const [mine, other] = [await served.newKey('acme'), await served.newKey('other')]
    const { id } = await asked(mine)
    for (const path of ['/page/actions', '/page/strategies', '/page/positions?address=0x1'])
      expect([(await get(path)).status, (await get(path, 'slk_nobody')).status]).toEqual([401, 401])
    expect(await (await get('/page/actions', other)).json()).toMatchObject({ items: [] })
    const { items } = (await (await get('/page/actions', mine)).json()) as { items: { id: string }[] }
    expect(items[0]!.id).toBe(id)
    const filtered = async (query: string) => (await get(`/page/actions?${query}`, mine)).json() as never
    expect(await filtered(`wallet=${sandbox.user.address}&status=INITIAL`)).toMatchObject({ items: [{ id }] })
    expect(await filtered('status=SUCCESS')).toMatchObject({ items: [], total: 0 })
    expect(await filtered('page=2')).toMatchObject({ items: [], total: 1, hasMore: false })
    for (const wrong of ['/page/actions?status=no', '/page/positions?address=0x1', '/page/positions'])
      expect([wrong, (await get(wrong, mine)).status]).toEqual([wrong, expect.toBeOneOf([400, 422])])
    const { items: all } = (await (await get('/page/strategies', mine)).json()) as { items: object[] }
    expect(all.length).toBe(sandbox.world.catalog().strategies.length)
  })

  test('names the networks missing from its strategies', async () => {
    const missing = ['sandbox-one', 'sandbox-two']
    const service = {
      listStrategies: async () => ({ items: [], page: 1, limit: 50, total: 0, hasMore: false, missing }),
    }
    const app = createApp(onlyFor(service as never, 'key'))
    const answer = await app.inject({ url: '/page/strategies', headers: { 'x-api-key': 'key' } })
    expect(answer.headers['x-sluice-missing']).toBe('sandbox-one, sandbox-two')
  })
})

test('the timeline of an action links hashes and addresses to the explorer of their network, and nothing to another place', async () => {
  type Drawn = { name: string; attributes: Record<string, string>; children: (Drawn | string)[] }
  const created = (name: string) => {
    const made: Drawn = { name, attributes: {}, children: [] }
    return Object.assign(made, {
      setAttribute: (key: string, value: string) => {
        made.attributes[key] = value
      },
      append: (...children: (Drawn | string)[]) => made.children.push(...children),
    })
  }
  const inside = (one: Drawn | string): Drawn[] =>
    typeof one === 'string' ? [] : [one, ...one.children.flatMap(inside)]
  // It is a file of browsers, without types.
  const file = '../../src/server/page/rows.js'
  const { actionRows } = await import(file)
  vi.stubGlobal('document', { createElement: created })
  const [wallet, contract, friend] = ['1', '2', '3'].map((digit) => `0x${digit.repeat(40)}`)
  const hash = `0x${'ab'.repeat(32)}`
  const linksWith = (explorerUrl: string | null) => {
    const transaction = {
      kind: 'bridge',
      network: 'base',
      status: 'confirmed',
      hash,
      to: contract,
      explorerUrl,
      error: null,
    }
    const action = {
      ...{ id: 'one', type: 'SWAP', status: 'SUCCESS', originAddress: wallet, receiverAddress: friend },
      ...{ createdAt: '2026-11-29T12:00:00Z', finishedAt: null, transactions: [transaction] },
    }
    const { rows } = actionRows({ items: [action] })
    const [, cell] = rows[0]!.find(([label]: unknown[]) => label === 'id') as unknown as [string, Drawn]
    return inside(cell).flatMap(({ name, attributes: { href } }) => (name === 'a' ? [href] : []))
  }
  try {
    expect(linksWith(`https://basescan.org/tx/${hash}`)).toEqual([
      `https://basescan.org/address/${wallet}`,
      `https://basescan.org/address/${friend}`,
      `https://basescan.org/tx/${hash}`,
      `https://basescan.org/address/${contract}`,
    ])
    for (const other of [
      null,
      `javascript:alert(1)//tx/${hash}`,
      `http://basescan.org/tx/${hash}`,
      `https://x/y/tx/${hash}`,
    ])
      expect(linksWith(other)).toEqual([])
    const texts = (one: Drawn | string): string[] =>
      typeof one === 'string' ? [one] : one.children.flatMap(texts)
    for (const [type, words] of [
      ['SAMECHAIN_INVESTMENT_DEPOSIT', 'deposit'],
      ['CROSSCHAIN_INVESTMENT_DEPOSIT', 'cross-chain deposit'],
      ['CROSSCHAIN_SWAP', 'cross-chain swap'],
      ['TRANSFER', 'transfer'],
    ]) {
      const { rows } = actionRows({ items: [{ id: 'one', type, strategySlug: null, amounts: null }] })
      expect(rows[0].slice(0, 2).map(([label]: [string]) => label)).toEqual(['started', 'action'])
      expect(texts(rows[0][1][1])).toEqual([words])
    }
  } finally {
    vi.unstubAllGlobals()
  }
})

describe('page at /docs', () => {
  test('names every endpoint in a list of links to its section, and runs nothing', async () => {
    const page = await get('/docs')
    const html = await page.text()
    const links = [...html.matchAll(/<a href="#([^"]+)">/g)].map(([, id]) => id!)
    const sections = [...html.matchAll(/<h2 id="([^"]+)">/g)].map(([, id]) => id!)
    expect(links).toContain('get-actions')
    expect(links).toEqual(sections)
    expect(new Set(sections).size).toBe(sections.length)
    expect(html).not.toMatch(/<script|\son\w+=|https?:/)
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  })
})

describe('serve --open', () => {
  test('writes a file of this user only that opens the page of a customer without a key, while the server runs', async () => {
    const { home } = served.place()
    const line = `serve --port 0 --open acme --database ${home}/open.db --json --quiet`
    const started = startSluice(home, line.split(' '))
    const { url, page } = JSON.parse(await started.line())
    expect(page.customer).toBe('acme')
    expect(statSync(page.file).mode & 0o777).toBe(0o600)
    const [, key] = /url=[^"]*#key=([^"]+)"/.exec(readFileSync(page.file, 'utf8'))!
    const status = async (given: string) =>
      (await fetch(`${url}/page/actions`, { headers: { 'x-api-key': given } })).status
    expect([await status(key!), await status(`${key}x`), await status('')]).toEqual([200, 401, 401])
    expect((await get('/page/actions', key)).status).toBe(401)
    started.child.kill('SIGTERM')
    await started.ended
    expect(existsSync(page.file)).toBe(false)
  })
})

describe.skipIf(!chromiumHere)(`page at / in a browser, ${needsChromium}`, () => {
  let browser: Awaited<ReturnType<typeof startBrowser>>
  beforeAll(async () => {
    browser = await startBrowser()
  })
  afterAll(() => browser.close())

  /** Opens the page, and enters the API key if there is one; the test controls its clock. */
  async function seen(url: string, key?: string): Promise<Watched> {
    const watched = await browser.open()
    await watched.page.clock.install()
    await watched.page.goto(`${url}/`)
    if (key !== undefined) await enter(watched, key)
    return watched
  }
  async function enter({ page }: Watched, key: string): Promise<void> {
    await page.getByLabel('API key').fill(key)
    await page.keyboard.press('Enter')
  }
  const status = ({ page }: Watched, state: string) =>
    page.locator(`#status[data-state="${state}"]`).textContent({ timeout: 5_000 })
  const honest = ({ complaints, asked: urls }: Watched, origin: string) => {
    expect(complaints).toEqual([])
    expect(urls.filter((url) => new URL(url).origin !== origin && !url.startsWith('data:'))).toEqual([])
  }

  test('shows strategies with their sparklines, and updates an action without a reload', async () => {
    for (let days = 0; days < 4; days++) await sandbox.world.warp(86_400)
    const key = await served.newKey('watcher')
    const watched = await seen(served.url(), key)
    const { page } = watched
    const row = page.locator('#strategies tbody tr', { hasText: slug })
    expect(await row.locator('svg.spark polyline').getAttribute('points')).toMatch(
      /^(\d+\.\d,\d+\.\d ?){3,}$/,
    )
    expect(await page.locator('#strategies tbody tr').count()).toBe(sandbox.world.catalog().strategies.length)
    expect(await row.textContent()).toMatch(/2\.\d\d%.*\$[\d,]+\.\d\d/)
    expect(await page.locator('#actions').textContent()).toContain('Nothing yet')
    const action = await asked(key)
    await page.clock.runFor(31_000)
    const line = page.locator('#actions tbody tr', { hasText: action.id })
    expect(await line.textContent()).toMatch(/1 USDC.*INITIAL/)
    await line.locator('summary').press('Enter')
    await done(action)
    await page.clock.runFor(11_000)
    await line.getByText('SUCCESS').first().waitFor({ timeout: 5_000 })
    expect(await line.locator('ul li').count()).toBe(2)
    // The timeline that was opened is still open after the update.
    const events = await line.locator('details[open] ol li').allTextContents()
    expect(events).toEqual([
      expect.stringMatching(/^\d{4}-.* requested by 0x\w{4}\.\.\.\w{4}$/),
      expect.stringMatching(/^approve on sandbox-one: confirmed, nonce \d+, block \d+, gas [\d,]+ 0x/),
      expect.stringMatching(/^deposit on sandbox-one: confirmed, nonce \d+, block \d+, gas [\d,]+ 0x/),
      expect.stringMatching(/^\d{4}-.* finished: SUCCESS$/),
    ])
    expect(page.url()).toBe(`${served.url()}/`)
    // The API key survives a reload in its tab, and no other tab has it.
    await page.reload()
    await row.waitFor({ timeout: 5_000 })
    expect(await page.evaluate('[localStorage.length, document.cookie]')).toEqual([0, ''])
    await page.getByRole('button', { name: 'Forget the key' }).click()
    expect(await page.locator('tbody tr').count()).toBe(0)
    expect(await page.evaluate('sessionStorage.length')).toBe(0)
    honest(watched, served.url())
  })

  test('asks for actions when the server announces a change and otherwise once a minute, and polls where it has no events', async () => {
    const key = await served.newKey('listener')
    const action = await asked(key)
    const reads = ({ asked: urls }: Watched) => urls.filter((url) => url.includes('/page/actions')).length
    const watched = await seen(served.url(), key)
    const { page } = watched
    const line = page.locator('#actions tbody tr', { hasText: action.id })
    await line.waitFor({ timeout: 5_000 })
    const metrics = async () => (await fetch(`${served.url()}/metrics`)).text()
    await expect.poll(metrics).toContain('sluice_update_streams 1')
    await page.clock.runFor(3_000)
    const before = reads(watched)
    for (let at = 0; at < 3; at++) {
      await page.clock.runFor(11_000)
      await sleep(200)
    }
    expect(reads(watched) - before).toBeLessThan(2)
    await done(action)
    await line.getByText('SUCCESS').first().waitFor({ timeout: 20_000 })
    await page.evaluate(`Object.defineProperty(document, 'hidden', { get: () => true, configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))`)
    await expect.poll(metrics).toContain('sluice_update_streams 0')
    honest(watched, served.url())
    const server = await lying('plain')
    const polling = await seen(server.url, 'key')
    await polling.page.locator('#actions tbody tr').first().waitFor({ timeout: 5_000 })
    for (let at = 2; at < 5; at++) {
      await polling.page.clock.runFor(31_000)
      await expect.poll(() => reads(polling)).toBe(at)
    }
    expect(polling.asked.filter((url) => url.includes('/updates'))).toHaveLength(1)
    await server.close()
  })

  test('shows the positions of a wallet and its actions, filters and sorts strategies, and turns pages', async () => {
    const key = await served.newKey('chooser')
    for (let at = 0; at < 11; at++) await asked(key)
    await done(await asked(key))
    const watched = await seen(served.url(), key)
    const { page } = watched
    const rows = (what: string) => page.locator(`#${what} tbody tr`)
    await rows('actions').nth(9).waitFor({ timeout: 5_000 })
    expect(await page.locator('#actions h2').textContent()).toContain('1 to 10 of 12')
    await page.getByRole('button', { name: 'Older' }).click()
    await page.getByText('11 to 12 of 12').waitFor({ timeout: 5_000 })
    expect(await page.getByRole('button', { name: 'Older' }).isDisabled()).toBe(true)
    await page.getByLabel('Status').selectOption('SUCCESS')
    await page.locator('#actions h2', { hasText: /Actions 1$/ }).waitFor({ timeout: 5_000 })
    await page.getByLabel('Status').selectOption('')
    await page.getByLabel('Wallet').fill(sandbox.user.address)
    await page.keyboard.press('Enter')
    const position = page.locator('#positions tbody tr', { hasText: slug })
    expect(await position.textContent({ timeout: 5_000 })).toMatch(/[\d,.]+ USDC.*\$[\d,.]+/)
    await page.getByLabel('Wallet').fill('0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC')
    await page.keyboard.press('Enter')
    await page.getByText('No action matches.').waitFor({ timeout: 5_000 })
    await page.getByLabel('Find').fill('aave usdc')
    expect(await rows('strategies').allTextContents()).toEqual(
      expect.arrayContaining([expect.stringContaining(slug)]),
    )
    for (const text of await rows('strategies').allTextContents()) expect(text).toMatch(/aave.*usdc/i)
    await page.locator('#network').selectOption('sandbox-two')
    for (const text of await rows('strategies').allTextContents()) expect(text).toContain('sandbox-two')
    await page.getByLabel('Find').fill('')
    await page.locator('#network').selectOption('')
    await page.getByLabel('Sort by').selectOption('name')
    const names = await page.locator('#strategies tbody td:first-child > div > div').allTextContents()
    expect(names.length).toBeGreaterThan(3)
    expect(names).toEqual(names.toSorted((a, b) => a.localeCompare(b)))
    honest(watched, served.url())
  })

  test('opens with the key of the opening file, and keeps it out of the address', async () => {
    const key = await served.newKey('handed')
    const { page } = await browser.open()
    await page.goto(`${served.url()}/#key=${key}`)
    await page.locator('#strategies tbody tr').first().waitFor({ timeout: 5_000 })
    expect(page.url()).toBe(`${served.url()}/`)
    expect(await page.getByLabel('API key').isVisible()).toBe(false)
  })

  test('has an API page that fits a screen of 360 pixels, closed and open', async () => {
    const { page, complaints } = await browser.open({ width: 360 })
    await page.goto(`${served.url()}/docs`)
    const wide = () => page.evaluate('document.documentElement.scrollWidth') as Promise<number>
    expect(await wide()).toBeLessThanOrEqual(360)
    await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    expect([await wide(), complaints]).toEqual([360, []])
  })

  test('fits a screen of 360 pixels', async () => {
    const key = await served.newKey('narrow')
    await done(await asked(key))
    const { page } = await browser.open({ width: 360 })
    await page.goto(`${served.url()}/`)
    const wide = () => page.evaluate('document.documentElement.scrollWidth') as Promise<number>
    expect(await wide()).toBeLessThanOrEqual(360)
    await page.getByLabel('API key').fill(key)
    await page.keyboard.press('Enter')
    await page.getByLabel('Wallet').fill(sandbox.user.address)
    await page.keyboard.press('Enter')
    for (const what of ['positions', 'actions', 'strategies'])
      await page.locator(`#${what} tbody tr`).first().waitFor({ timeout: 5_000 })
    const inside = `[...document.querySelectorAll('.rows')].map((one) => one.scrollWidth - one.clientWidth)`
    expect([await wide(), await page.evaluate(inside)]).toEqual([360, [0, 0, 0]])
  })

  test('shows the state of no key, a wrong key and a rate-limited key', async () => {
    const watched = await seen(served.url())
    const { page } = watched
    expect(await status(watched, 'well')).toContain('Enter a key')
    expect(watched.asked.some((url) => url.includes('/page/'))).toBe(false)
    await enter(watched, 'slk_wrong')
    expect(await status(watched, 'wrong')).toContain('does not know that key')
    expect(await page.getByLabel('API key').isVisible()).toBe(true)
    const key = await served.newKey('busy')
    for (let at = 0; at < 5; at++)
      await Promise.all(Array.from({ length: 20 }, () => get('/strategies?limit=1', key)))
    watched.asked.length = 0
    await enter(watched, key)
    expect(await status(watched, 'limited')).toMatch(/again in \d+ s/)
    // The page waits for the time of the Retry-After, even when it becomes visible.
    await page.clock.runFor(20_000)
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    await page.clock.runFor(5_000)
    expect(watched.asked).toEqual([`${served.url()}/page/actions`])
    honest(watched, served.url())
  })

  test('shows hostile values as text', async () => {
    const attack = '<img src=x onerror="document.title=1">\u202E"><script>document.title=2</script>'
    const server = await lying(attack)
    const watched = await seen(server.url, 'key')
    await watched.page.locator('#strategies tbody tr').first().waitFor({ timeout: 5_000 })
    const text = attack.replace('\u202E', '')
    expect(await watched.page.locator('#strategies tbody').textContent()).toContain(text)
    expect(await watched.page.locator('#actions tbody').textContent()).toContain(text)
    await watched.page.getByLabel('Wallet').fill(sandbox.user.address)
    await watched.page.keyboard.press('Enter')
    await watched.page.locator('#positions tbody tr').waitFor({ timeout: 5_000 })
    expect(await watched.page.locator('#positions tbody').textContent()).toContain(text)
    await watched.page.locator('summary').first().click()
    expect(await watched.page.locator('#network option').last().textContent()).toBe(text)
    expect(await watched.page.locator('img, tbody script, tbody a').count()).toBe(0)
    expect(await watched.page.title()).toBe('sluice')
    honest(watched, server.url)
    await server.close()
  })

  test('names unreadable networks once for both tables, and not for another key', async () => {
    const server = await lying('plain')
    const { page, ...watched } = await browser.open()
    const missing = { actions: 'sandbox-two', strategies: 'sandbox-one, sandbox-two' }
    for (const [name, left] of Object.entries(missing))
      await page.route(`**/page/${name}`, async (route) => {
        const isFirst = route.request().headers()['x-api-key'] === 'first'
        // The strategies request of the other key gets no response.
        if (!isFirst && name === 'strategies') return
        const headers = isFirst ? { 'x-sluice-missing': left } : undefined
        await route.fulfill({ json: { items: [], most: 1, total: 0 }, ...(headers && { headers }) })
      })
    await page.goto(`${server.url}/`)
    await enter({ page, ...watched }, 'first')
    await page.getByText('without sandbox-two, sandbox-one: nobody answers there').waitFor({ timeout: 5_000 })
    await page.getByRole('button', { name: 'Forget the key' }).click()
    await enter({ page, ...watched }, 'second')
    await page.locator('#actions', { hasText: 'Nothing yet' }).waitFor({ timeout: 5_000 })
    expect(await status({ page, ...watched }, 'well')).toMatch(/^Up to date at [\d:]+ UTC\.$/)
    await server.close()
  })

  test('reports a stopped server, keeps its last data, and sends no requests while hidden', async () => {
    const server = await lying('plain')
    const watched = await seen(server.url, 'key')
    const { page } = watched
    const first = page.locator('#strategies tbody tr').first()
    await first.waitFor({ timeout: 5_000 })
    await page.evaluate(`Object.defineProperty(document, 'hidden', { get: () => globalThis.isHidden === true, configurable: true })
      globalThis.isHidden = true
      document.dispatchEvent(new Event('visibilitychange'))`)
    watched.asked.length = 0
    await page.clock.runFor(300_000)
    expect(watched.asked).toEqual([])
    await server.close()
    await page.evaluate("globalThis.isHidden = false; document.dispatchEvent(new Event('visibilitychange'))")
    expect(await status(watched, 'gone')).toContain('does not answer')
    expect(await first.isVisible()).toBe(true)
  })
})

/** A server with the same text in every field. */
async function lying(text: string): Promise<{ url: string; close: () => Promise<void> }> {
  const strategy = {
    ...{
      id: text,
      slug: text,
      name: text,
      protocol: text,
      network: text,
      asset: { symbol: text, decimals: 6 },
    },
    ...{
      apy: 0.05,
      tvlUsd: text,
      paused: true,
      rates: {
        points: [
          { at: text, apy: 0.1 },
          { at: text, apy: 0.2 },
        ],
      },
    },
  }
  const transaction = {
    kind: text,
    network: text,
    status: text,
    hash: text,
    explorerUrl: `javascript:${text}`,
    error: text,
  }
  const action = {
    ...{ id: text, type: text, status: text, strategySlug: text, createdAt: text, finishedAt: null },
    ...{ amounts: { in: { formatted: text, symbol: text } }, transactions: [transaction] },
  }
  const service = {
    listStrategies: async () => ({ items: [strategy], page: 1, limit: 50, total: 1, hasMore: false }),
    getStrategy: async () => strategy,
    listActions: async () => ({ items: [action], page: 1, limit: 10, total: 1, hasMore: false }),
    getWallet: async () => ({
      positions: [{ strategy, balance: 1n, profit: -1n, balanceUsd: text, queuedUsd: text, apy: 0.1 }],
      ...{ totalValueUsd: text, unread: [text] },
    }),
  } as never
  const needs = {
    access: async () => ({ keyId: 'one', customer: 'one', service }),
    allow: async () => ({ ok: true }) as const,
  }
  // A browser opens spare connections; the short grace period does not wait for them.
  return serveHttp(needs, { host: '127.0.0.1', port: 0, graceMs: 100 })
}
