import type { OlderRoute } from '../api/older-routes.ts'
import { type HttpRoute, routes } from '../api/routes.ts'
import type { Service } from '../api/service-type.ts'

/** A served route: one of the contract, or a deprecated path with its successor. */
export type Served = { name: keyof Service; route: HttpRoute | OlderRoute; successor: HttpRoute | undefined }

/** Lists all served routes: those of the contract and the deprecated paths. */
export const servedRoutes = (older: readonly OlderRoute[]): Served[] => [
  ...Object.entries(routes).map(([name, route]) => ({
    name: name as keyof Service,
    route: route as HttpRoute,
    successor: undefined,
  })),
  ...older.map((route) => ({
    name: route.as as keyof Service,
    route,
    successor: routes[route.as] as HttpRoute,
  })),
]
