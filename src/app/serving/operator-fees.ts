import type { Operator } from '../../cli/server-administration.ts'
import type { Catalog } from '../../protocols/catalog.ts'
import type { EngineStore } from '../../store/engine/store.ts'

/** So many changes of settings are shown, the newest. */
const mostChanges = 100

/** The operator's fees, in each of the databases; the first is shown. */
export function operatorFees(
  [store, ...others]: readonly [EngineStore, ...EngineStore[]],
  needs: { catalog: Catalog; now: () => number },
): Operator {
  const show: Operator['show'] = async () => {
    const { readOperatorFees } = await import('../../engine/fees/fee-settings.ts')
    const changes = await store.settingChanges(mostChanges)
    return {
      ...(await readOperatorFees(store)),
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
      const { setOperatorFees } = await import('../../engine/fees/fee-settings.ts')
      for (const one of [store, ...others]) await setOperatorFees({ ...needs, store: one }, change)
      return show()
    },
  }
}
