import { expect, test } from 'vitest'
import { useCommands } from '../support/use-commands.ts'
import { useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, signsNothing } = useCommands(sandbox)
const two = 31338
const coinThere = (wei: bigint) =>
  sandbox.chain(two).rpc.request('anvil_setBalance', [sandbox.user.address, `0x${wei.toString(16)}`])
const across = 'deposit aave-v3-usdc-sandbox-two --from sandbox-one --amount 20'

test('without gas on the destination, a dry run and a run sign nothing and say how much to send where', async () => {
  await coinThere(0n)
  for (const how of ['--dry-run', '--yes']) {
    const { exit, json } = await signsNothing(() => run(`${across} ${how} --json`))
    expect(exit).toBe(10)
    expect(json.error).toMatchObject({
      code: 'INSUFFICIENT_FUNDS',
      details: { network: 'sandbox-two', symbol: 'ETH', held: '0' },
    })
    expect(json.error.message).toMatch(
      /^0x\w{40} has 0 ETH on sandbox-two and needs 0\.00\d+ ETH there, for the gas of the steps after the bridge$/,
    )
    expect(json.error.hint).toMatch(
      /^Send 0\.00\d+ ETH to 0x\w{40} on sandbox-two first, then run the same command again\.$/,
    )
  }
})

test('with exactly the gas that the error names, the deposit succeeds', async () => {
  await coinThere(0n)
  const { json } = await run(`${across} --yes --json`)
  await coinThere(BigInt(json.error.details.needed))
  expect(await run(`${across} --yes --json`)).toMatchObject({ exit: 0 })
})

test('a dry run shows the cost of the second leg and the coin that the wallet has on its chain', async () => {
  await coinThere(2n * 10n ** 18n)
  const { json } = await run(`${across} --dry-run --json`)
  const [later, ...others] = json.laterFees
  expect(others).toEqual([])
  expect(later).toMatchObject({ leg: 1, network: 'sandbox-two', symbol: 'ETH' })
  expect(later.held.raw).toBe((2n * 10n ** 18n).toString())
  expect(later.cost.raw).toBe((BigInt(later.gas) * BigInt(later.gasPrice)).toString())
  expect(Number(later.cost.usd)).toBeGreaterThan(0)
  const { out } = await run(`${across} --dry-run`)
  expect(out).toMatch(
    /later on sandbox-two, about 0\.00\d+ ETH \(\$[\d.]+\): [\d,]+ units at [\d.]+ gwei; the\s+wallet has 2 ETH there/,
  )
  // The gas actually paid is not higher.
  const ran = await run(`${across} --yes --json`)
  const left = await sandbox.nativeBalanceOf(two, sandbox.user.address)
  expect(ran.exit).toBe(0)
  expect(2n * 10n ** 18n - left).toBeLessThanOrEqual(BigInt(later.cost.raw))
  expect((await run('deposit aave-v3-usdc-sandbox-one --amount 5 --dry-run --json')).json.laterFees).toEqual(
    [],
  )
})

test('a cross-chain deposit that would arrive as dust is refused', async () => {
  const { exit, json } = await signsNothing(() =>
    run(
      'deposit sandbox-vault-usdc-sandbox-two --from sandbox-one --amount-raw 1 --max-price-impact 100% --yes --json',
    ),
  )
  expect(json.error).toMatchObject({ code: 'INVALID_AMOUNT' })
  expect(json.error.message).toMatch(/^0\.000001 USDC is too little for sandbox-vault-usdc-sandbox-two/)
  expect(exit).toBe(2)
})

/** A deposit whose funds have arrived on the destination, where the wallet has no gas left. */
async function stranded() {
  const { json } = await run(`${across} --yes --json --no-wait`)
  const { id } = json.error.details
  // Makes sure that the burn is signed, however slow the machine is.
  expect(await run(['action', 'resume', id, '--json', '--no-wait'])).toMatchObject({ exit: 20 })
  await coinThere(0n)
  for (let tries = 0; tries < 40; tries++) {
    const ran = await run(['action', 'resume', id, '--json'])
    if (ran.exit === 21) return { id: id as string, said: ran.json.error }
  }
  throw new Error('it never came to the other chain')
}

test('without gas after the bridge, resume, replan and explain name the missing amount and both ways out', async () => {
  const { id, said } = await stranded()
  const lacks = /0x\w{40} has 0 ETH on sandbox-two and needs, gas included, 0\.00\d+ ETH/
  const ways = (again: string) =>
    new RegExp(
      `^To stop and see where the funds are: sluice action abandon ${id}. To continue once the wallet has the missing amount: sluice action ${again}$`,
    )
  expect(said).toMatchObject({ code: 'PARTIAL', message: expect.stringMatching(lacks) })
  expect(said.hint).toMatch(ways(`resume ${id}`))
  const again = await signsNothing(() => run(['action', 'replan', id, '--json', '--yes']))
  expect(again.exit).toBe(21)
  expect(again.json.error).toMatchObject({ code: 'PARTIAL', message: expect.stringMatching(lacks) })
  expect(again.json.error.hint).toMatch(ways(`replan ${id} --yes`))
  const { json } = await signsNothing(() => run(['action', 'explain', id, '--json']))
  expect(json).toMatchObject({
    situation: 'PARTLY_DONE',
    verdict: expect.stringMatching(lacks),
    funds: expect.stringMatching(/^[\d.,]+ USDC: in the wallet 0x\w{40} on sandbox-two\.$/),
    next: `sluice action resume ${id}`,
  })
  expect(json.verdict).toContain(
    `Send the missing amount there and resume it; or abandon it, which leaves the funds where they are.`,
  )
  await coinThere(10n ** 18n)
  expect((await run(['action', 'explain', id, '--json'])).json.verdict).not.toContain('cannot be resumed')
  expect(await run(['action', 'resume', id, '--json'])).toMatchObject({ exit: 0 })
})

test('action abandon after the bridge says where the funds are', async () => {
  const { id } = await stranded()
  const { exit, json } = await signsNothing(() => run(['action', 'abandon', id, '--yes', '--json']))
  expect(exit).toBe(0)
  expect(json.funds).toMatch(/^[\d.,]+ USDC: in the wallet 0x\w{40} on sandbox-two\.$/)
  expect((await run(['action', 'abandon', id, '--yes'])).out).toContain(`Funds: ${json.funds}`)
})
