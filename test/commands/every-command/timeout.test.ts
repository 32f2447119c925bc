import { expect, test } from 'vitest'
import { useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, signsNothing } = useCommands(sandbox)
const friend = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'

test.each([
  ['hangs', 'rpc-hang'],
  ['answers each request late', 'rpc-slow 4s'],
])(
  'a transfer whose node %s exits 7 soon after its --timeout, with nothing signed',
  async (_, fault) => {
    const line = `transfer --network sandbox-one --token USDC --to ${friend} --amount 5 --yes --json --timeout 2s`
    await signsNothing(async () => {
      expect(await run(`sandbox fault ${fault} --json`)).toMatchObject({ exit: 0 })
      const began = performance.now()
      const ran = await run(line)
      expect(ran).toMatchObject({ exit: 7, json: { error: { code: 'RPC_UNREACHABLE' } } })
      // The timeout plus 15 s: a bound of the program, not a measurement.
      expect(performance.now() - began).toBeLessThan(17_000)
      expect(await run('sandbox fault clear --json')).toMatchObject({ exit: 0 })
    })
  },
  60_000,
)
