import { AppError } from './errors.ts'

/** What a fault needs beside its name, and which options it understands. `once` is done at once, and nothing stays set. */
export type FaultKind = {
  text: string
  value?: 'contract' | 'nonce' | 'blocks' | 'duration' | 'percent'
  isValueNeeded?: true
  takes: readonly ('network' | 'method' | 'times' | 'reason')[]
  /** How often it happens where nobody says; otherwise until it is cleared. */
  times?: number
  once?: true
}

const rpc = { takes: ['network', 'method', 'times'] } as const

/** The faults that the sandbox can play. */
export const faultKinds = {
  revert: {
    text: 'The next transaction to a contract reverts, though nothing foretold it.',
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
  'stop-mining': { text: 'No blocks are made; what is sent waits.', takes: ['network'] },
  drop: { text: 'The node takes transactions and forgets them.', takes: ['network', 'times'] },
  'drop-waiting': {
    text: 'What waits in the mempool is forgotten: all of it, or what has one nonce.',
    value: 'nonce',
    takes: ['network'],
    once: true,
  },
  delay: {
    text: 'The node takes transactions and passes them on later: after a while, or when the fault is cleared.',
    value: 'duration',
    takes: ['network', 'times'],
  },
  reorg: {
    text: 'The newest blocks are replaced by empty ones; what was in them is gone.',
    value: 'blocks',
    takes: ['network'],
    once: true,
  },
  'bridge-stuck': { text: 'Nothing that is burned is attested.', takes: [] },
  'bridge-undelivered': { text: 'What is burned is attested, and nobody delivers it.', takes: [] },
  'bridge-short': { text: 'The bridge keeps a part of what it carries.', value: 'percent', takes: [] },
  'rpc-slow': { ...rpc, text: 'The node answers late.', value: 'duration' },
  'rpc-429': { ...rpc, text: 'The node answers 429, and when to ask again.', value: 'duration' },
  'rpc-502': { ...rpc, text: 'What stands before the node answers 502.' },
  'rpc-hang': { ...rpc, text: 'The node never answers.' },
  'rpc-down': { ...rpc, text: 'The node breaks every connection.' },
  'rpc-lost-request': {
    ...rpc,
    text: 'A call is lost on the way there: eth_sendRawTransaction, or --method.',
  },
  'rpc-lost-answer': {
    ...rpc,
    text: 'An answer is lost on the way back: of eth_sendRawTransaction, or --method.',
  },
  'rpc-wrong-chain': { text: 'The node says that it is on another chain.', takes: ['network', 'times'] },
  'rpc-head-back': {
    text: 'The node is some blocks behind.',
    value: 'blocks',
    takes: ['network', 'times'],
  },
  'stale-quote': {
    text: 'Every quote that was given before is over, for the service and for the chains, and stays so.',
    takes: [],
    once: true,
  },
} as const satisfies Record<string, FaultKind>

/** The name of a fault. */
export type FaultName = keyof typeof faultKinds

/** What is asked for: `amount` is in ms, blocks or percent, or is a nonce, as its kind says; `at` is a contract. */
export type FaultRequest = {
  kind: FaultName
  network: string | null
  method: string | null
  times: number | null
  amount: number | null
  at: string | null
  reason: string | null
}

/** A fault as it is shown: `times` is how often it still happens, `null` until it is cleared; `text` is for people. */
export type SandboxFault = FaultRequest & { text: string }

/** What other bridges do and this one, which burns and mints, cannot; and what comes near it. */
const impossible: Readonly<Record<string, string>> = {
  'bridge-refunded': 'bridge-stuck',
  'bridge-refund': 'bridge-stuck',
  'bridge-partly-filled': 'bridge-short',
  'bridge-partial': 'bridge-short',
}

/** What a kind of fault is, by its name; USAGE with all names where there is none such. */
export function faultNamed(name: string): { name: FaultName; kind: FaultKind } {
  if (Object.hasOwn(faultKinds, name)) return { name: name as FaultName, kind: faultKinds[name as FaultName] }
  const near = Object.hasOwn(impossible, name) ? impossible[name] : undefined
  if (near)
    throw new AppError(
      'USAGE',
      `The bridge burns and mints all of what it carries: it knows no ${name.slice('bridge-'.length)}`,
      { hint: `What comes near: sluice sandbox fault ${near}` },
    )
  throw new AppError('USAGE', `There is no fault "${name.slice(0, 60)}"`, {
    hint: `Faults: ${Object.keys(faultKinds).join(', ')}`,
  })
}
