import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { sandboxKey } from '../../../src/sandbox/accounts.ts'
import { type Anvil, startAnvil } from '../../../src/sandbox/anvil.ts'
import { useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const { run, signsNothing } = useCommands(useSandbox())
const secrets = { privateKey: sandboxKey() }

// Chains with the ids of public networks and no contracts: a value that appears here was not read from a chain.
let base: Anvil
let fuji: Anvil
beforeAll(async () => {
  const start = { binary: inject('anvil'), noteDir: inject('sandboxNotes') }
  ;[base, fuji] = await Promise.all([
    startAnvil({ ...start, chainId: 8453 }),
    startAnvil({ ...start, chainId: 43113 }),
  ])
})
afterAll(() => Promise.all([base.stop(), fuji.stop()]))

const networksOf = (items: { network: string }[]) => [...new Set(items.map(({ network }) => network))]

describe('an engine with the RPC of a public network', () => {
  test('lists only strategies of Base, with null figures where no contract answers', async () => {
    const { exit, json, err } = await run('strategies list --all --json', {
      env: { SLUICE_RPC_BASE: base.rpcUrl },
    })
    expect({ exit, err }).toEqual({ exit: 0, err: '' })
    expect(networksOf(json.items)).toEqual(['base'])
    expect(json.items.map(({ id }: { id: string }) => id)).toContain('aave-v3-USDC-base')
    // There is no contract on this chain, so no figure may be reported.
    for (const { apy, paused, tvlUsd } of json.items)
      expect({ apy, paused, tvlUsd }).toEqual({ apy: null, paused: null, tvlUsd: null })
  })

  test('lists the strategies of every network that has an RPC', async () => {
    const env = { SLUICE_RPC_BASE: base.rpcUrl, SLUICE_RPC_AVALANCHE_FUJI: fuji.rpcUrl }
    const { json } = await run('strategies list --all --json', { env })
    expect(networksOf(json.items).toSorted()).toEqual(['avalanche-fuji', 'base'])
  })

  test.each([
    'strategies list --network arbitrum-sepolia --json',
    'transfer --network 421614 --token USDC --to 0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC --amount 1 --json',
  ])('names the RPC setting to add for a network without one: %s', async (line) => {
    const ran = await run(line, { env: { SLUICE_RPC_BASE: base.rpcUrl }, secrets })
    expect(ran.exit).toBe(2)
    expect(ran.json.error.code).toBe('UNKNOWN_NETWORK')
    expect(ran.json.error.hint).toMatch(/SLUICE_RPC_ARBITRUM_SEPOLIA.*sluice doctor/)
  })

  test('refuses a node with another chain id', async () => {
    const ran = await run('strategies list --json', { env: { SLUICE_RPC_BASE: fuji.rpcUrl } })
    expect(ran.exit).toBe(7)
    expect(ran.json.error).toMatchObject({
      code: 'CHAIN_ID_MISMATCH',
      hint: 'Set an RPC of that network in SLUICE_RPC_BASE, then: sluice doctor',
    })
  })

  test('names the RPC setting of a node that does not answer', async () => {
    const env = { SLUICE_RPC_BASE: 'http://127.0.0.1:9' }
    const ran = await run('strategies list --network base --json', { env })
    expect(ran).toMatchObject({ exit: 7, json: { error: { code: 'RPC_UNREACHABLE' } } })
    expect(ran.json.error.hint).toBe('Try again, or set another RPC in SLUICE_RPC_BASE.')
  })

  test('lists the known networks when an RPC setting names an unknown one', async () => {
    const ran = await run('strategies list --json', { env: { SLUICE_RPC_MARS: base.rpcUrl } })
    expect(ran.exit).toBe(2)
    expect(ran.json.error.hint).toMatch(/sandbox-one.*ethereum.*base.*hoodi/)
  })

  test('offers no bridge from a mainnet to a testnet', async () => {
    const env = { SLUICE_RPC_BASE: base.rpcUrl, SLUICE_RPC_AVALANCHE_FUJI: fuji.rpcUrl }
    const line =
      'swap quote --from base --to avalanche-fuji --token-in 0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913 --token-out 0x5425890298aed601595a70AB815c96711a31Bc65 --amount-in 5 --json'
    const ran = await signsNothing(() => run(line, { env, secrets }))
    expect(ran.json.error.code).toBe('NO_ROUTE_FOUND')
  })
})
