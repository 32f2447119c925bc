import { expect, test } from 'vitest'
import { sandboxAddress, sandboxKey } from '../../src/sandbox/accounts.ts'
import { inTurn } from '../support/engine.ts'
import { documentation } from '../support/matches-schema.ts'
import { unlike } from '../support/normalize-run-values.ts'
import { useServe } from '../support/services/serve-as-process.ts'
import { type Commands, type Ran, rpcEnvOf, useCommands } from '../support/use-commands.ts'
import { useSandbox } from '../support/use-sandbox.ts'
import { scripts } from './command-scripts.ts'

const sandbox = useSandbox()
const served = useServe(sandbox)
const here = useCommands(sandbox)
const there = useCommands(sandbox)
const documented = documentation(here.run)

/** Runs a script and validates its output against the schemas; `{0.id}` is that field of the document that line 0 printed. */
async function performed(lines: readonly string[], run: Commands['run']): Promise<Ran[]> {
  const done: Ran[] = []
  for (const line of lines) {
    const filled = line.replace(/\{(\d+)\.([\w.]+)\}/g, (_, at: string, path: string) =>
      String(path.split('.').reduce((value, name) => value?.[name], done[Number(at)]!.json)),
    )
    const ran = await run(filled)
    await documented(filled, ran)
    done.push(ran)
  }
  return done
}

/** Output lines without the values that differ between two runs: IDs, times, and the gas cost of calldata with a deadline. */
const shown = (done: readonly Ran[]): string[] =>
  unlike(done.map(({ exit, out }) => `exit ${exit}\n${out}`).join(''))
    .replace(/"gasUsed":"[0-9]+"/g, '"gasUsed":"<gas>"')
    .split('\n')

/** Fixes the next timestamps: blocks one second apart, each chain later than the one before it. Returns a snapshot. */
async function sameStart(): Promise<readonly `0x${string}`[]> {
  const snapshot = await sandbox.world.snapshot()
  for (const [at, { rpc }] of sandbox.world.chains.entries()) {
    const latest = await rpc.request<{ timestamp: string }>('eth_getBlockByNumber', ['latest', false])
    await rpc.request('anvil_setBlockTimestampInterval', [1])
    await rpc.request('anvil_setNextBlockBaseFeePerGas', ['0x3b9aca00'])
    await rpc.request('evm_setNextBlockTimestamp', [Number(latest.timestamp) + 60 * (at + 1)])
  }
  return snapshot
}

test.each(inTurn(scripts, 2, 0))(
  '%s: a served deployment prints the same as the embedded engine',
  async (name, exits, lines) => {
    const secrets = { privateKey: sandboxKey() }
    const snapshot = await sameStart()
    const near = await performed(lines, (line) => here.run(line, { secrets }))
    await sandbox.world.revert(snapshot)
    await sameStart()
    const apiKey = await served.newKey(name)
    const env = { ...rpcEnvOf(sandbox), SLUICE_BASE_URL: served.url() }
    const far = await performed(lines, (line) => there.run(line, { env, secrets: { ...secrets, apiKey } }))
    expect(near.map(({ exit }) => exit).join(' ')).toBe(exits)
    expect(shown(far)).toEqual(shown(near))
  },
)

test('sandboxAddress is the address of the sandbox user', () => {
  expect(sandboxAddress()).toBe(sandbox.user.address)
})
