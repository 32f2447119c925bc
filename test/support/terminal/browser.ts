import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { chromium, type Page } from 'playwright-core'

/** The path of Chromium: SLUICE_CHROMIUM, or the first on the PATH; `undefined` if there is none. */
export const chromiumHere: string | undefined = [
  process.env.SLUICE_CHROMIUM ?? '',
  ...['chromium', 'chromium-browser', 'google-chrome'].flatMap((name) =>
    (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name)),
  ),
].find((file) => {
  try {
    accessSync(file, constants.X_OK)
    return file !== ''
  } catch {
    return false // Missing, or not executable for this user: try the next one.
  }
})

/** The title part of tests that need a browser; without one they are skipped by that name. */
export const needsChromium = 'in Chromium (SLUICE_CHROMIUM or a chromium on the PATH)'

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** A browser page with its complaints (policy violations and errors) and all URLs that it requested. */
export type Watched = { page: Page; complaints: string[]; asked: string[] }

/** A separate browser without any data. */
export async function startBrowser(): Promise<{
  open: (options?: { dark?: boolean; width?: number }) => Promise<Watched>
  close: () => Promise<void>
}> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-chromium-'))
  const context = await chromium.launchPersistentContext(folder, {
    executablePath: chromiumHere!,
    headless: true,
    args: flags,
  })
  return {
    open: async ({ dark = false, width = 1280 } = {}) => {
      const page = await context.newPage()
      await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' })
      await page.setViewportSize({ width, height: 900 })
      const watched: Watched = { page, complaints: [], asked: [] }
      page.on('request', (request) => watched.asked.push(request.url()))
      page.on('pageerror', (error) => watched.complaints.push(String(error)))
      page.on('console', (message) => {
        if (/Content Security Policy|Refused to/i.test(message.text()))
          watched.complaints.push(message.text())
      })
      // Code in the browser's language, whose types this program does not have.
      await page.addInitScript(
        `addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
           console.error('Content Security Policy: ' + violatedDirective + ' ' + blockedURI))`,
      )
      return watched
    },
    close: async () => {
      await context.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
