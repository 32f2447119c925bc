import { describe, expect, test } from 'vitest'
import type { ChainSnapshot } from '../../src/chain/consistent-head.ts'
import { isFreshSnapshot, snapshotLifeMs } from '../../src/chain/head-fees-nonces-snapshot.ts'
import { isCheckFresh, type LegReads } from '../../src/planning/leg-simulation.ts'
import { provider } from '../support/nodes/proxy-node.ts'
import { rpcEnvOf, useCommands } from '../support/use-commands.ts'
import { useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run } = useCommands(sandbox)

describe('the check of a leg during planning', () => {
  const to = '0x1111111111111111111111111111111111111111'
  const transactions = [{ chainId: 1, to, data: '0x01', value: 0n }] as const
  const check = (more: object = {}, simulation: object = {}) =>
    ({
      at: performance.now(),
      transactions,
      target: undefined,
      simulation: { how: 'eth_simulateV1', nonce: 7, blockNumber: 100n, ...simulation },
      ...more,
    }) as unknown as LegReads

  test('is reused for the same transactions within two blocks, while the wallet has sent nothing', () => {
    expect(isCheckFresh(check(), transactions, { block: 102, nonce: 7 })).toBe(true)
  })

  test.each([
    ['the wallet has sent a transaction since', check(), transactions, { block: 100, nonce: 8 }],
    ['it is three blocks old', check(), transactions, { block: 103, nonce: 7 }],
    [
      'it is over 30 s old',
      check({ at: performance.now() - 31_000 }),
      transactions,
      { block: 100, nonce: 7 },
    ],
    [
      'the calldata differs',
      check(),
      [{ ...transactions[0], data: '0x02' as const }],
      { block: 100, nonce: 7 },
    ],
    ['the value differs', check(), [{ ...transactions[0], value: 1n }], { block: 100, nonce: 7 }],
    [
      'only a part of its transactions remains',
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
  ])('is not reused when %s', (_, made, left, now) => {
    expect(isCheckFresh(made, left, now)).toBe(false)
  })

  test('is not repeated before the signature of a fast command', async () => {
    const { chains } = await sandbox.world.status()
    const node = await provider(chains[0]!.rpcUrl, () => undefined)
    const env = rpcEnvOf(sandbox, { 'sandbox-one': node.url })
    const secrets = { privateKey: sandbox.user.key }
    const line =
      'deposit aave-v3-usdc-sandbox-one --amount 3 --yes --json --trust-first-use --allow-duplicate'
    expect((await run(line, { env, secrets })).exit).toBe(0)
    // One simulation without gas limits, one of the transactions as signed.
    expect(node.asked.filter((method) => method === 'eth_simulateV1')).toHaveLength(2)
    await node.close()
  })
})

describe('the chain snapshot of a plan', () => {
  const snapshot = (ageMs: number) => ({ chainId: 1, at: performance.now() - ageMs }) as ChainSnapshot

  test('is reused for its own chain within its lifetime', () => {
    expect(isFreshSnapshot(snapshot(0), 1)).toBe(true)
    expect(isFreshSnapshot(snapshot(0), 10)).toBe(false)
    expect(isFreshSnapshot(snapshot(snapshotLifeMs + 1), 1)).toBe(false)
    expect(isFreshSnapshot(undefined, 1)).toBe(false)
  })

  test('does not cause a second payment when another machine uses the nonce, and its hash is reported', async () => {
    const { chains } = await sandbox.world.status()
    const other = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
    let sends = 0
    // Once it is signed: on a busy machine the snapshot may be too old before, and the nonce is read again.
    const node = await provider(chains[0]!.rpcUrl, async ({ method }) => {
      if (method.startsWith('eth_sendRawTransaction') && ++sends === 1)
        await sandbox.sendAs(31337, sandbox.user.address, { to: other, value: 1n })
      return undefined
    })
    const env = rpcEnvOf(sandbox, { 'sandbox-one': node.url })
    const before = await sandbox.balanceOf(31337, sandbox.token(31337, 'USDC').address, other)
    const line = `transfer --network sandbox-one --token USDC --to ${other} --amount 3 --yes --json --allow-duplicate --timeout 20s`
    const ran = await run(line, { env, secrets: { privateKey: sandbox.user.key } })
    expect({ exit: ran.exit, code: ran.json.error?.code }).toEqual({ exit: 23, code: 'SUPERSEDED' })
    expect(ran.json.error.details.hash).toMatch(/^0x[0-9a-f]{64}$/)
    const held = () => sandbox.balanceOf(31337, sandbox.token(31337, 'USDC').address, other)
    expect(await held()).toBe(before)
    const again = await run(
      `action replan ${ran.json.error.details.operation} --yes --json --allow-duplicate`,
      {
        env,
        secrets: { privateKey: sandbox.user.key },
      },
    )
    expect(again.exit).toBe(0)
    expect(await held()).toBe(before + 3_000_000n)
    await node.close()
  })
})
