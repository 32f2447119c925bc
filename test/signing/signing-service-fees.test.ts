import { describe, expect, test } from 'vitest'
import { approve, transfer } from '../../src/chain/erc20.ts'
import { readCommandLine } from '../../src/domain/command-line/read-command-line.ts'
import { AppError } from '../../src/domain/errors.ts'
import type { Transaction } from '../../src/domain/transaction-types.ts'
import { encodeIntent } from '../../src/guard/intent-json.ts'
import type { Intent } from '../../src/protocols/intent.ts'
import { privateKeySigner } from '../../src/signing/keystore/private-key-signer.ts'
import { openSigningService } from '../../src/signing/signing-service.ts'
import type { SigningService } from '../../src/signing/signing-service-protocol.ts'
import { depositForBurn } from '../../src/swaps/cctp-v2/encode.ts'
import { encodeV3Swap } from '../../src/swaps/uniswap-v3/encode.ts'
import {
  catalog,
  thief as collector,
  messengerThere,
  router,
  usdc,
  usdcThere,
  usdt,
} from '../support/plans/plan-fixtures.ts'

const key = `0x${'17'.repeat(32)}` as const
const wallet = privateKeySigner(key).address
const chainId = 31337
const amount = 5_000_000n
const line = 'swap execute --from sandbox-one --token-in USDC --token-out USDT --amount-in 5'
const deadline = 1_900_000_000

/** A swap of 5 USDC in which `charged` is paid to the collector. */
function charging(charged: bigint): { intent: Intent; transactions: Transaction[] } {
  const spent = amount - charged
  const path = { tokens: [usdc.address, usdt.address], fees: [500] }
  const swapped = { chainId, router, exact: 'in' as const, path, amountIn: spent, amountOut: 4_900_000n }
  return {
    intent: {
      kind: 'swap',
      wallet,
      provider: 'uniswap-v3',
      tokenIn: usdc,
      tokenOut: usdt,
      exact: 'in',
      amountIn: amount,
      amountOut: 4_900_000n,
      recipient: wallet,
      deadline,
      fees: [{ to: collector, amount: charged, of: amount }],
    },
    transactions: [
      approve({ chainId, token: usdc.address, spender: router, amount: spent }),
      encodeV3Swap({ ...swapped, recipient: wallet, deadline }),
      transfer({ chainId, token: usdc.address, to: collector, amount: charged }),
    ],
  }
}

const json = ({ to, data, value, chainId: on }: Transaction) => ({
  to,
  data,
  value: String(value),
  chainId: on,
})

/** Opens a signing service and shows it a plan; `allowed` is the maximum fee in basis points that the request claims. */
async function shown(
  argv: string,
  charged: bigint,
  allowed?: number,
): Promise<{ desk: SigningService; said: string[] }> {
  return shownAs(argv, charging(charged), allowed)
}

async function shownAs(
  argv: string,
  { intent, transactions }: ReturnType<typeof charging>,
  allowed?: number,
): Promise<{ desk: SigningService; said: string[] }> {
  const said: string[] = []
  const desk = openSigningService({
    line: readCommandLine(argv.split(' ')),
    written: async () => ({ transactions, vouched: [] }),
    remembered: async () => null,
    walletNamed: () => undefined,
    isSigned: async () => false,
    privateKey: key,
    catalog: async () => catalog,
    sandboxKey: async () => key,
    say: (text) => void said.push(text),
    tell: () => undefined,
  })
  await desk({ do: 'open', source: { kind: 'environment' } })
  const vouched = {
    allow: [],
    allowTokens: [],
    ...(allowed !== undefined && { maxServiceFeeBps: allowed }),
  }
  const on = transactions[0]!.chainId
  const legs = [{ chainId: on, intent: encodeIntent(intent), transactions: transactions.map(json) }]
  await desk({ do: 'approve', wallet, legs, vouched, planHash: '', quoteId: null })
  return { desk, said }
}
const refusal = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof AppError) return error.code
      throw error
    },
  )

describe('the signer', () => {
  test('prints the service fee before it signs, and signs it only once', async () => {
    const { desk, said } = await shown(line, 12_500n)
    const payment = json(charging(12_500n).transactions[2]!)
    const fees = { gas: '60000', maxFeePerGas: '100', maxPriorityFeePerGas: '1' }
    const sign = (nonce: number) =>
      refusal(desk({ do: 'sign', wallet, transaction: { ...payment, ...fees, nonce } }))
    expect(await sign(9)).toBeUndefined()
    expect(said).toEqual([`Pay the service a fee of 0.0125 USDC to ${collector}`])
    const { intent, transactions } = charging(12_500n)
    const legs = [{ chainId, intent: encodeIntent(intent), transactions: transactions.map(json) }]
    const vouched = { allow: [], allowTokens: [] }
    await desk({ do: 'approve', wallet, legs, vouched, planHash: '', quoteId: null })
    expect(await sign(10)).toBe('POLICY_TAMPER')
  })

  test.each([
    ['accepts 1 % without a flag', line, 50_000n, undefined, undefined],
    ['refuses more than 1 % without a flag', line, 50_001n, undefined, 'POLICY_SERVICE_FEE'],
    [
      'refuses more than 1 % that only the request claims to allow',
      line,
      50_001n,
      10_000,
      'POLICY_SERVICE_FEE',
    ],
    ['accepts the typed maximum', `${line} --max-service-fee 2%`, 100_000n, 200, undefined],
    [
      'refuses more than the typed maximum',
      `${line} --max-service-fee=2%`,
      100_001n,
      10_000,
      'POLICY_SERVICE_FEE',
    ],
    [
      'refuses any fee with a typed maximum of zero',
      `${line} --max-service-fee 0%`,
      1n,
      10_000,
      'POLICY_SERVICE_FEE',
    ],
    ['accepts 1 % in a plan file', 'action submit plan.json', 50_000n, undefined, undefined],
    [
      'refuses more than 1 % in a plan file',
      'action submit plan.json',
      50_001n,
      10_000,
      'POLICY_SERVICE_FEE',
    ],
    ['accepts the maximum recorded for a resumed action', 'action resume some-id', 100_000n, 200, undefined],
    [
      'refuses a fee on a deposit',
      'deposit aave-usdc-sandbox-one --amount 5 --from 31337',
      12_500n,
      undefined,
      'POLICY_TAMPER',
    ],
  ])('%s', async (_, argv, charged, allowed, code) => {
    expect(await refusal(shown(argv, charged, allowed))).toBe(code)
  })

  /** The bridge leg of a deposit of 5 USDC from the second chain, in which `charged` is paid to the collector. */
  const bridging = (charged: bigint): ReturnType<typeof charging> => {
    const spent = amount - charged
    const from = { chainId: usdcThere.chainId, messenger: messengerThere, burnToken: usdcThere.address }
    const burn = depositForBurn({
      ...from,
      amount: spent,
      domain: 7,
      recipient: wallet,
      maxFee: 10_000n,
      minFinalityThreshold: 1000,
    })
    const paid = transfer({ ...from, token: usdcThere.address, to: collector, amount: charged })
    const { fees, ...intent } = charging(charged).intent as Extract<Intent, { kind: 'swap' }>
    return {
      intent: {
        ...intent,
        ...(charged > 0n && fees && { fees }),
        provider: 'cctp-v2',
        tokenIn: usdcThere,
        tokenOut: usdc,
        amountOut: 4_980_000n,
      },
      transactions: charged === 0n ? [burn] : [burn, paid],
    }
  }
  test.each([
    ['signs the bridge leg of a deposit without a fee', 0n, undefined],
    ['refuses the bridge leg of a deposit with a fee', 1n, 'POLICY_TAMPER'],
  ])('%s', async (_, charged, code) => {
    const argv = 'deposit aave-usdc-sandbox-one --amount 5 --from 31338'
    expect(await refusal(shownAs(argv, bridging(charged)))).toBe(code)
  })
})
