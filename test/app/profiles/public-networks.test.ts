import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { sandboxKey } from '../../../src/sandbox/accounts.ts'
import { type Anvil, startAnvil } from '../../../src/sandbox/anvil.ts'
import { useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const { run, signsNothing } = useCommands(useSandbox())
const secrets = { privateKey: sandboxKey() }

// Chains with the ids of public networks and nothing on them: what is not read off a chain shows here.
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
  test('serves Base and nothing else', async () => {
    const { exit, json, err } = await run('strategies list --all --json', {
      env: { SLUICE_RPC_BASE: base.rpcUrl },
    })
    expect({ exit, err }).toEqual({ exit: 0, err: '' })
    expect(networksOf(json.items)).toEqual(['base'])
    expect(json.items.map(({ id }: { id: string }) => id)).toContain('aave-v3-USDC-base')
    // There is no contract on this chain, and nobody makes up what one would say.
    for (const { apy, paused, tvlUsd } of json.items)
      expect({ apy, paused, tvlUsd }).toEqual({ apy: null, paused: null, tvlUsd: null })
  })

  test('serves several, and asks each for its own', async () => {
    const env = { SLUICE_RPC_BASE: base.rpcUrl, SLUICE_RPC_AVALANCHE_FUJI: fuji.rpcUrl }
    const { json } = await run('strategies list --all --json', { env })
    expect(networksOf(json.items).toSorted()).toEqual(['avalanche-fuji', 'base'])
  })

  test.each([
    'strategies list --network arbitrum-sepolia --json',
    'transfer --network 421614 --token USDC --to 0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC --amount 1 --json',
  ])('names the setting for a network that has no RPC: %s', async (line) => {
    const ran = await run(line, { env: { SLUICE_RPC_BASE: base.rpcUrl }, secrets })
    expect(ran.exit).toBe(2)
    expect(ran.json.error.code).toBe('UNKNOWN_NETWORK')
    expect(ran.json.error.hint).toMatch(/SLUICE_RPC_ARBITRUM_SEPOLIA.*sluice doctor/)
  })

  test('refuses a node that is on another chain', async () => {
    const ran = await run('strategies list --json', { env: { SLUICE_RPC_BASE: fuji.rpcUrl } })
    expect(ran.exit).toBe(7)
    expect(ran.json.error).toMatchObject({
      code: 'CHAIN_ID_MISMATCH',
      hint: 'Set an RPC of that network in SLUICE_RPC_BASE, then: sluice doctor',
    })
  })

  test('names the setting of a node that does not answer, where it is known whose that is', async () => {
    const env = { SLUICE_RPC_BASE: 'http://127.0.0.1:9' }
    const ran = await run('strategies list --network base --json', { env })
    expect(ran).toMatchObject({ exit: 7, json: { error: { code: 'RPC_UNREACHABLE' } } })
    expect(ran.json.error.hint).toBe('Try again, or set another RPC in SLUICE_RPC_BASE.')
  })

  test('names the networks that there are when one is none', async () => {
    const ran = await run('strategies list --json', { env: { SLUICE_RPC_MARS: base.rpcUrl } })
    expect(ran.exit).toBe(2)
    expect(ran.json.error.hint).toMatch(/sandbox-one.*ethereum.*base.*hoodi/)
  })

  test('has no bridge from a main network to a test network, whatever their numbers', async () => {
    const env = { SLUICE_RPC_BASE: base.rpcUrl, SLUICE_RPC_AVALANCHE_FUJI: fuji.rpcUrl }
    const line =
      'swap quote --from base --to avalanche-fuji --token-in 0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913 --token-out 0x5425890298aed601595a70AB815c96711a31Bc65 --amount-in 5 --json'
    const ran = await signsNothing(() => run(line, { env, secrets }))
    expect(ran.json.error.code).toBe('NO_ROUTE_FOUND')
  })
})
