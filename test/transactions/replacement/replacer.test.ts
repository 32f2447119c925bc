import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { parseTransaction } from 'viem/utils'
import { describe, expect, it } from 'vitest'
import { bumpedFee } from '../../../src/chain/fee-bumps.ts'
import { quantity } from '../../../src/chain/rpc/quantities.ts'
import { AppError } from '../../../src/domain/errors.ts'
import { sandboxNetworks } from '../../../src/domain/networks.ts'
import { parseGwei } from '../../../src/guard/user-limits-and-exemptions.ts'
import type { Journal } from '../../../src/store/journal/journal-interface.ts'
import type { Execution } from '../../../src/transactions/run.ts'
import type { Chain } from '../../support/anvil.ts'
import { attemptsOf } from '../../support/attempts-of.ts'
import { oneCoin, payee, planPayments, run, signer } from '../../support/payments/payment-operation.ts'
import { paidOn, useChain, useHome } from '../../support/use-journal-and-chain.ts'

let chain: Chain
let home: string
let journal: Journal
useHome((made) => {
  ;({ home, journal } = made)
})

const paid = () => paidOn(chain)
const nonceNow = async () =>
  Number(quantity(await chain.rpc.request('eth_getTransactionCount', [signer.address, 'latest']), 'nonce'))
const code = (error: unknown) => (error as { code?: string }).code
const attempts = (id: string) => attemptsOf(journal, id, 0)
const patience = { blocks: 2, ms: 30 }

/** Mines blocks whose base fee is too high for the pending transaction, until a condition holds. */
async function mineDear(baseFee: bigint, until: () => boolean, most = 200): Promise<void> {
  for (let tried = 0; tried < most && !until(); tried++) {
    await chain.rpc.request('anvil_setNextBlockBaseFeePerGas', [`0x${baseFee.toString(16)}`])
    await chain.rpc.request('evm_mine')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Waits until the second attempt was sent the given number of times. */
async function replaced(id: string, often = 1): Promise<void> {
  while (!((attempts(id)[1]?.sends ?? 0) >= often)) await new Promise((resolve) => setTimeout(resolve, 10))
}

/** Starts an operation on a chain that mines no blocks by itself, and waits until it is sent. */
async function waiting(id: string, more: Partial<Execution> = {}) {
  await chain.rpc.request('evm_setAutomine', [false])
  planPayments(journal, id)
  let isSent = false
  const ended = run(journal, home, chain.url, id, {
    bumpDelay: patience,
    ...more,
    onProgress: ({ kind }) => {
      isSent ||= kind === 'sent'
    },
  })
    .catch((error: unknown) => error)
    .finally(() => {
      isSent = true
    })
  while (!isSent) await new Promise((resolve) => setTimeout(resolve, 5))
  return { ended }
}

// A chain for each test: the gas price that a test leaves behind would affect the next one.
useChain(
  (made) => {
    chain = made
  },
  { each: true },
)

describe('a transaction that is pending for too long', () => {
  it('is replaced with both fees raised by at least the rise of a bump, and pays once', async () => {
    const before = await paid()
    const { ended } = await waiting('bumped')
    await mineDear(10n ** 12n, () => attempts('bumped').length > 1)
    const [first, second] = attempts('bumped')
    expect(second!.kind).toBe('bump')
    expect(second!.maxFeePerGas).toBeGreaterThanOrEqual(bumpedFee(first!.maxFeePerGas))
    expect(second!.maxPriorityFeePerGas).toBeGreaterThanOrEqual(bumpedFee(first!.maxPriorityFeePerGas))
    expect(second!.gas).toBeGreaterThanOrEqual(first!.gas)
    const [a, b] = [first!, second!].map(({ raw }) => parseTransaction(raw as `0x02${string}`))
    for (const field of ['to', 'data', 'value', 'nonce', 'chainId'] as const)
      expect(b![field]).toEqual(a![field])
    await chain.rpc.request('anvil_setNextBlockBaseFeePerGas', ['0x1'])
    await chain.rpc.request('evm_setAutomine', [true])
    await chain.rpc.request('evm_mine')
    expect(await ended).toMatchObject({ state: 'DONE' })
    expect((await paid()) - before).toBe(oneCoin)
  })

  it('is not replaced above the fee cap, and ends in PENDING', async () => {
    const { ended } = await waiting('capped', { feeCap: () => 3n * 10n ** 9n, timeoutMs: 1_500 })
    await mineDear(10n ** 12n, () => attempts('capped').length > 1)
    expect(attempts('capped').every(({ maxFeePerGas }) => maxFeePerGas <= 3n * 10n ** 9n)).toBe(true)
    expect(code(await ended)).toBe('PENDING')
  })

  it.each(['KEY_SOURCE', 'DECLINED'] as const)(
    'is still followed when the signer refuses the replacement (%s), and the signer is asked only once more',
    async (refusal) => {
      const before = await paid()
      let asked = 0
      const tired: typeof signer = {
        ...signer,
        signTransaction: (async (transaction: never) => {
          if (asked++ > 0) throw new AppError(refusal, 'nobody is there')
          return signer.signTransaction(transaction)
        }) as typeof signer.signTransaction,
      }
      const { ended } = await waiting(`unattended-${refusal}`, { signer: tired })
      await mineDear(10n ** 12n, () => asked > 1)
      await mineDear(10n ** 12n, () => false, 8)
      await chain.rpc.request('anvil_setNextBlockBaseFeePerGas', ['0x1'])
      await chain.rpc.request('evm_setAutomine', [true])
      await chain.rpc.request('evm_mine')
      expect(await ended).toMatchObject({ state: 'DONE' })
      expect([(await paid()) - before, asked]).toEqual([oneCoin, 2])
    },
  )

  it('is still followed when the fee cap of a replacement cannot be read', async () => {
    let asked = 0
    const { ended } = await waiting('unlimited', {
      feeCap: (_, __, kind) => {
        if (kind === 'first') return null
        asked++
        throw new AppError('CONFIG_INVALID', 'policy.json is not JSON')
      },
    })
    await mineDear(10n ** 12n, () => asked > 0)
    await chain.rpc.request('anvil_setNextBlockBaseFeePerGas', ['0x1'])
    await chain.rpc.request('evm_setAutomine', [true])
    await chain.rpc.request('evm_mine')
    expect([await ended, asked]).toMatchObject([{ state: 'DONE' }, 1])
  })

  it('is not replaced while no blocks are mined', async () => {
    const { ended } = await waiting('still', { timeoutMs: 600 })
    expect(code(await ended)).toBe('PENDING')
    expect(attempts('still')).toHaveLength(1)
  })

  it('is cancelled instead of raised when its deadline has passed', async () => {
    const [before, nonce] = [await paid(), await nonceNow()]
    let deadline: number | undefined
    const { ended } = await waiting('late', { deadlineOf: () => deadline })
    deadline = 1
    await replaced('late')
    expect(attempts('late')[1]).toMatchObject({
      kind: 'cancel',
      transaction: { value: 0n, to: signer.address },
    })
    await chain.rpc.request('evm_mine')
    expect(code(await ended)).toBe('CANCELLED')
    expect(journal.find('late')).toMatchObject({
      state: 'CANCELLED',
      exit: 24,
      steps: [{ state: 'CANCELLED' }],
    })
    expect([await paid(), await nonceNow()]).toEqual([before, nonce + 1])
  })
})

describe('a nonce used by a foreign transaction', () => {
  it('is lost only when that transaction is final', async () => {
    await chain.rpc.request('evm_setAutomine', [false])
    planPayments(journal, 'taken')
    const goOn = (more: Partial<Execution>) =>
      run(journal, home, chain.url, 'taken', {
        networks: sandboxNetworks.map((network) => ({ ...network, depth: 3 })),
        ...more,
      }).catch((e: unknown) => e)
    expect(code(await goOn({ noWait: true }))).toBe('PENDING')
    await chain.rpc.request('anvil_dropAllTransactions')
    await chain.rpc.request('eth_sendTransaction', [{ from: signer.address, to: signer.address }])
    await chain.rpc.request('evm_mine')
    expect(code(await goOn({ noWait: true }))).toBe('PENDING')
    expect(journal.find('taken')).toMatchObject({ state: 'EXECUTING', steps: [{ state: 'BROADCAST' }] })
    await chain.rpc.request('anvil_mine', ['0x2'])
    expect(code(await goOn({}))).toBe('SUPERSEDED')
    expect(journal.find('taken')).toMatchObject({ state: 'ATTENTION', steps: [{ state: 'SUPERSEDED' }] })
  })
})

it('a nonce used by an EIP-7702 authorisation is lost without a hash once that is final', async () => {
  await chain.rpc.request('eth_sendTransaction', [{ from: signer.address, to: payee }])
  await chain.rpc.request('evm_mine')
  await chain.rpc.request('evm_setAutomine', [false])
  planPayments(journal, 'authorised')
  const goOn = (more: Partial<Execution>) =>
    run(journal, home, chain.url, 'authorised', {
      networks: sandboxNetworks.map((network) => ({ ...network, depth: 3 })),
      ...more,
    }).catch((e: unknown) => e)
  expect(code(await goOn({ noWait: true }))).toBe('PENDING')
  await chain.rpc.request('anvil_dropAllTransactions')
  const other = privateKeyToAccount(generatePrivateKey())
  await chain.rpc.request('anvil_setBalance', [other.address, `0x${oneCoin.toString(16)}`])
  const nonce = journal.find('authorised')!.steps[0]!.nonce!
  const raw = await other.signTransaction({
    ...{
      chainId: 31337,
      nonce: 0,
      to: payee,
      gas: 100_000n,
      maxFeePerGas: parseGwei('9'),
      maxPriorityFeePerGas: 1n,
    },
    authorizationList: [await signer.signAuthorization({ chainId: 31337, address: payee, nonce })],
  })
  await chain.rpc.request('eth_sendRawTransaction', [raw])
  await chain.rpc.request('evm_mine')
  expect(code(await goOn({ noWait: true }))).toBe('PENDING')
  await chain.rpc.request('anvil_mine', ['0x2'])
  expect(await goOn({})).toMatchObject({
    code: 'SUPERSEDED',
    message: expect.stringContaining('was used by a transaction that the node does not name'),
    details: { hash: null },
  })
  expect(journal.find('authorised')).toMatchObject({ state: 'ATTENTION', steps: [{ state: 'SUPERSEDED' }] })
  journal.verify('authorised')
})

/** Address of a contract that reverts every call. */
const refusing = '0x7702000000000000000000000000000000000001'

describe('requested by the user', () => {
  const stopped = async (id: string, steps = 1) => {
    await chain.rpc.request('evm_setAutomine', [false])
    planPayments(journal, id, steps)
    expect(code(await run(journal, home, chain.url, id, { noWait: true }).catch((e: unknown) => e))).toBe(
      'PENDING',
    )
  }

  it('a speed-up raises the fee once, and the replacement pays', async () => {
    const before = await paid()
    await stopped('faster')
    const outcome = run(journal, home, chain.url, 'faster', { replacement: 'bump' })
    await replaced('faster')
    await chain.rpc.request('evm_mine')
    expect((await outcome).state).toBe('DONE')
    expect((await paid()) - before).toBe(oneCoin)
    expect(journal.find('faster')!.steps[0]!.inclusion!.hash).toBe(attempts('faster')[1]!.hash)
  })

  it('a cancel replaces the pending transaction, and nothing is paid', async () => {
    const before = await paid()
    await stopped('stopped')
    const outcome = run(journal, home, chain.url, 'stopped', { replacement: 'cancel' }).catch(
      (e: unknown) => e,
    )
    await replaced('stopped')
    await chain.rpc.request('evm_mine')
    expect(code(await outcome)).toBe('CANCELLED')
    expect(code(await run(journal, home, chain.url, 'stopped').catch((e: unknown) => e))).toBe('CANCELLED')
    expect(await paid()).toBe(before)
  })

  it('a cancel has enough gas for a wallet whose EIP-7702 code reverts plain calls', async () => {
    const before = await paid()
    await stopped('refusing')
    await chain.rpc.request('anvil_setCode', [refusing, '0x60006000fd'])
    await chain.rpc.request('anvil_setCode', [signer.address, `0xef0100${refusing.slice(2)}`])
    try {
      const outcome = run(journal, home, chain.url, 'refusing', { replacement: 'cancel' }).catch(
        (e: unknown) => e,
      )
      await replaced('refusing')
      expect(attempts('refusing')[1]).toMatchObject({ kind: 'cancel', gas: 100_000n })
      await chain.rpc.request('evm_mine')
      expect(code(await outcome)).toBe('CANCELLED')
    } finally {
      await chain.rpc.request('anvil_setCode', [signer.address, '0x'])
    }
    expect(await paid()).toBe(before)
  })

  it('a speed-up replaces a cancel, and later automatic replacements keep the payment', async () => {
    const before = await paid()
    await stopped('taken-back')
    const replacedBy = (replacement: 'bump' | 'cancel', more: Partial<Execution> = {}) =>
      run(journal, home, chain.url, 'taken-back', { replacement, ...more }).catch((e: unknown) => e)
    for (const replacement of ['cancel', 'bump'] as const)
      expect(code(await replacedBy(replacement, { noWait: true }))).toBe('PENDING')
    const outcome = run(journal, home, chain.url, 'taken-back', { bumpDelay: patience }).catch(
      (e: unknown) => e,
    )
    // Signed is not yet sent: wait for the send before mining a block.
    await mineDear(parseGwei('200'), () => (attempts('taken-back')[3]?.sends ?? 0) > 0)
    expect(attempts('taken-back').map(({ kind }) => kind)).toEqual(['run', 'cancel', 'bump', 'bump'])
    await chain.rpc.request('evm_mine')
    expect(await outcome).toMatchObject({ state: 'DONE' })
    expect((await paid()) - before).toBe(oneCoin)
  })

  it.each(['bump', 'cancel'] as const)(
    'a %s above the cap names a --max-fee that suffices, unless the policy is the limit',
    async (replacement) => {
      const id = `capped-${replacement}`
      await stopped(id)
      const capped = (feeCap: Execution['feeCap']) =>
        run(journal, home, chain.url, id, { replacement, feeCap: feeCap! }).catch((e: unknown) => e)
      const cap = attempts(id)[0]!.maxFeePerGas
      const kind = replacement === 'bump' ? `speed-up ${id}` : `cancel ${id} --yes`
      const { hint } = (await capped((_, __, ___, lifted = cap) => lifted)) as AppError
      expect(hint).toMatch(new RegExp(`^sluice action ${kind} --max-fee [0-9.]+$`))
      const enough = parseGwei(hint!.split(' ').at(-1)!)
      // The user's --max-fee does not raise a limit of the policy.
      const held = (await capped((_, __, ___, lifted = cap) =>
        lifted < enough ? lifted : enough - 1n,
      )) as AppError
      expect(held).toMatchObject({
        code: 'PENDING',
        message: expect.stringContaining('than the policy allows'),
      })
      expect(held.hint).not.toContain('--max-fee')
      expect(attempts(id)).toHaveLength(1)
      const outcome = capped(() => enough)
      await replaced(id)
      await chain.rpc.request('evm_mine')
      expect(await outcome).toMatchObject(replacement === 'bump' ? { state: 'DONE' } : { code: 'CANCELLED' })
    },
  )

  it('an interrupted cancel is cancelled again before its signature, and followed after it', async () => {
    await stopped('let-go')
    const cancelled = (signal: AbortSignal) =>
      run(journal, home, chain.url, 'let-go', { replacement: 'cancel', signal }).catch((e: unknown) => e)
    const again = { code: 'PENDING', hint: 'sluice action cancel let-go --yes' }
    const early = new AbortController()
    const unsigned = run(journal, home, chain.url, 'let-go', {
      replacement: 'cancel',
      feeCap: () => {
        early.abort()
        throw new AppError('RPC_UNREACHABLE', 'not now')
      },
      signal: early.signal,
    }).catch((e: unknown) => e)
    expect(await unsigned).toMatchObject(again)
    expect(attempts('let-go')).toHaveLength(1)
    const late = new AbortController()
    const outcome = cancelled(late.signal)
    await replaced('let-go')
    late.abort()
    expect(await outcome).toMatchObject({ code: 'PENDING', hint: 'sluice action resume let-go' })
    expect(attempts('let-go').at(-1)!.kind).toBe('cancel')
  })

  it('a cancel of a mined step ends in PARTIAL, and signs no further step', async () => {
    const before = await paid()
    await chain.rpc.request('evm_setAutomine', [true])
    planPayments(journal, 'too-late', 2)
    await run(journal, home, chain.url, 'too-late', { noWait: true }).catch(() => undefined)
    const outcome = run(journal, home, chain.url, 'too-late', { replacement: 'cancel' }).catch(
      (e: unknown) => e,
    )
    expect(code(await outcome)).toBe('PARTIAL')
    expect((await paid()) - before).toBe(oneCoin)
    expect(attemptsOf(journal, 'too-late', 1)).toEqual([])
  })

  it('a step mined before its cancel ends a later run in PARTIAL, and only the next one signs the rest', async () => {
    await stopped('let-go', 2)
    const [first] = attempts('let-go')
    const later = (more: Partial<Execution> = {}) =>
      run(journal, home, chain.url, 'let-go', more).catch((e: unknown) => e)
    expect(code(await later({ replacement: 'cancel', noWait: true }))).toBe('PENDING')
    await chain.rpc.request('anvil_dropTransaction', [attempts('let-go')[1]!.hash])
    await chain.rpc.request('eth_sendRawTransaction', [first!.raw])
    await chain.rpc.request('evm_mine')
    expect(await later()).toMatchObject({
      code: 'PARTIAL',
      message: expect.stringContaining('it was mined before it could be cancelled'),
      hint: 'sluice action resume let-go, or close it: sluice action abandon let-go',
    })
    expect(attemptsOf(journal, 'let-go', 1)).toEqual([])
    await chain.rpc.request('evm_setAutomine', [true])
    expect(await later()).toMatchObject({ state: 'DONE' })
  })

  it('a cancel of an unsigned operation is refused, and the hint names abandon', async () => {
    planPayments(journal, 'unsigned')
    const refused = run(journal, home, chain.url, 'unsigned', { replacement: 'cancel' })
    await expect(refused).rejects.toMatchObject({ code: 'USAGE', hint: 'sluice action abandon unsigned' })
    expect(journal.find('unsigned')!.state).toBe('OPEN')
    expect(attempts('unsigned')).toEqual([])
  })

  it('an operation pays once when the original is mined instead of its cancel', async () => {
    const before = await paid()
    await stopped('first-wins')
    const [first] = attempts('first-wins')
    const outcome = run(journal, home, chain.url, 'first-wins', { replacement: 'cancel' }).catch(
      (e: unknown) => e,
    )
    // The cancel is resent once when it is followed; dropped before that, it would return.
    await replaced('first-wins', 2)
    await chain.rpc.request('anvil_dropTransaction', [attempts('first-wins')[1]!.hash])
    await chain.rpc.request('eth_sendRawTransaction', [first!.raw])
    await chain.rpc.request('evm_mine')
    expect(await outcome).toMatchObject({ state: 'DONE' })
    expect((await paid()) - before).toBe(oneCoin)
  })
})
