import { exchangeJson } from '../http/client.ts'
import type { SwapDependencies } from './provider-dependencies.ts'

/** Sends a request to the service of a provider over HTTP. */
export const serviceExchange: SwapDependencies['exchangeJson'] = ({ url, body, headers = {}, signal }) =>
  exchangeJson(body === undefined ? 'GET' : 'POST', url, body, { headers, ...(signal && { signal }) })
