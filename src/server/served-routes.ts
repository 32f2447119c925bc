import type { OlderRoute } from '../api/older-routes.ts'
import { type Route, routes } from '../api/routes.ts'
import type { Service } from '../api/service-type.ts'

/** A route as it is served: a row of the contract, or a deprecated path that a current row answers. */
export type Served = { name: keyof Service; route: Route | OlderRoute; successor: Route | undefined }

/** Every route that is served: the contract's own, and the deprecated paths. */
export const servedRoutes = (older: readonly OlderRoute[]): Served[] => [
  ...Object.entries(routes).map(([name, route]) => ({
    name: name as keyof Service,
    route: route as Route,
    successor: undefined,
  })),
  ...older.map((route) => ({
    name: route.as as keyof Service,
    route,
    successor: routes[route.as] as Route,
  })),
]
