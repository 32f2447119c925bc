import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { postJson } from '../../src/http/client.ts'
import { sandboxKey } from '../../src/sandbox/accounts.ts'
import { inTurn } from '../support/engine.ts'
import { type DistantNodes, distantNodes } from '../support/nodes/distant-nodes.ts'
import { rpcEnvOf, useCommands } from '../support/use-commands.ts'
import { useSandbox } from '../support/use-sandbox.ts'

// How many dependent round trips and requests a command needs; `npm run bench:trips` measures them in time.

const sandbox = useSandbox()
const { run } = useCommands(sandbox)
const other = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const strategy = 'aave-v3-usdc-sandbox-one'

/** Command line, dependent round trips, and requests to the only node of the first network. */
const rows: readonly [line: string, trips: number, requests: number][] = [
  [`deposit ${strategy} --amount 1 --yes --allow-duplicate`, 7, 9],
  [`deposit ${strategy} --amount 1 --yes --allow-duplicate --pipeline`, 6, 9],
  [`withdraw ${strategy} --amount 1 --yes --allow-duplicate`, 5, 7],
  [`transfer --network sandbox-one --token USDC --to ${other} --amount 1 --yes --allow-duplicate`, 5, 7],
  [
    'swap execute --from sandbox-one --token-in USDC --token-out WETH --amount-in 1 --yes --allow-duplicate',
    8,
    12,
  ],
  [`deposit ${strategy} --amount 1 --dry-run`, 3, 4],
  ['strategies list', 2, 3],
  ['yield recommend USDC', 2, 3],
  ['wallet show', 2, 5],
  ['swap quote --from sandbox-one --token-in USDC --token-out WETH --amount-in 1', 1, 3],
  ['swap quote --from sandbox-one --token-in USDC --token-out WBTC --amount-in 100 --compare', 1, 4],
  [`history ${strategy}`, 3, 3],
  [`strategies show ${strategy}`, 3, 5],
]

test('a round holds all independent requests of slow work, and none of the work before it', async () => {
  const far = distantNodes()
  const node = await far.inFrontOf(sandbox.chain(31337).rpcUrl)
  const ask = (method: string) => postJson(node.url, { jsonrpc: '2.0', id: 1, method, params: [] })
  /** Reads a file for so long that any pause between two requests of a usual run is over. */
  const slowly = async () => {
    for (const until = Date.now() + 300; Date.now() < until; ) await readFile(import.meta.filename)
  }
  const before = ask('eth_syncing')
  const { rounds } = await far.during(async () => {
    await Promise.all([ask('eth_chainId'), slowly().then(() => ask('eth_gasPrice'))])
    await slowly()
    await ask('eth_blockNumber')
  })
  expect(rounds).toEqual(['eth_chainId | eth_gasPrice', 'eth_blockNumber'])
  await before
  await node.close()
})

/** The number of endpoints of each network, and the steps in days by which the clocks of the chains moved before. */
const worlds: readonly [name: string, endpoints: number, days: readonly number[]][] = [
  ['with 1 endpoint per network', 1, []],
  ['with 2 endpoints per network', 2, []],
  ['after three weeks with a block a day', 1, Array<number>(21).fill(1)],
  ['after 40 more days without a block', 1, [40]],
]

describe.for(worlds.map((world, turn) => [...world, turn] as const))('%s', ([, count, days, turn]) => {
  let far: DistantNodes
  let nodes: Awaited<ReturnType<DistantNodes['inFrontOf']>>[]
  let env: Record<string, string>
  beforeAll(async () => {
    for (const step of days) await sandbox.world.warp(step * 86_400)
    far = distantNodes()
    const urls: [string, string][] = []
    nodes = []
    for (const { network, rpcUrl } of sandbox.world.chains) {
      const here = await Promise.all(Array.from({ length: count }, () => far.inFrontOf(rpcUrl)))
      nodes.push(...here)
      urls.push([network.name, here.map(({ url }) => url).join(',')])
    }
    env = { ...rpcEnvOf(sandbox, Object.fromEntries(urls)), SLUICE_PROFILE: 'engine' }
  })
  afterAll(async () => {
    for (const node of nodes) await node.close()
  })

  // Each row with one endpoint or with two, and after one of the warps.
  test.for(inTurn(rows, 2, turn))('%s needs at most %i round trips', async ([line, trips, requests]) => {
    const go = () => run(`${line} --json --quiet`, { env, secrets: { privateKey: sandboxKey() } })
    // Creates a position to withdraw and show, and fills the caches.
    for (const one of [strategy, 'sandbox-vault-usdc-sandbox-one'])
      await run(`deposit ${one} --amount 5 --yes --quiet`, { secrets: { privateKey: sandboxKey() } })
    await go()
    const { value, rounds } = await far.during(go)
    expect({ exit: value.exit, err: value.err }).toEqual({ exit: 0, err: '' })
    expect(rounds.length, rounds.join('\n')).toBeLessThanOrEqual(trips)
    if (count === 1) expect(nodes[0]!.requests(), rounds.join('\n')).toBeLessThanOrEqual(requests)
  })
})
