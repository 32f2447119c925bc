import { chmodSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { engineOn } from '../../support/engine.ts'
import { serveTo, type TestServer } from '../../support/services/serve-in-process.ts'
import { rpcEnvOf, useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

// Homes of the last version that kept the quotes of swaps from Bitcoin in a table of their own, as that version wrote them.

const sandbox = useSandbox()
const { run, home } = useCommands(sandbox)
const apiKey = 'key-old-home'
let served: TestServer
beforeEach(async () => {
  served = await serveTo(engineOn(sandbox).service, apiKey)
})
afterEach(() => served.close())

/** Where a command runs: with the engine in this process, or at a service behind HTTP. */
const at = (profile: 'engine' | 'remote') => ({
  env: {
    ...rpcEnvOf(sandbox),
    SLUICE_PROFILE: profile,
    SLUICE_BASE_URL: served.url,
    SLUICE_ESPLORA_URL: sandbox.world.catalog().bitcoin!.esplora,
  },
  secrets: { privateKey: sandbox.user.key, apiKey },
  // Before the deadlines of its deposits.
  standsAt: Date.parse('2026-11-30T09:00:00Z'),
})

test.each([
  {
    profile: 'engine',
    swaps: [
      [
        'old-key-near',
        'b4eded80-06a1-43b6-b15b-c1e77367d889',
        'bcrt1qjmtkf3shnn47hpketucjg76cg7d94qt3c8fvdm',
      ],
      ['old-key-thor', 'f57690c2-9e50-43d3-a3e6-d0e911ba026f', undefined],
    ],
    others: ['c0bc9712-9b06-4ee1-863d-2b7bbb9b26af'],
  },
  {
    profile: 'remote',
    swaps: [
      [
        'old-key-remote',
        'ff42ed69-2160-4ad9-8276-eee0e0d470ea',
        'bcrt1qw3nq4gfh8h5299rq6t005qxjjhapn3vewrk60r',
      ],
      [
        'old-key-open',
        'fa045039-f20b-42a6-a223-5fd3747c8c47',
        'bcrt1quxk3caj6hrcjgs3yzjdkqacfgp0td4p35zmzlu',
      ],
    ],
    others: [],
  },
] as const)(
  'the swaps from Bitcoin of an old home in the profile $profile are listed, shown, explained, exported and verified',
  async ({ profile, swaps, others }) => {
    const path = join(home(), 'data', 'journal.db')
    for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true })
    const old = new DatabaseSync(path)
    old.exec(
      readFileSync(
        new URL(`../../store/journal/old-homes/bitcoin-quotes-${profile}.sql`, import.meta.url),
        'utf8',
      ),
    )
    old.close()
    chmodSync(path, 0o600)
    const first = await run('action list --json', at(profile))
    expect(first.exit, first.out + first.err).toBe(0)
    const listed = first.json.items.map(({ id }: { id: string }) => id)
    expect(listed.toSorted()).toEqual([...swaps.map(([, id]) => id), ...others].toSorted())
    for (const [key, id, address] of swaps) {
      for (const name of [key, id, ...(address ? [address] : [])]) {
        const shown = await run(`action show ${name} --json`, at(profile))
        expect(shown.json, shown.err).toMatchObject({
          ...{ id, status: 'INITIAL', idempotencyKey: key, type: 'CROSSCHAIN_SWAP' },
          amounts: { in: { symbol: 'BTC' }, out: { symbol: 'USDC' } },
        })
        const explained = await run(`action explain ${name} --json`, at(profile))
        expect(explained.json, explained.err).toMatchObject({
          id,
          situation: 'QUOTE_OPEN',
          safeToRetry: false,
        })
      }
      const file = join(home(), `${id}.json`)
      expect((await run(`action export ${key} --out ${file} --json`, at(profile))).json).toMatchObject({ id })
      const evidence = JSON.parse(readFileSync(file, 'utf8'))
      expect(evidence).toMatchObject({
        operation: { id, legs: [{ deposit: { amount: expect.any(String) } }, { arrival: { hash: null } }] },
        trail: { whole: true },
      })
      const verified = await run(`action verify ${file} --json`, at(profile))
      expect(verified.json, verified.err).toMatchObject({ id, statedOnly: ['deposit', 'status'] })
    }
  },
)
