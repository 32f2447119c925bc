import {
  AppError,
  type Catalog,
  type Core,
  createEngine,
  createRemote,
  type EngineOptions,
  type RemoteOptions,
  type Service,
} from '@sluice-cli/sluice'

/** A strict TypeScript program of a user: it is compiled in another directory and never run. */
const options: EngineOptions = {
  rpcs: { base: ['https://node.example'] },
  rpcHeaders: { base: { Authorization: 'Bearer TOKEN' } },
  budgetMs: 1000,
}
const remoteOptions: RemoteOptions = { baseUrl: 'https://service.example', apiKey: 'key' }
const cores: Core[] = [await createEngine(options), await createRemote(remoteOptions)]

async function rates(service: Service): Promise<(number | null)[]> {
  const signal = AbortSignal.timeout(1000)
  const { items, total } = await service.listStrategies({ page: 1, limit: 5 }, { signal })
  const count: number = total
  // @ts-expect-error A signal is not a string.
  await service.analytics({}, { signal: 'now' })
  return items.slice(0, count).map(({ apy }) => apy)
}

for (const core of cores) {
  const asked = { id: 'a', action: 'lend', wallet: '0x00' } as const
  const { bytecode } = await core.strategyBytecode({ ...asked, amount: 1n })
  const value: bigint | undefined = bytecode.at(-1)?.value
  // @ts-expect-error An amount is not a number.
  await core.strategyBytecode({ ...asked, amount: 1 })
  const { positions } = await core.getWallet({ address: '0x00' })
  const balance: bigint | null | undefined = positions[0]?.balance
  const { transactions } = await core.getAction({ id: 'a' })
  const hashes: (string | null)[] = transactions.map(({ hash }) => hash)
  const known = (code: AppError['code']) => code === 'STRATEGY_PAUSED'
  // @ts-expect-error There is no such code.
  const unknown = (code: AppError['code']) => code === 'NOTHING'
  const isOurs = (error: unknown) => error instanceof AppError && known(error.code) && !unknown(error.code)
  const names = (catalog: Catalog): string[] => catalog.networks.map(({ name }) => name)
  await core.close()
  console.log(value, balance, hashes, await rates(core), isOurs, names)
}
