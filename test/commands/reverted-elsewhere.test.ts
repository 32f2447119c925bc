import { expect, test } from 'vitest'

import { sandboxAddress, sandboxKey } from '../../src/sandbox/accounts.ts'
import { useCopies } from '../support/older-copy.ts'
import { type Provider, provider } from '../support/provider.ts'
import { type Circumstances, rpcEnvOf, useCommands } from '../support/run.ts'
import { calldata, useSandbox } from '../support/sandbox.ts'

const sandbox = useSandbox()
const { run, home, signsNothing } = useCommands(sandbox)
const friend = '0x7777777777777777777777777777777777777777'
const nobodys = `0x${'de'.repeat(32)}`
const copied = useCopies({ run, home })
const url = () => sandbox.chain(31337).rpcUrl
const rpc = () => sandbox.chain(31337).rpc
const at = (urls: string): Circumstances => ({
  env: rpcEnvOf(sandbox, { 'sandbox-one': urls }),
  secrets: { privateKey: sandboxKey() },
})
const payment = (amount: number, key: string) =>
  `transfer --network sandbox-one --token USDC --to ${friend} --amount ${amount} --yes --json --trust-first-use --idempotency-key ${key}`

/** A payment of 5 that an older copy of the journal does not know. */
async function paidSince() {
  expect(await run(payment(1, 'before-01'), at(url()))).toMatchObject({ exit: 0 })
  const older = copied()
  const paid = await run(payment(5, 'since-001'), at(url()))
  return { ...older, hash: paid.json.transactions[0].hash as string }
}

/** Makes the same payment from the older copy, by these endpoints after one that says something of its own. */
async function againBy(says: Provider['says'], others: string[], again: typeof run, more = '') {
  const node = await provider(url(), says)
  try {
    return await again(`${payment(5, 'since-001')} ${more}`, at([node.url, ...others].join()))
  } finally {
    await node.close()
  }
}

test('a receipt that says of a payment elsewhere that it reverted is no reason to make it again where it is of no block, of another transaction, or of one endpoint alone', async () => {
  const { again, hash } = await paidSince()
  for (const odd of [{ blockHash: nobodys }, { transactionHash: nobodys }, {}]) {
    const says: Provider['says'] = async ({ method, params }, ask) =>
      method === 'eth_getTransactionReceipt' && params[0] === hash
        ? { result: { ...((await ask(method, params)) as object), status: '0x0', logs: [], ...odd } }
        : undefined
    expect(await signsNothing(() => againBy(says, [url()], again))).toMatchObject({
      exit: 10,
      json: {
        error: {
          code: 'DONE_ELSEWHERE',
          // Of a receipt that counts for nothing nobody needs to hear.
          message: expect.stringMatching(
            Object.keys(odd).length > 0 ? /is the same call/ : / show different things in block \d+/,
          ),
          details: { hash },
          hint: expect.stringContaining(`sluice action explain ${hash}`),
        },
      },
    })
  }
})

test('what a node shows under a nonce, and its hash does not say, is not taken for another transaction: what another endpoint shows is, or nothing is signed', async () => {
  const { again, hash } = await paidSince()
  const shows =
    (odd: object): Provider['says'] =>
    async ({ method, params }, ask) => {
      const isAsked = method.startsWith('eth_getTransactionBy')
      const shown = isAsked ? ((await ask(method, params)) as { hash: string } | null) : null
      return shown?.hash === hash ? { result: { ...shown, ...odd } } : undefined
    }
  for (const odd of [{ value: '0x1' }, { input: '0x', type: '0x7e' }])
    expect(await signsNothing(() => againBy(shows(odd), [url()], again))).toMatchObject({
      exit: 10,
      json: { error: { code: 'DONE_ELSEWHERE', details: { hash } } },
    })
  expect(await signsNothing(() => againBy(shows({ value: '0x1' }), [], again))).toMatchObject({
    exit: 7,
    json: {
      error: { code: 'RPC_INCONSISTENT', message: expect.stringContaining('not what its hash says') },
    },
  })
})

test('a payment elsewhere that reverted, and not for good, is not made again: a reorganisation may make both succeed', async () => {
  const [me, taker] = [sandbox.user.address, sandboxAddress(3)]
  const token = sandbox.token(31337, 'USDC').address
  const dear = { gas: '0x186a0', maxFeePerGas: '0x174876e800', maxPriorityFeePerGas: '0x12a05f2000' }
  const asTaker = (name: string, args: unknown[]) =>
    rpc().request('eth_sendTransaction', [{ from: taker, to: token, data: calldata(name, args), ...dear }])
  const data = calldata('function approve(address,uint256)', [taker, 10n ** 30n])
  await sandbox.sendAs(31337, me, { to: token, data })
  expect(await run(payment(1, 'before-01'), at(url()))).toMatchObject({ exit: 0 })
  const { again } = copied()
  await rpc().request('evm_setAutomine', [false])
  const first = await run(`${payment(5, 'since-001')} --no-wait`, at(url()))
  const { hash } = first.json.error.details.action.transactions[0]
  const all = await sandbox.balanceOf(31337, token, me)
  await asTaker('function transferFrom(address,address,uint256)', [me, taker, all])
  await rpc().request('evm_mine')
  await asTaker('function transfer(address,uint256)', [me, all])
  await rpc().request('evm_mine')
  await rpc().request('evm_setAutomine', [true])
  expect(await rpc().request('eth_getTransactionReceipt', [hash])).toMatchObject({ status: '0x0' })
  const deep = async (confirmations: number) =>
    (await again(`action explain ${hash} --json --confirmations ${confirmations}`, at(url()))).json
  expect(await deep(9)).toMatchObject({ safeToRetry: false, next: `sluice action explain ${hash}` })
  expect(await deep(2)).toMatchObject({ safeToRetry: true, next: null })
  const twice = `${payment(5, 'since-001')} --confirmations`
  expect(await signsNothing(() => again(`${twice} 9`, at(url())))).toMatchObject({
    exit: 10,
    json: {
      error: {
        code: 'DONE_ELSEWHERE',
        message: expect.stringContaining('reverted, and that is not final yet'),
        details: { hash },
      },
    },
  })
  expect(await again(`${twice} 2 --no-wait`, at(url()))).toMatchObject({ exit: 20 })
})
