import { describe, expect, test } from 'vitest'
import { nativeAddress } from '../../src/domain/address.ts'
import { useCommands } from '../support/run.ts'
import { useSandbox } from '../support/sandbox.ts'

const sandbox = useSandbox()
const { run } = useCommands(sandbox)
const chainId = 31337
const other = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const coin = { chainId, address: nativeAddress, symbol: 'ETH', name: 'Ether', decimals: 18 } as const
const token = (symbol: string) => (symbol === 'ETH' ? coin : sandbox.token(chainId, symbol))
const asked = (line: string) => run(`swap ${line} --from sandbox-one --provider uniswap-v4 --json`)

describe('Uniswap v4', () => {
  test.each([
    ['a token, exactly in', '--token-in USDT --token-out BRLA --amount-in 300'],
    ['a token, exactly out', '--token-in USDT --token-out BRLA --amount-out 100'],
    ['over two pools, by the coin that they hold', '--token-in USDC --token-out WBTC --amount-in 300'],
    ['over two pools, exactly out', '--token-in USDC --token-out WBTC --amount-out 0.01'],
    ['the wrapped coin', '--token-in WETH --token-out USDC --amount-in 0.1'],
    ['the coin in', '--token-in ETH --token-out USDC --amount-in 0.1'],
    ['the coin in, for an exact output', '--token-in ETH --token-out USDC --amount-out 100'],
    ['the coin in, over two pools', '--token-in ETH --token-out BRLA --amount-in 0.1'],
    ['the coin out', '--token-in USDC --token-out ETH --amount-in 100'],
    ['the coin out, exactly', '--token-in USDC --token-out ETH --amount-out 0.01'],
    ['to somebody else', `--token-in USDC --token-out WETH --amount-in 50 --destination ${other}`],
    ['the coin to somebody else', `--token-in USDC --token-out ETH --amount-in 50 --destination ${other}`],
  ])('swaps %s', async (_, flags) => {
    const symbol = /--token-out (\w+)/.exec(flags)![1]!
    const paid = flags.includes(other) ? other : sandbox.user.address
    const held = () =>
      symbol === 'ETH'
        ? sandbox.nativeBalanceOf(chainId, paid)
        : sandbox.balanceOf(chainId, token(symbol).address, paid)
    const before = await held()
    const { exit, json, err } = await asked(`execute ${flags} --yes`)
    expect({ exit, status: json.status }, err).toEqual({ exit: 0, status: 'SUCCESS' })
    const got = (await held()) - before
    const said = BigInt(json.amounts.out.raw)
    if (symbol === 'ETH') expect(got).toBeLessThanOrEqual(said)
    else expect(got).toBe(said)
    expect(got).toBeGreaterThan((said * 8n) / 10n)
  })
})
