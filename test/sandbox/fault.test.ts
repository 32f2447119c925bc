import { readFileSync } from 'node:fs'
import { afterAll, expect, inject, test } from 'vitest'
import { httpRpc } from '../../src/chain/rpc/failover.ts'
import { sandboxDown } from '../../src/sandbox/daemon-client.ts'
import { sandboxFiles } from '../../src/sandbox/daemon-record.ts'
import { programHome, spawnSluice } from '../support/spawn-program.ts'

const home = programHome(inject('sandboxCache'))
afterAll(() => home.end())
const sluice = async (line: string) => {
  const { exit, out, err } = await spawnSluice(home.home, `${line} --json`.split(' '))
  return { exit, err, json: JSON.parse(out) }
}

test('the daemon survives a service error, keeps faults between commands, and forgets them on reset or stop', async () => {
  expect(await sluice('sandbox fault clear')).toMatchObject({ exit: 0, json: { items: [] } })
  expect(home.processes()).toEqual([])
  expect(await sluice('sandbox fault rpc-502 --network sandbox-two')).toMatchObject({
    exit: 0,
    json: { kind: 'rpc-502', text: 'the node answers 502 on sandbox-two' },
  })
  const record = JSON.parse(readFileSync(sandboxFiles(home.data).record, 'utf8'))
  const [{ api }] = record.catalog.swaps.kyberswap
  expect((await fetch(`${api}/route/build`, { method: 'POST', body: '{' })).status).toBe(500)
  const { json, err } = await sluice('sandbox status')
  expect(json).toMatchObject({
    pid: record.pid,
    faults: [{ kind: 'rpc-502', network: 'sandbox-two' }],
  })
  expect(err).toBe('')
  expect((await sluice('action list')).err).toContain('sandbox fault: the node answers 502 on sandbox-two')
  const [one, two] = json.chains.map(({ rpcUrl }: { rpcUrl: string }) => httpRpc(rpcUrl, { retries: 0 }))
  expect(await one.request('eth_chainId')).toBe('0x7a69')
  await expect(two.request('eth_chainId')).rejects.toMatchObject({ details: { status: 502 } })

  expect((await sluice('sandbox reset --yes')).json.faults).toBeUndefined()
  // The previous URL still reaches the node.
  expect(await two.request('eth_chainId')).toBe('0x7a6a')
  await sluice('sandbox fault usdc-paused')
  await sluice('sandbox fault stop-mining')
  await sandboxDown(home.data)
  expect(await sluice('sandbox fund 0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC')).toMatchObject({ exit: 0 })
  expect((await sluice('sandbox fault')).json.items).toEqual([])
})
