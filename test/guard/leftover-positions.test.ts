import { describe, expect, inject, test } from 'vitest'
import { strictTerms } from '../../src/guard/user-limits-and-exemptions.ts'
import { simulatePlannedLeg } from '../../src/planning/leg-simulation.ts'
import type { StrategyEntry } from '../../src/protocols/catalog-types.ts'
import { redeem } from '../../src/protocols/erc4626/encode.ts'
import type { Intent } from '../../src/protocols/intent.ts'
import { genesis } from '../../src/sandbox/genesis/genesis-cache.ts'
import { deployed } from '../support/contracts/compile-contract.ts'
import { useCommands } from '../support/use-commands.ts'
import { calldata, useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run } = useCommands(sandbox)
const chainId = 31337
const wallet = () => sandbox.user.address

// The strategies must be known before the sandbox starts, so that each has its own test.
const { catalog } = await genesis(inject('sandboxCache'), {
  binary: inject('anvil'),
  noteDir: inject('sandboxNotes'),
})
const open = catalog.strategies.filter(({ slug }) => slug !== 'aave-v3-wbtc-sandbox-two')

describe('withdraw --amount max --dry-run', () => {
  test.each(open.map(({ slug }) => slug))(
    'shows that the whole position in %s is withdrawn',
    async (slug) => {
      const entry = open.find((one) => one.slug === slug)!
      await run(`deposit ${slug} --amount 1.234567 --yes --quiet`)
      await sandbox.world.warp(50 * 86_400)
      const { exit, json } = await run(`withdraw ${slug} --amount max --dry-run --json`)
      expect(exit).toBe(0)
      const held = await sandbox.balanceOf(entry.chainId, entry.receipt.address, wallet())
      expect(held).toBeGreaterThan(0n)
      const change = json.simulation.changes.find(
        (one: { token: string }) => one.token === entry.receipt.address,
      )
      // stETH rebases and is queued by its amount, whose shares may be a unit less than the balance.
      const rest = entry.receipt.symbol === 'stETH' ? 2n : 0n
      expect(held + BigInt(change.raw)).toBeGreaterThanOrEqual(0n)
      expect(held + BigInt(change.raw)).toBeLessThanOrEqual(rest)
    },
  )
})

describe('a vault that keeps some of the redeemed shares', () => {
  const leaving = async (kept: bigint) => {
    const { asset } = sandbox.strategy('aave-v3-USDC-sandbox-one')
    const vault = await deployed(sandbox, chainId, 'KeepingVault', [asset.address, kept])
    await sandbox.sendAs(chainId, wallet(), {
      to: asset.address,
      data: calldata('function transfer(address,uint256)', [vault, 5_000_000n]),
    })
    const strategy: StrategyEntry = {
      ...sandbox.strategy('sandbox-vault-USDC-sandbox-one'),
      receipt: { ...asset, address: vault, symbol: 'KEEP' },
      constants: { family: 'erc4626', vault },
    }
    const shares = 1_000_000n
    const intent: Intent = { kind: 'withdraw', wallet: wallet(), strategy, amount: shares, shares }
    return simulatePlannedLeg(
      { rpc: (id) => sandbox.chain(id).rpc, catalog: sandbox.world.catalog() },
      {
        chainId,
        intent,
        transactions: [redeem({ chainId, vault, shares, receiver: wallet(), owner: wallet() })],
      },
      strictTerms,
    )
  }

  test.each([1n, 500_000n])('is refused before signing: %s of 1,000,000', async (kept) => {
    await expect(leaving(kept)).rejects.toMatchObject({
      code: 'POLICY_SIMULATION',
      message: expect.stringContaining('of the position is left, but the whole position was to be withdrawn'),
    })
  })

  test('passes when it keeps nothing', async () => {
    expect((await leaving(0n)).how).toBe('eth_simulateV1')
  })
})
