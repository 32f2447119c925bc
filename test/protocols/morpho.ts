import type { Address } from '../../src/domain/address.ts'
import { maxUint256 } from '../../src/domain/amount.ts'
import type { StrategyEntry } from '../../src/protocols/catalog-types.ts'
import { roles, sandboxAddress } from '../../src/sandbox/accounts.ts'
import { startDeployer } from '../../src/sandbox/genesis/deployer.ts'
import { calldata, type TestSandbox } from '../support/sandbox.ts'
import { around, theirs } from './artifacts.ts'

/** A lending market of Morpho, as it is named in calls. */
export type MarketParams = {
  loanToken: Address
  collateralToken: Address
  oracle: Address
  irm: Address
  lltv: bigint
}
/** Where Morpho is on a chain of a test: the contract of all markets, one market of USDC against WETH, and a vault that lends there. */
export type Morpho = { morpho: Address; vault: Address; params: MarketParams; entry: StrategyEntry }

/** How such a market is written in a signature. */
export const marketTuple = '(address,address,address,address,uint256)'
/** The parts of a market, in order. */
export const inOrder = ({ loanToken, collateralToken, oracle, irm, lltv }: MarketParams) =>
  [loanToken, collateralToken, oracle, irm, lltv] as const

const wad = 10n ** 18n
const day = 86_400

/** Puts Morpho on a chain, by the bytecode that its authors published, with a lender and a borrower. */
export async function deployMorpho(sandbox: TestSandbox, chainId: number): Promise<Morpho> {
  const { rpc } = sandbox.chain(chainId)
  const [lender, borrower] = [sandboxAddress(3), sandboxAddress(4)]
  const [usdc, weth] = ['USDC', 'WETH'].map((symbol) => sandbox.token(chainId, symbol).address) as [
    Address,
    Address,
  ]
  const d = await startDeployer(rpc, sandboxAddress(roles.owner))
  const others = around('Surroundings')
  const core = theirs('Morpho')
  const morpho = d.deploy(core, [d.from])
  const irm = d.deploy(theirs('AdaptiveCurveIrm'), [morpho])
  const oracle = d.deploy(others)
  // Of a unit of the collateral (18 decimals) in units of the loan (6), with 36 digits.
  d.call(others.abi, oracle, 'setPrice', [3000n * 10n ** 24n])
  const params = { loanToken: usdc, collateralToken: weth, oracle, irm, lltv: (wad * 86n) / 100n }
  d.call(core.abi, morpho, 'enableIrm', [irm])
  d.call(core.abi, morpho, 'enableLltv', [params.lltv])
  d.call(core.abi, morpho, 'createMarket', [params])
  d.call(core.abi, morpho, 'setFeeRecipient', [d.from])
  d.call(core.abi, morpho, 'setFee', [params, wad / 20n])
  const over = theirs('MetaMorpho')
  const vault = d.deploy(over, [d.from, morpho, BigInt(day), usdc, 'Test USDC', 'tUSDC'])
  d.call(over.abi, vault, 'setFeeRecipient', [d.from])
  d.call(over.abi, vault, 'setFee', [wad / 10n])
  d.call(over.abi, vault, 'submitCap', [params, 10n ** 15n])
  await d.flush()
  // What a curator wants is done a day later.
  await sandbox.world.warp(day)
  d.call(over.abi, vault, 'acceptCap', [params])
  await d.flush()
  d.call(over.abi, vault, 'setSupplyQueue', [[await idOf(sandbox, chainId, vault)]])
  await d.flush()

  const send = async (from: Address, to: Address, signature: string, args: readonly unknown[]) => {
    const { status } = await sandbox.sendAs(chainId, from, { to, data: calldata(signature, args) })
    if (status !== '0x1') throw new Error(`${signature} reverted`)
  }
  await send(lender, usdc, 'function approve(address,uint256)', [vault, maxUint256])
  await send(lender, vault, 'function deposit(uint256,address)', [20_000_000_000n, lender])
  await send(borrower, weth, 'function approve(address,uint256)', [morpho, maxUint256])
  await send(borrower, morpho, `function supplyCollateral(${marketTuple},uint256,address,bytes)`, [
    inOrder(params),
    10n * wad,
    borrower,
    '0x',
  ])
  // Nine tenths, where the rate stays as it is, of what is in there with what the test adds.
  const borrow = `function borrow(${marketTuple},uint256,uint256,address,address)`
  await send(borrower, morpho, borrow, [inOrder(params), 19_100_000_000n, 0n, borrower, borrower])

  const entry: StrategyEntry = {
    ...sandbox.strategy('aave-v3-USDC-sandbox-one'),
    id: 'morpho-test-USDC-sandbox-one',
    slug: 'morpho-test-usdc-sandbox-one',
    name: 'Morpho Test USDC',
    protocol: 'morpho-test',
    startDate: null,
    isDefault: false,
    receipt: { chainId, address: vault, symbol: 'tUSDC', decimals: 18, name: 'tUSDC' },
    implementationSelector: 'morpho@1',
    constants: { family: 'morpho', vault, morpho },
  }
  return { morpho, vault, params, entry }
}

/** The market that the vault may lend on, by the vault's own word. */
const idOf = (sandbox: TestSandbox, chainId: number, vault: Address) =>
  sandbox.call(chainId, vault, 'function withdrawQueue(uint256) view returns (bytes32)', [0n])
