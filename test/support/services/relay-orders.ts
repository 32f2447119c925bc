import {
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  hashStruct,
  parseAbi,
  parseAbiParameters,
} from 'viem/utils'
import { type Address, type Hex, nativeAddress } from '../../../src/domain/address.ts'

/*
 * Relay orders and their deposits, written independently of the program. The fields are those of
 * `@reservoir0x/relay-protocol-sdk` 0.0.63, the calls those of RelayDepository.sol.
 */

/** The depository, with the deposit function that takes a whole allowance. */
export const depositoryAbi = parseAbi([
  'function depositErc20(address depositor, address token, uint256 amount, bytes32 id)',
  'function depositErc20(address depositor, address token, bytes32 id)',
  'function depositNative(address depositor, bytes32 id) payable',
])

/** An order as the service shows it: chains by name, amounts as text. */
export type ShownOrder = {
  version: string
  solverChainId: string
  solver: Address
  salt: Hex
  inputs: {
    payment: { chainId: string; currency: Address; amount: string; weight: string }
    refunds: {
      chainId: string
      recipient: Address
      currency: Address
      minimumAmount: string
      deadline: number
      extraData: Hex
    }[]
  }[]
  output: {
    chainId: string
    payments: { recipient: Address; currency: Address; minimumAmount: string; expectedAmount: string }[]
    calls: Hex[]
    deadline: number
    extraData: Hex
  }
  fees: { recipientChainId: string; recipient: Hex; currencyChainId: string; currency: Hex; amount: string }[]
}

const fields = (text: string) =>
  text.split(', ').map((one) => {
    const [type, name] = one.split(' ') as [string, string]
    return { name, type }
  })
const types = {
  Order: fields(
    'string version, string solverChainId, address solver, uint256 salt, Input[] inputs, Output output, Fee[] fees',
  ),
  Input: fields('InputPayment payment, InputRefund[] refunds'),
  InputPayment: fields('string chainId, bytes currency, uint256 amount, uint256 weight'),
  InputRefund: fields(
    'string chainId, bytes recipient, bytes currency, uint256 minimumAmount, uint32 deadline, bytes extraData',
  ),
  Output: fields('string chainId, OutputPayment[] payments, uint32 deadline, bytes[] calls, bytes extraData'),
  OutputPayment: fields('bytes recipient, bytes currency, uint256 minimumAmount, uint256 expectedAmount'),
  Fee: fields(
    'string recipientChainId, bytes recipient, string currencyChainId, bytes currency, uint256 amount',
  ),
}

/** The ID of an order. */
export const numberOf = (order: ShownOrder): Hex =>
  hashStruct({ types, primaryType: 'Order', data: order as never })

/** The encoding of the terms of an order after its deposit call. */
export const termsParameters = parseAbiParameters([
  'Terms terms',
  'struct Terms { bytes32 requestId; uint256 salt; uint256 minimum; uint256 expected; uint32 deadline; bytes extraData; Refund[] refunds; }',
  'struct Refund { uint256 chainId; address recipient; address currency; uint256 minimum; uint32 deadline; bytes extraData; }',
])

/** The terms of an order, as appended to its deposit call. */
export function termsOf(
  { salt, inputs, output }: ShownOrder,
  requestId: Hex,
  chainIds: Readonly<Record<string, number>>,
): Hex {
  const { minimumAmount, expectedAmount } = output.payments[0]!
  return encodeAbiParameters(termsParameters, [
    {
      requestId,
      salt: BigInt(salt),
      minimum: BigInt(minimumAmount),
      expected: BigInt(expectedAmount),
      deadline: output.deadline,
      extraData: output.extraData,
      refunds: inputs[0]!.refunds.map(({ chainId, minimumAmount: minimum, ...refund }) => ({
        ...refund,
        chainId: BigInt(chainIds[chainId]!),
        minimum: BigInt(minimum),
      })),
    },
  ])
}

/** The deposit call for an order, without its terms. */
export const depositCall = (depositor: Address, token: Address, amount: bigint, id: Hex): Hex =>
  token === nativeAddress
    ? encodeFunctionData({ abi: depositoryAbi, functionName: 'depositNative', args: [depositor, id] })
    : encodeFunctionData({
        abi: depositoryAbi,
        functionName: 'depositErc20',
        args: [depositor, token, amount, id],
      })

/** A deposit call followed by terms. */
export const withTerms = (call: Hex, terms: Hex): Hex => concatHex([call, terms])
