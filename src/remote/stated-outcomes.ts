import type { Service } from '../api/service-type.ts'
import { actionStatedByService, statedByService } from '../domain/swap-outcome.ts'

/** A remote service whose word is no outcome: an end of a swap or an action that it returns is `reported`. */
export const withStatedOutcomes = (service: Service): Service => ({
  ...service,
  swapStatus: async (input, options) => statedByService(await service.swapStatus(input, options)),
  listActions: async (input, options) => {
    const { items, ...page } = await service.listActions(input, options)
    return { ...page, items: items.map(actionStatedByService) }
  },
  getAction: async (input, options) => actionStatedByService(await service.getAction(input, options)),
})
