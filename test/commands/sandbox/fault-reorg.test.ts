import { expect, test } from 'vitest'
import { useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run } = useCommands(sandbox)
const node = () => sandbox.chain(31337).rpc
const head = async () => Number(await node().request('eth_blockNumber'))
const fault = async (line: string) => {
  const set = await run(`sandbox fault ${line} --json`)
  expect(set).toMatchObject({ exit: 0 })
  return set.json
}

test('sandbox fault reorg affects only networks with enough blocks, and changes nothing if no network has enough', async () => {
  const two = sandbox.chain(31338).rpc
  const most = async (network: string) => {
    const refused = await run(`sandbox fault reorg 1000 --network ${network} --json`)
    expect(refused).toMatchObject({ exit: 2, json: { error: { code: 'USAGE' } } })
    const [, blocks = '0'] = /reorg (\d+) --network/.exec(refused.json.error.hint) ?? []
    return Number(blocks)
  }
  const [one, other] = [await most('sandbox-one'), await most('sandbox-two')]
  const depth = other + 1
  for (let made = 0; made < depth; made++) await node().request('evm_mine')
  const [at, its] = [await head(), await two.request('eth_getBlockByNumber', ['latest', false])]
  expect(await fault(`reorg ${depth}`)).toMatchObject({
    network: 'sandbox-one',
    text: expect.stringMatching(/ on sandbox-one$/),
  })
  expect(await head()).toBe(at)
  expect(await two.request('eth_getBlockByNumber', ['latest', false])).toEqual(its)
  expect(await run(`sandbox fault reorg ${one + depth + 1} --json`)).toMatchObject({ exit: 2 })
  expect(await head()).toBe(at)
})
