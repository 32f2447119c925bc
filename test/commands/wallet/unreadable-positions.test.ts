import { expect, test } from 'vitest'
import { sandboxAddress } from '../../../src/sandbox/accounts.ts'
import { refuses } from '../../support/contracts/revert-function.ts'
import { engineOn, over, watched } from '../../support/engine.ts'
import { serveTo } from '../../support/services/serve-in-process.ts'
import { rpcEnvOf, useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

// Contracts that answer all calls but one: a value that they do not return is unknown, not zero.
const sandbox = useSandbox()
const { run } = useCommands(sandbox)
const chainId = 31337
const wallet = sandbox.user.address
const slug = 'sandbox-vault-usdc-sandbox-one'
const other = 'aave-v3-usdc-sandbox-one'
const refuse = (signature: string) =>
  refuses(
    sandbox,
    chainId,
    sandbox.strategy('sandbox-vault-USDC-sandbox-one').receipt.address,
    `function ${signature}`,
  )
const give = async (place: string, amount: number) =>
  expect((await run(`deposit ${place} --amount ${amount} --yes`)).exit).toBe(0)
const rowOf = (positions: { strategy: { slug: string } }[]) =>
  positions.find(({ strategy }) => strategy.slug === slug)

test('a position whose contract refuses convertToAssets has an unknown value and no loss', async () => {
  await give(slug, 100)
  await give(other, 10)
  await refuse('convertToAssets(uint256)')
  const { json } = await run('wallet show --json')
  expect(rowOf(json.positions)).toMatchObject({
    balance: null,
    principal: { formatted: '100' },
    profit: null,
    balanceUsd: null,
    profitUsd: null,
  })
  expect(json.unread).toEqual([slug])
  expect(Number(json.totalValueUsd)).toBeCloseTo(10, 2)
  const { out } = await run('wallet show')
  expect(out).toMatch(new RegExp(`${slug} +\\? USDC +100 +-`))
  expect(out).toMatch(new RegExp(`total +\\$10\\.00 without ${slug} \\(value unknown\\)`))

  const { service } = engineOn(sandbox)
  const { body } = await over(service)('GET', `/wallets/${wallet}`)
  expect(body.unread).toEqual([slug])
  const row = { balance: null, balanceUSD: null, earned: null, principal: '100000000' }
  expect(rowOf(body.positions)).toMatchObject(row)
  const served = await serveTo(service, 'key-unread')
  try {
    const far = {
      env: { SLUICE_BASE_URL: served.url, ...rpcEnvOf(sandbox) },
      secrets: { apiKey: 'key-unread' },
    }
    const { positions, unread, totalValueUsd } = (await run(`wallet show ${wallet} --json`, far)).json
    expect({ positions, unread, totalValueUsd }).toEqual({
      positions: json.positions,
      unread: [slug],
      totalValueUsd: json.totalValueUsd,
    })
  } finally {
    await served.close()
  }
})

test('a position whose receipt refuses balanceOf stays listed as unknown, and a withdrawal fails with that reason', async () => {
  await give(slug, 100)
  expect((await run('wallet show --json')).json.unread).toEqual([])
  await refuse('balanceOf(address)')
  const { json } = await run('wallet show --json')
  expect(rowOf(json.positions)).toMatchObject({
    balance: null,
    principal: { formatted: '100' },
    profit: null,
  })
  expect(json.unread).toEqual([slug])
  const { exit, json: said } = await run(`withdraw ${slug} --amount max --yes --json`)
  expect([exit, said.error.code]).toEqual([6, 'BYTECODE_GENERATION_FAILED'])
  expect(said.error.message).toBe(
    `The contracts of ${slug} do not answer: the position of ${wallet} is unknown`,
  )
  const shown = (await run(`strategies show ${slug} --wallet ${sandboxAddress(5)} --json`)).json
  expect(shown.position).toMatchObject({ balance: null, principal: null, strategy: { slug } })
  const { out } = await run(`strategies show ${slug} --wallet ${wallet}`)
  expect(out).toMatch(/you hold +unknown: its contracts do not answer/)
  // A fresh engine, which has no earlier position of the wallet, reports the strategy as unread without a log search.
  const asked: string[] = []
  const rpc = (id: number) => watched(sandbox.chain(id).rpc, asked)
  for (const address of [wallet, sandboxAddress(5)]) {
    const { positions, unread } = await engineOn(sandbox, { rpc }).service.getWallet({ address })
    expect([positions, unread]).toEqual([[], [slug]])
  }
  expect(asked).not.toContain('eth_getLogs')
  expect((await run(`wallet show ${sandboxAddress(5)}`)).out).toContain(
    `unknown whether there is a position in ${slug}: its contracts do not answer`,
  )
})
