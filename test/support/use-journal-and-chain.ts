import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { quantity } from '../../src/chain/rpc/quantities.ts'
import { openJournal } from '../../src/store/journal/journal.ts'
import type { Journal } from '../../src/store/journal/journal-interface.ts'
import { type Chain, startChain } from './anvil.ts'
import { type Provider, provider } from './nodes/proxy-node.ts'
import { journalIn, newHome, payee, removeHome } from './payments/payment-operation.ts'

/** Gives each test a home directory with a journal, removed after it. The returned function opens that journal again, with another clock. */
export function useHome(
  given: (made: { home: string; journal: Journal }) => void,
): (now: () => number) => void {
  let home: string
  let journal: Journal
  beforeEach(() => {
    home = newHome()
    journal = journalIn(home)
    given({ home, journal })
  })
  afterEach(() => {
    journal.close()
    removeHome(home)
  })
  return (now) => {
    journal.close()
    journal = openJournal(join(home, 'journal.db'), now)
    given({ home, journal })
  }
}

/** Gives the tests of a file one chain, or each test its own, stopped afterwards. */
export function useChain(
  given: (chain: Chain) => void,
  { each = false, args = [] }: { each?: boolean; args?: readonly string[] } = {},
): void {
  let chain: Chain | undefined
  const [before, after] = each ? [beforeEach, afterEach] : [beforeAll, afterAll]
  before(async () => {
    chain = await startChain(args)
    given(chain)
  })
  after(async () => {
    await chain?.stop()
  })
}

/** The surroundings of pending operations: a home directory, its journal, a chain, and providers in front of it with replies of the test. */
export type Place = {
  home: string
  journal: Journal
  chain: Chain
  through: (says: Provider['says']) => Promise<Provider>
}

/** Gives the tests of a file one place; after each test its providers are closed, pending transactions dropped, and automatic mining enabled. */
export function usePlace(): Place {
  const open: Provider[] = []
  const through: Place['through'] = async (says) => {
    const one = await provider(place.chain.url, says)
    open.push(one)
    return one
  }
  const place = { through } as Place
  useHome((made) => void Object.assign(place, made))
  useChain((chain) => {
    place.chain = chain
  })
  afterEach(async () => {
    for (const one of open.splice(0)) await one.close()
    await place.chain.rpc.request('anvil_dropAllTransactions')
    await place.chain.rpc.request('evm_setAutomine', [true])
  })
  return place
}

/** The balance of the test payee on a chain, in wei. */
export const paidOn = async ({ rpc }: Chain): Promise<bigint> =>
  quantity(await rpc.request('eth_getBalance', [payee, 'latest']), 'balance')
