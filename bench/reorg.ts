import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { privateKeyToAccount } from 'viem/accounts'
import { httpRpc } from '../src/chain/rpc/failover.ts'
import type { Address, Hex } from '../src/domain/address.ts'
import { AppError } from '../src/domain/errors.ts'
import { openJournal } from '../src/store/journal/journal.ts'
import { type Chain, startChain } from '../test/support/anvil.ts'
import { attemptsOf } from '../test/support/attempts-of.ts'
import {
  addressOf,
  numbered,
  onePayment,
  type Payments,
  pay,
  planned,
  truth,
} from '../test/support/payments/numbered-payments.ts'
import { seeded } from './seeded.ts'
import { sabotages } from './sim-sabotage.ts'

/** One reorganisation: its depth, the fate of our transaction, and whether it counted as final before. */
export type ReorgCell = {
  cell: number
  depth: number
  becomes: 'gone' | 'in another block' | 'reverted' | 'a stranger'
  wasFinal: boolean
}

/** The result of a cell. */
export type Reorged = { cell: number; told: string; wrong: string[] }

const kinds = ['gone', 'in another block', 'reverted', 'a stranger'] as const

/** The cells of a seed: every kind, before and after finality, at depths of 1 to 64. */
export function reorgCell(seed: number, cell: number): ReorgCell {
  const random = seeded(seed * 1_000_003 + cell)
  const depth = random() < 0.5 ? 1 + Math.floor(random() * 5) : 1 + Math.floor(random() * 64)
  // A transaction in another block needs at least two blocks.
  const becomes = kinds[cell % kinds.length]!
  return {
    cell,
    becomes,
    wasFinal: Math.floor(cell / kinds.length) % 2 === 1,
    depth: becomes === 'in another block' ? Math.max(2, depth) : depth,
  }
}

/** Reverts plain payments after a call with data. */
const gate = '0x3615600b576001600055005b60005415601757600080fd5b00'

/** Cells of one node run sequentially, because a reorganisation affects the whole node. */
const cellsPerNode = 100

/** Runs reorganisations on real nodes, two nodes at a time. */
export async function reorgCampaign(
  cells: readonly ReorgCell[],
  { sabotage, said = () => undefined }: { sabotage?: string | undefined; said?: (reorged: Reorged) => void },
): Promise<Reorged[]> {
  const all: Reorged[] = []
  const left = [...cells]
  const lane = async (): Promise<void> => {
    while (left.length > 0) {
      const chain = await startChain(['--no-mining'])
      try {
        for (let played = 0; played < cellsPerNode; played++) {
          const cell = left.shift()
          if (!cell) return
          all.push(await playReorg(cell, chain, sabotage))
          said(all.at(-1)!)
        }
      } finally {
        await chain.stop()
      }
    }
  }
  await Promise.all([lane(), lane()])
  return all
}

const hex = (value: number | bigint): Hex => `0x${value.toString(16)}`

/** The expected result of each kind. */
const due = {
  gone: { code: 'done', state: 'DONE', paid: onePayment },
  'in another block': { code: 'done', state: 'DONE', paid: onePayment },
  reverted: { code: 'REVERTED', state: 'FAILED', paid: 0n },
  'a stranger': { code: 'SUPERSEDED', state: 'ATTENTION', paid: 0n },
} as const

async function playReorg(
  cell: ReorgCell,
  { url, rpc }: Chain,
  sabotage: string | undefined,
): Promise<Reorged> {
  const { depth, becomes, wasFinal } = cell
  const home = mkdtempSync(join(tmpdir(), 'sluice-reorg-'))
  const payments: Payments = { id: `cell-${cell.cell}`, home, url, steps: 1, ...numbered(cell.cell) }
  const journal = openJournal(join(home, 'journal.db'), Date.now)
  const broken = sabotage === undefined ? {} : sabotages[sabotage]!()
  const wrong: string[] = []
  const mine = (blocks: number) => rpc.request('anvil_mine', [hex(blocks)])
  const confirmations = wasFinal ? Math.min(depth, 3) : depth + 1
  const node = broken.rpc?.(httpRpc(url)) ?? httpRpc(url)
  const state = () => journal.find(payments.id)!.steps[0]!.state
  let isOver = false
  const run = () => {
    isOver = false
    // A deliberately broken run may never end, and fails visibly in less time.
    const timeoutMs = sabotage === undefined ? 20_000 : 5_000
    return pay(journal, payments, { depth: confirmations, rpc: () => node, timeoutMs })
      .then(
        () => 'done',
        (error: unknown) => (error instanceof AppError ? error.code : String(error)),
      )
      .finally(() => {
        isOver = true
      })
  }
  const until = async (is: () => boolean, work: () => unknown = () => undefined) => {
    while (!is() && !isOver) {
      await work()
      await sleep(10)
    }
  }
  try {
    for (const one of [payments.key, strangerKey])
      await rpc.request('anvil_setBalance', [addressOf(one), hex(10n ** 20n)])
    await rpc.request('anvil_setCode', [payments.payee, gate])
    await mine(1)
    planned(journal, payments)
    let ended = run()
    await until(() => (attemptsOf(journal, payments.id, 0)[0]?.sends ?? 0) > 0)
    await mine(depth)
    if (wasFinal) {
      const first = await ended
      if (first !== 'done') wrong.push(`before, it ended with ${first}`)
    } else await until(() => state() === 'INCLUDED')
    if (!wasFinal && isOver) wrong.push('it was over before it was deep enough')
    await rpc.request('anvil_reorg', [
      depth,
      await instead(cell, payments, attemptsOf(journal, payments.id, 0)[0]!.raw, rpc),
    ])
    if (wasFinal) ended = run()
    await until(
      () => false,
      () => mine(1),
    )
    const code = await ended
    if (code !== due[becomes].code) wrong.push(`it ended with ${code}, not with ${due[becomes].code}`)
    const { paid, nonce } = await truth(rpc, payments)
    if (paid !== due[becomes].paid) wrong.push(`${paid} arrived, and ${due[becomes].paid} should have`)
    if (nonce !== 1) wrong.push(`${nonce} transactions, and there should be one`)
    const operation = journal.find(payments.id)!
    if (operation.state !== due[becomes].state) wrong.push(`the journal says ${operation.state}`)
    const { inclusion } = operation.steps[0]!
    if (inclusion) {
      const block = await rpc.request<{ hash: Hex }>('eth_getBlockByNumber', [
        hex(inclusion.blockNumber),
        false,
      ])
      if (block.hash !== inclusion.blockHash) wrong.push('the journal names a block that is on no chain')
    }
    if (attemptsOf(journal, payments.id, 0).length !== 1) wrong.push('it was signed more than once')
  } finally {
    await rpc.request('anvil_dropAllTransactions')
    journal.close()
    rmSync(home, { recursive: true, force: true })
  }
  const told = `${depth} deep, final at ${confirmations}, ${wasFinal ? 'after' : 'before'} it was final: ${becomes}`
  return { cell: cell.cell, told, wrong }
}

const strangerKey: Hex = `0x${'5b'.repeat(32)}`

/** The transactions of the new blocks: signed, each with the index of its block. */
async function instead(
  { becomes, depth, cell }: ReorgCell,
  { key, payee }: Payments,
  raw: Hex,
  rpc: Chain['rpc'],
): Promise<[raw: Hex, block: number][]> {
  const signed = async (by: Hex, nonce: number, to: Address, data: Hex) =>
    privateKeyToAccount(by).signTransaction({
      type: 'eip1559',
      chainId: 31337,
      nonce,
      to,
      data,
      gas: 60_000n,
      maxFeePerGas: 10n ** 11n,
      maxPriorityFeePerGas: 10n ** 9n,
    })
  switch (becomes) {
    case 'gone':
      return []
    case 'in another block':
      return [[raw, 1 + (cell % (depth - 1))]]
    case 'reverted': {
      const nonce = Number(await rpc.request('eth_getTransactionCount', [addressOf(strangerKey), 'latest']))
      return [
        [await signed(strangerKey, nonce, payee, '0x01'), 0],
        [raw, depth - 1],
      ]
    }
    case 'a stranger':
      return [[await signed(key, 0, `0x${'99'.repeat(20)}`, '0x'), 0]]
  }
}
