import type { Operator } from '../cli/serving.ts'
import type { Catalog } from '../domain/catalog.ts'
import type { EngineStore } from '../store/engine.ts'

/** So many changes of settings are shown, the newest. */
const mostChanges = 100

/** What the operator of a service charges, in the databases that it holds for: the first is the one that is shown. */
export function operatorSide(
  [store, ...others]: readonly [EngineStore, ...EngineStore[]],
  needs: { catalog: Catalog; now: () => number },
): Operator {
  const show: Operator['show'] = async () => {
    const { operatorFeesOf } = await import('../engine/customer.ts')
    const changes = await store.settingChanges(mostChanges)
    return {
      ...(await operatorFeesOf(store)),
      changes: changes.map(({ at, customer, ...change }) => ({
        at: new Date(at).toISOString(),
        customer: customer === '' ? null : customer,
        ...change,
      })),
    }
  }
  return {
    show,
    set: async (change) => {
      const { setOperatorFees } = await import('../engine/customer.ts')
      for (const one of [store, ...others]) await setOperatorFees({ ...needs, store: one }, change)
      return show()
    },
  }
}
