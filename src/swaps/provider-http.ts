import { exchangeJson } from '../http/client.ts'
import type { SwapNetwork } from './provider-network.ts'

/** Sends a request to the service of a provider over HTTP. */
export const serviceExchange: SwapNetwork['exchangeJson'] = ({ url, body, headers = {}, signal }) =>
  exchangeJson(body === undefined ? 'GET' : 'POST', url, body, { headers, ...(signal && { signal }) })
