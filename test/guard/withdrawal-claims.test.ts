import { concatHex } from 'viem/utils'
import { describe, expect, test } from 'vitest'
import { approve } from '../../src/chain/erc20.ts'
import type { Address, Hex } from '../../src/domain/address.ts'
import { AppError } from '../../src/domain/errors.ts'
import type { Token } from '../../src/domain/token.ts'
import type { Transaction } from '../../src/domain/transaction.ts'
import { checkLeg } from '../../src/guard/calldata-against-intent.ts'
import { checkEffect } from '../../src/guard/simulation/check-effects.ts'
import type { StrategyEntry } from '../../src/protocols/catalog-types.ts'
import type { Intent } from '../../src/protocols/intent.ts'
import { refuseIntentMismatch } from '../../src/signing/intent-matches-command-line.ts'
import { catalog, coin, lending, marketAt, thief, usdc, wallet } from '../support/plans/plan-fixtures.ts'
import { calldata } from '../support/use-sandbox.ts'

const chainId = 31337
const amount = 3n * 10n ** 18n
const place: Address = `0x${'b5'.repeat(20)}`
const queue: Address = `0x${'b6'.repeat(20)}`
const both = ['5', '9']

const to = (target: Address, signature: string, args: readonly unknown[], value = 0n): Transaction => ({
  to: target,
  data: calldata(`function ${signature}`, args),
  value,
  chainId,
})

/** A queue, what claims from it, and what only looks like that. */
type Family = {
  ids?: readonly string[]
  strategy: StrategyEntry
  claim: Transaction
  lies: [name: string, lie: Transaction, code: string][]
}

const market = marketAt(place)

const claims = 'claimWithdrawals(uint256[],uint256[])'

const families: Record<string, Family> = {
  lido: {
    strategy: market({ family: 'lido', holds: 'stETH', stEth: place, queue }, { asset: coin }),
    claim: to(queue, claims, [
      [5n, 9n],
      [1n, 2n],
    ]),
    lies: [
      [
        'another receiver',
        to(queue, 'claimWithdrawalsTo(uint256[],uint256[],address)', [[5n, 9n], [1n, 2n], thief]),
        'POLICY_DECODE',
      ],
      [
        'the request of somebody else',
        to(queue, claims, [
          [5n, 8n],
          [1n, 2n],
        ]),
        'POLICY_AMOUNT',
      ],
      [
        'one request more',
        to(queue, claims, [
          [5n, 8n, 9n],
          [1n, 1n, 2n],
        ]),
        'POLICY_AMOUNT',
      ],
      ['one request less', to(queue, claims, [[5n], [1n]]), 'POLICY_AMOUNT'],
      ['none', to(queue, claims, [[], []]), 'POLICY_AMOUNT'],
      [
        'one request twice',
        to(queue, claims, [
          [5n, 5n],
          [1n, 1n],
        ]),
        'POLICY_AMOUNT',
      ],
      ['hints that are missing', to(queue, claims, [[5n, 9n], [1n]]), 'POLICY_DECODE'],
      [
        'another contract',
        to(place, claims, [
          [5n, 9n],
          [1n, 2n],
        ]),
        'POLICY_CONTRACT_NOT_ALLOWED',
      ],
      [
        'a ticket given away',
        to(queue, 'transferFrom(address,address,uint256)', [wallet, thief, 5n]),
        'POLICY_AUTHORITY',
      ],
      ['a ticket left to somebody', to(queue, 'approve(address,uint256)', [thief, 5n]), 'POLICY_SHAPE'],
      [
        'all tickets left to somebody',
        to(queue, 'setApprovalForAll(address,bool)', [thief, true]),
        'POLICY_AUTHORITY',
      ],
      [
        'a new request',
        to(queue, 'requestWithdrawals(uint256[],address)', [[amount], wallet]),
        'POLICY_DECODE',
      ],
      [
        'the coin',
        to(
          queue,
          claims,
          [
            [5n, 9n],
            [1n, 2n],
          ],
          1n,
        ),
        'POLICY_VALUE',
      ],
    ],
  },
  ethena: {
    strategy: market({ family: 'ethena', vault: place }),
    ids: ['cooldown'],
    claim: to(place, 'unstake(address)', [wallet]),
    lies: [
      ['another receiver', to(place, 'unstake(address)', [thief]), 'POLICY_RECIPIENT'],
      ['a new cooldown', to(place, 'cooldownShares(uint256)', [77n]), 'POLICY_DECODE'],
      ['another contract', to(queue, 'unstake(address)', [wallet]), 'POLICY_CONTRACT_NOT_ALLOWED'],
    ],
  },
  stader: {
    strategy: market({ family: 'stader', token: place, manager: place, withdrawals: queue }, { asset: coin }),
    ids: ['5'],
    claim: to(queue, 'claim(uint256)', [5n]),
    lies: [
      ['the request of somebody else', to(queue, 'claim(uint256)', [6n]), 'POLICY_AMOUNT'],
      ['another contract', to(place, 'claim(uint256)', [5n]), 'POLICY_CONTRACT_NOT_ALLOWED'],
      ['a new request', to(queue, 'requestWithdraw(uint256,address)', [5n, wallet]), 'POLICY_DECODE'],
    ],
  },
  'ether-fi': {
    strategy: market(
      {
        family: 'ether-fi',
        token: place,
        pool: place,
        depositAdapter: place,
        withdrawAdapter: place,
        requests: queue,
      },
      { asset: coin },
    ),
    ids: ['5'],
    claim: to(queue, 'claimWithdraw(uint256)', [5n]),
    lies: [
      ['the ticket of somebody else', to(queue, 'claimWithdraw(uint256)', [6n]), 'POLICY_AMOUNT'],
      ['several', to(queue, 'batchClaimWithdraw(uint256[])', [[5n, 6n]]), 'POLICY_DECODE'],
      ['another contract', to(place, 'claimWithdraw(uint256)', [5n]), 'POLICY_CONTRACT_NOT_ALLOWED'],
      [
        'a ticket given away',
        to(queue, 'transferFrom(address,address,uint256)', [wallet, thief, 5n]),
        'POLICY_AUTHORITY',
      ],
    ],
  },
  'frax-ether': {
    strategy: market({ family: 'frax-ether', token: place, minter: place, queue }, { asset: coin }),
    ids: ['5'],
    claim: to(queue, 'burnRedemptionTicketNft(uint256,address)', [5n, wallet]),
    lies: [
      [
        'another receiver',
        to(queue, 'burnRedemptionTicketNft(uint256,address)', [5n, thief]),
        'POLICY_RECIPIENT',
      ],
      [
        'the ticket of somebody else',
        to(queue, 'burnRedemptionTicketNft(uint256,address)', [6n, wallet]),
        'POLICY_AMOUNT',
      ],
      [
        'a part',
        to(queue, 'partialRedeemTicketNft(uint256,address,uint120)', [5n, wallet, 1n]),
        'POLICY_DECODE',
      ],
      [
        'another contract',
        to(place, 'burnRedemptionTicketNft(uint256,address)', [5n, wallet]),
        'POLICY_CONTRACT_NOT_ALLOWED',
      ],
    ],
  },
  lista: {
    strategy: market({ family: 'lista', token: place, manager: queue }, { asset: coin }),
    ids: ['0'],
    claim: to(queue, 'claimWithdraw(uint256)', [0n]),
    lies: [
      ['another request', to(queue, 'claimWithdraw(uint256)', [1n]), 'POLICY_AMOUNT'],
      [
        'the request of somebody else',
        to(queue, 'claimWithdrawFor(address,uint256)', [thief, 0n]),
        'POLICY_DECODE',
      ],
    ],
  },
  stakewise: {
    strategy: market({ family: 'stakewise', vault: queue, keeper: place, registry: place }, { asset: coin }),
    ids: ['5-1700000000'],
    claim: to(queue, 'claimExitedAssets(uint256,uint256,uint256)', [5n, 1_700_000_000n, 3n]),
    lies: [
      [
        'the request of somebody else',
        to(queue, 'claimExitedAssets(uint256,uint256,uint256)', [6n, 1_700_000_000n, 3n]),
        'POLICY_AMOUNT',
      ],
      [
        'another time',
        to(queue, 'claimExitedAssets(uint256,uint256,uint256)', [5n, 1_700_000_001n, 3n]),
        'POLICY_AMOUNT',
      ],
      [
        'several',
        to(queue, 'multicall(bytes[])', [
          [calldata('function claimExitedAssets(uint256,uint256,uint256)', [5n, 1_700_000_000n, 3n])],
        ]),
        'POLICY_AUTHORITY',
      ],
      ['a new request', to(queue, 'enterExitQueue(uint256,address)', [5n, wallet]), 'POLICY_DECODE'],
      [
        'another contract',
        to(place, 'claimExitedAssets(uint256,uint256,uint256)', [5n, 1_700_000_000n, 3n]),
        'POLICY_CONTRACT_NOT_ALLOWED',
      ],
    ],
  },
  'benqi-staking': {
    strategy: market({ family: 'benqi-staking', token: place }, { asset: coin }),
    claim: to(place, 'redeem()', []),
    lies: [
      ['one of several', to(place, 'redeem(uint256)', [0n]), 'POLICY_DECODE'],
      ['shares taken back', to(place, 'redeemOverdueShares()', []), 'POLICY_DECODE'],
    ],
  },
}

describe.each(Object.entries(families))(
  'the guard on a claim from %s',
  (_, { strategy, claim, lies, ids = both }) => {
    const known = { ...catalog, strategies: [...catalog.strategies, strategy] }
    const intent: Intent = { kind: 'claim', wallet, strategy, amount, ids }
    const check = (transactions: readonly Transaction[], asked: Intent = intent): string => {
      try {
        checkLeg({ intent: asked, chainId, transactions, catalog: known })
        return 'passed'
      } catch (error) {
        if (error instanceof AppError) return error.code
        throw error
      }
    }

    test('lets an honest one pass', () => {
      expect(check([claim])).toBe('passed')
    })

    test.each(lies)('refuses %s', (_name, lie, code) => {
      expect(check([lie])).toBe(code)
    })

    test('refuses other bytes, contracts and chains, approvals, and a withdrawal that is none', () => {
      expect(check([{ ...claim, data: concatHex([claim.data, '0x00']) }])).toBe('POLICY_DECODE')
      expect(check([{ ...claim, data: claim.data.slice(0, -2) as Hex }])).toBe('POLICY_DECODE')
      expect(check([{ ...claim, to: thief }])).toBe('POLICY_CONTRACT_NOT_ALLOWED')
      expect(check([{ ...claim, chainId: 1 }])).toBe('POLICY_CHAIN')
      expect(check([approve({ chainId, token: usdc.address, spender: claim.to, amount }), claim])).toBe(
        'POLICY_ALLOWANCE',
      )
      expect(check([claim], { kind: 'withdraw', wallet, strategy, amount })).not.toBe('passed')
    })

    test('refuses a claim from a strategy that has no queue', () => {
      expect(check([claim], { ...intent, strategy: lending } as Intent)).toBe('POLICY_CONTRACT_NOT_ALLOWED')
    })
  },
)

describe('the guard on taking back the shares of overdue requests', () => {
  const { strategy, claim } = families['benqi-staking']!
  const known = { ...catalog, strategies: [...catalog.strategies, strategy] }
  const back = to(place, 'redeemOverdueShares()', [])
  const intent: Intent = { kind: 'claim', wallet, strategy, amount, ids: both, takesBack: true }
  const check = (transaction: Transaction, asked: Intent = intent): string => {
    try {
      const [only] = checkLeg({ intent: asked, chainId, transactions: [transaction], catalog: known })
      return only!.text
    } catch (error) {
      if (error instanceof AppError) return error.code
      throw error
    }
  }

  test('lets nothing pass but that, and says that nothing is paid', () => {
    expect(check(back)).toBe('Take back the shares of overdue requests 5, 9: nothing is paid')
    expect(check(claim)).toBe('POLICY_DECODE')
    expect(check(to(place, 'redeemOverdueShares(uint256)', [5n]))).toBe('POLICY_DECODE')
    expect(check({ ...back, data: concatHex([back.data, '0x00']) })).toBe('POLICY_DECODE')
    expect(check({ ...back, to: queue })).toBe('POLICY_CONTRACT_NOT_ALLOWED')
    expect(check({ ...back, value: 1n })).toBe('POLICY_VALUE')
  })

  test('knows it of no queue in which nothing lapses', () => {
    const lido: Intent = { ...intent, strategy: families.lido!.strategy }
    const all = { ...catalog, strategies: [...catalog.strategies, families.lido!.strategy] }
    const refused = () =>
      checkLeg({ intent: lido, chainId, transactions: [{ ...back, to: queue }], catalog: all })
    expect(refused).toThrow(/What gives back what was let pass/)
  })
})

describe('the effect of leaving through a queue', () => {
  const { strategy } = families.lido!
  const { receipt } = strategy
  const ticket = { chainId, address: queue, symbol: 'unstETH', name: 'unstETH', decimals: 0 }
  const asked: Intent = { kind: 'withdraw', wallet, strategy, amount }
  const claiming: Intent = { kind: 'claim', wallet, strategy, amount, ids: both }
  const seen = (shares: bigint, tickets: bigint, brought = 0n, more: [Token, bigint][] = []) => ({
    changes: [[receipt, shares] as const, [ticket, tickets] as const, ...more].map(([token, delta]) => ({
      token,
      delta,
      before: 10n * amount,
    })),
    allowances: [],
    coin: brought - 1_000n,
    gasUsed: [1_000n],
    fees: { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n, baseFeePerGas: 1n },
  })
  const check = (intent: Intent, what: ReturnType<typeof seen>): string => {
    try {
      checkEffect(intent, what as never, amount)
      return 'passed'
    } catch (error) {
      return (error as AppError).code
    }
  }

  test('of a request is what it takes of the receipt and a ticket, and nothing worse', () => {
    expect(check(asked, seen(-amount, 1n))).toBe('passed')
    expect(check(asked, seen(-amount, 0n))).toBe('POLICY_SIMULATION')
    expect(check(asked, seen(-amount, -1n))).toBe('POLICY_SIMULATION')
    expect(check(asked, seen(-amount - 3n, 1n))).toBe('POLICY_SIMULATION')
    expect(check(asked, seen(-amount, 1n, -1n))).toBe('POLICY_SIMULATION')
    expect(check(asked, seen(-amount, 1n, 0n, [[usdc, -1n]]))).toBe('POLICY_SIMULATION')
  })

  test('of a claim is what is paid for tickets, and nothing worse', () => {
    expect(check(claiming, seen(0n, -2n, amount))).toBe('passed')
    expect(check(claiming, seen(0n, -2n, amount - 3n))).toBe('POLICY_SIMULATION')
    expect(check(claiming, seen(0n, -3n, amount))).toBe('POLICY_SIMULATION')
    expect(check(claiming, seen(-1n, -2n, amount))).toBe('POLICY_SIMULATION')
  })

  test('of taking back what was let pass is shares, and no coin that goes', () => {
    const back: Intent = { ...claiming, takesBack: true }
    expect(check(back, seen(amount, 0n))).toBe('passed')
    expect(check(back, seen(amount - 3n, 0n))).toBe('POLICY_SIMULATION')
    expect(check(back, seen(0n, 0n, amount))).toBe('POLICY_SIMULATION')
    expect(check(back, seen(amount, 0n, -1n))).toBe('POLICY_SIMULATION')
  })
})

describe('the signer on a claim', () => {
  const { strategy } = families.lido!
  const none = { allow: [], allowTokens: [], exactAllowance: 'refuse' } as const
  const claiming: Intent = { kind: 'claim', wallet, strategy, amount, ids: both }
  const asked: Intent = { kind: 'withdraw', wallet, strategy, amount }
  const signs = (line: string, intent: Intent): boolean => {
    try {
      refuseIntentMismatch(line.split(' '), intent, none, null, catalog)
      return true
    } catch (error) {
      if (error instanceof AppError && error.code === 'POLICY_TAMPER') return false
      throw error
    }
  }

  test('signs one that was typed, and neither takes the place of the other', () => {
    expect(signs('withdraw lido --claim', claiming)).toBe(true)
    expect(signs('withdraw --claim lido', claiming)).toBe(true)
    expect(signs('withdraw lido --amount 3', claiming)).toBe(false)
    expect(signs('withdraw another --claim', claiming)).toBe(false)
    expect(signs('deposit lido --claim', claiming)).toBe(false)
    expect(signs('withdraw lido --amount 3', asked)).toBe(true)
    expect(signs('withdraw lido --claim', asked)).toBe(false)
    expect(signs('withdraw lido --amount max --claim', asked)).toBe(false)
  })
})
