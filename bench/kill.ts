import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { keccak256, toBytes } from 'viem/utils'
import { httpRpc } from '../src/chain/rpc/failover.ts'
import type { Address, Hex } from '../src/domain/address.ts'
import { sandboxAddress } from '../src/sandbox/accounts.ts'
import { connectSandbox } from '../src/sandbox/daemon-client.ts'
import { basicOf, targetOf } from '../test/support/market-constants.ts'
import { attemptsIn, type ProgramHome, spawnSluice, startSluice } from '../test/support/spawn-program.ts'
import { seeded } from './seeded.ts'

/** The result of one cell: the time of the kill, the number of signatures then, and the errors in the outcome. */
export type Cell = { cell: number; killedAtMs: number[]; signedAtKill: number[]; wrong: string[] }

const slugs = ['aave-v3-usdc-sandbox-one', 'sandbox-vault-usdc-sandbox-one'] as const
const deposited = {
  'aave-v3': keccak256(toBytes('Supply(address,address,address,uint256,uint16)')),
  erc4626: keccak256(toBytes('Deposit(address,address,uint256,uint256)')),
}
const wallet = sandboxAddress()
const word = (address: Address) => `0x${address.slice(2).toLowerCase().padStart(64, '0')}`

/** Direct reads of one chain, without the program. */
async function rawReads(home: ProgramHome, slug: string) {
  const sandbox = await connectSandbox(home.data)
  const entry = sandbox?.catalog.strategies.find((one) => one.slug === slug)
  const url = sandbox?.found.chains.find(({ chainId }) => chainId === entry?.chainId)?.rpcUrl
  if (!entry || !url) throw new Error('the sandbox does not run')
  const rpc = httpRpc(url)
  const number = async (method: string, params: unknown[]) => BigInt(await rpc.request<Hex>(method, params))
  return {
    entry,
    balance: () =>
      number('eth_call', [{ to: entry.asset.address, data: `0x70a08231${word(wallet).slice(2)}` }, 'latest']),
    nonce: () => number('eth_getTransactionCount', [wallet, 'latest']),
    block: () => number('eth_blockNumber', []),
    depositsSince: async (block: bigint) => {
      const filter = {
        address: targetOf(entry),
        topics: [deposited[basicOf(entry).family]],
        fromBlock: `0x${(block + 1n).toString(16)}`,
        toBlock: 'latest',
      }
      const logs = await rpc.request<{ topics: Hex[] }[]>('eth_getLogs', [filter])
      return logs.filter(({ topics }) => topics.includes(word(wallet) as Hex)).length
    },
  }
}

/**
 * Deposits by processes killed by SIGKILL at random times, each resumed until it ends: `action resume`
 * if the journal knows the key, otherwise the same command again. The result is read from the chain.
 */
export async function killCampaign(
  home: ProgramHome,
  { cells, seed, said = () => undefined }: { cells: number; seed: number; said?: (cell: Cell) => void },
): Promise<Cell[]> {
  await spawnSluice(home.home, ['sandbox', 'up', '--json'])
  const began = performance.now()
  await spawnSluice(home.home, ['deposit', slugs[0], '--amount', '1', '--yes'])
  const usualMs = performance.now() - began
  const all: Cell[] = []
  for (let cell = 0; cell < cells; cell++) {
    all.push(await oneCell(home, cell, seeded(seed * 1_000_003 + cell), usualMs))
    said(all.at(-1)!)
  }
  return all
}

/** Whether the journal knows an idempotency key. */
function isPlanned({ data }: ProgramHome, key: string): boolean {
  const db = new DatabaseSync(join(data, 'sandbox', 'journal.db'), { readOnly: true, timeout: 5_000 })
  try {
    return db.prepare('SELECT 1 FROM operation WHERE idem_key = ?').get(key) !== undefined
  } finally {
    db.close()
  }
}

async function oneCell(
  home: ProgramHome,
  cell: number,
  random: () => number,
  usualMs: number,
): Promise<Cell> {
  const slug = slugs[cell % slugs.length]!
  const raw = BigInt(1 + Math.floor(random() * 50_000_000))
  const key = `kill-${cell}-${raw}`
  const deposit = ['deposit', slug, '--amount-raw', String(raw), '--yes', '--json', '--idempotency-key', key]
  const chain = await rawReads(home, slug)
  const [balance, nonce, block] = [await chain.balance(), await chain.nonce(), await chain.block()]
  const told: Cell = { cell, killedAtMs: [], signedAtKill: [], wrong: [] }
  const before = attemptsIn(home.data)

  const kills = 1 + Math.floor(random() * 3)
  let line = deposit
  for (let kill = 0; kill < kills; kill++) {
    const running = startSluice(home.home, line)
    const began = performance.now()
    // Half are killed at any time, half in the short time of signing and sending.
    const isLate = random() < 0.5
    const wait = Math.round(isLate ? 150 * random() : usualMs * (0.3 + 0.8 * random()))
    let isOver = false
    void running.ended.then(() => {
      isOver = true
    })
    while (isLate && !isOver && !isPlanned(home, key)) await sleep(2)
    await Promise.race([sleep(wait), running.ended])
    const ms = Math.round(performance.now() - began)
    running.child.kill('SIGKILL')
    await running.ended
    told.killedAtMs.push(ms)
    told.signedAtKill.push(attemptsIn(home.data) - before)
    line = told.signedAtKill.at(-1)! > 0 || random() < 0.5 ? ['action', 'resume', key, '--json'] : deposit
  }

  let exit: number | NodeJS.Signals = -1
  let out = ''
  for (let tries = 0; tries < 5 && exit !== 0; tries++) {
    ;({ exit, out } = await spawnSluice(home.home, ['action', 'resume', key, '--json']))
    if (exit === 4) ({ exit, out } = await spawnSluice(home.home, deposit))
  }
  if (exit !== 0) told.wrong.push(`it never ended well: ${exit} ${out.trim().slice(0, 300)}`)
  const moved = balance - (await chain.balance())
  if (moved !== raw) told.wrong.push(`${moved} went out, and ${raw} should have`)
  const deposits = await chain.depositsSince(block)
  if (deposits !== 1) told.wrong.push(`${deposits} deposits on chain`)
  const sent = (await chain.nonce()) - nonce
  if (sent !== 2n) told.wrong.push(`${sent} transactions on chain, and approve and deposit are 2`)
  return told
}
