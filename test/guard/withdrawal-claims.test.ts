import { concatHex } from 'viem/utils'
import { describe, expect, test } from 'vitest'
import { approve } from '../../src/chain/erc20.ts'
import type { Address, Hex } from '../../src/domain/address.ts'
import { readCommandLine } from '../../src/domain/command-line/read-command-line.ts'
import { AppError } from '../../src/domain/errors.ts'
import type { Token } from '../../src/domain/token.ts'
import type { Transaction } from '../../src/domain/transaction-types.ts'
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

/** A withdrawal queue, a valid claim from it, and calls that only resemble a claim. */
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
        "another wallet's request",
        to(queue, claims, [
          [5n, 8n],
          [1n, 2n],
        ]),
        'POLICY_AMOUNT',
      ],
      [
        'an additional request',
        to(queue, claims, [
          [5n, 8n, 9n],
          [1n, 1n, 2n],
        ]),
        'POLICY_AMOUNT',
      ],
      ['a missing request', to(queue, claims, [[5n], [1n]]), 'POLICY_AMOUNT'],
      ['no request', to(queue, claims, [[], []]), 'POLICY_AMOUNT'],
      [
        'one request twice',
        to(queue, claims, [
          [5n, 5n],
          [1n, 1n],
        ]),
        'POLICY_AMOUNT',
      ],
      ['missing hints', to(queue, claims, [[5n, 9n], [1n]]), 'POLICY_DECODE'],
      [
        'another contract',
        to(place, claims, [
          [5n, 9n],
          [1n, 2n],
        ]),
        'POLICY_CONTRACT_NOT_ALLOWED',
      ],
      [
        'a transfer of a ticket',
        to(queue, 'transferFrom(address,address,uint256)', [wallet, thief, 5n]),
        'POLICY_AUTHORITY',
      ],
      ['an approval of a ticket', to(queue, 'approve(address,uint256)', [thief, 5n]), 'POLICY_SHAPE'],
      [
        'an approval of all tickets',
        to(queue, 'setApprovalForAll(address,bool)', [thief, true]),
        'POLICY_AUTHORITY',
      ],
      [
        'a new request',
        to(queue, 'requestWithdrawals(uint256[],address)', [[amount], wallet]),
        'POLICY_DECODE',
      ],
      [
        'a native value',
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
      ["another wallet's request", to(queue, 'claim(uint256)', [6n]), 'POLICY_AMOUNT'],
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
      ["another wallet's ticket", to(queue, 'claimWithdraw(uint256)', [6n]), 'POLICY_AMOUNT'],
      ['a batch claim', to(queue, 'batchClaimWithdraw(uint256[])', [[5n, 6n]]), 'POLICY_DECODE'],
      ['another contract', to(place, 'claimWithdraw(uint256)', [5n]), 'POLICY_CONTRACT_NOT_ALLOWED'],
      [
        'a transfer of a ticket',
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
        "another wallet's ticket",
        to(queue, 'burnRedemptionTicketNft(uint256,address)', [6n, wallet]),
        'POLICY_AMOUNT',
      ],
      [
        'a partial redemption',
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
        "another wallet's request",
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
        "another wallet's request",
        to(queue, 'claimExitedAssets(uint256,uint256,uint256)', [6n, 1_700_000_000n, 3n]),
        'POLICY_AMOUNT',
      ],
      [
        'another timestamp',
        to(queue, 'claimExitedAssets(uint256,uint256,uint256)', [5n, 1_700_000_001n, 3n]),
        'POLICY_AMOUNT',
      ],
      [
        'a multicall',
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
      ['a claim of a single request', to(place, 'redeem(uint256)', [0n]), 'POLICY_DECODE'],
      ['a return of overdue shares', to(place, 'redeemOverdueShares()', []), 'POLICY_DECODE'],
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

    test('accepts the correct claim', () => {
      expect(check([claim])).toBe('passed')
    })

    test.each(lies)('refuses %s', (_name, lie, code) => {
      expect(check([lie])).toBe(code)
    })

    test('refuses other bytes, contracts and chains, an approval, and the same call for a withdrawal', () => {
      expect(check([{ ...claim, data: concatHex([claim.data, '0x00']) }])).toBe('POLICY_DECODE')
      expect(check([{ ...claim, data: claim.data.slice(0, -2) as Hex }])).toBe('POLICY_DECODE')
      expect(check([{ ...claim, to: thief }])).toBe('POLICY_CONTRACT_NOT_ALLOWED')
      expect(check([{ ...claim, chainId: 1 }])).toBe('POLICY_CHAIN')
      expect(check([approve({ chainId, token: usdc.address, spender: claim.to, amount }), claim])).toBe(
        'POLICY_ALLOWANCE',
      )
      expect(check([claim], { kind: 'withdraw', wallet, strategy, amount })).not.toBe('passed')
    })

    test('refuses a claim from a strategy without a queue', () => {
      expect(check([claim], { ...intent, strategy: lending } as Intent)).toBe('POLICY_CONTRACT_NOT_ALLOWED')
    })
  },
)

describe('the guard on the return of overdue shares', () => {
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

  test('accepts only that call, and says that it pays nothing', () => {
    expect(check(back)).toBe('Take back the shares of overdue requests 5, 9: nothing is paid')
    expect(check(claim)).toBe('POLICY_DECODE')
    expect(check(to(place, 'redeemOverdueShares(uint256)', [5n]))).toBe('POLICY_DECODE')
    expect(check({ ...back, data: concatHex([back.data, '0x00']) })).toBe('POLICY_DECODE')
    expect(check({ ...back, to: queue })).toBe('POLICY_CONTRACT_NOT_ALLOWED')
    expect(check({ ...back, value: 1n })).toBe('POLICY_VALUE')
  })

  test('refuses it for a queue whose requests do not expire', () => {
    const lido: Intent = { ...intent, strategy: families.lido!.strategy }
    const all = { ...catalog, strategies: [...catalog.strategies, families.lido!.strategy] }
    const refused = () =>
      checkLeg({ intent: lido, chainId, transactions: [{ ...back, to: queue }], catalog: all })
    expect(refused).toThrow(/The contract that returns lapsed claims/)
  })
})

describe('the simulated effect on a withdrawal queue', () => {
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

  test('of a request must be the spent receipt tokens and a ticket, and no other loss', () => {
    expect(check(asked, seen(-amount, 1n))).toBe('passed')
    expect(check(asked, seen(-amount, 0n))).toBe('POLICY_SIMULATION')
    expect(check(asked, seen(-amount, -1n))).toBe('POLICY_SIMULATION')
    expect(check(asked, seen(-amount - 3n, 1n))).toBe('POLICY_SIMULATION')
    expect(check(asked, seen(-amount, 1n, -1n))).toBe('POLICY_SIMULATION')
    expect(check(asked, seen(-amount, 1n, 0n, [[usdc, -1n]]))).toBe('POLICY_SIMULATION')
  })

  test('of a claim must be the payment for its tickets, and no other loss', () => {
    expect(check(claiming, seen(0n, -2n, amount))).toBe('passed')
    expect(check(claiming, seen(0n, -2n, amount - 3n))).toBe('POLICY_SIMULATION')
    expect(check(claiming, seen(0n, -3n, amount))).toBe('POLICY_SIMULATION')
    expect(check(claiming, seen(-1n, -2n, amount))).toBe('POLICY_SIMULATION')
  })

  test('of a return of overdue shares must be the shares, and no loss of native coin', () => {
    const back: Intent = { ...claiming, takesBack: true }
    expect(check(back, seen(amount, 0n))).toBe('passed')
    expect(check(back, seen(amount - 3n, 0n))).toBe('POLICY_SIMULATION')
    expect(check(back, seen(0n, 0n, amount))).toBe('POLICY_SIMULATION')
    expect(check(back, seen(amount, 0n, -1n))).toBe('POLICY_SIMULATION')
  })
})

describe('the signer on a claim', () => {
  const { strategy } = families.lido!
  const none = { allow: [], allowTokens: [] }
  const claiming: Intent = { kind: 'claim', wallet, strategy, amount, ids: both }
  const asked: Intent = { kind: 'withdraw', wallet, strategy, amount }
  const signs = (line: string, intent: Intent): boolean => {
    try {
      refuseIntentMismatch(
        { line: readCommandLine(line.split(' ')), walletNamed: () => undefined },
        intent,
        none,
        null,
        catalog,
      )
      return true
    } catch (error) {
      if (error instanceof AppError && error.code === 'POLICY_TAMPER') return false
      throw error
    }
  }

  test('signs only the kind of operation and the strategy that were typed', () => {
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
