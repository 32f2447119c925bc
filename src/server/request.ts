import type { FastifyInstance, FastifyRequest } from 'fastify'

import type { Caller } from './access.ts'
import type { Served } from './answer.ts'

const name = 'caller'

/** Makes room on every request for whoever asks. */
export const prepare = (app: FastifyInstance): void => void app.decorateRequest(name, undefined)

/** Notes whose request it is. */
export const setCaller = (request: FastifyRequest, caller: Caller): void => request.setDecorator(name, caller)

/** Whose request it is, once that is known. */
export const callerIn = (request: FastifyRequest): Caller | undefined =>
  request.getDecorator<Caller | undefined>(name)

/** Which route of the contract a request is for; none for pages, and where there is nothing. */
export const servedIn = ({ routeOptions }: FastifyRequest): Served | undefined =>
  (routeOptions.config as { served?: Served }).served
