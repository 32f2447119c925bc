import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { approve } from '../../../src/chain/erc20.ts'
import { hexQuantity } from '../../../src/chain/rpc/quantities.ts'
import type { Hex } from '../../../src/domain/address.ts'
import { sandboxKey } from '../../../src/sandbox/accounts.ts'
import { targetOf } from '../../support/market-constants.ts'
import { startSigner } from '../../support/services/external-signer.ts'
import { useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, home } = useCommands(sandbox)
const friend = '0x7777777777777777777777777777777777777777'
const rpc = () => sandbox.chain(31337).rpc

/** Runs a command whose signer holds request number `which` until `work` has ended. */
async function whileSigning(line: string, which: number, work: () => Promise<void>) {
  const signer = await startSigner([sandboxKey(2)])
  const [reached, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let asked = 0
  signer.says('eth_signTransaction', async (transaction) => {
    if (++asked === which) {
      reached.resolve()
      await gate.promise
    }
    return { result: await signer.sign(transaction) }
  })
  const going = run(`${line} --yes --json --signer-url ${signer.url}`)
  try {
    await Promise.race([reached.promise, going])
    await work()
  } finally {
    gate.resolve()
    const ended = await going
    await signer.close()
    expect(ended).toMatchObject({ exit: 0 })
  }
}
const explained = async (id: string) => (await run(`action explain ${id} --json`)).json

test('an unsigned step is unsafe to retry while another process runs the action', async () => {
  const inHand = {
    verdict: expect.stringMatching(/another process is using 0x\w+ now and may sign it at any moment/),
    safeToRetry: false,
    next: expect.stringMatching(/^sluice action watch \S+$/),
  }
  const transfer = `transfer --network sandbox-one --token USDC --to ${friend} --amount 5 --idempotency-key hand-0001`
  await whileSigning(transfer, 1, async () =>
    expect(await explained('hand-0001')).toMatchObject({ situation: 'NOTHING_SIGNED', ...inHand }),
  )
  const deposit = 'deposit aave-v3-usdc-sandbox-one --amount 3 --idempotency-key hand-0002'
  await whileSigning(deposit, 2, async () =>
    expect(await explained('hand-0002')).toMatchObject({ situation: 'PARTLY_DONE', ...inHand }),
  )
  expect(await explained('hand-0002')).toMatchObject({ situation: 'DONE' })
  const begun = await run('deposit aave-v3-usdc-sandbox-one --amount 3 --yes --json --no-wait')
  const { id } = begun.json.error.details
  // No process runs it, but the same request is refused as long as it is open.
  expect(await explained(id)).toMatchObject({
    situation: 'PARTLY_DONE',
    verdict: expect.stringMatching(/The same request is refused until this action is resumed/),
    safeToRetry: false,
    next: `sluice action resume ${id}`,
  })
})

test('an action whose first step lost its nonce is unsafe to retry while its signed second step can be mined', async () => {
  await rpc().request('evm_setAutomine', [false])
  const strategy = sandbox.strategy('aave-v3-USDC-sandbox-one')
  const line = 'deposit aave-v3-usdc-sandbox-one --amount 3 --yes --json --pipeline --no-wait'
  const { id } = (await run(line)).json.error.details
  const [first, second] = (await run(`action show ${id} --json`)).json.transactions
  const db = new DatabaseSync(join(home(), 'data', 'sandbox', 'journal.db'), { readOnly: true })
  const signed = db.prepare('SELECT raw FROM attempt WHERE hash = ?').get(second.hash) as { raw: Hex }
  db.close()
  for (const { hash } of [second, first]) await rpc().request('anvil_dropTransaction', [hash])
  const token = strategy.asset.address
  const { to, data } = approve({ chainId: 31337, token, spender: targetOf(strategy), amount: 10n ** 9n })
  const price = { gas: '0x186a0', maxFeePerGas: '0x12a05f2000', maxPriorityFeePerGas: '0x77359400' }
  const from = sandbox.user.address
  await rpc().request('eth_sendTransaction', [{ from, to, data, nonce: hexQuantity(first.nonce), ...price }])
  await rpc().request('evm_mine')
  const before = await sandbox.balanceOf(31337, token, from)
  expect(await explained(id)).toMatchObject({
    situation: 'SUPERSEDED',
    verdict: expect.stringContaining('Another of its steps is signed and can still be mined.'),
    safeToRetry: false,
  })
  await rpc().request('eth_sendRawTransaction', [signed.raw])
  await rpc().request('evm_mine')
  await rpc().request('evm_setAutomine', [true])
  expect(before - (await sandbox.balanceOf(31337, token, from))).toBe(3_000000n)
})
