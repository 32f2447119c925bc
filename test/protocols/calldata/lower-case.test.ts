import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { getAddress } from 'viem/utils'
import { describe, expect, it } from 'vitest'
import { encodeCall } from '../../../src/chain/call.ts'
import { approve as erc20_approve, transfer as erc20_transfer } from '../../../src/chain/erc20.ts'
import { approveThrough } from '../../../src/chain/permit2.ts'
import { dataFeeCall } from '../../../src/chain/rollup-data-fee.ts'
import { type Hex, nativeAddress } from '../../../src/domain/address.ts'
import type { Transaction } from '../../../src/domain/transaction-types.ts'
import { supply as aave_supply, withdraw as aave_withdraw } from '../../../src/protocols/aave-v3/encode.ts'
import {
  addLiquidity as across_addLiquidity,
  removeLiquidity as across_removeLiquidity,
} from '../../../src/protocols/across-pool/encode.ts'
import type { StrategyEntry } from '../../../src/protocols/catalog-types.ts'
import {
  mint as lender_mint,
  redeem as lender_redeem,
  redeemUnderlying as lender_redeemUnderlying,
} from '../../../src/protocols/compound-v2/encode.ts'
import {
  inShort as compound_inShort,
  supplyBase as compound_supplyBase,
  withdrawBase as compound_withdrawBase,
} from '../../../src/protocols/compound-v3/encode.ts'
import {
  deposit as erc4626_deposit,
  redeem as erc4626_redeem,
  withdraw as erc4626_withdraw,
} from '../../../src/protocols/erc4626/encode.ts'
import { ethena } from '../../../src/protocols/ethena/definition.ts'
import { fluid } from '../../../src/protocols/fluid/definition.ts'
import {
  requestWithdrawals as lido_requestWithdrawals,
  submit as lido_submit,
} from '../../../src/protocols/lido/encode.ts'
import * as lidoQueue from '../../../src/protocols/lido/queue.ts'
import { stakedOf } from '../../../src/protocols/liquid-staking/calls-and-reads.ts'
import {
  stake as staked_stake,
  unstake as staked_unstake,
} from '../../../src/protocols/liquid-staking/encode.ts'
import type { ProtocolMarket } from '../../../src/protocols/market-adapter.ts'
import { buyPt as pendle_buyPt, leavePt as pendle_leavePt } from '../../../src/protocols/pendle-pt/encode.ts'
import { swapExactIn as psm3_swapExactIn } from '../../../src/protocols/spark-psm3/encode.ts'
import {
  depositStake as stakewise_depositStake,
  requestExit as stakewise_requestExit,
} from '../../../src/protocols/stakewise/encode.ts'
import * as stakewiseQueue from '../../../src/protocols/stakewise/queue.ts'
import { yearnV3 } from '../../../src/protocols/yearn-v3/definition.ts'
import { depositAcross } from '../../../src/swaps/across/encode.ts'
import { swapBalancerV2 } from '../../../src/swaps/balancer-v2/encode.ts'
import { finality as cctp_finality } from '../../../src/swaps/cctp-v2/abi.ts'
import {
  depositForBurn as cctp_depositForBurn,
  receiveMessage as cctp_receiveMessage,
} from '../../../src/swaps/cctp-v2/encode.ts'
import { mintCall, minterCall } from '../../../src/swaps/cctp-v2/simulated-mint.ts'
import { preSign as cow_preSign } from '../../../src/swaps/cow/encode.ts'
import type { SwapPath } from '../../../src/swaps/fee-tier-paths.ts'
import { depositRelay } from '../../../src/swaps/relay/encode.ts'
import { swapV2 } from '../../../src/swaps/uniswap-v2/encode.ts'
import { encodeV3Swap as uniswap_swap } from '../../../src/swaps/uniswap-v3/encode.ts'
import { packPath as uniswap_packPath } from '../../../src/swaps/uniswap-v3/path.ts'
import { swapV4 } from '../../../src/swaps/uniswap-v4/encode.ts'

const chainId = 31337
const one = getAddress(`0x${'ab'.repeat(20)}`)
const two = getAddress(`0x${'cd'.repeat(20)}`)
const three = getAddress(`0x${'ef'.repeat(20)}`)
const amount = 0xabcdefn

const swap = (exact: 'in' | 'out', tokens: SwapPath['tokens'], fees: number[]) =>
  uniswap_swap({
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
/** A catalogue entry with only the fields that the calls of a vault need. */
const vaultEntry = { chainId, asset: lp.asset, receipt: lp.asset } as StrategyEntry
const leaving = (market: ProtocolMarket) =>
  [
    market.withdraw({ amount, owner: two, units: amount }),
    market.withdrawAll({ shares: amount, owner: two }),
  ].map(({ transaction }) => transaction)
const both = { tokens: [one, two, three], fees: [500, 3000] }

/** The output of every encoder, by its label. */
const encoders: Record<string, Transaction | Hex | readonly (Transaction | Hex)[]> = {
  'aave-v3 supply': aave_supply({ chainId, pool: one, asset: two, amount, onBehalfOf: three }),
  'aave-v3 withdraw': aave_withdraw({ chainId, pool: one, asset: two, amount, to: three }),
  'across-pool addLiquidity': across_addLiquidity({ chainId, amount, ...lp }),
  'across-pool removeLiquidity': across_removeLiquidity({ chainId, units: amount, ...lp }),
  'cctp-v2 depositForBurn': cctp_depositForBurn({
    chainId,
    messenger: one,
    amount,
    domain: 7,
    recipient: two,
    burnToken: three,
    maxFee: amount,
    minFinalityThreshold: cctp_finality.fast,
    isForwarded: true,
  }),
  'cctp-v2 simulated-mint minterCall': encodeCall(minterCall(one)).data,
  'cctp-v2 simulated-mint mintCall': mintCall(one, two, amount).data,
  'cctp-v2 receiveMessage': cctp_receiveMessage({
    chainId,
    transmitter: one,
    message: '0xABcd',
    attestation: '0xEFef',
  }),
  'rollup-data-fee dataFeeCall': encodeCall(
    dataFeeCall(
      one,
      { chainId, to: one, data: '0x', value: amount },
      { nonce: 1, gas: amount, maxFeePerGas: amount, maxPriorityFeePerGas: 1n },
    ),
  ).data,
  'erc20 approve': erc20_approve({ chainId, token: one, spender: two, amount }),
  'erc20 transfer': [
    erc20_transfer({ chainId, token: one, to: two, amount }),
    erc20_transfer({ chainId, token: '0x0000000000000000000000000000000000000000', to: two, amount }),
  ],
  'compound-v2 mint': [
    lender_mint({ chainId, market: one, amount, receiver: two }),
    lender_mint({ chainId, market: one, coin: 'market', amount, receiver: two }),
    lender_mint({ chainId, market: one, coin: { router: three }, amount, receiver: two }),
  ],
  'compound-v2 redeem': lender_redeem({ chainId, market: one, amount }),
  'compound-v2 redeemUnderlying': lender_redeemUnderlying({ chainId, market: one, amount }),
  'compound-v3 supplyBase': compound_supplyBase({ chainId, comet: one, asset: two, amount, owner: three }),
  'compound-v3 inShort': {
    ...compound_supplyBase({ chainId, comet: one, asset: two, amount, owner: three }),
    data: compound_inShort(
      compound_supplyBase({ chainId, comet: one, asset: two, amount, owner: three }).data,
    ),
  },
  'compound-v3 withdrawBase': compound_withdrawBase({
    chainId,
    comet: one,
    asset: two,
    amount,
    owner: three,
  }),
  'ethena in one file': [
    ...leaving(ethena.market(vaultEntry, { family: 'ethena', vault: one })),
    ethena.queue!(chainId, { family: 'ethena', vault: one })!.claim(two, []) as Transaction,
  ],
  'liquid-staking stake': stakings.map((protocol) =>
    staked_stake({ chainId, wallet: two, staked: protocol, amount }),
  ),
  'liquid-staking unstake': stakings.map((protocol) =>
    staked_unstake({ chainId, wallet: two, staked: protocol, units: amount }),
  ),
  'lido submit': [
    lido_submit({ chainId, constants: plainly, amount }),
    lido_submit({ chainId, constants: wrapped, amount }),
  ],
  'lido requestWithdrawals': [
    lido_requestWithdrawals({ chainId, constants: plainly, amount, owner: two }),
    lido_requestWithdrawals({ chainId, constants: wrapped, amount, owner: two }),
  ],
  'lido queue claimWithdrawals': lidoQueue.claimWithdrawals({
    chainId,
    queue: one,
    ids: [amount],
    hints: [amount],
  }),
  'pendle-pt buyPt': pendle_buyPt({ ...bought, amount }),
  'pendle-pt leavePt': [true, false].map((isMature) =>
    pendle_leavePt({ ...bought, units: amount, isMature }),
  ),
  'stakewise depositStake': [nativeAddress, three].map((asset) =>
    stakewise_depositStake({ chainId, vault: one, owner: two, asset, amount }),
  ),
  'stakewise requestExit': stakewise_requestExit({ chainId, vault: one, owner: two, shares: amount }),
  'stakewise queue claimExitedAssets': stakewiseQueue.claimExitedAssets({
    chainId,
    vault: one,
    id: `${amount}-${amount}`,
    index: amount,
  }),
  'spark-psm3 swapExactIn': psm3_swapExactIn({
    chainId,
    psm: one,
    from: two,
    to: three,
    amount,
    least: amount,
    owner: two,
  }),
  'fluid in one file': leaving(fluid.market(vaultEntry, { family: 'fluid', vault: one, resolver: three })),
  'yearn-v3 in one file': leaving(yearnV3.market(vaultEntry, { family: 'yearn-v3', vault: one })),
  'erc4626 deposit': erc4626_deposit({ chainId, vault: one, assets: amount, receiver: two }),
  'erc4626 withdraw': erc4626_withdraw({ chainId, vault: one, assets: amount, receiver: two, owner: three }),
  'erc4626 redeem': erc4626_redeem({ chainId, vault: one, shares: amount, receiver: two, owner: three }),
  'cow preSign': cow_preSign({ chainId, settlement: one, uid: `0x${'aB'.repeat(56)}` }),
  'across depositAcross': depositAcross({
    chainId,
    spokePool: one,
    depositor: one,
    recipient: two,
    inputToken: three,
    outputToken: two,
    amountIn: amount,
    amountOut: amount,
    destinationChainId: 0xabcdef,
    quoteTimestamp: 0xabcdef,
    fillDeadline: 0xabcdef,
  }),
  'relay depositRelay': [three, nativeAddress].map((token) =>
    depositRelay({
      chainId,
      depository: one,
      depositor: two,
      token,
      amount,
      id: `0x${'aB'.repeat(32)}`,
      terms: {
        requestId: `0x${'aB'.repeat(32)}`,
        salt: amount,
        minimum: amount,
        expected: amount,
        deadline: 0xabcdef,
        extraData: '0xaB',
        refunds: [
          {
            chainId: 0xabcdefn,
            recipient: one,
            currency: three,
            minimum: 0n,
            deadline: 0xabcdef,
            extraData: '0xaB',
          },
        ],
      },
    }),
  ),
  'uniswap-v2 swapV2': (['in', 'out'] as const).flatMap((exact) =>
    [{}, { isNativeIn: true }, { isNativeOut: true }].map((native) =>
      swapV2({
        chainId,
        router: one,
        exact,
        path: [one, two],
        amountIn: amount,
        amountOut: amount,
        recipient: two,
        deadline: 0xabcdef,
        ...native,
      }),
    ),
  ),
  'balancer-v2 swapBalancerV2': (['in', 'out'] as const).flatMap((exact) =>
    [both.tokens.slice(1), both.tokens].map((tokens) =>
      swapBalancerV2({
        chainId,
        router: one,
        exact,
        path: { tokens, pools: tokens.slice(1).map((): Hex => `0x${'AB'.repeat(32)}`) },
        amountIn: amount,
        amountOut: amount,
        sender: two,
        recipient: three,
        deadline: 0xabcdef,
      }),
    ),
  ),
  'uniswap-v4 swapV4': (['in', 'out'] as const).flatMap((exact) =>
    [{}, { isNativeIn: true }, { isNativeOut: true }].map((native) =>
      swapV4({
        chainId,
        router: one,
        exact,
        path: both,
        amountIn: amount,
        amountOut: amount,
        recipient: two,
        deadline: 0xabcdef,
        ...native,
      }),
    ),
  ),
  'permit2 approveThrough': approveThrough({
    chainId,
    token: one,
    spender: two,
    amount,
    through: { permit2: three, until: 0xabcdefn },
  }),
  'uniswap-v3 path packPath': [uniswap_packPath(both), uniswap_packPath(both, 'out')],
  'uniswap-v3 encodeV3Swap': [
    swap('in', [one, two], [500]),
    swap('out', [one, two], [500]),
    swap('in', both.tokens, both.fees),
    swap('out', both.tokens, both.fees),
  ],
}

/** The label of an encoder's file in the record above. */
const labelOf = (file: string) => {
  const [, name, part] = /(?:protocols|swaps|chain)\/(?:([\w-]+)\/)?([\w-]+)\.ts$/.exec(file)!
  return name ? (part === 'encode' ? name : `${name} ${part}`) : part
}

describe('calldata is lower case for addresses and bytes in mixed case', () => {
  it.each(Object.entries(encoders))('%s', (_, made) => {
    for (const one of [made].flat()) {
      const data = typeof one === 'string' ? one : one.data
      expect(data).toBe(data.toLowerCase())
    }
  })

  it('every exported encoder is checked', async () => {
    const dir = join(import.meta.dirname, '..', '..', '..', 'src')
    const reads =
      /^(check\w+Calldata$|decode|strictDecode$|printed$|refuse$|powerInside$|placeOf$|entranceOf$|bringsOf$|paysOf$|\w*[qQ]ueue(Of)?$|unpackPath$|readDataFee$|wayOf$|atSpot$|spotQueries$|stakedOf$|(pendle|psm3)Exchange$|ptPrice$|psm3(Rate|Worth|Units)$|least(Of|Fair)$|leftOfAll$|pooledToken$|lp(Rate|Worth|Units)$|depositIn$|filledIn$|refundedIn$|fillQuery$|refundQuery$|relayHash$|accountOf$)/
    const all: string[] = []
    for (const file of globSync(
      [
        '{protocols,swaps}/*/{encode,queue,path,simulated-mint}.ts',
        'chain/{erc20,permit2,rollup-data-fee}.ts',
      ],
      { cwd: dir },
    )) {
      const exported = (await import(join(dir, file))) as Record<string, unknown>
      for (const [name, value] of Object.entries(exported))
        if (typeof value === 'function' && !reads.test(name)) all.push(`${labelOf(file)} ${name}`)
    }
    // A protocol in one file exports no encoder.
    for (const file of globSync('{protocols,swaps}/*/definition.ts', { cwd: dir }))
      if (readFileSync(join(dir, file), 'utf8').includes('callOf('))
        all.push(`${file.split('/')[1]} in one file`)
    expect(all.toSorted()).toEqual(Object.keys(encoders).toSorted())
  })
})
