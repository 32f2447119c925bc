import { globSync } from 'node:fs'
import { join } from 'node:path'
import { getAddress } from 'viem/utils'
import { describe, expect, it } from 'vitest'

import * as aave from '../../src/calls/aave-v3.ts'
import * as across from '../../src/calls/across.ts'
import { askMinter, minted } from '../../src/calls/cctp-mint.ts'
import * as cctp from '../../src/calls/cctp-v2.ts'
import * as lender from '../../src/calls/compound-v2.ts'
import * as compound from '../../src/calls/compound-v3.ts'
import { dataFeeCall } from '../../src/calls/data-fee.ts'
import * as erc20 from '../../src/calls/erc20.ts'
import * as erc4626 from '../../src/calls/erc4626.ts'
import * as ethena from '../../src/calls/ethena.ts'
import * as lido from '../../src/calls/lido.ts'
import * as lidoQueue from '../../src/calls/lido-queue.ts'
import * as pendle from '../../src/calls/pendle.ts'
import * as psm3 from '../../src/calls/spark-psm3.ts'
import * as staked from '../../src/calls/staked.ts'
import { stakedOf } from '../../src/calls/staked-protocols.ts'
import * as stakewise from '../../src/calls/stakewise.ts'
import * as stakewiseQueue from '../../src/calls/stakewise-queue.ts'
import * as uniswap from '../../src/calls/uniswap-v3.ts'
import * as yearn from '../../src/calls/yearn-v3.ts'
import { type Hex, nativeAddress } from '../../src/domain/address.ts'
import type { Transaction } from '../../src/domain/transaction.ts'

const chainId = 31337
const one = getAddress(`0x${'ab'.repeat(20)}`)
const two = getAddress(`0x${'cd'.repeat(20)}`)
const three = getAddress(`0x${'ef'.repeat(20)}`)
const amount = 0xabcdefn

const swap = (exact: 'in' | 'out', tokens: uniswap.SwapPath['tokens'], fees: number[]) =>
  uniswap.swap({
    chainId,
    router: one,
    exact,
    path: { tokens, fees },
    amountIn: amount,
    amountOut: amount,
    recipient: two,
    deadline: 0xabcdef,
  })
const stakings = [
  stakedOf({ family: 'rocket-pool', token: one, storage: two, depositPool: three }),
  stakedOf({ family: 'stader', token: one, manager: two, withdrawals: three }),
  stakedOf({
    family: 'ether-fi',
    token: one,
    pool: one,
    depositAdapter: two,
    withdrawAdapter: three,
    requests: one,
  }),
  stakedOf({ family: 'frax-ether', token: one, minter: two, queue: three }),
  stakedOf({ family: 'lista', token: one, manager: two }),
  stakedOf({ family: 'benqi-staking', token: one }),
  stakedOf({ family: 'gnosis-sdai', token: one, adapter: two, wrapped: three }),
]
const plainly = { family: 'lido', holds: 'stETH', stEth: one, queue: three } as const
const wrapped = { ...plainly, holds: 'wstETH', wstEth: two, staker: two } as const
const pt = {
  family: 'pendle-pt',
  market: one,
  yt: two,
  sy: three,
  router: one,
  routerStatic: two,
  oracle: three,
  expiry: 1_900_000_000,
} as const
const bought = { chainId, owner: two, token: three, constants: pt, least: amount }
const lp = {
  constants: { family: 'across', hubPool: one, wrapped: two },
  asset: { chainId, address: three, symbol: 'X', decimals: 18, name: 'X' },
} as const
const both = { tokens: [one, two, three], fees: [500, 3000] }

/** Every encoder, by its file and name. */
const encoders: Record<string, Transaction | Hex | readonly (Transaction | Hex)[]> = {
  'aave-v3 supply': aave.supply({ chainId, pool: one, asset: two, amount, onBehalfOf: three }),
  'aave-v3 withdraw': aave.withdraw({ chainId, pool: one, asset: two, amount, to: three }),
  'across addLiquidity': across.addLiquidity({ chainId, amount, ...lp }),
  'across removeLiquidity': across.removeLiquidity({ chainId, units: amount, ...lp }),
  'cctp-v2 depositForBurn': cctp.depositForBurn({
    chainId,
    messenger: one,
    amount,
    domain: 7,
    recipient: two,
    burnToken: three,
    maxFee: amount,
    minFinalityThreshold: cctp.finality.fast,
  }),
  'cctp-mint askMinter': askMinter(one).data,
  'cctp-mint minted': minted(one, two, amount).data,
  'cctp-v2 receiveMessage': cctp.receiveMessage({
    chainId,
    transmitter: one,
    message: '0xABcd',
    attestation: '0xEFef',
  }),
  'data-fee dataFeeCall': dataFeeCall(
    { chainId, to: one, data: '0x', value: amount },
    { nonce: 1, gas: amount, maxFeePerGas: amount, maxPriorityFeePerGas: 1n },
  ),
  'erc20 approve': erc20.approve({ chainId, token: one, spender: two, amount }),
  'erc20 transfer': [
    erc20.transfer({ chainId, token: one, to: two, amount }),
    erc20.transfer({ chainId, token: '0x0000000000000000000000000000000000000000', to: two, amount }),
  ],
  'compound-v2 mint': [
    lender.mint({ chainId, market: one, amount, receiver: two }),
    lender.mint({ chainId, market: one, coin: 'market', amount, receiver: two }),
    lender.mint({ chainId, market: one, coin: { router: three }, amount, receiver: two }),
  ],
  'compound-v2 redeem': lender.redeem({ chainId, market: one, amount }),
  'compound-v2 redeemUnderlying': lender.redeemUnderlying({ chainId, market: one, amount }),
  'compound-v3 supplyBase': compound.supplyBase({ chainId, comet: one, asset: two, amount, owner: three }),
  'compound-v3 inShort': {
    ...compound.supplyBase({ chainId, comet: one, asset: two, amount, owner: three }),
    data: compound.inShort(
      compound.supplyBase({ chainId, comet: one, asset: two, amount, owner: three }).data,
    ),
  },
  'compound-v3 withdrawBase': compound.withdrawBase({
    chainId,
    comet: one,
    asset: two,
    amount,
    owner: three,
  }),
  'ethena cooldownAssets': ethena.cooldownAssets({ chainId, vault: one, amount }),
  'ethena cooldownShares': ethena.cooldownShares({ chainId, vault: one, amount }),
  'staked stake': stakings.map((protocol) =>
    staked.stake({ chainId, wallet: two, staked: protocol, amount }),
  ),
  'staked unstake': stakings.map((protocol) =>
    staked.unstake({ chainId, wallet: two, staked: protocol, units: amount }),
  ),
  'lido submit': [
    lido.submit({ chainId, constants: plainly, amount }),
    lido.submit({ chainId, constants: wrapped, amount }),
  ],
  'lido requestWithdrawals': [
    lido.requestWithdrawals({ chainId, constants: plainly, amount, owner: two }),
    lido.requestWithdrawals({ chainId, constants: wrapped, amount, owner: two }),
  ],
  'lido-queue claimWithdrawals': lidoQueue.claimWithdrawals({
    chainId,
    queue: one,
    ids: [amount],
    hints: [amount],
  }),
  'pendle buyPt': pendle.buyPt({ ...bought, amount }),
  'pendle leavePt': [true, false].map((isMature) => pendle.leavePt({ ...bought, units: amount, isMature })),
  'stakewise depositStake': [nativeAddress, three].map((asset) =>
    stakewise.depositStake({ chainId, vault: one, owner: two, asset, amount }),
  ),
  'stakewise requestExit': stakewise.requestExit({ chainId, vault: one, owner: two, shares: amount }),
  'stakewise-queue claimExitedAssets': stakewiseQueue.claimExitedAssets({
    chainId,
    vault: one,
    id: `${amount}-${amount}`,
    index: amount,
  }),
  'spark-psm3 swapExactIn': psm3.swapExactIn({
    chainId,
    psm: one,
    from: two,
    to: three,
    amount,
    least: amount,
    owner: two,
  }),
  'yearn-v3 withdrawWithLoss': yearn.withdrawWithLoss({ chainId, vault: one, amount, owner: two }),
  'yearn-v3 redeemWithLoss': yearn.redeemWithLoss({ chainId, vault: one, amount, owner: two }),
  'erc4626 deposit': erc4626.deposit({ chainId, vault: one, assets: amount, receiver: two }),
  'erc4626 withdraw': erc4626.withdraw({ chainId, vault: one, assets: amount, receiver: two, owner: three }),
  'erc4626 redeem': erc4626.redeem({ chainId, vault: one, shares: amount, receiver: two, owner: three }),
  'uniswap-v3 packPath': [uniswap.packPath(both), uniswap.packPath(both, 'out')],
  'uniswap-v3 swap': [
    swap('in', [one, two], [500]),
    swap('out', [one, two], [500]),
    swap('in', both.tokens, both.fees),
    swap('out', both.tokens, both.fees),
  ],
}

describe('calldata is lower case, whatever the case of what goes into it', () => {
  it.each(Object.entries(encoders))('%s', (_, made) => {
    for (const one of [made].flat()) {
      const data = typeof one === 'string' ? one : one.data
      expect(data).toBe(data.toLowerCase())
    }
  })

  it('and no encoder is left out', async () => {
    const dir = join(import.meta.dirname, '..', '..', 'src', 'calls')
    const reads =
      /^(bind|decode|strictDecode$|printed$|refuse$|powerInside$|placeOf$|entranceOf$|bringsOf$|paysOf$|\w*[qQ]ueue(Of)?$|drift$|isUnits$|unitsAt$|wayOf$|atSpot$|spotQueries$|stakedOf$|(pendle|psm3)Exchange$|ptPrice$|psm3(Rate|Worth|Units)$|least(Of|Fair)$|leftOfAll$|pooledToken$|lp(Rate|Worth|Units)$|burnedBy$|deliveriesOf$|broughtIn$)/
    const all: string[] = []
    for (const file of globSync('*.ts', { cwd: dir })) {
      const exported = (await import(join(dir, file))) as Record<string, unknown>
      for (const [name, value] of Object.entries(exported))
        if (typeof value === 'function' && !reads.test(name)) all.push(`${file.slice(0, -3)} ${name}`)
    }
    expect(all.toSorted()).toEqual(Object.keys(encoders).toSorted())
  })
})
