import { join } from 'node:path'
import { encodeFunctionData, parseAbi } from 'viem/utils'
import type { Address } from '../src/domain/address.ts'
import type { Catalog, StrategyEntry } from '../src/protocols/catalog-types.ts'
import { sandboxAddress } from '../src/sandbox/accounts.ts'
import type { SandboxWorld } from '../src/sandbox/world.ts'
import { deployAcross, hubOf, liveness } from '../test/protocols/fixtures/across.ts'
import { deployedFrom } from '../test/support/contracts/compile-contract.ts'
import { sandboxOf, type TestSandbox } from '../test/support/use-sandbox.ts'

/** The markets of a cell: two reserves of the real Aave, a vault and a staking vault over them, a pool of the real HubPool of Across, and a Compound v3 model. */
export const slugs = [
  'aave-v3-usdc-sandbox-one',
  'sandbox-vault-usdc-sandbox-one',
  'aave-v3-weth-sandbox-one',
  'sandbox-staking-weth-sandbox-one',
  'across-usdc-sandbox-one',
  'compound-v3-usdc-sandbox-one',
]

const chainId = 31337
/** A world with all of these markets until it is reverted. `earns` pays fees into the Across pool. */
export type HistoryWorld = { world: SandboxWorld; catalog: Catalog; earns: () => Promise<void> }

/** Deploys the HubPool in a world. */
export async function historyWorld(world: SandboxWorld): Promise<HistoryWorld> {
  const sandbox = sandboxOf(() => world)
  const at = await deployAcross(sandbox, chainId)
  const hub = hubOf(sandbox, chainId, at)
  const leaf = { token: at.usdc, fees: 50_000_000n }
  const known = world.catalog()
  const comet = await cometIn(sandbox, known)
  return {
    world,
    catalog: { ...known, strategies: [...known.strategies, ...at.entries, comet] },
    earns: async () => {
      await hub.propose(leaf)
      await world.warp(liveness + 1)
      await hub.execute(leaf)
    },
  }
}

/** A Compound v3 market with another lender, so that it can pay interest. */
async function cometIn(sandbox: TestSandbox, { strategies }: Catalog): Promise<StrategyEntry> {
  const base = strategies.find(({ slug }) => slug === slugs[0])!
  const file = join(import.meta.dirname, '../test/protocols/contracts/CometLike.sol')
  const comet = await deployedFrom(sandbox, chainId, file, [base.asset.address])
  const other = sandboxAddress(3)
  const tell = (to: Address, functionName: 'approve' | 'supply', args: readonly [Address, bigint]) =>
    sandbox.sendAs(chainId, other, { to, data: encodeFunctionData({ abi: lent, functionName, args }) })
  await tell(base.asset.address, 'approve', [comet, 10n ** 12n])
  await tell(comet, 'supply', [base.asset.address, 50_000_000_000n])
  return {
    ...base,
    id: 'compound-v3-USDC-sandbox-one',
    slug: 'compound-v3-usdc-sandbox-one',
    receipt: { ...base.receipt, address: comet, symbol: 'cUSDCv3' },
    implementationSelector: 'compound-v3@2',
    constants: { family: 'compound-v3', comet },
  }
}

const lent = parseAbi(['function approve(address,uint256)', 'function supply(address,uint256)'])
