import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { ChainClient } from '../../../src/chain/chain-client.ts'
import type { Address } from '../../../src/domain/address.ts'
import { connectSandbox } from '../../../src/sandbox/daemon-client.ts'
import { attemptsIn, programHome, spawnSluice } from '../../support/spawn-program.ts'

const friend: Address = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const thief: Address = '0x6666666666666666666666666666666666666666'
const hook = pathToFileURL(join(import.meta.dirname, '../../support/poison/hook.mjs')).href
const home = programHome(inject('sandboxCache'))
/** The sources, so that every package is loaded through the hook. */
const file = join('src', 'app', 'launch.ts')
let usdc: Address
let rpc: ChainClient
/** The transfer as a plan, made by an unchanged program. */
let plan: string

beforeAll(async () => {
  await spawnSluice(home.home, ['sandbox', 'up', '--json'])
  const sandbox = await connectSandbox(home.data)
  usdc = sandbox!.catalog.tokens.find(
    ({ chainId, symbol }) => chainId === 31337 && symbol === 'USDC',
  )!.address
  rpc = await home.rpc(31337)
  const made = await spawnSluice(
    home.home,
    transfer.map((word) => (word === '--yes' ? '--dry-run' : word)),
  )
  expect(made.exit).toBe(0)
  plan = join(home.home, 'plan.json')
  writeFileSync(plan, made.out)
})
afterAll(() => home.end())

const held = async (owner: Address): Promise<bigint> => {
  const data = `0x70a08231${owner.slice(2).toLowerCase().padStart(64, '0')}`
  return BigInt(await rpc.request<string>('eth_call', [{ to: usdc, data }, 'latest']))
}

/** Runs a command line with one package of the terminal process replaced. */
const poisoned = async (victim: string, line: readonly string[]) => {
  const before = { friend: await held(friend), thief: await held(thief), attempts: attemptsIn(home.data) }
  const ended = await spawnSluice(home.home, line, {
    file,
    env: { NODE_OPTIONS: `--import=${hook}`, POISON: victim },
  })
  expect(ended.err).toContain(`poisoned ${victim}`)
  return {
    ...ended,
    friend: (await held(friend)) - before.friend,
    thief: (await held(thief)) - before.thief,
    attempts: attemptsIn(home.data) - before.attempts,
  }
}
const transfer = [
  'transfer',
  '--network',
  'sandbox-one',
  '--token',
  'USDC',
  '--to',
  friend,
  '--amount',
  '5',
  '--yes',
  '--json',
]
const deposit = ['deposit', 'aave-v3-usdc-sandbox-one', '--amount', '5', '--yes', '--json']

describe('a compromised package in the terminal process', () => {
  test('cannot change a payment through global fetch', async () => {
    expect(await poisoned('chalk', transfer)).toMatchObject({ exit: 0, friend: 5_000000n, thief: 0n })
  })

  test.each([
    ['ora', 'data that is read'],
    ['cli-table3', 'data that is written'],
    ['commander', 'arguments that were typed'],
  ])('that changes the recipient is refused by the signer: %s, %s', async (victim) => {
    expect(await poisoned(victim, transfer)).toMatchObject({ exit: 8, friend: 0n, thief: 0n, attempts: 0 })
  })

  test('that changes the amount is refused by the signer', async () => {
    expect(await poisoned('commander', deposit)).toMatchObject({ exit: 8, attempts: 0 })
  })
})

test.each(['ora'])('a plan file that a compromised package changes is refused: %s', async (victim) => {
  const submitted = await poisoned(victim, ['action', 'submit', plan, '--yes', '--json'])
  expect(submitted).toMatchObject({ exit: 8, friend: 0n, thief: 0n, attempts: 0 })
})

test('the same transfer succeeds without a compromised package', async () => {
  const before = await held(friend)
  expect(await spawnSluice(home.home, transfer)).toMatchObject({ exit: 0 })
  expect((await held(friend)) - before).toBe(5_000000n)
})
