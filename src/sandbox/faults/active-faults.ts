import {
  type FaultName,
  type FaultRequest,
  faultKinds,
  type SandboxFault,
} from '../../domain/sandbox-fault.ts'

/** The active faults, in the order in which they were set. */
export type FaultSet = {
  add: (request: FaultRequest) => void
  list: () => SandboxFault[]
  /** Returns the first fault of some kinds on a network (`null` is any) that meets a condition. */
  find: (
    kinds: readonly FaultName[],
    network: string | null,
    holds?: (fault: FaultRequest) => boolean,
  ) => FaultRequest | undefined
  /** Counts one use of a fault and removes a fault that is used up. */
  countUse: (fault: FaultRequest) => void
  /** Resolves when the faults are cleared, which ends hanging calls. */
  whenCleared: () => Promise<void>
  clear: () => void
}

/** Creates an empty set of faults. */
export function openFaults(): FaultSet {
  const live: FaultRequest[] = []
  const waiting = new Set<() => void>()
  return {
    add: (request) => {
      const again = live.findIndex((fault) =>
        (['kind', 'network', 'at', 'method'] as const).every((name) => fault[name] === request[name]),
      )
      if (again >= 0) live.splice(again, 1)
      live.push({ ...request })
    },
    list: () => live.map((fault) => ({ ...fault, text: faultText(fault) })),
    find: (kinds, network, holds = () => true) =>
      live.find(
        (fault) =>
          kinds.includes(fault.kind) &&
          (fault.network === null || network === null || fault.network === network) &&
          holds(fault),
      ),
    countUse: (fault) => {
      if (fault.times === null) return
      fault.times -= 1
      if (fault.times <= 0) live.splice(live.indexOf(fault), 1)
    },
    whenCleared: () => new Promise((resolve) => waiting.add(resolve)),
    clear: () => {
      live.length = 0
      for (const resolve of waiting) resolve()
      waiting.clear()
    },
  }
}

export const affectsCall = ({ kind, method }: FaultRequest, called: string): boolean => {
  const usual = kind === 'rpc-lost-request' || kind === 'rpc-lost-answer' ? 'eth_sendRawTransaction' : '*'
  const wanted = method ?? usual
  return wanted === '*' || wanted === called
}

const seconds = (ms: number): string => `${ms / 1000} s`

/** Describes a fault in a few words. */
export function faultText({ kind, network, method, times, amount, at, reason }: FaultRequest): string {
  const words: Record<FaultName, string> = {
    revert: `transactions to ${at} revert${reason === null ? '' : ` with "${reason}"`}`,
    'out-of-gas': `transactions to ${at} run out of gas`,
    'stop-mining': 'mining stopped',
    drop: 'transactions are accepted and dropped',
    'drop-waiting':
      amount === null
        ? 'all pending transactions are dropped'
        : `pending transactions with nonce ${amount} are dropped`,
    delay: `transactions are forwarded ${amount === null ? 'when the fault is cleared' : `after ${seconds(amount)}`}`,
    reorg: amount === 1 ? 'the newest block is replaced' : `the newest ${amount} blocks are replaced`,
    'bridge-stuck': 'the bridge attests nothing',
    'bridge-undelivered': 'the bridge delivers nothing',
    'bridge-short': `the bridge keeps ${amount} %`,
    'bitcoin-unmined': 'Bitcoin makes no blocks',
    'bitcoin-stuck': 'deposits on Bitcoin are not processed',
    'bitcoin-refund': 'deposits on Bitcoin are refunded',
    'bitcoin-lies': 'the provider falsely reports payouts for deposits on Bitcoin',
    'bitcoin-refund-lies': 'the provider falsely reports refunds of deposits on Bitcoin',
    'bitcoin-short': `swaps from Bitcoin keep ${amount} %`,
    'usdc-paused': 'USDC is paused',
    'usdc-blacklisted': `USDC is blacklisted for ${at}`,
    'bridge-unfilled': 'no relayer fills deposits',
    'services-slow': `the services of bridges and swap providers answer after ${seconds(amount ?? 0)}`,
    'order-unfilled': 'no solver fills orders of CoW Protocol',
    'ramp-held': 'the ramp desk pays nothing',
    'ramp-slow': `the ramp desk pays after ${seconds(amount ?? 0)}`,
    'ramp-rejected': 'the ramp desk sends deposits back',
    'ramp-short': `the ramp desk keeps ${amount} %`,
    'ramp-lies': 'the ramp desk only claims to have paid',
    'lifi-lies': 'the service of LI.FI falsely reports that transfers arrived',
    'relay-stuck': 'the solver of Relay pays nothing',
    'relay-slow': `the solver of Relay pays after ${seconds(amount ?? 0)}`,
    'relay-refund': 'the solver of Relay refunds deposits on the other chain',
    'relay-refund-origin': 'the solver of Relay refunds deposits on the origin chain',
    'relay-failed': 'the solver of Relay fails',
    'relay-lies': 'the service of Relay falsely reports payouts',
    'bridge-slow-fill': `deposits are paid out after ${seconds(amount ?? 0)}`,
    'bridge-unrefunded': 'expired deposits are not refunded',
    'rpc-slow': `the node answers after ${seconds(amount ?? 0)}`,
    'rpc-429': `the node answers 429, retry after ${seconds(amount ?? 0)}`,
    'rpc-502': 'the node answers 502',
    'rpc-hang': 'the node never answers',
    'rpc-down': 'the node closes every connection',
    'rpc-lost-request': 'requests are lost',
    'rpc-lost-answer': 'responses are lost',
    'rpc-wrong-chain': 'the node reports another chain ID',
    'rpc-head-back': `the node is ${amount} blocks behind`,
    'stale-quote': 'all earlier quotes have expired',
  }
  const isTold = kind === 'reorg' || !('once' in faultKinds[kind])
  const where = network === null || !isTold ? '' : ` on ${network}`
  const which = method === null ? '' : ` (${method})`
  const often = times === null ? '' : times === 1 ? ', once' : `, ${times} times`
  return `${words[kind]}${where}${which}${often}`
}
