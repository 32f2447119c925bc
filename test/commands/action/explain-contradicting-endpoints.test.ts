import { afterEach, expect, test } from 'vitest'
import { sandboxAddress, sandboxKey } from '../../../src/sandbox/accounts.ts'
import { type Provider, provider } from '../../support/nodes/proxy-node.ts'
import { type Circumstances, rpcEnvOf, useCommands } from '../../support/use-commands.ts'
import { calldata, useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, signsNothing } = useCommands(sandbox)
const friend = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const url = () => sandbox.chain(31337).rpcUrl
const rpc = () => sandbox.chain(31337).rpc
const at = (urls: string): Circumstances => ({
  env: rpcEnvOf(sandbox, { 'sandbox-one': urls }),
  secrets: { privateKey: sandboxKey() },
})
const payment = (key: string) =>
  `transfer --network sandbox-one --token USDC --to ${friend} --amount 5 --yes --json --no-wait --trust-first-use --idempotency-key ${key}`
const explain = async (id: string, urls: string) =>
  (await signsNothing(() => run(['action', 'explain', id, '--json'], at(urls)))).json
afterEach(() => rpc().request('evm_setAutomine', [true]))

/** A payment that reverts because the wallet is emptied before it. */
const reverted = async () => {
  const [me, taker] = [sandbox.user.address, sandboxAddress(3)]
  const token = sandbox.token(31337, 'USDC').address
  await sandbox.sendAs(31337, me, {
    to: token,
    data: calldata('function approve(address,uint256)', [taker, 10n ** 30n]),
  })
  await rpc().request('evm_setAutomine', [false])
  const sent = await run(payment('reverted-1'), at(url()))
  const { id, action } = sent.json.error.details
  const data = calldata('function transferFrom(address,address,uint256)', [
    me,
    taker,
    await sandbox.balanceOf(31337, token, me),
  ])
  const dear = { gas: '0x186a0', maxFeePerGas: '0x174876e800', maxPriorityFeePerGas: '0x12a05f2000' }
  await rpc().request('eth_sendTransaction', [{ from: taker, to: token, data, ...dear }])
  await rpc().request('evm_mine')
  await rpc().request('evm_setAutomine', [true])
  expect(await run(`action resume ${id} --json`, at(url()))).toMatchObject({ exit: 22 })
  return { id: id as string, hash: action.transactions[0].hash as string }
}

/** Explains an action with another endpoint in second place, in first place, and without it. */
const besides = async (id: string, says: Provider['says']) => {
  const other = await provider(url(), says)
  try {
    return [
      await explain(id, `${url()},${other.url}`),
      await explain(id, `${other.url},${url()}`),
      await explain(id, `${url()},${url()}`),
    ]
  } finally {
    await other.close()
  }
}

test('a revert that another endpoint shows as a success is unsafe to retry, whichever endpoint comes first', async () => {
  const { id, hash } = await reverted()
  expect(await explain(id, url())).toMatchObject({ situation: 'REVERTED', safeToRetry: true, next: null })
  const [second, first, same] = await besides(id, async ({ method, params }, ask) =>
    method === 'eth_getTransactionReceipt' && params[0] === hash
      ? { result: { ...((await ask(method, params)) as object), status: '0x1' } }
      : undefined,
  )
  for (const said of [second, first]) {
    expect(said).toMatchObject({ safeToRetry: false, next: `sluice action explain ${id}` })
    expect(said.verdict).toMatch(
      / show different transactions in block \d+; a block is final only if all endpoints have it\./,
    )
    expect(said.verdict).toContain('remove the other one from SLUICE_RPC_SANDBOX_ONE')
  }
  expect(same).toMatchObject({ safeToRetry: true })
})

test('a revert is unsafe to retry if the first endpoint has no receipt and the second shows a success', async () => {
  const { id, hash } = await reverted()
  const showing = (of: (receipt: object) => object | null) =>
    provider(url(), async ({ method, params }, ask) =>
      method === 'eth_getTransactionReceipt' && params[0] === hash
        ? { result: of((await ask(method, params)) as object) }
        : undefined,
    )
  const none = await showing(() => null)
  const other = await showing((receipt) => ({ ...receipt, status: '0x1' }))
  const safe = await explain(id, `${none.url},${url()}`)
  const doubted = await explain(id, `${none.url},${other.url}`)
  await none.close()
  await other.close()
  expect(safe).toMatchObject({ situation: 'REVERTED', safeToRetry: true })
  expect(doubted).toMatchObject({ situation: 'REVERTED', safeToRetry: false })
  expect(doubted.verdict).toMatch(/ show different transactions in block \d+/)
})

test('a revert that another endpoint shows as a success in a different block is unsafe to retry', async () => {
  const { id, hash } = await reverted()
  const { blockNumber } = await rpc().request<{ blockNumber: string }>('eth_getTransactionReceipt', [hash])
  const blockHash = `0x${'fe'.repeat(32)}`
  const [second, first] = await besides(id, async ({ method, params }, ask) => {
    const isReceipt = method === 'eth_getTransactionReceipt' && params[0] === hash
    const isBlock = method === 'eth_getBlockByNumber' && Number(params[0]) === Number(blockNumber)
    if (!isReceipt && !isBlock) return undefined
    const odd = isReceipt ? { status: '0x1', blockHash } : { hash: blockHash }
    return { result: { ...((await ask(method, params)) as object), ...odd } }
  })
  for (const said of [second, first]) {
    expect(said).toMatchObject({ safeToRetry: false })
    expect(said.verdict).toMatch(
      / have different blocks \d+; a block is final only if all endpoints have it\./,
    )
  }
})

test('a cancelled or reverted action is unsafe to retry while its chain does not answer', async () => {
  const nobody = 'http://127.0.0.1:9'
  const unasked =
    / This is known only from the journal: sandbox-one cannot be read now \(.+\), and a signed transaction may/
  await rpc().request('evm_setAutomine', [false])
  const { id } = (await run(payment('cancelled-1'), at(url()))).json.error.details
  await run(`action cancel ${id} --timeout 3s --yes --json`, at(url()))
  await rpc().request('evm_mine')
  await rpc().request('evm_setAutomine', [true])
  expect(await run(`action resume ${id} --json`, at(url()))).toMatchObject({ exit: 24 })
  expect(await explain(id, url())).toMatchObject({ situation: 'CANCELLED', safeToRetry: true, next: null })
  const again = { safeToRetry: false, verdict: expect.stringMatching(unasked) }
  expect(await explain(id, nobody)).toMatchObject({
    situation: 'CANCELLED',
    ...again,
    next: `sluice action explain ${id}`,
  })
  const { id: failed } = await reverted()
  expect(await explain(failed, nobody)).toMatchObject({
    situation: 'REVERTED',
    ...again,
    next: `sluice action explain ${failed}`,
  })
})

test('an abandoned payment that lost its nonce is unsafe to retry, and the other transaction is named', async () => {
  await rpc().request('evm_setAutomine', [false])
  const { id, action } = (await run(payment('given-up-1'), at(url()))).json.error.details
  const { nonce } = action.transactions[0]
  await rpc().request('anvil_dropAllTransactions')
  const { address } = sandbox.user
  const hash = await rpc().request<string>('eth_sendTransaction', [
    { from: address, to: address, value: '0x1' },
  ])
  await rpc().request('evm_mine')
  await rpc().request('evm_setAutomine', [true])
  expect(await run(`action resume ${id} --json`, at(url()))).toMatchObject({ exit: 23 })
  expect(await run(`action abandon ${id} --yes --json`, at(url()))).toMatchObject({ exit: 0 })
  const said = await explain(id, url())
  expect(said).toMatchObject({
    situation: 'GIVEN_UP',
    safeToRetry: false,
    next: `sluice action explain ${hash}`,
  })
  expect(said.verdict).toContain(
    ` Its nonce ${nonce} was used by ${hash}, which may have done the same: check it before you repeat the request.`,
  )
})
