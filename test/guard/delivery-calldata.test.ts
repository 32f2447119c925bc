import { concatHex, encodeFunctionData, getAddress, numberToHex, padHex } from 'viem/utils'
import { describe, expect, test } from 'vitest'
import type { Hex } from '../../src/domain/address.ts'
import { readCommandLine } from '../../src/domain/command-line/read-command-line.ts'
import { AppError } from '../../src/domain/errors.ts'
import { checkLeg } from '../../src/guard/calldata-against-intent.ts'
import { contractName } from '../../src/guard/contract-names.ts'
import { decodeIntent, encodeIntent } from '../../src/guard/intent-json.ts'
import { policyRules } from '../../src/guard/policy/rules.ts'
import { noExemptions } from '../../src/guard/user-limits-and-exemptions.ts'
import type { DeliverIntent } from '../../src/protocols/intent.ts'
import { refuseIntentMismatch } from '../../src/signing/intent-matches-command-line.ts'
import { messageTransmitterV2Abi } from '../../src/swaps/cctp-v2/abi.ts'
import { cctpV2Contracts } from '../../src/swaps/cctp-v2/constants-schema.ts'
import { depositForBurn, receiveMessage } from '../../src/swaps/cctp-v2/encode.ts'
import { contractsOn } from '../../src/swaps/swap-contracts.ts'
import {
  catalog,
  friend,
  messenger,
  messengerThere,
  thief,
  usdc,
  usdcThere,
  wallet,
} from '../support/plans/plan-fixtures.ts'

const [amount, fee] = [100_000_000n, 10_000n]
const { messageTransmitter: transmitterThere } = contractsOn(catalog, cctpV2Contracts, 31338)!
const word = (value: Hex | bigint): Hex =>
  typeof value === 'bigint' ? numberToHex(value, { size: 32 }) : padHex(value, { size: 32 })
const zero = word(0n)

/** A message by the layout of MessageV2 and BurnMessageV2; the attestation fills in the last four fields. */
const messageOf = ({
  caller = zero,
  nonce = zero,
  finality = 0,
  feeExecuted = 0n,
  expiration = 0n,
}: {
  caller?: Hex
  nonce?: Hex
  finality?: number
  feeExecuted?: bigint
  expiration?: bigint
} = {}): Hex =>
  concatHex([
    numberToHex(1, { size: 4 }),
    numberToHex(7, { size: 4 }),
    numberToHex(8, { size: 4 }),
    nonce,
    word(messenger),
    word(messengerThere),
    caller,
    numberToHex(1000, { size: 4 }),
    numberToHex(finality, { size: 4 }),
    numberToHex(1, { size: 4 }),
    ...[
      word(usdc.address),
      word(friend),
      word(amount),
      word(wallet),
      word(fee),
      word(feeExecuted),
      word(expiration),
    ],
  ]).toLowerCase() as Hex
const burn = `0x${'ab'.repeat(32)}` as const
const attested = messageOf({ nonce: word(5n), finality: 1000, feeExecuted: fee, expiration: 900n })
const intent: DeliverIntent = {
  kind: 'deliver',
  wallet,
  chainFrom: 31337,
  burn,
  message: messageOf(),
  token: usdcThere,
  recipient: friend,
  amount: amount - fee,
}
const deliver = (message: Hex = attested, more: object = {}) => ({
  ...receiveMessage({
    chainId: 31338,
    transmitter: transmitterThere,
    message,
    attestation: `0x${'11'.repeat(65)}`,
  }),
  ...more,
})
const refusal = (work: () => unknown): string => {
  try {
    work()
  } catch (error) {
    if (error instanceof AppError) return error.code
    throw error
  }
  return 'passed'
}
const check = (transaction = deliver(), asked = intent) =>
  checkLeg({ intent: asked, chainId: 31338, transactions: [transaction], catalog })

describe('the delivery of a burn', () => {
  test('is accepted, also by its JSON, and says what arrives where', () => {
    expect(check()).toMatchObject([
      { role: 'action', text: `Deliver 99.99 USDC, burned on sandbox-one in ${burn}, to ${friend}` },
    ])
    // The message in its fields, not in bytes.
    expect(check()[0]!.call.args).toEqual({
      sourceDomain: '7',
      destinationDomain: '8',
      nonce: word(5n),
      burnToken: getAddress(usdc.address),
      amount: String(amount),
      feeExecuted: String(fee),
      mintRecipient: getAddress(friend),
      attestation: '65 bytes of signatures',
    })
    expect(contractName(catalog, 31338, transmitterThere)).toBe('cctp')
    expect(decodeIntent(JSON.parse(JSON.stringify(encodeIntent(intent))), catalog)).toEqual(intent)
  })

  test('is refused if any byte of its message is not that of the burn, except what the attestation fills in', () => {
    const filled = [...Array(attested.length / 2 - 1).keys()].filter((at) => {
      const start = 2 + 2 * at
      const other = (Number.parseInt(attested.slice(start, start + 2), 16) ^ 1).toString(16).padStart(2, '0')
      const changed = `${attested.slice(0, start)}${other}${attested.slice(start + 2)}` as Hex
      return refusal(() => check(deliver(changed))) === 'passed'
    })
    const range = (from: number, length: number) => [...Array(length).keys()].map((at) => from + at)
    // The number, the finality and the expiry; a fee changes what is minted.
    expect(filled).toEqual([...range(12, 32), ...range(144, 4), ...range(148 + 196, 32)])
  })

  test.each([
    ['another contract', deliver(attested, { to: thief }), intent, 'POLICY_CONTRACT_NOT_ALLOWED'],
    ['another chain', deliver(attested, { chainId: 31337 }), intent, 'POLICY_CHAIN'],
    ['a value', deliver(attested, { value: 1n }), intent, 'POLICY_VALUE'],
    ['bytes after it', deliver(attested, { data: `${deliver().data}00` }), intent, 'POLICY_DECODE'],
    [
      'another call of the contract',
      deliver(attested, {
        data: encodeFunctionData({ abi: messageTransmitterV2Abi, functionName: 'usedNonces', args: [zero] }),
      }),
      intent,
      'POLICY_DECODE',
    ],
    ['a message that is no burn', deliver('0x1234'), intent, 'POLICY_DECODE'],
    ['another recipient', deliver(), { ...intent, recipient: thief }, 'POLICY_RECIPIENT'],
    ['another amount', deliver(), { ...intent, amount }, 'POLICY_AMOUNT'],
    ['another token', deliver(), { ...intent, token: usdc }, 'POLICY_CHAIN'],
    ['a burn of another chain', deliver(), { ...intent, chainFrom: 31338 }, 'POLICY_CHAIN'],
    ['an unknown chain', deliver(), { ...intent, chainFrom: 5 }, 'POLICY_CONTRACT_NOT_ALLOWED'],
    [
      'a message that only another can deliver',
      deliver(messageOf({ caller: word(thief), nonce: word(5n), feeExecuted: fee })),
      { ...intent, message: messageOf({ caller: word(thief) }) },
      'POLICY_RECIPIENT',
    ],
  ] as const)('is refused with %s', (_, transaction, asked, code) => {
    expect(refusal(() => check(transaction as never, asked))).toBe(code)
  })

  test('is signed only for the action or the hash that was typed', () => {
    const sent = depositForBurn({
      ...{ chainId: 31337, messenger, amount, domain: 8, recipient: friend, burnToken: usdc.address },
      ...{ maxFee: fee, minFinalityThreshold: 1000 },
    })
    const signs = (
      line: string,
      asked: Parameters<typeof refuseIntentMismatch>[1],
      begun?: (typeof sent)[],
    ) =>
      refusal(() =>
        refuseIntentMismatch(
          { line: readCommandLine(line.split(' ')), walletNamed: () => undefined },
          asked,
          noExemptions,
          null,
          catalog,
          begun && { transactions: begun, vouched: [] },
        ),
      )
    expect(signs('action deliver id-1 --yes', intent, [sent])).toBe('passed')
    expect(signs(`action deliver ${burn}`, intent)).toBe('passed')
    expect(signs('action deliver id-1', intent)).toBe('POLICY_TAMPER')
    expect(signs(`action deliver 0x${'cd'.repeat(32)}`, intent)).toBe('POLICY_TAMPER')
    const other = depositForBurn({
      ...{ chainId: 31337, messenger, amount: 1n, domain: 8, recipient: friend, burnToken: usdc.address },
      ...{ maxFee: fee, minFinalityThreshold: 1000 },
    })
    expect(signs('action deliver id-1', intent, [other])).toBe('POLICY_TAMPER')
    expect(signs(`action revoke ${burn}`, intent)).toBe('POLICY_TAMPER')
    const pays = { kind: 'transfer', wallet, token: usdc, recipient: thief, amount } as const
    expect(signs(`action deliver ${burn} --to ${thief}`, pays)).toBe('POLICY_TAMPER')
  })

  test('is not prevented by a policy with contracts and receivers, because it spends nothing', () => {
    const policy = { contracts: [thief], receivers: [thief], perDay: { 'sandbox-two:USDC': '1' } }
    const rules = policyRules(policy as never, catalog, {
      legs: [{ intent, action: transmitterThere, slippage: undefined }],
      standing: [],
      networks: catalog.networks,
      simulation: null,
      coin: usdc,
      assurance: 'L2',
      at: 0,
      quoteAgeMs: null,
      held: () => 0n,
    })
    expect(rules.filter(({ met }) => !met)).toEqual([])
  })
})
