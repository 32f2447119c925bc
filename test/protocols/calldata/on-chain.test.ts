import { decodeFunctionResult, encodeFunctionData, parseEventLogs } from 'viem/utils'
import { describe, expect, it } from 'vitest'
import { approve } from '../../../src/chain/erc20.ts'
import { simulateLeg } from '../../../src/guard/simulation/simulate.ts'
import { finality, messageTransmitterV2Abi } from '../../../src/swaps/cctp-v2/abi.ts'
import { cctpV2Contracts } from '../../../src/swaps/cctp-v2/constants-schema.ts'
import { depositForBurn } from '../../../src/swaps/cctp-v2/encode.ts'
import { decodeMessage } from '../../../src/swaps/cctp-v2/message.ts'
import type { SwapPath } from '../../../src/swaps/fee-tier-paths.ts'
import { contractsIn } from '../../../src/swaps/swap-contracts.ts'
import { quoterV2Abi } from '../../../src/swaps/uniswap-v3/abi.ts'
import { uniswapV3Contracts } from '../../../src/swaps/uniswap-v3/constants-schema.ts'
import { encodeV3Swap } from '../../../src/swaps/uniswap-v3/encode.ts'
import { packPath } from '../../../src/swaps/uniswap-v3/path.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const chainId = 31337
const amount = 100_000_000n
const uniswap = () =>
  contractsIn(sandbox.world.catalog(), uniswapV3Contracts).find((entry) => entry.chainId === chainId)!
const bridge = (id: number) =>
  contractsIn(sandbox.world.catalog(), cctpV2Contracts).find((entry) => entry.chainId === id)!

describe('a Uniswap v3 swap', () => {
  const ways: [string, 'in' | 'out', string[], number[]][] = [
    ['exact input', 'in', ['USDC', 'USDT'], [100]],
    ['exact output', 'out', ['USDC', 'USDT'], [100]],
    ['exact input over two hops', 'in', ['USDC', 'WETH', 'WBTC'], [500, 3000]],
    ['exact output over two hops', 'out', ['USDC', 'WETH', 'WBTC'], [500, 3000]],
  ]
  it.each(ways)(
    'with %s moves the amounts that the quoter returns in the same block',
    async (_, exact, symbols, fees) => {
      const tokens = symbols.map((symbol) => sandbox.token(chainId, symbol))
      const path: SwapPath = { tokens: tokens.map(({ address }) => address), fees }
      const [tokenIn, tokenOut] = [tokens[0]!, tokens.at(-1)!]
      const { quoterV2, swapRouter02: router } = uniswap()
      const known = exact === 'in' ? amount : 10_000n
      const functionName = exact === 'in' ? 'quoteExactInput' : 'quoteExactOutput'
      const data = encodeFunctionData({
        abi: quoterV2Abi,
        functionName,
        args: [packPath(path, exact), known],
      })
      const { rpc } = sandbox.chain(chainId)
      const answer = await rpc.request<`0x${string}`>('eth_call', [{ to: quoterV2, data }, 'latest'])
      const [quoted] = decodeFunctionResult({ abi: quoterV2Abi, functionName, data: answer })
      const [amountIn, amountOut] = exact === 'in' ? [known, quoted] : [quoted, known]
      const wallet = sandbox.user.address
      const { changes } = await simulateLeg({
        rpc,
        chainId,
        native: { symbol: 'ETH', decimals: 18 },
        wallet,
        tokens: [tokenIn, tokenOut],
        transactions: [
          approve({ chainId, token: tokenIn.address, spender: router, amount: amountIn }),
          encodeV3Swap({
            chainId,
            router,
            exact,
            path,
            amountIn,
            amountOut,
            recipient: wallet,
            deadline: 4_000_000_000,
          }),
        ],
      })
      expect(changes.map(({ delta }) => delta)).toEqual([-amountIn, amountOut])
    },
  )
})

describe('a CCTP burn', () => {
  it('emits a message that decodes to the requested terms; malformed messages decode to undefined', async () => {
    const [here, there] = [bridge(31337), bridge(31338)]
    const wallet = sandbox.user.address
    const spender = here.tokenMessenger
    await sandbox.sendAs(chainId, wallet, approve({ chainId, token: here.token, spender, amount }))
    const burning = depositForBurn({
      chainId,
      messenger: spender,
      amount,
      domain: there.domain,
      recipient: wallet,
      burnToken: here.token,
      maxFee: 10_000n,
      minFinalityThreshold: finality.standard,
    })
    const receipt = await sandbox.sendAs(chainId, wallet, burning)
    const [sent] = parseEventLogs({
      abi: messageTransmitterV2Abi,
      eventName: 'MessageSent',
      logs: receipt.logs as never,
    })
    expect(decodeMessage(sent!.args.message)).toMatchObject({
      sourceDomain: here.domain,
      destinationDomain: there.domain,
      nonce: `0x${'00'.repeat(32)}`,
      destinationCaller: `0x${'00'.repeat(32)}`,
      minFinalityThreshold: finality.standard,
      finalityThresholdExecuted: 0,
      burnToken: here.token,
      mintRecipient: wallet,
      amount,
      messageSender: wallet,
      maxFee: 10_000n,
      feeExecuted: 0n,
      hookData: '0x',
    })
    expect(decodeMessage('0x00')).toBeUndefined()
    expect(
      decodeMessage(sent!.args.message.replace('0x00000001', '0x00000002') as `0x${string}`),
    ).toBeUndefined()
  })
})
