import type { Abi } from 'viem'
import type { Query, Rounds } from '../chain/contract-query.ts'
import { type Address, nativeAddress, sameAddress } from '../domain/address.ts'
import type { Catalog } from '../protocols/catalog-types.ts'

/**
 * How a pool of an exchange is recognised: it answers the `getters`, whose first names its factory, and the factory answers `confirm` with
 * the pool's address. The pool names its factory itself, so the pools of unlisted forks are recognised too.
 */
export type PoolRecognition = {
  abi: Abi
  getters: readonly string[]
  /** The function of the factory, and its arguments from the answers to the other getters. */
  confirm: { abi: Abi; functionName: string; args: (answers: readonly unknown[]) => readonly unknown[] }
}

const isContract = (value: unknown): value is Address =>
  typeof value === 'string' && /^0x[0-9a-fA-F]{40}$/.test(value) && value !== nativeAddress

/** An answer that is a pool's address, or whose first value is. */
const poolIn = (answer: unknown): unknown => (Array.isArray(answer) ? answer[0] : answer)

/** An exchange as a recipient check knows it. */
type Exchange = { title: string; pools: PoolRecognition | 'none'; contracts: { name: string } }

/**
 * Reads which exchange an address is a pool of, in at most two rounds; an account without code takes one. `undefined` for any other address.
 */
export function* poolAt(
  exchanges: readonly Exchange[],
  { swaps }: Pick<Catalog, 'swaps'>,
  address: Address,
): Rounds<string | undefined> {
  const kinds = [...new Set(exchanges.flatMap(({ pools }) => (pools === 'none' ? [] : [pools])))]
  const said = yield* perKind(kinds, ({ abi, getters }) =>
    getters.map((functionName): Query => ({ address, abi, functionName })),
  )
  const alike = kinds.flatMap((kind, at) => {
    const [factory, ...answers] = said[at]!
    return isContract(factory) && answers.every((one) => one !== undefined)
      ? [{ kind, factory, answers }]
      : []
  })
  if (alike.length === 0) return undefined
  const named = yield alike.map(({ kind: { confirm }, factory, answers }): Query => {
    const { abi, functionName, args } = confirm
    return { address: factory, abi, functionName, args: args(answers) }
  })
  const found = alike.find((_, at) => {
    const pool = poolIn(named[at])
    return isContract(pool) && sameAddress(pool, address)
  })
  if (!found) return undefined
  const ofKind = exchanges.filter(({ pools }) => pools === found.kind)
  const own = ofKind.find(({ contracts: { name } }) =>
    JSON.stringify(swaps[name] ?? [])
      .toLowerCase()
      .includes(found.factory.toLowerCase()),
  )
  return own ? own.title : `an exchange like ${ofKind[0]!.title}`
}

/** One round of the queries of every kind; the answers by kind. */
function* perKind(
  kinds: readonly PoolRecognition[],
  queriesOf: (kind: PoolRecognition) => readonly Query[],
): Rounds<readonly (readonly unknown[])[]> {
  const queries = kinds.map(queriesOf)
  const answers = yield queries.flat()
  return queries.map((some, at) => {
    const first = queries.slice(0, at).flat().length
    return answers.slice(first, first + some.length)
  })
}
