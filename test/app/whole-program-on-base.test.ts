import { join } from 'node:path'
import { encodeDeployData } from 'viem/utils'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { knownCatalog } from '../../src/app/profiles/catalog-of-configured-networks.ts'
import type { Address, Hex } from '../../src/domain/address.ts'
import { multicall3 } from '../../src/domain/networks.ts'
import { sandboxAddress, sandboxKey } from '../../src/sandbox/accounts.ts'
import { type Anvil, startAnvil } from '../../src/sandbox/anvil.ts'
import { ownContract } from '../../src/sandbox/genesis/artifacts.ts'
import { compiled } from '../support/contracts/compile-contract.ts'
import { type Listener, listener } from '../support/services/listener.ts'
import { programHome, spawnSluice } from '../support/spawn-program.ts'
import { calldata } from '../support/use-sandbox.ts'

// The whole program, including its signer, on a chain with the id of Base. Test contracts are placed at the catalogue's addresses
// of a market and its asset, so the signed addresses come from the catalogue file.
const program = programHome()
const wallet = sandboxAddress()
const slug = 'compound-v3-usdc-base'
let base: Anvil
let comet: Address
let usdc: Address
let prices: Listener

beforeAll(async () => {
  base = await startAnvil({ binary: inject('anvil'), noteDir: inject('sandboxNotes'), chainId: 8453 })
  const { strategies } = await knownCatalog({} as never, { SLUICE_RPC_BASE: base.rpcUrl })
  const entry = strategies.find((one) => one.slug === slug)!
  ;[comet, usdc] = [entry.receipt.address, entry.asset.address]
  await base.rpc.request('anvil_setBalance', [wallet, '0x56bc75e2d63100000'])
  await base.rpc.request('anvil_impersonateAccount', [wallet])
  const token = ownContract('SandboxToken')
  await moved(ownContract('SandboxMulticall').bytecode, multicall3)
  await moved(encodeDeployData({ ...token, args: ['USD Coin', 'USDC', 6] }), usdc)
  const { abi, bytecode } = compiled(join(import.meta.dirname, '../protocols/contracts/CometLike.sol'))
  await moved(encodeDeployData({ abi, bytecode, args: [usdc] } as never), comet)
  await sent({ to: usdc, data: calldata('function setMinter(address,bool)', [wallet, true]) })
  await sent({ to: usdc, data: calldata('function mint(address,uint256)', [wallet, 1_000_000_000n]) })
  await sent({ to: usdc, data: calldata('function mint(address,uint256)', [comet, 1_000_000_000n]) })
  prices = await listener((_, response) => {
    const price = { price: 0.5, timestamp: Math.floor(Date.now() / 1000), confidence: 1, decimals: 6 }
    response.end(JSON.stringify({ coins: { [`base:${usdc}`]: price } }))
  })
})
afterAll(async () => {
  await prices?.close()
  await base?.stop()
  await program.end()
})

const sent = async (tx: object): Promise<{ contractAddress: Address; status: Hex }> => {
  const hash = await base.rpc.request<Hex>('eth_sendTransaction', [{ from: wallet, gas: '0x4c4b40', ...tx }])
  for (;;) {
    const receipt = await base.rpc.request<{ contractAddress: Address; status: Hex } | null>(
      'eth_getTransactionReceipt',
      [hash],
    )
    if (receipt) {
      expect(receipt.status).toBe('0x1')
      return receipt
    }
  }
}
/** Deploys a contract and copies its code and storage to the address in the catalogue. */
async function moved(data: Hex, to: Address): Promise<void> {
  const { contractAddress } = await sent({ data })
  await base.rpc.request('anvil_setCode', [
    to,
    await base.rpc.request('eth_getCode', [contractAddress, 'latest']),
  ])
  for (let at = 0; at < 20; at++) {
    const slot = `0x${at.toString(16).padStart(64, '0')}`
    const value = await base.rpc.request('eth_getStorageAt', [contractAddress, slot, 'latest'])
    await base.rpc.request('anvil_setStorageAt', [to, slot, value])
  }
}
const balance = async (token: Address) =>
  BigInt(
    await base.rpc.request<Hex>('eth_call', [
      { to: token, data: calldata('function balanceOf(address)', [wallet]) },
      'latest',
    ]),
  )
const run = async (line: string, env: Record<string, string> = {}) => {
  const ran = await spawnSluice(program.home, line.split(' '), {
    env: { SLUICE_RPC_BASE: base.rpcUrl, SLUICE_PRIVATE_KEY: sandboxKey(), ...env },
  })
  return { exit: ran.exit, err: ran.err, json: JSON.parse(ran.out) }
}

describe('the program on Base', () => {
  test('deposits into a Compound market of the catalogue, shows it, and withdraws everything', async () => {
    const more = '--confirmations 1 --yes --json'
    const paid = await run(`deposit ${slug} --amount 100 --idempotency-key on-base-1 ${more}`)
    expect({ exit: paid.exit, error: paid.json.error }).toEqual({ exit: 0, error: undefined })
    expect(paid.json).toMatchObject({ status: 'SUCCESS', strategySlug: slug })
    expect(await balance(usdc)).toBe(900_000_000n)
    expect(await balance(comet)).toBeGreaterThanOrEqual(99_999_998n)
    const { json: shown } = await run(`strategies show ${slug} --json`)
    expect(shown.apy).toBeGreaterThan(0)
    // No contract here prices USDC, and a price service is only used when configured.
    expect(shown.tvlUsd).toBeNull()
    const priced = await run(`strategies show ${slug} --json`, { SLUICE_PRICES_URL: prices.url })
    expect(Number(priced.json.tvlUsd)).toBeCloseTo(50, 3)
    const back = await run(`withdraw ${slug} --amount max --idempotency-key on-base-2 ${more}`)
    expect({ exit: back.exit, error: back.json.error }).toEqual({ exit: 0, error: undefined })
    expect(await balance(comet)).toBe(0n)
    expect(await balance(usdc)).toBeGreaterThanOrEqual(999_999_998n)
  })
})
