import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { parseTransaction } from 'viem/utils'
import { describe, expect, it } from 'vitest'
import { quantity } from '../../../src/chain/rpc/quantities.ts'
import { AppError } from '../../../src/domain/errors.ts'
import { sandboxNetworks } from '../../../src/domain/networks.ts'
import { parseGwei } from '../../../src/guard/user-limits-and-exemptions.ts'
import type { Journal } from '../../../src/store/journal/journal-interface.ts'
import type { Execution } from '../../../src/transactions/run-state.ts'
import type { Chain } from '../../support/anvil.ts'
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
const attempts = (id: string) => journal.attempts(id, 0)
const patience = { blocks: 2, ms: 30 }

/** Mines blocks that are too dear for what waits, until something happens. */
async function mineDear(baseFee: bigint, until: () => boolean, most = 200): Promise<void> {
  for (let tried = 0; tried < most && !until(); tried++) {
    await chain.rpc.request('anvil_setNextBlockBaseFeePerGas', [`0x${baseFee.toString(16)}`])
    await chain.rpc.request('evm_mine')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Waits until a second attempt was sent, or sent so often. */
async function replaced(id: string, often = 1): Promise<void> {
  while (!((attempts(id)[1]?.sends ?? 0) >= often)) await new Promise((resolve) => setTimeout(resolve, 10))
}

/** Begins an operation on a chain that mines nothing by itself, and waits until it is sent. */
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

// A node of its own: the price of gas that one test leaves behind would be the next one's.
useChain(
  (made) => {
    chain = made
  },
  { each: true },
)

describe('a transaction that waits for too long', () => {
  it('is sent again with an eighth more in both fees, written down first, and pays once', async () => {
    const before = await paid()
    const { ended } = await waiting('bumped')
    await mineDear(10n ** 12n, () => attempts('bumped').length > 1)
    const [first, second] = attempts('bumped')
    expect(second!.kind).toBe('bump')
    expect(second!.maxFeePerGas * 8n).toBeGreaterThanOrEqual(first!.maxFeePerGas * 9n)
    expect(second!.maxPriorityFeePerGas * 8n).toBeGreaterThanOrEqual(first!.maxPriorityFeePerGas * 9n)
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

  it('is not raised above the cap, and says so by waiting', async () => {
    const { ended } = await waiting('capped', { feeCap: () => 3n * 10n ** 9n, timeoutMs: 1_500 })
    await mineDear(10n ** 12n, () => attempts('capped').length > 1)
    expect(attempts('capped').every(({ maxFeePerGas }) => maxFeePerGas <= 3n * 10n ** 9n)).toBe(true)
    expect(code(await ended)).toBe('PENDING')
  })

  it.each(['KEY_SOURCE', 'DECLINED'] as const)(
    'is followed as it is when nobody signs a dearer one (%s), and nobody is asked twice',
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

  it('is followed as it is where nobody can say what it may cost more', async () => {
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

  it('is not sent again as long as no blocks are made', async () => {
    const { ended } = await waiting('still', { timeoutMs: 600 })
    expect(code(await ended)).toBe('PENDING')
    expect(attempts('still')).toHaveLength(1)
  })

  it('is cancelled, and not made dearer, when its deadline has passed', async () => {
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

describe('a nonce that somebody else used', () => {
  it('is given up only when that is final', async () => {
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

it('a nonce that an authorisation took (EIP-7702) is lost without a name, when that is final', async () => {
  await chain.rpc.request('eth_sendTransaction', [{ from: signer.address, to: payee }])
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

/** Where code is that takes no call. */
const refusing = '0x7702000000000000000000000000000000000001'

describe('by the person', () => {
  const stopped = async (id: string) => {
    await chain.rpc.request('evm_setAutomine', [false])
    planPayments(journal, id)
    expect(code(await run(journal, home, chain.url, id, { noWait: true }).catch((e: unknown) => e))).toBe(
      'PENDING',
    )
  }

  it('a speed-up raises the fee once and goes on', async () => {
    const before = await paid()
    await stopped('faster')
    const outcome = run(journal, home, chain.url, 'faster', { replacement: 'bump' })
    await replaced('faster')
    await chain.rpc.request('evm_mine')
    expect((await outcome).state).toBe('DONE')
    expect((await paid()) - before).toBe(oneCoin)
    expect(journal.find('faster')!.steps[0]!.inclusion!.hash).toBe(attempts('faster')[1]!.hash)
  })

  it('a cancel takes the place of what waits', async () => {
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

  it('a cancel of a wallet whose own code refuses plain calls (EIP-7702) takes it, too', async () => {
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

  it('a speed-up takes a cancel back, which the program does not cancel again by itself', async () => {
    const before = await paid()
    await stopped('taken-back')
    const replacedBy = (replacement: 'bump' | 'cancel', more: Partial<Execution> = {}) =>
      run(journal, home, chain.url, 'taken-back', { replacement, ...more }).catch((e: unknown) => e)
    for (const replacement of ['cancel', 'bump'] as const)
      expect(code(await replacedBy(replacement, { noWait: true }))).toBe('PENDING')
    const outcome = run(journal, home, chain.url, 'taken-back', { bumpDelay: patience }).catch(
      (e: unknown) => e,
    )
    // Signed is not sent: a block that is made in between has nothing in it.
    await mineDear(parseGwei('200'), () => (attempts('taken-back')[3]?.sends ?? 0) > 0)
    expect(attempts('taken-back').map(({ kind }) => kind)).toEqual(['run', 'cancel', 'bump', 'bump'])
    await chain.rpc.request('evm_mine')
    expect(await outcome).toMatchObject({ state: 'DONE' })
    expect((await paid()) - before).toBe(oneCoin)
  })

  it.each(['bump', 'cancel'] as const)(
    'a %s that may not cost enough says what would do, and that does; where a policy is in the way, that is said',
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
      // What a policy allows is not lifted by a person.
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

  it('a cancel that is interrupted is gone on with as one, before it is signed and after', async () => {
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
    expect(await outcome).toMatchObject(again)
    expect(attempts('let-go').at(-1)!.kind).toBe('cancel')
  })

  it('a cancel that comes too late changes nothing, and signs nothing more', async () => {
    const before = await paid()
    await chain.rpc.request('evm_setAutomine', [true])
    planPayments(journal, 'too-late', 2)
    await run(journal, home, chain.url, 'too-late', { noWait: true }).catch(() => undefined)
    const outcome = run(journal, home, chain.url, 'too-late', { replacement: 'cancel' }).catch(
      (e: unknown) => e,
    )
    expect(code(await outcome)).toBe('PARTIAL')
    expect((await paid()) - before).toBe(oneCoin)
    expect(journal.attempts('too-late', 1)).toEqual([])
  })

  it('a cancel of what was never signed signs nothing, and says how to give it up', async () => {
    planPayments(journal, 'unsigned')
    const refused = run(journal, home, chain.url, 'unsigned', { replacement: 'cancel' })
    await expect(refused).rejects.toMatchObject({ code: 'USAGE', hint: 'sluice action abandon unsigned' })
    expect(journal.find('unsigned')!.state).toBe('OPEN')
    expect(attempts('unsigned')).toEqual([])
  })

  it('what the cancelled one pays is paid once when the first is mined after all', async () => {
    const before = await paid()
    await stopped('first-wins')
    const [first] = attempts('first-wins')
    const outcome = run(journal, home, chain.url, 'first-wins', { replacement: 'cancel' }).catch(
      (e: unknown) => e,
    )
    // It is sent again as soon as it is followed: before that it would come back after it was dropped.
    await replaced('first-wins', 2)
    await chain.rpc.request('anvil_dropTransaction', [attempts('first-wins')[1]!.hash])
    await chain.rpc.request('eth_sendRawTransaction', [first!.raw])
    await chain.rpc.request('evm_mine')
    expect(await outcome).toMatchObject({ state: 'DONE' })
    expect((await paid()) - before).toBe(oneCoin)
  })
})
