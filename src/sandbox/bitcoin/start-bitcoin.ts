import { randomUUID } from 'node:crypto'
import type { BitcoinConstants } from '../../protocols/bitcoin-services.ts'
import type { Catalog } from '../../protocols/catalog-types.ts'
import type { LoopbackAnswer } from '../loopback-server.ts'
import type { SandboxNode } from '../stand-in-option-types.ts'
import { type BitcoinPayment, openBitcoin } from './chain.ts'
import type { BitcoinFault } from './deposit-service.ts'
import { openPayouts } from './evm-payouts.ts'
import { oneClickPublicKey, openOneClick } from './one-click.ts'
import { openThornode } from './thornode.ts'

/** The stand-in for Bitcoin and its deposit providers. It ends with its process and is not part of a saved world. */
export type BitcoinWorld = {
  pay: (payment: BitcoinPayment) => string
  answer: (request: { url: URL; body: unknown }) => Promise<LoopbackAnswer | undefined>
  stop: () => Promise<void>
}

type Options = {
  /** Block interval, in ms. */
  blockMs: number
  now: () => number
  fault: () => BitcoinFault | undefined
  isMiningStopped: () => boolean
  /** Runs a task while no other task sends as the relayer. */
  quietly: <T>(work: () => Promise<T>) => Promise<T>
}

/** The services as catalogue entries, below the base URL of the sandbox services. */
export const bitcoinServices = (url: string): BitcoinConstants => ({
  chain: 'test',
  esplora: `${url}/bitcoin/api`,
  oneClick: { api: `${url}/1click`, publicKey: oneClickPublicKey },
  thornode: `${url}/thornode`,
})

/** Starts a Bitcoin chain with both providers. The providers process a deposit once it is in a block. */
export function openBitcoinWorld(
  catalog: Catalog,
  chains: readonly SandboxNode[],
  { blockMs, now, fault, isMiningStopped, quietly }: Options,
): BitcoinWorld {
  const bitcoin = openBitcoin(randomUUID(), now)
  const payouts = openPayouts(catalog, chains)
  const services = [openOneClick, openThornode].map((open) => open(bitcoin, payouts, { now, fault }))
  let working: Promise<void> = Promise.resolve()
  let isBusy = false
  const tick = () => {
    if (isBusy || bitcoin.isEmpty()) return
    isBusy = true
    if (!isMiningStopped()) bitcoin.mine()
    working = quietly(async () => {
      for (const { settle } of services) await settle()
    })
      // A failed payout, for example on a chain that makes no blocks, is retried in the next round.
      .catch(() => undefined)
      .finally(() => {
        isBusy = false
      })
  }
  const timer = setInterval(tick, blockMs)
  timer.unref()
  return {
    pay: bitcoin.pay,
    answer: async ({ url: { pathname: path, searchParams: query }, body }) => {
      const found = bitcoin.answer(path)
      if (found) return found
      for (const { answer } of services) {
        const answered = await answer({ path, query, body })
        if (answered) return answered
      }
      return undefined
    },
    stop: async () => {
      clearInterval(timer)
      await working
    },
  }
}
