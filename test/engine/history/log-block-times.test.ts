import { expect, test } from 'vitest'
import { httpRpc } from '../../../src/chain/rpc/failover.ts'
import { engineMigrations, engineStore } from '../../../src/store/engine/store.ts'
import { sqliteSql } from '../../../src/store/sql/sqlite.ts'
import { engineOn, perform } from '../../support/engine.ts'
import { type Provider, provider } from '../../support/nodes/proxy-node.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const wallet = sandbox.user.address
const chainId = 31337
const id = 'sandbox-vault-usdc-sandbox-one'

const lend = async () => {
  const { service } = engineOn(sandbox)
  const { bytecode } = await service.strategyBytecode({ id, action: 'lend', amount: 100_000_000n, wallet })
  await perform(sandbox, wallet, bytecode)
}

/** The timestamps of a history that is read through a provider and stored. */
async function timesBy(
  says: Provider['says'],
  sql = sqliteSql(':memory:', { migrations: engineMigrations }),
) {
  const node = await provider(sandbox.chain(chainId).rpcUrl, says)
  const { service } = engineOn(sandbox, {
    store: engineStore(sql),
    rpc: (chain) => (chain === chainId ? httpRpc(node.url, { retries: 0 }) : sandbox.chain(chain).rpc),
  })
  const history = service.walletHistory({ address: wallet, strategyId: id }).finally(() => node.close())
  return (await history).items.map(({ timestamp }) => timestamp)
}

const logsAt =
  (blockTimestamp: unknown): Provider['says'] =>
  async ({ method, params }, ask) =>
    method === 'eth_getLogs'
      ? { result: ((await ask(method, params)) as object[]).map((log) => ({ ...log, blockTimestamp })) }
      : undefined

test.each(['0x0', '0x', null, undefined, 7])(
  'logs with %s as their time get the time of their block',
  async (said) => {
    await lend()
    const times = await timesBy(() => undefined)
    expect(times).toHaveLength(1)
    expect(await timesBy(logsAt(said))).toEqual(times)
  },
)

test('a block without a time is an error, and stored logs without a time are read again', async () => {
  await lend()
  const blocksToo: Provider['says'] = async (call, ask) => {
    if (call.method !== 'eth_getBlockByNumber' || call.params[0] === 'latest') return logsAt('0x0')(call, ask)
    return { result: { ...((await ask(call.method, call.params)) as object), timestamp: '0x0' } }
  }
  await expect(timesBy(blocksToo)).rejects.toMatchObject({ code: 'RPC_INCONSISTENT' })
  const sql = sqliteSql(':memory:', { migrations: engineMigrations })
  const times = await timesBy(() => undefined, sql)
  const changed = "update chain_logs set log = json_set(log, '$.blockTimestamp', '0x0') returning block"
  expect(await sql.query(changed, [])).not.toHaveLength(0)
  expect(await timesBy(() => undefined, sql)).toEqual(times)
})
