import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { failoverRpc, httpRpc } from '../../../src/chain/rpc/failover.ts'
import { AppError } from '../../../src/domain/errors.ts'
import { broadcastAnswer } from '../../../src/transactions/steps/send-errors.ts'
import { type FakeNode, fakeNode, type NodeCall } from '../../support/nodes/scripted-node.ts'

/*
 * The errors are those of the clients' sources (go-ethereum core/error.go and core/txpool/errors.go, bor, coreth, Erigon
 * txnprovider/txpool/txpoolcfg, Nethermind AcceptTxResult, Besu RpcErrorType, Reth transaction-pool/error.rs, OpenEthereum
 * rpc/helpers/errors.rs), of chainlink-evm pkg/client/errors_test.go, erpc architecture/evm/error_normalizer.go, and of the
 * gateways' error pages and public reports (dRPC, Alchemy, QuickNode, Infura, Blast).
 */

type Said = { code: number; message: string; data?: unknown }

let bad: FakeNode
let good: FakeNode
/** The error of the bad node for a call; a result otherwise. */
let says: (call: NodeCall) => Said | undefined
const resultOf = ({ id, method }: NodeCall) => ({
  jsonrpc: '2.0',
  id,
  result: method === 'eth_chainId' ? '0x1' : '0x7',
})
const answerOf = (call: NodeCall) => {
  const error = says(call)
  return error ? { jsonrpc: '2.0', id: call.id, error } : resultOf(call)
}
const each = (call: NodeCall | NodeCall[], one: (call: NodeCall) => object) =>
  JSON.stringify(Array.isArray(call) ? call.map(one) : one(call))

beforeAll(async () => {
  bad = await fakeNode()
  good = await fakeNode()
})
afterAll(async () => {
  await bad.stop()
  await good.stop()
})
beforeEach(() => {
  bad.seen.length = 0
  good.seen.length = 0
  bad.answer = (call, response) => void response.end(each(call, answerOf))
  good.answer = (call, response) => void response.end(each(call, resultOf))
})

/** Failures of a node or its gateway inside HTTP 200: no answer to the call. */
const temporary: [number, string][] = [
  [19, 'Temporary internal error. Please retry, trace-id: d13566efdd917dc22e5249387856f00d'],
  [26, 'No response from upstream'],
  [26, 'something new'],
  [30, 'Request timeout on the free tier, please upgrade your tier to the paid one'],
  [21, "Can't route your request to suitable provider, if you specified certain providers revise the list"],
  [0, 'ChainException: no available upstreams to process a request'],
  [4444, 'Too many connections'],
  [-33000, 'Plan limit reached'],
  [-32001, 'You reached Blast Public API limit'],
  [-32002, 'request timed out'],
  [-32015, 'Node timeout'],
  [-32000, 'server too busy, retry later'],
  [-32000, 'execution aborted (timeout = 5s)'],
  [-32603, 'Internal error'],
  [-32603, 'Internal JSON-RPC error.'],
  [-32603, 'Internal server error'],
  [-32603, 'Timeout expired'],
  [-32000, 'context deadline exceeded'],
  [-32000, 'upstream connect error or disconnect/reset before headers'],
  [-32603, 'service unavailable'],
  [-32008, 'Initial sync is still in progress'],
  [-32000, 'dial tcp 10.0.0.1:8545: connect: connection refused'],
  [-32000, 'backend is under too much load'],
]

/** What this node does not have, and another may. */
const absent: [number, string][] = [
  [-32000, 'missing trie node 1f2a (path ) state 0x1f2a is not available, not found'],
  [-32000, 'header not found'],
  [-32000, 'header for hash not found'],
  [-32000, 'block not found: 0x10'],
  [-32001, 'resource not found'],
  [-39001, 'Unknown block'],
  [-32000, 'World state unavailable'],
  [-32000, 'No state available for block 22000000 (0xab)'],
  [-32000, 'historical state 0x1f2a is not available'],
  [-32000, 'old data not available due to pruning'],
  [4444, 'pruned history unavailable'],
]

/** Errors in words that no table has, as gateways invent them: another endpoint may answer. */
const unknown: [number, string][] = [
  [-32055, 'No nodes available'],
  [-32000, 'cannot query unfinalized data'],
  [-32014, 'Missing data'],
  [-32000, 'Node is not synced yet'],
  [-32000, 'all upstreams failed'],
  [-32000, 'Sequencer is down'],
  [-32000, 'Load balancer is unavailable'],
  [-32000, 'API key disabled'],
  [-32000, 'daily limit exceeded'],
  [-32099, 'Lorem ipsum dolor sit amet'],
  [1, ''],
]

/** Answers, which are the same everywhere. */
const final: Said[] = [
  { code: 3, message: 'execution reverted: Internal error' },
  { code: 3, message: 'execution reverted: request timed out, please retry' },
  { code: -32000, message: 'execution reverted' },
  { code: -32603, message: 'execution reverted: header not found' },
  { code: -32015, message: 'VM execution error.', data: 'revert: timeout' },
  { code: -32015, message: 'BadInstruction' },
  { code: -32015, message: 'PrecompileFailure' },
  { code: -32000, message: 'Internal error', data: '0x08c379a0' },
  { code: -32000, message: 'out of gas' },
  { code: -32601, message: 'the method eth_foo does not exist/is not available' },
  { code: -32602, message: 'invalid argument 0: hex string without 0x prefix' },
]

describe('an error of a node inside HTTP status 200', () => {
  it.each(temporary)('%i "%s" is no answer: asked again, and at the next endpoint', async (code, message) => {
    says = () => ({ code, message })
    const refused = await httpRpc(bad.url, { retries: 0 })
      .request('eth_call')
      .catch((error: unknown) => error as AppError)
    expect(refused).toMatchObject({
      code: 'RPC_UNREACHABLE',
      message: expect.stringContaining(message),
    })
    // A rate limit is asked again after a second, which overloaded-node.test.ts tests.
    let left = (refused as AppError).details?.retryAfterMs === undefined ? 1 : 0
    says = () => (left-- > 0 ? { code, message } : undefined)
    expect(await httpRpc(bad.url, { retries: 1 }).request('eth_call')).toBe('0x7')
    says = () => ({ code, message })
    expect(await failoverRpc([bad.url, good.url]).request('eth_call')).toBe('0x7')
    expect(good.seen).toEqual(['eth_call'])
  })

  it.each(absent)(
    '%i "%s" is asked of the next endpoint, and final if none has it',
    async (code, message) => {
      says = () => ({ code, message })
      expect(await failoverRpc([bad.url, good.url]).request('eth_getBalance')).toBe('0x7')
      expect(good.seen).toEqual(['eth_getBalance'])
      const expected = { code: 'RPC_ERROR', details: { code, message } }
      bad.seen.length = 0
      await expect(httpRpc(bad.url).request('eth_getBalance')).rejects.toMatchObject(expected)
      expect(bad.seen).toHaveLength(2)
      good.answer = (_, response) => void response.destroy()
      await expect(failoverRpc([bad.url, good.url]).request('eth_getBalance')).rejects.toMatchObject(expected)
    },
  )

  it.each(unknown)(
    '%i "%s" is asked of each endpoint once, and final if all say so',
    async (code, message) => {
      says = () => ({ code, message })
      expect(await failoverRpc([bad.url, good.url]).request('eth_call')).toBe('0x7')
      expect([bad.seen, good.seen]).toEqual([['eth_call'], ['eth_call']])
      // Beside other calls, too.
      const rpc = failoverRpc([bad.url, good.url])
      says = ({ method }) => (method === 'eth_call' ? { code, message } : undefined)
      expect(await Promise.all([rpc.request('eth_call'), rpc.request('eth_gasPrice')])).toEqual([
        '0x7',
        '0x7',
      ])
      bad.seen.length = 0
      await expect(httpRpc(bad.url).request('eth_call')).rejects.toMatchObject({
        code: expect.stringMatching(/^RPC_/),
      })
      good.answer = bad.answer
      await expect(failoverRpc([bad.url, good.url]).request('eth_call')).rejects.toMatchObject({
        code: expect.stringMatching(/^RPC_/),
      })
    },
  )

  it.each(final)('$code "$message" is final', async (said) => {
    says = () => said
    const { code, message } = said
    await expect(failoverRpc([bad.url, good.url]).request('eth_call')).rejects.toMatchObject({
      code: 'RPC_ERROR',
      details: { code, message },
    })
    expect(bad.seen).toEqual(['eth_call'])
    expect(good.seen).toEqual([])
  })

  it('is judged call by call: the others of the same exchange keep their answers', async () => {
    says = ({ method }) =>
      ({
        eth_call: { code: 3, message: 'execution reverted' },
        eth_getBalance: { code: -32000, message: 'missing trie node' },
        eth_getCode: { code: 19, message: 'Temporary internal error. Please retry' },
      })[method]
    const rpc = failoverRpc([bad.url, good.url])
    const methods = ['eth_gasPrice', 'eth_call', 'eth_getBalance', 'eth_getCode']
    const all = await Promise.allSettled(methods.map((method) => rpc.request(method)))
    expect(all).toMatchObject([
      { value: '0x7' },
      { reason: { code: 'RPC_ERROR', details: { message: 'execution reverted' } } },
      { value: '0x7' },
      { value: '0x7' },
    ])
    const alone = httpRpc(bad.url, { retries: 1 })
    expect(await Promise.allSettled(methods.map((method) => alone.request(method)))).toMatchObject([
      { value: '0x7' },
      { reason: { code: 'RPC_ERROR' } },
      { reason: { code: 'RPC_ERROR', details: { message: 'missing trie node' } } },
      { reason: { code: 'RPC_UNREACHABLE' } },
    ])
  })

  it.each([
    [-32005, 'query returned more than 10000 results'],
    [-32002, 'request timed out'],
    [30, 'Request timeout on the free tier'],
    [-32603, 'Internal error'],
    [-32000, 'query timeout exceeded'],
  ])('%i "%s" to a request for logs may be about their number, so it is an answer', async (code, message) => {
    says = () => ({ code, message })
    await expect(httpRpc(bad.url).request('eth_getLogs')).rejects.toMatchObject({ code: 'RPC_ERROR' })
  })
})

const hash = `0x${'5a'.repeat(32)}`

/** What nodes answer to a broadcast, by what it means. */
const broadcasts: Record<string, string[]> = {
  known: [
    'already known',
    'known transaction: 0x7f657507aee0511e36d2d1972a6b22e917cc89f92b6c12c4dbd57eaabb236960',
    'Known transaction (7f65)',
    'Known transaction',
    'TRANSACTION_ALREADY_KNOWN',
    'block already known',
    'Transaction with the same hash was already imported.',
    'AlreadyKnown',
    'alreadyknown',
    'INTERNAL_ERROR: existing tx with same hash',
    'existing txn with same hash',
    `[${hash}]: already imported`,
    'transaction already imported',
    'known transaction. transaction with hash 0x6013…3053 is already in the system',
    'tx already exists in cache',
    'submit transaction to pool failed: Pool(AlreadyImported)',
    'transaction already finalized',
    "failed to forward tx to sequencer, please try again. Error message: 'already known'",
  ],
  low: [
    'nonce too low',
    'Nonce too low',
    'nonce too low: next nonce 5, tx nonce 3',
    'nonce too low: address 0x336394A3219e71D9d9bd18201d34E95C1Bb7122C, tx: 8089 state: 8090',
    'transaction rejected: nonce too low',
    'invalid transaction nonce',
    'Transaction nonce is too low. Try incrementing the nonce.',
    'OldNonce',
    'OldNonce, Current nonce: 22, nonce of rejected tx: 17',
    'nonce too low. allowed nonce range: 427 - 447, actual: 426',
    "failed to forward tx to sequencer, please try again. Error message: 'nonce too low'",
    'submit transaction to pool failed: Pool(Stale)',
  ],
  high: [
    'nonce too high',
    'Nonce too high',
    'nonce too high: address 0x336394A3219e71D9d9bd18201d34E95C1Bb7122C, tx: 8089 state: 8090',
    'NonceGap',
    'NonceGap, Future nonce. Expected nonce: 5',
    'Transaction nonce is too distant from current sender nonce',
    'An invalid transaction with a lower nonce exists',
    'gapped-nonce tx from delegated accounts',
    'future transaction tries to replace pending',
  ],
  under: [
    'replacement transaction underpriced',
    'Replacement transaction underpriced',
    'INTERNAL_ERROR: could not replace existing tx',
    `[${hash}]: insufficient gas price to replace existing transaction`,
    'replaced by transaction with higher tip',
    'ReplacementNotAllowed',
    'OwnNonceAlreadyUsed',
    'There is another transaction with same nonce in the queue. Try increasing the gas price',
    'Transaction gas price 100wei is too low. There is another transaction with same nonce in the queue with gas price 150wei. Try increasing the gas price or incrementing the nonce.',
    'there is another tx which has the same nonce in the tx pool',
  ],
  cheap: [
    'transaction underpriced',
    'transaction underpriced: gas tip cap 1, minimum needed 1000000',
    'transaction gas price below minimum: gas tip cap 25000000000, minimum needed 26000000000',
    'INTERNAL_ERROR: underpriced',
    'fee too low',
    'Gas price below configured minimum gas price',
    "Transaction gas price is too low. It does not satisfy your node's minimal gas price (minimal: 100 got: 50). Try increasing the gas price.",
    'There are too many transactions in the queue. Your transaction was dropped due to limit. Try increasing the fee.',
    'FeeTooLow, EffectivePriorityFeePerGas too low 10 < 20, BaseFee: 30',
    'FeeTooLow, FeePerGas needs to be higher than 100 to be added to the TxPool. Affordable FeePerGas of rejected tx: 50.',
    'FeeTooLowToCompete',
    'gas price too low',
    'gas price too low: 18000000000 wei, use at least tx.gasPrice = 19500000000 wei',
    'gasprice is less than gas price minimum floor',
    'insufficient fee',
  ],
  fee: [
    'max fee per gas less than block base fee: address 0x12, maxFeePerGas: 1 baseFee: 2',
    'Gas price below current base fee',
    'gas price less than block base fee',
    'FeeTooLow, MaxFeePerGas too low. MaxFeePerGas: 50, BaseFee: 100, MaxPriorityFeePerGas:200, Block number: 5',
    `[${hash}]: transaction feeCap 5 below chain minimum`,
  ],
  gas: [
    'intrinsic gas too low',
    'intrinsic gas too low: gas 21000, minimum needed 21064',
    'insufficient gas for floor data gas cost: gas 21000, minimum needed 40000',
    'Intrinsic gas exceeds gas limit',
    'IntrinsicGas',
    'exceeds block gas limit',
    'gas limit is too high',
    'Transaction gas limit exceeds block gas limit',
    "transaction's gas limit 40000000 exceeds block's gas limit 30000000",
    'transaction gas limit too high (cap: 16777216, tx: 20000000)',
    'GasLimitExceeded, Gas limit: 100, gas limit of rejected tx: 150',
    'Transaction gas is too low. There is not enough gas to cover minimal cost of the transaction (minimal: 100 got: 50) Try increasing supplied gas.',
    'Transaction cost exceeds current gas limit. Limit: 50, got: 100. Try decreasing supplied gas.',
    'Supplied gas is beyond limit.',
    'call gas cost exceeds the gas limit',
    'Gas limit too low',
  ],
  funds: [
    'insufficient funds for gas * price + value',
    'insufficient funds for gas * price + value: balance 0, tx cost 9327080000000000, overshot 9327080000000000',
    'insufficient funds for transfer',
    'insufficient balance for transfer',
    'transaction would cause overdraft',
    'transaction overdraws from account',
    'Upfront cost exceeds account balance',
    'InsufficientFunds, Account balance: 4740799397601480913, cumulative cost: 22019342038993800000',
    'Insufficient balance for transaction. Balance=100.25, Cost=200.50',
    'Insufficient funds. The account you tried to send transaction from does not have enough funds. Required 200.50 and got: 100.25.',
    'not enough funds for gas',
    'lack of funds (1) for max fee (2)',
    'Signer had insufficient balance',
  ],
  dear: [
    'tx fee (1.10 ether) exceeds the configured cap (1.00 ether)',
    'Transaction fee cap exceeded',
    'tx fee (1.10 of currency celo) exceeds the configured cap (1.00 celo)',
  ],
  chain: ['invalid chain id for signer', 'Wrong chainId', 'ChainId not supported'],
  refused: [
    'transaction rejected: policy: pool full',
    'compliance check pending for this transaction',
    'Transaction rejected: provider is syncing',
    'execution reverted: stale report',
    'oversized data: transaction size 138074, limit 131072',
    'max priority fee per gas higher than max fee per gas',
    'authority already reserved',
    'address already reserved',
    'nonce already in use',
    'Invalid signature',
    'invalid sender',
    'in-flight transaction limit reached for delegated accounts',
    'txpool is full',
    'initcode too large',
    'Sender is banned in local queue.',
  ],
  barred: [
    'unknown transaction type',
    'transaction type not supported',
    'Transaction type 2 is not supported on this network',
    'Unsupported transaction type: 0x02',
    'transaction rejected by the policy of this provider',
    'sanctioned address',
    'daily request count exceeded, request rate limited',
    'Monthly quota exceeded. Upgrade your plan',
    'Monthly capacity limit exceeded. Visit the dashboard to upgrade your scaling policy',
    'eip-1559 transactions are not supported',
    'access list transactions not supported',
    'blob transactions not permitted',
    'sender is blacklisted',
    'address is on the sanctions list',
  ],
  unknown: [
    // Limits of a second and failures that pass, in words that also stand in refusals for good.
    'Rate limit of 25 rps exceeded. Your plan has 10M requests/month',
    'Exceeded request quota (25 req/s)',
    'You have exceeded 500 credits/sec',
    "Quota exceeded for quota metric 'Requests per minute'",
    'quota exceeded, retry in 1s',
    'transaction rejected by provider: temporary overload',
    'request denied: backend provider timeout',
    'request rejected: too many requests per second, blocked by rate-limit policy',
    'Temporary internal error. Please retry',
    'No response from upstream',
    'Internal error',
    'sequencer pending tx pool full, please try again',
    'request timed out',
    'Too many connections',
    'header not found',
    'You reached Blast Public API limit',
    'Initial sync is still in progress',
  ],
}

describe('an error to a broadcast', () => {
  const codes: Record<string, number> = { 'Internal error': -32603, 'Invalid signature': -32002 }
  it.each(Object.entries(broadcasts).flatMap(([is, texts]) => texts.map((words) => [words, is] as const)))(
    '"%s" is stored as %s',
    async (message, is) => {
      says = () => ({ code: codes[message] ?? -32000, message })
      const thrown = await httpRpc(bad.url)
        .request('eth_sendRawTransaction', ['0x02'])
        .catch((error: unknown) => error)
      expect(broadcastAnswer(thrown, { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n }).is).toBe(is)
      expect((thrown as AppError).code).toBe(is === 'unknown' ? 'RPC_UNREACHABLE' : 'RPC_ERROR')
      expect(thrown).toBeInstanceOf(AppError)
      // Bytes are never sent again by themselves.
      expect(bad.seen).toHaveLength(1)
    },
  )
})
