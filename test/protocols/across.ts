import { encodeAbiParameters, keccak256, parseAbiParameters } from 'viem/utils'
import type { Address, Hex } from '../../src/domain/address.ts'
import { maxUint256 } from '../../src/domain/amount.ts'
import { networkNamed } from '../../src/domain/networks.ts'
import { nativeToken, type Token } from '../../src/domain/token.ts'
import type { StrategyEntry } from '../../src/protocols/catalog-types.ts'
import { roles, sandboxAddress } from '../../src/sandbox/accounts.ts'
import { startDeployer } from '../../src/sandbox/genesis/deployer.ts'
import { calldata, type TestSandbox } from '../support/sandbox.ts'
import { around, theirs } from './artifacts.ts'

/** Where the HubPool of Across is on a chain of a test: a pool of USDC, and one of WETH that takes the native coin. */
export type Across = { hubPool: Address; usdc: Address; weth: Address; entries: readonly StrategyEntry[] }

/** What a bundle does to one pool: what its relays have paid, and how much goes to the other side. */
export type Leaf = { token: Address; fees: bigint; sent?: bigint }

const ether = 10n ** 18n
/** The other side of the bridge: who has what was sent there, and brings it back. */
export const spoke = sandboxAddress(4)
const there = 42161n
const lender = sandboxAddress(3)
const owner = sandboxAddress(roles.owner)
/** For so long a bundle can be disputed, in seconds, where nobody says otherwise. */
export const liveness = 7_200

/** Puts the HubPool on a chain, by the bytecode that its authors published, with somebody's liquidity in both pools. */
export async function deployAcross(sandbox: TestSandbox, chainId: number): Promise<Across> {
  const { rpc } = sandbox.chain(chainId)
  const [usdc, weth] = ['USDC', 'WETH'].map((symbol) => sandbox.token(chainId, symbol)) as [Token, Token]
  const d = await startDeployer(rpc, owner)
  const hub = theirs('HubPool')
  const spokes = d.deploy(around('Spokes'))
  const factory = d.deploy(theirs('LpTokenFactory'))
  const nobody = '0x0000000000000000000000000000000000000000'
  const hubPool = d.deploy(hub, [factory, spokes, weth.address, nobody])
  const set = (name: string, args: readonly unknown[]) => d.call(hub.abi, hubPool, name, args)
  // The bond is in a token that has a pool, so that one is not taken for the other.
  set('setBond', [usdc.address, 1_000_000_000n])
  set('setCrossChainContracts', [there, spokes, spoke])
  for (const { address } of [usdc, weth]) {
    set('enableL1TokenForLiquidityProvision', [address])
    set('setPoolRebalanceRoute', [there, address, address])
  }
  await d.flush()
  const block = await rpc.request<{ timestamp: Hex }>('eth_getBlockByNumber', ['latest', false])
  const begun = Number(block.timestamp)
  const lpOf = async (token: Address) => {
    const said = await sandbox.call(chainId, hubPool, 'function pooledTokens(address) view', [token])
    return `0x${said.slice(26, 66)}` as Address
  }
  const at = { hubPool, usdc: usdc.address, weth: weth.address }
  const allow = calldata('function approve(address,uint256)', [hubPool, maxUint256])
  await sandbox.sendAs(chainId, lender, { to: usdc.address, data: allow })
  const { lend } = hubOf(sandbox, chainId, at)
  await lend(usdc.address, 20_000_000_000n)
  await lend(weth.address, 10n * ether)
  const coin = nativeToken(networkNamed(sandbox.world.catalog().networks, chainId))
  const entryOf = async (asset: Token, token: Token): Promise<StrategyEntry> => ({
    ...sandbox.strategy('aave-v3-USDC-sandbox-one'),
    id: `across-${asset.symbol}-sandbox-one`,
    slug: `across-${asset.symbol.toLowerCase()}-sandbox-one`,
    name: `Across ${asset.symbol}`,
    protocol: 'across',
    category: 'other',
    startDate: new Date(begun * 1000).toISOString(),
    isDefault: false,
    asset,
    receipt: {
      chainId,
      address: await lpOf(token.address),
      symbol: `Av2-${token.symbol}-LP`,
      decimals: token.decimals,
      name: `Av2-${token.symbol}-LP`,
    },
    implementationSelector: 'across@1',
    constants: { family: 'across', hubPool, ...(asset === coin && { wrapped: token.address }) },
  })
  return { ...at, entries: [await entryOf(usdc, usdc), await entryOf(coin, weth)] }
}

/** What others do with a HubPool. */
export const hubOf = (sandbox: TestSandbox, chainId: number, { hubPool, weth }: Omit<Across, 'entries'>) => {
  const send = async (from: Address, signature: string, args: readonly unknown[], value = 0n) => {
    const tx = { to: hubPool, data: calldata(signature, args), value }
    const { status } = await sandbox.sendAs(chainId, from, tx)
    if (status !== '0x1') throw new Error(`${signature} reverted`)
  }
  return {
    /** Somebody else puts liquidity in, which touches the pool. */
    lend: (token: Address, amount: bigint) =>
      send(
        lender,
        'function addLiquidity(address,uint256) payable',
        [token, amount],
        token === weth ? amount : 0n,
      ),
    /** Its owner decides. */
    govern: (signature: string, args: readonly unknown[]) => send(owner, signature, args),
    /** A bundle of one leaf is proposed, with its bond. */
    propose: (leaf: Leaf) =>
      send(lender, 'function proposeRootBundle(uint256[],uint8,bytes32,bytes32,bytes32)', [
        [],
        1,
        rootOf(leaf),
        zero,
        zero,
      ]),
    /** What was proposed is done, once nobody can dispute it any more. */
    execute: (leaf: Leaf) => {
      const { chainId: to, bundleLpFees, netSendAmounts, runningBalances, ...rest } = partsOf(leaf)
      const { groupIndex, leafId, l1Tokens } = rest
      return send(
        lender,
        'function executeRootBundle(uint256,uint256,uint256[],int256[],int256[],uint8,address[],bytes32[])',
        [to, groupIndex, bundleLpFees, netSendAmounts, runningBalances, leafId, l1Tokens, []],
      )
    },
  }
}

const zero: Hex = `0x${'00'.repeat(32)}`
const partsOf = ({ token, fees, sent = 0n }: Leaf) => ({
  chainId: there,
  bundleLpFees: [fees],
  netSendAmounts: [sent],
  runningBalances: [0n],
  groupIndex: 0n,
  leafId: 0,
  l1Tokens: [token],
})

const leafTuple =
  '(uint256 chainId, uint256[] bundleLpFees, int256[] netSendAmounts, int256[] runningBalances, uint256 groupIndex, uint8 leafId, address[] l1Tokens)'

/** The root of a tree of one leaf is the leaf. */
const rootOf = (leaf: Leaf): Hex =>
  keccak256(encodeAbiParameters(parseAbiParameters(leafTuple), [partsOf(leaf)]))
