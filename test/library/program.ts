import { readFileSync, writeSync } from 'node:fs'
import { AppError, type Catalog, type Core, createEngine, createRemote } from '@sluice-cli/sluice'

/** Input of a program that uses this package as a library; the test runs it in another directory. */
type Told = {
  rpcs: Record<string, string>
  catalog: { strategies: { fromBlock: string }[] }
  store: string
  baseUrl: string
  apiKey: string
  wallet: `0x${string}`
}

const told = JSON.parse(readFileSync(0, 'utf8')) as Told
const catalog = {
  ...told.catalog,
  strategies: told.catalog.strategies.map((one) => ({ ...one, fromBlock: BigInt(one.fromBlock) })),
} as unknown as Catalog

const engine = await createEngine({ rpcs: told.rpcs, catalog, store: told.store })
const remote = await createRemote({ baseUrl: told.baseUrl, apiKey: told.apiKey })

/** Asks the engine and the remote service the same questions. */
async function asked(core: Core) {
  const { items, total } = await core.listStrategies({ page: 1, limit: 5 })
  const [first] = items
  const one = await core.getStrategy({ id: first!.slug })
  const amount: bigint = 1_000_000n
  const { bytecode } = await core.strategyBytecode({
    id: one.slug,
    action: 'lend',
    amount,
    wallet: told.wallet,
  })
  const failure = await core.getStrategy({ id: 'nothing' }).then(
    () => null,
    (error: unknown) => (error instanceof AppError ? error.code : 'not ours'),
  )
  const givenUp = (signal: AbortSignal) =>
    core.listStrategies({}, { signal }).then(
      () => 'answered',
      (error: unknown) => String(error),
    )
  const later = new AbortController()
  const stopped = [givenUp(AbortSignal.abort('before')), givenUp(later.signal)]
  later.abort('meanwhile')
  return {
    total,
    stopped: await Promise.all(stopped),
    slug: one.slug,
    apy: one.apy,
    to: bytecode.at(-1)?.to ?? null,
    failure,
  }
}

const answers = [await asked(engine), await asked(remote)]
const again = await createEngine({ rpcs: told.rpcs, catalog, store: told.store })
const kept = await again.listQuotes({})
for (const core of [engine, engine, remote, again]) await core.close()
const patient = await createRemote({ baseUrl: told.baseUrl, apiKey: told.apiKey, deadlineMs: 1e10 })
const { total: afterAll } = await patient.listStrategies({})
const refusal = (work: Promise<unknown>) =>
  work.then(
    () => 'open still',
    (error: unknown) =>
      error instanceof AppError ? `${error.code} ${error.message}. ${error.hint}` : `not ours: ${error}`,
  )
const closed = [await refusal(engine.listQuotes({})), await refusal(remote.listQuotes({}))]
// Values that only a caller without type checks can pass.
const loose = (value: unknown) => value as never
const unset = process.env.NOT_SET_HERE
const refused = [
  await refusal(createEngine({ rpcs: { base: 'token-of-mine' } })),
  await refusal(createEngine({ rpcs: told.rpcs })),
  await refusal(createEngine(loose(undefined))),
  await refusal(createEngine(loose({}))),
  await refusal(createEngine(loose({ rpcs: { base: unset } }))),
  await refusal(createEngine(loose({ rpcs: {}, rpc: 'secret' }))),
  await refusal(createEngine({ rpcs: { base: 'http://one.invalid', 8453: 'http://two.invalid' } })),
  await refusal(createEngine(loose({ rpcs: {}, catalog: { networks: [null] } }))),
  await refusal(createEngine(loose({ rpcs: {}, catalog: { networks: catalog.networks } }))),
  await refusal(createRemote(loose(null))),
  await refusal(createRemote(loose({ baseUrl: told.baseUrl, apiKey: unset }))),
  await refusal(createRemote(loose({ baseUrl: told.baseUrl, apiKey: 5 }))),
  await refusal(createRemote({ baseUrl: 'nowhere', apiKey: 'secret' })),
]
writeSync(1, JSON.stringify({ answers, quotes: kept.items.length, afterAll, closed, refused }))
