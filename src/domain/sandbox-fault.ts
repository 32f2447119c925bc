import { AppError } from './errors.ts'
import { didYouMean } from './text/did-you-mean.ts'
import { advice, sluice } from './text/next-step.ts'

/** The parameters of a fault: its value and its options. A fault with `once` acts immediately and is not kept. */
export type FaultKind = {
  text: string
  value?: 'contract' | 'account' | 'nonce' | 'blocks' | 'duration' | 'percent'
  isValueNeeded?: true
  takes: readonly ('network' | 'method' | 'times' | 'reason')[]
  /** Default number of uses; without it, the fault lasts until it is cleared. */
  times?: number
  once?: true
}

const rpc = { takes: ['network', 'method', 'times'] } as const

/** The faults of the sandbox. */
export const faultKinds = {
  revert: {
    text: 'The next transaction to a contract reverts, although its simulation succeeds.',
    value: 'contract',
    isValueNeeded: true,
    takes: ['network', 'times', 'reason'],
    times: 1,
  },
  'out-of-gas': {
    text: 'The next transaction to a contract runs out of gas.',
    value: 'contract',
    isValueNeeded: true,
    takes: ['network', 'times'],
    times: 1,
  },
  'stop-mining': { text: 'Mining stops; transactions stay pending.', takes: ['network'] },
  drop: { text: 'The node accepts transactions and drops them.', takes: ['network', 'times'] },
  'drop-waiting': {
    text: 'The mempool is dropped: all pending transactions, or those with one nonce.',
    value: 'nonce',
    takes: ['network'],
    once: true,
  },
  delay: {
    text: 'The node accepts transactions and forwards them later: after a delay, or when the fault is cleared.',
    value: 'duration',
    takes: ['network', 'times'],
  },
  reorg: {
    text: 'A reorganisation replaces the newest blocks with empty ones; their transactions are gone.',
    value: 'blocks',
    takes: ['network'],
    once: true,
  },
  'bridge-stuck': { text: 'The bridge does not attest burns.', takes: [] },
  'bridge-undelivered': { text: 'The bridge attests burns but does not deliver them.', takes: [] },
  'bridge-short': { text: 'The bridge delivers less than was sent.', value: 'percent', takes: [] },
  'bitcoin-unmined': { text: 'Payments on Bitcoin stay in the mempool and are not mined.', takes: [] },
  'bitcoin-stuck': { text: 'The provider never processes deposits on Bitcoin.', takes: [] },
  'bitcoin-refund': { text: 'The provider refunds deposits on Bitcoin.', takes: [] },
  'bitcoin-lies': {
    text: 'The provider falsely reports payouts for deposits on Bitcoin.',
    takes: [],
  },
  'bitcoin-refund-lies': {
    text: 'The provider falsely reports refunds of deposits on Bitcoin.',
    takes: [],
  },
  'bitcoin-short': {
    text: 'Swaps from Bitcoin pay out less than promised.',
    value: 'percent',
    takes: [],
  },
  'usdc-paused': { text: 'USDC is paused: it can be neither moved nor approved.', takes: ['network'] },
  'usdc-blacklisted': {
    text: 'An account is blacklisted in USDC: it can neither send nor receive it.',
    value: 'account',
    takes: ['network'],
  },
  'bridge-unfilled': { text: 'No relayer of Across fills deposits; they expire.', takes: [] },
  'bridge-slow-fill': {
    text: 'Relayers of Across fill deposits only after a delay.',
    value: 'duration',
    isValueNeeded: true,
    takes: [],
  },
  'bridge-unrefunded': { text: 'Across does not refund expired deposits.', takes: [] },
  'services-slow': {
    text: 'The HTTP services of bridges and swap providers answer slowly.',
    value: 'duration',
    isValueNeeded: true,
    takes: [],
  },
  'order-unfilled': { text: 'No solver of CoW Protocol fills orders; they expire.', takes: [] },
  'ramp-held': { text: 'The ramp desk keeps deposits and pays nothing.', takes: [] },
  'ramp-slow': {
    text: 'The ramp desk pays only after a delay.',
    value: 'duration',
    isValueNeeded: true,
    takes: [],
  },
  'ramp-rejected': { text: 'The ramp desk sends deposits back.', takes: [] },
  'ramp-short': { text: 'The ramp desk pays out less than promised.', value: 'percent', takes: [] },
  'ramp-lies': { text: 'The ramp desk claims to have paid, but pays nothing.', takes: [] },
  'lifi-lies': { text: 'The service of LI.FI falsely reports that transfers arrived.', takes: [] },
  'relay-stuck': { text: 'The solver of Relay neither fills nor refunds deposits.', takes: [] },
  'relay-slow': {
    text: 'The solver of Relay pays only after a delay.',
    value: 'duration',
    isValueNeeded: true,
    takes: [],
  },
  'relay-refund': {
    text: 'The solver of Relay refunds deposits on the other chain, in USDC.',
    takes: [],
  },
  'relay-refund-origin': { text: 'The solver of Relay refunds deposits on the origin chain.', takes: [] },
  'relay-failed': { text: 'The solver of Relay fails and refunds nothing.', takes: [] },
  'relay-lies': { text: 'The service of Relay falsely reports payouts.', takes: [] },
  'rpc-slow': { ...rpc, text: 'The node answers slowly.', value: 'duration' },
  'rpc-429': { ...rpc, text: 'The node answers 429 with a retry time.', value: 'duration' },
  'rpc-502': { ...rpc, text: 'A proxy in front of the node answers 502.' },
  'rpc-hang': { ...rpc, text: 'The node never answers.' },
  'rpc-down': { ...rpc, text: 'The node closes every connection.' },
  'rpc-lost-request': {
    ...rpc,
    text: 'A request is lost before it reaches the node: eth_sendRawTransaction, or --method.',
  },
  'rpc-lost-answer': {
    ...rpc,
    text: 'A response of the node is lost: to eth_sendRawTransaction, or --method.',
  },
  'rpc-wrong-chain': { text: 'The node reports another chain ID.', takes: ['network', 'times'] },
  'rpc-head-back': {
    text: 'The node is some blocks behind.',
    value: 'blocks',
    takes: ['network', 'times'],
  },
  'stale-quote': {
    text: 'All existing quotes expire permanently, for the service and on chain.',
    takes: [],
    once: true,
  },
} as const satisfies Record<string, FaultKind>

export type FaultName = keyof typeof faultKinds

/**
 * A requested fault: `amount` is in ms, blocks or percent, or a nonce, depending on the kind; `at` is a contract or
 * an account.
 */
export type FaultRequest = {
  kind: FaultName
  network: string | null
  method: string | null
  times: number | null
  amount: number | null
  at: string | null
  reason: string | null
}

/** An active fault: `times` is the number of remaining uses, `null` until cleared; `text` is for people. */
export type SandboxFault = FaultRequest & { text: string }

/** Faults of other bridges that a burn-and-mint bridge cannot have, with the closest one that it can. */
const impossible: Readonly<Record<string, string>> = {
  'bridge-refunded': 'bridge-unfilled',
  'bridge-refund': 'bridge-unfilled',
  'bridge-partly-filled': 'bridge-short',
  'bridge-partial': 'bridge-short',
}

/** Returns a kind of fault by its name; USAGE with all names if it is unknown. */
export function faultNamed(name: string): { name: FaultName; kind: FaultKind } {
  if (Object.hasOwn(faultKinds, name)) return { name: name as FaultName, kind: faultKinds[name as FaultName] }
  const near = Object.hasOwn(impossible, name) ? impossible[name] : undefined
  if (near)
    throw new AppError(
      'USAGE',
      `The bridge burns and mints the whole amount, so it has no fault "${name.slice('bridge-'.length)}"`,
      { next: advice`A similar fault: ${sluice('sandbox fault', near)}` },
    )
  const names = Object.keys(faultKinds)
  throw new AppError('USAGE', `There is no fault "${name.slice(0, 60)}"${didYouMean(name, names)}`, {
    next: `Faults: ${names.join(', ')}`,
  })
}
