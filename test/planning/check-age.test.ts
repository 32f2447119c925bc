import { describe, expect, test } from 'vitest'
import { isCheckFresh, type LegCheck } from '../../src/planning/leg-simulation.ts'
import { provider } from '../support/provider.ts'
import { rpcEnvOf, useCommands } from '../support/run.ts'
import { useSandbox } from '../support/sandbox.ts'

const sandbox = useSandbox()
const { run } = useCommands(sandbox)

describe('the check that a plan made of a leg', () => {
  const to = '0x1111111111111111111111111111111111111111'
  const transactions = [{ chainId: 1, to, data: '0x01', value: 0n }] as const
  const check = (more: object = {}, simulation: object = {}) =>
    ({
      at: performance.now(),
      transactions,
      target: undefined,
      simulation: { how: 'eth_simulateV1', nonce: 7, blockNumber: 100n, ...simulation },
      ...more,
    }) as unknown as LegCheck

  test('counts for the same transactions, up to two blocks later, while the wallet has sent nothing', () => {
    expect(isCheckFresh(check(), transactions, { block: 102, nonce: 7 })).toBe(true)
  })

  test.each([
    ['the wallet has sent something since', check(), transactions, { block: 100, nonce: 8 }],
    ['it is three blocks old', check(), transactions, { block: 103, nonce: 7 }],
    [
      'it is over 30 s old',
      check({ at: performance.now() - 31_000 }),
      transactions,
      { block: 100, nonce: 7 },
    ],
    [
      'the call is another one',
      check(),
      [{ ...transactions[0], data: '0x02' as const }],
      { block: 100, nonce: 7 },
    ],
    ['the value is another one', check(), [{ ...transactions[0], value: 1n }], { block: 100, nonce: 7 }],
    [
      'only a part is left',
      check({ transactions: [...transactions, ...transactions] }),
      transactions,
      { block: 100, nonce: 7 },
    ],
    [
      'the node could not simulate in full',
      check({}, { how: 'eth_call' }),
      transactions,
      { block: 100, nonce: 7 },
    ],
  ])('does not count where %s', (_, made, left, now) => {
    expect(isCheckFresh(made, left, now)).toBe(false)
  })

  test('is not made a second time before the signature of a command that takes no time', async () => {
    const { chains } = await sandbox.world.status()
    const node = await provider(chains[0]!.rpcUrl, () => undefined)
    const env = rpcEnvOf(sandbox, { 'sandbox-one': node.url })
    const secrets = { privateKey: sandbox.user.key }
    const line =
      'deposit aave-v3-usdc-sandbox-one --amount 3 --yes --json --trust-first-use --allow-duplicate'
    expect((await run(line, { env, secrets })).exit).toBe(0)
    // Once without gas limits, once as it is signed.
    expect(node.asked.filter((method) => method === 'eth_simulateV1')).toHaveLength(2)
    await node.close()
  })
})
