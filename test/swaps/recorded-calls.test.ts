import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { filesOf } from '../../src/app/profiles/catalog-of-configured-networks.ts'
import { approve } from '../../src/chain/erc20.ts'
import { type Address, type Hex, nativeAddress } from '../../src/domain/address.ts'
import { maxUint256 } from '../../src/domain/amount.ts'
import { networkNamed, publicNetworks } from '../../src/domain/networks.ts'
import { nativeToken, type Token, tokenAt } from '../../src/domain/token.ts'
import type { Transaction } from '../../src/domain/transaction-types.ts'
import { checkLeg } from '../../src/guard/calldata-against-intent.ts'
import { noExemptions } from '../../src/guard/user-limits-and-exemptions.ts'
import type { Catalog } from '../../src/protocols/catalog-types.ts'
import type { SwapIntent } from '../../src/protocols/intent.ts'
import { refusal } from '../guard/check-leg.ts'

/** A transaction of a main network whose calldata the service of an aggregator wrote. Sources: in the file. */
type Recorded = {
  provider: string
  chainId: number
  hash: Hex
  wallet: Address
  recipient: Address
  to: Address
  value: string
  tokenIn: Address
  tokenOut: Address
  amountIn: string
  amountOut: string
  data: Hex
}
const recorded = JSON.parse(
  readFileSync(join(import.meta.dirname, 'samples', 'recorded-swap-calls.json'), 'utf8'),
) as Recorded[]

const other: Address = '0x7777777777777777777777777777777777777777'

/** The intent that a recorded transaction carries; a token outside the catalogue has any symbol. */
function intentOf({ tokens }: Catalog, call: Recorded): SwapIntent {
  const { provider, chainId, wallet, recipient } = call
  const token = (address: Address): Token =>
    address === nativeAddress
      ? nativeToken(networkNamed(publicNetworks, chainId))
      : (tokenAt(tokens, chainId, address) ?? { chainId, address, symbol: 'T', name: 'T', decimals: 18 })
  return {
    kind: 'swap',
    wallet,
    provider,
    tokenIn: token(call.tokenIn),
    tokenOut: token(call.tokenOut),
    exact: 'in',
    amountIn: BigInt(call.amountIn),
    amountOut: BigInt(call.amountOut),
    recipient,
    deadline: 1_900_000_000,
  }
}

describe.each(recorded)('the recorded call $hash of $provider', (call) => {
  const { chainId, to, data } = call
  const check = async (changed: Partial<SwapIntent> = {}, value = BigInt(call.value)) => {
    const [catalog] = await filesOf([networkNamed(publicNetworks, chainId)])
    const honest = intentOf(catalog!, call)
    const action: Transaction = { chainId, to, data, value }
    const { address } = honest.tokenIn
    const approval = approve({ chainId, token: address, spender: to, amount: honest.amountIn })
    return refusal(() =>
      checkLeg({
        intent: { ...honest, ...changed },
        chainId,
        transactions: address === nativeAddress ? [action] : [approval, action],
        catalog: catalog!,
        vouched: { ...noExemptions, allowTokens: [call.tokenIn, call.tokenOut, other] },
      }),
    )
  }

  test('passes the guard with its own terms', async () => {
    expect((await check())?.message).toBeUndefined()
  })

  test('is refused for each other term', async () => {
    const [amountIn, amountOut] = [BigInt(call.amountIn), BigInt(call.amountOut)]
    const token = { chainId, address: other, symbol: 'O', name: 'O', decimals: 18 }
    const terms: Partial<SwapIntent>[] = [
      { recipient: other },
      { amountIn: amountIn - 1n },
      { amountIn: amountIn + 1n },
      { amountOut: amountOut + 1n },
      { amountOut: maxUint256 },
      { tokenIn: token },
      { tokenOut: token },
      { exact: 'out' },
    ]
    for (const changed of terms) {
      const error = await check(changed)
      expect([changed, error?.code]).toEqual([changed, expect.stringMatching(/^POLICY_/)])
    }
    const value = BigInt(call.value)
    for (const wrong of [value + 1n, ...(value > 0n ? [value - 1n, 0n] : [])])
      expect((await check({}, wrong))?.code).toBe('POLICY_VALUE')
  })
})
