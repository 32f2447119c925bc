import { expect, test } from 'vitest'

import { useCommands } from '../support/run.ts'
import { useSandbox } from '../support/sandbox.ts'

const sandbox = useSandbox()
const { run, signsNothing } = useCommands(sandbox)
const two = 31338
const coinThere = (wei: bigint) =>
  sandbox.chain(two).rpc.request('anvil_setBalance', [sandbox.user.address, `0x${wei.toString(16)}`])
const across = 'deposit aave-v3-usdc-sandbox-two --from sandbox-one --amount 20'

test('without coin on the other chain nothing is sent there: a dry run and a run say how much it takes, and where', async () => {
  await coinThere(0n)
  for (const how of ['--dry-run', '--yes']) {
    const { exit, json } = await signsNothing(() => run(`${across} ${how} --json`))
    expect(exit).toBe(10)
    expect(json.error).toMatchObject({
      code: 'INSUFFICIENT_FUNDS',
      details: { network: 'sandbox-two', symbol: 'ETH', held: '0' },
    })
    expect(json.error.message).toMatch(
      /^0x\w{40} has 0 ETH on sandbox-two and needs 0\.00\d+ ETH there, for the gas of what follows the bridge$/,
    )
    expect(json.error.hint).toMatch(
      /^Send 0\.00\d+ ETH to 0x\w{40} on sandbox-two first, then type the same again\.$/,
    )
  }
})

test('with just as much coin as was said, it goes on to its end', async () => {
  await coinThere(0n)
  const { json } = await run(`${across} --yes --json`)
  await coinThere(BigInt(json.error.details.needed))
  expect(await run(`${across} --yes --json`)).toMatchObject({ exit: 0 })
})

test('what would be dust when it arrives is not sent', async () => {
  const { exit, json } = await signsNothing(() =>
    run('deposit sandbox-vault-usdc-sandbox-two --from sandbox-one --amount-raw 2 --yes --json'),
  )
  expect(json.error).toMatchObject({ code: 'INVALID_AMOUNT' })
  expect(json.error.message).toMatch(/^0\.000001 USDC is too little for sandbox-vault-usdc-sandbox-two/)
  expect(exit).toBe(2)
})
