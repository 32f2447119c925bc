import { encodeFunctionData } from 'viem/utils'
import { expect, test } from 'vitest'

import { type Address, nativeAddress } from '../../src/domain/address.ts'
import { maxUint256 } from '../../src/domain/amount.ts'
import { calldata, useSandbox } from '../support/sandbox.ts'
import { theirs } from './artifacts.ts'
import { deployPendle } from './pendle.ts'

// Pendle by its own bytecode. The token whose yield it splits is ours, over a vault that lends on Aave.
const sandbox = useSandbox()
const chainId = 31337
const wallet = sandbox.user.address
const day = 86_400
const amount = 1_000_000_000n

/** No limit orders beside the market, and no swap before or after it. */
const limit = {
  limitRouter: nativeAddress,
  epsSkipMarket: 0n,
  normalFills: [],
  flashFills: [],
  optData: '0x',
}
const swapData = { swapType: 0, extRouter: nativeAddress, extCalldata: '0x', needScale: false }
const guess = { guessMin: 0n, guessMax: maxUint256, guessOffchain: 0n, maxIteration: 256n, eps: 10n ** 14n }

test('principal is bought below its worth, sold for what the oracle says, and is a whole asset each in the end', async () => {
  const { router, oracle, market, pt, yt, expiry } = await deployPendle(sandbox, chainId)
  const usdc = sandbox.token(chainId, 'USDC').address
  const send = async (to: Address, data: `0x${string}`) => {
    const { status } = await sandbox.sendAs(chainId, wallet, { to, data })
    expect(status).toBe('0x1')
  }
  const approve = (token: Address, much: bigint) =>
    send(token, calldata('function approve(address,uint256)', [router, much]))
  const held = (token: Address) => sandbox.balanceOf(chainId, token, wallet)
  const swaps = theirs('ActionSwapPTV3').abi
  const via = { tokenMintSy: usdc, pendleSwap: nativeAddress, swapData }
  const out = { tokenOut: usdc, minTokenOut: 0n, tokenRedeemSy: usdc, pendleSwap: nativeAddress, swapData }

  await approve(usdc, amount)
  const input = { tokenIn: usdc, netTokenIn: amount, ...via }
  const buying = [wallet, market, 0n, guess, input, limit]
  await send(router, encodeFunctionData({ abi: swaps, functionName: 'swapExactTokenForPt', args: buying }))
  const bought = await held(pt)
  // Five percent over half a year, less what so much moves the price.
  expect(Number(bought) / Number(amount)).toBeGreaterThan(1.02)
  expect(Number(bought) / Number(amount)).toBeLessThan(1.06)

  await sandbox.world.warp(day)
  const rate = 'function getPtToAssetRate(address,uint32) view'
  const worth = Number(await sandbox.call(chainId, oracle, rate, [market, 900])) / 1e18
  const before = await held(usdc)
  await approve(pt, bought / 2n)
  const selling = [wallet, market, bought / 2n, out, limit]
  await send(router, encodeFunctionData({ abi: swaps, functionName: 'swapExactPtForToken', args: selling }))
  const got = Number((await held(usdc)) - before) / (Number(bought) / 2)
  expect(Math.abs(got - worth)).toBeLessThan(0.005)

  await sandbox.world.warp(expiry + day - (await now()))
  const left = await held(pt)
  const then = await held(usdc)
  await approve(pt, left)
  const redeeming = { abi: theirs('ActionMiscV3').abi, functionName: 'redeemPyToToken' }
  await send(router, encodeFunctionData({ ...redeeming, args: [wallet, yt, left, out] }))
  expect(await held(pt)).toBe(0n)
  const paid = (await held(usdc)) - then
  expect(left - paid).toBeLessThanOrEqual(2n)
  expect(paid - left).toBeLessThanOrEqual(2n)
})

const now = async () => {
  const { rpc } = sandbox.chain(chainId)
  const { timestamp } = await rpc.request<{ timestamp: string }>('eth_getBlockByNumber', ['latest', false])
  return Number(timestamp)
}
