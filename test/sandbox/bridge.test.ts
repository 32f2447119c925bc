import { pad } from 'viem/utils'
import { expect, test } from 'vitest'
import type { Address, Hex } from '../../src/domain/address.ts'
import { decodeMessage, fillMessage, zeroWord } from '../../src/sandbox/cctp/message.ts'
import { cctpV2Contracts } from '../../src/swaps/cctp-v2/constants-schema.ts'
import { contractsIn } from '../../src/swaps/swap-contracts.ts'
import { calldata, topicOf, useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()
const recipient: Address = '0x2222222222222222222222222222222222222222'
const amount = 1_000_000000n
const receive = 'function receiveMessage(bytes,bytes) returns (bool)'

type Answer = {
  messages: {
    status: string
    message: Hex
    attestation: Hex
    delayReason: string | null
    eventNonce: Hex
    decodedMessage: {
      nonce: Hex
      finalityThresholdExecuted: string
      decodedMessageBody: { amount: string; feeExecuted: string; mintRecipient: string; hookData: null }
    } | null
  }[]
}

const end = (chainId: number) =>
  contractsIn(sandbox.world.catalog(), cctpV2Contracts).find((one) => one.chainId === chainId)!

async function burn(from: number, to: number, { maxFee = 0n, threshold = 2000 }): Promise<Hex> {
  const { token, tokenMessenger } = end(from)
  const send = async (to: Address, data: Hex) => {
    const receipt = await sandbox.sendAs(from, sandbox.user.address, { to, data })
    expect(receipt.status).toBe('0x1')
    return receipt
  }
  await send(token, calldata('function approve(address,uint256)', [tokenMessenger, amount]))
  const { transactionHash } = await send(
    tokenMessenger,
    calldata('function depositForBurn(uint256,uint32,bytes32,address,bytes32,uint256,uint32)', [
      amount,
      end(to).domain,
      pad(recipient),
      token,
      zeroWord,
      maxFee,
      threshold,
    ]),
  )
  return transactionHash
}

const get = (path: string) => fetch(`${sandbox.world.attestationUrl}${path}`)

async function attested(from: number, hash: Hex): Promise<Answer['messages'][0]> {
  for (;;) {
    const response = await get(`/v2/messages/${end(from).domain}?transactionHash=${hash}`)
    if (response.status === 200) {
      const { messages } = (await response.json()) as Answer
      if (messages[0]?.status === 'complete') return messages[0]
      expect(messages[0]).toMatchObject({ status: 'pending_confirmations', attestation: 'PENDING' })
    } else expect(response.status).toBe(404)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

async function delivered(chainId: number, nonce: Hex): Promise<bigint> {
  const { messageTransmitter, token } = end(chainId)
  const used = 'function usedNonces(bytes32) view returns (uint256)'
  while (BigInt(await sandbox.call(chainId, messageTransmitter, used, [nonce])) === 0n)
    await new Promise((resolve) => setTimeout(resolve, 10))
  return sandbox.balanceOf(chainId, token, recipient)
}

test('a fast transfer delivers the amount less one basis point', async () => {
  const hash = await burn(31337, 31338, { maxFee: 200000n, threshold: 1000 })
  const answer = await attested(31337, hash)
  expect(answer.delayReason).toBeNull()
  expect(answer.decodedMessage).toMatchObject({
    finalityThresholdExecuted: '1000',
    decodedMessageBody: {
      amount: '1000000000',
      feeExecuted: '100000',
      mintRecipient: recipient,
      hookData: null,
    },
  })
  expect(decodeMessage(answer.message)!.burn).toMatchObject({
    amount,
    feeExecuted: 100000n,
    mintRecipient: pad(recipient),
  })
  await expect.poll(() => delivered(31338, answer.eventNonce)).toBe(amount - 100000n)
})

test('a standard transfer delivers the whole amount', async () => {
  const hash = await burn(31338, 31337, {})
  const answer = await attested(31338, hash)
  expect(answer.decodedMessage).toMatchObject({ finalityThresholdExecuted: '2000' })
  await expect.poll(() => delivered(31337, answer.eventNonce)).toBe(amount)
})

test('a fast transfer with too low a fee becomes a standard one and gives the reason', async () => {
  const hash = await burn(31337, 31338, { maxFee: 99999n, threshold: 1000 })
  const answer = await attested(31337, hash)
  expect(answer.delayReason).toBe('insufficient_fee')
  await expect.poll(() => delivered(31338, answer.eventNonce)).toBe(amount)
})

test('the source chain burns what the destination mints, with the events of the public contracts', async () => {
  const supply = async (chainId: number) =>
    BigInt(await sandbox.call(chainId, end(chainId).token, 'function totalSupply() view returns (uint256)'))
  const [one, two] = [await supply(31337), await supply(31338)]
  const hash = await burn(31337, 31338, {})
  const { eventNonce } = await attested(31337, hash)
  await delivered(31338, eventNonce)
  expect(one - (await supply(31337))).toBe(amount)
  expect((await supply(31338)) - two).toBe(amount)
  const logs = async (chainId: number, address: Address, topics: (Hex | null)[]) =>
    sandbox.chain(chainId).rpc.request<unknown[]>('eth_getLogs', [{ address, topics, fromBlock: '0x0' }])
  const burned = topicOf(
    'DepositForBurn(address,uint256,address,bytes32,uint32,bytes32,bytes32,uint256,uint32,bytes)',
  )
  expect(await logs(31337, end(31337).tokenMessenger, [burned])).toHaveLength(1)
  const minted = topicOf('MintAndWithdraw(address,uint256,address,uint256)')
  expect(await logs(31338, end(31338).tokenMessenger, [minted, pad(recipient)])).toHaveLength(1)
  const received = topicOf('MessageReceived(address,uint32,bytes32,bytes32,uint32,bytes)')
  expect(await logs(31338, end(31338).messageTransmitter, [received, null, eventNonce])).toHaveLength(1)
})

test('a message is delivered only once', async () => {
  const { message, attestation, eventNonce } = await attested(31337, await burn(31337, 31338, {}))
  await delivered(31338, eventNonce)
  await expect(
    sandbox.call(31338, end(31338).messageTransmitter, receive, [message, attestation]),
  ).rejects.toThrow('Nonce already used')
})

test('a message changed after signing, or with a truncated signature, is refused', async () => {
  const { message, attestation, eventNonce } = await attested(31337, await burn(31337, 31338, {}))
  const { messageTransmitter } = end(31338)
  const other = fillMessage(message, { nonce: pad('0x01'), finality: 2000, fee: 0n, expirationBlock: 0n })
  await expect(sandbox.call(31338, messageTransmitter, receive, [other, attestation])).rejects.toThrow(
    'not attester',
  )
  await expect(
    sandbox.call(31338, messageTransmitter, receive, [message, `${attestation.slice(0, -2)}` as Hex]),
  ).rejects.toThrow('Invalid attestation length')
  await delivered(31338, eventNonce)
})

test('the fee endpoint lists both speeds, and answers 404 for a route to the same chain', async () => {
  expect(await (await get('/v2/burn/USDC/fees/31337/31338')).json()).toEqual([
    { finalityThreshold: 1000, minimumFee: 1 },
    { finalityThreshold: 2000, minimumFee: 0 },
  ])
  expect((await get('/v2/burn/USDC/fees/31337/31337')).status).toBe(404)
  expect(await (await get('/v2/fastBurn/USDC/allowance')).json()).toHaveProperty('allowance')
  expect((await get('/v2/messages/31337?transactionHash=0x00')).status).toBe(404)
})
