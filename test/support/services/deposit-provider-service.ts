import { afterEach } from 'vitest'
import type { BitcoinConstants } from '../../../src/protocols/bitcoin-services.ts'
import {
  jsonBody,
  type Loopback,
  type LoopbackAnswer,
  serveLoopback,
} from '../../../src/sandbox/loopback-server.ts'
import type {
  DepositDefinition,
  DepositDependencies,
  DepositProvider,
} from '../../../src/swaps/deposit-provider.ts'
import { serviceExchange } from '../../../src/swaps/service-access.ts'

/** Answers one request to the service of a test. */
export type Answering = (request: {
  url: URL
  body: unknown
}) => LoopbackAnswer | 'drop' | Promise<LoopbackAnswer | 'drop'>

/** The network of a deposit provider: real HTTP, with a clock. */
export const depositNetwork = (now: () => number): DepositDependencies => ({
  now,
  exchangeJson: serviceExchange,
})

/** Opens a deposit provider over a loopback service with the given answers; it is closed after the test. */
export function useDepositService(definition: DepositDefinition, now: () => number) {
  const open: Loopback[] = []
  afterEach(async () => {
    for (const service of open.splice(0)) await service.close()
  })
  return async (
    answer: Answering,
    constants: (url: string) => BitcoinConstants,
  ): Promise<{ provider: DepositProvider; bitcoin: BitcoinConstants }> => {
    const service = await serveLoopback(async (request, url) =>
      answer({ url, body: await jsonBody(request) }),
    )
    open.push(service)
    const bitcoin = constants(service.url)
    return { bitcoin, provider: definition.open(bitcoin, depositNetwork(now))! }
  }
}
