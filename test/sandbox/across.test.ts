import { expect, test } from 'vitest'
import { approve } from '../../src/chain/erc20.ts'
import type { Hex } from '../../src/domain/address.ts'
import { roles, sandboxAddress } from '../../src/sandbox/accounts.ts'
import { acrossContracts } from '../../src/swaps/across/constants-schema.ts'
import { depositIn, relayHash } from '../../src/swaps/across/deposit-and-payout-events.ts'
import { depositAcross } from '../../src/swaps/across/encode.ts'
import { contractsIn } from '../../src/swaps/swap-contracts.ts'
import { useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()
const [here, there] = [31337, 31338]
const pool = (chainId: number) =>
  contractsIn(sandbox.world.catalog(), acrossContracts).find((one) => one.chainId === chainId)!.spokePool
const usdt = (chainId: number) => sandbox.token(chainId, 'USDT').address
const asked = async (query: Record<string, string>) => {
  const given = {
    originChainId: String(here),
    destinationChainId: String(there),
    inputToken: usdt(here),
    outputToken: usdt(there),
    amount: '100000000',
    ...query,
  }
  const answer = await fetch(`${sandbox.world.attestationUrl}/suggested-fees?${new URLSearchParams(given)}`)
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

/** The fields of a recorded answer, and those added later (across-protocol/frontend, api/suggested-fees.ts). */
const fields = [
  'estimatedFillTimeSec',
  'capitalFeePct',
  'capitalFeeTotal',
  'relayGasFeePct',
  'relayGasFeeTotal',
  'relayFeePct',
  'relayFeeTotal',
  'lpFeePct',
  'timestamp',
  'isAmountTooLow',
  'quoteBlock',
  'exclusiveRelayer',
  'exclusivityDeadline',
  'spokePoolAddress',
  'destinationSpokePoolAddress',
  'totalRelayFee',
  'relayerCapitalFee',
  'relayerGasFee',
  'lpFee',
  'limits',
  'fillDeadline',
  'outputAmount',
  'inputToken',
  'outputToken',
]

test('suggested-fees answers with the fields of the real Across service', async () => {
  const { status, body } = await asked({})
  expect(status).toBe(200)
  expect(Object.keys(body)).toEqual(fields)
  expect(body).toMatchObject({ spokePoolAddress: pool(here), outputAmount: '99970000' })
  expect(BigInt((body.limits as { maxDeposit: string }).maxDeposit)).toBe(
    await sandbox.balanceOf(there, usdt(there), sandboxAddress(roles.relayer)),
  )
})

test('suggested-fees marks an amount that is too low, with the limits', async () => {
  const { status, body } = await asked({ amount: '1' })
  expect(status).toBe(200)
  expect(body).toMatchObject({ isAmountTooLow: true, outputAmount: '0', limits: { minDeposit: '1000' } })
})

test('suggested-fees refuses unsupported routes and invalid requests', async () => {
  for (const wrong of [
    { outputToken: sandbox.token(there, 'USDC').address },
    { destinationChainId: String(here) },
    { amount: '0' },
    { amount: 'all' },
    { inputToken: 'USDT' },
  ])
    expect((await asked(wrong)).status).toBe(400)
})

/** Deposits 100 USDT as the default account for `amountOut`; returns the relay hash. */
async function deposited(amountOut: bigint): Promise<Hex> {
  const { address: wallet } = sandbox.user
  const block = await sandbox
    .chain(here)
    .rpc.request<{ timestamp: Hex }>('eth_getBlockByNumber', ['latest', false])
  const time = Number(block.timestamp)
  await sandbox.sendAs(
    here,
    wallet,
    approve({ chainId: here, token: usdt(here), spender: pool(here), amount: 100_000000n }),
  )
  const { status, logs } = await sandbox.sendAs(
    here,
    wallet,
    depositAcross({
      chainId: here,
      spokePool: pool(here),
      depositor: wallet,
      recipient: wallet,
      inputToken: usdt(here),
      outputToken: usdt(there),
      amountIn: 100_000000n,
      amountOut,
      destinationChainId: there,
      quoteTimestamp: time,
      fillDeadline: time + 3_600,
    }),
  )
  expect(status).toBe('0x1')
  return relayHash(depositIn(logs, { chainId: here, spokePool: pool(here) })!)
}
const stateOf = async (hash: Hex) =>
  Number(
    await sandbox.call(there, pool(there), 'function fillStatuses(bytes32) view returns (uint256)', [hash]),
  )

test('the relayer fills a profitable deposit under the relay hash of the pool', async () => {
  const before = await sandbox.balanceOf(there, usdt(there), sandbox.user.address)
  const hash = await deposited(99_000000n)
  while ((await stateOf(hash)) !== 2) await new Promise((resolve) => setTimeout(resolve, 20))
  expect((await sandbox.balanceOf(there, usdt(there), sandbox.user.address)) - before).toBe(99_000000n)
})

test('a deposit that asks for more than its input is refunded once, after it expires', async () => {
  const before = await sandbox.balanceOf(here, usdt(here), sandbox.user.address)
  const hash = await deposited(100_000001n)
  await sandbox.world.warp(7_200)
  const held = () => sandbox.balanceOf(here, usdt(here), sandbox.user.address)
  while ((await held()) !== before) await new Promise((resolve) => setTimeout(resolve, 20))
  await sandbox.world.warp(60)
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(await held()).toBe(before)
  expect(await stateOf(hash)).toBe(0)
})
