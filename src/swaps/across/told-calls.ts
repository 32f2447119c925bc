import { getAddress, parseAbi } from 'viem/utils'
import { type Address, type Hex, nativeAddress, sameAddress } from '../../domain/address.ts'
import {
  joinTexts,
  kindOfAll,
  type Teller,
  type Telling,
  teller,
  type Words,
} from '../../protocols/call-description.ts'
import { depositAbi, depositV3Abi } from './abi.ts'

const relay =
  'struct Relay { bytes32 depositor; bytes32 recipient; bytes32 exclusiveRelayer; bytes32 inputToken; bytes32 outputToken; uint256 inputAmount; uint256 outputAmount; uint256 originChainId; uint256 depositId; uint32 fillDeadline; uint32 exclusivityDeadline; bytes message; }'

/** Fills and other functions of the pool (`@across-protocol/contracts` 5.0.27, Ethereum_SpokePool.json). */
const others = parseAbi([
  relay,
  'struct OldRelay { address depositor; address recipient; address exclusiveRelayer; address inputToken; address outputToken; uint256 inputAmount; uint256 outputAmount; uint256 originChainId; uint32 depositId; uint32 fillDeadline; uint32 exclusivityDeadline; bytes message; }',
  'function fillRelay(Relay relayData, uint256 repaymentChainId, bytes32 repaymentAddress)',
  'function fillV3Relay(OldRelay relayData, uint256 repaymentChainId)',
  'function fillRelayWithUpdatedDeposit(Relay relayData, uint256 repaymentChainId, bytes32 repaymentAddress, uint256 updatedOutputAmount, bytes32 updatedRecipient, bytes updatedMessage, bytes depositorSignature)',
  'function requestSlowFill(Relay relayData)',
  'function speedUpDeposit(bytes32 depositor, uint256 depositId, uint256 updatedOutputAmount, bytes32 updatedRecipient, bytes updatedMessage, bytes depositorSignature)',
  'function depositV3Now(address depositor, address recipient, address inputToken, address outputToken, uint256 inputAmount, uint256 outputAmount, uint256 destinationChainId, address exclusiveRelayer, uint32 fillDeadlineOffset, uint32 exclusivityParameter, bytes message) payable',
  'function multicall(bytes[] data) returns (bytes[] results)',
])

/** An account of 20 bytes in a word; `undefined` for one of a chain without EVM. */
const account = (word: Hex): Address | undefined =>
  word.length === 42
    ? getAddress(word)
    : BigInt(word) >> 160n === 0n
      ? getAddress(`0x${word.slice(26)}`)
      : undefined

type Deposit = {
  depositor: Hex
  recipient: Hex
  inputToken: Hex
  outputToken: Hex
  inputAmount: bigint
  outputAmount: bigint
  destinationChainId: bigint
  message: Hex
}

/** A deposit: with the wrapped coin as its token and a value, it takes the coin. */
function deposited(say: Words, one: Deposit): Telling | undefined {
  const token = account(one.inputToken)
  const depositor = account(one.depositor)
  if (!token || !depositor) return undefined
  const isCoin = say.call.value > 0n
  const [into, recipient] = [account(one.outputToken), account(one.recipient)]
  const far = Number(one.destinationChainId)
  const known =
    into && BigInt(into) !== 0n
      ? say.catalog.tokens.find((each) => each.chainId === far && sameAddress(each.address, into))
      : undefined
  const least = known
    ? say.amountAt(far, into!, one.outputAmount)
    : `${one.outputAmount} units of ${BigInt(one.outputToken) === 0n ? 'the same token' : (into ?? one.outputToken)}`
  return {
    text: `deposits ${isCoin ? say.coin(one.inputAmount) : say.amount(token, one.inputAmount)} into Across for ${say.network(one.destinationChainId)}, recipient ${recipient ?? one.recipient}, who gets ${least}${say.forWhom(depositor) === '' ? '' : `; a refund goes to ${depositor}`}`,
    gives: isCoin ? [] : [{ token, units: one.inputAmount }],
    ...(one.message !== '0x' && { unread: ['the message for the recipient'] }),
    ...(known &&
      recipient && {
        transfer: {
          gives: { token: isCoin ? nativeAddress : token, units: one.inputAmount },
          arrival: { chainId: far, token: known.address, recipient },
          minimum: one.outputAmount,
        },
      }),
  }
}

type Fill = {
  recipient: Hex
  outputToken: Hex
  outputAmount: bigint
  originChainId: bigint
  depositId: bigint | number
  message: Hex
}

function filled(
  say: Words,
  { recipient: to, outputToken, outputAmount, originChainId, depositId, message }: Fill,
): Telling | undefined {
  const [token, recipient] = [account(outputToken), account(to)]
  if (!token || !recipient) return undefined
  return {
    text: `fills the deposit ${depositId} of Across from ${say.network(originChainId)}: pays ${say.amount(token, outputAmount)} to ${recipient}`,
    gives: [{ token, units: outputAmount }],
    holders: [recipient],
    ...(say.wrapped && sameAddress(token, say.wrapped) && { paysCoinTo: recipient }),
    ...(message !== '0x' && { unread: ['the message for the recipient'] }),
  }
}

type DepositArguments = readonly [Hex, Hex, Hex, Hex, bigint, bigint, bigint, ...unknown[], Hex]

/** A deposit from the arguments of its call: the first seven and the last, the message, are the same in all forms. */
function depositOf(args: DepositArguments): Deposit {
  const [depositor, recipient, inputToken, outputToken, inputAmount, outputAmount, destinationChainId] = args
  const message = args.at(-1) as Hex
  return {
    ...{ depositor, recipient, inputToken, outputToken },
    ...{ inputAmount, outputAmount, destinationChainId, message },
  }
}

/** What calls of Across' pool of a chain do. */
export const acrossTellers: readonly Teller[] = [
  teller(depositAbi, 'deposit', 'bridge', (args, say) => deposited(say, depositOf(args))),
  teller(depositV3Abi, 'depositV3', 'bridge', (args, say) => deposited(say, depositOf(args))),
  teller(others, 'depositV3Now', 'bridge', (args, say) => deposited(say, depositOf(args))),
  teller(others, 'fillRelay', 'bridge', ([one], say) => filled(say, one)),
  teller(others, 'fillV3Relay', 'bridge', ([one], say) => filled(say, one)),
  teller(
    others,
    'fillRelayWithUpdatedDeposit',
    'bridge',
    ([one, , , outputAmount, recipient, message], say) =>
      filled(say, { ...one, outputAmount, recipient, message }),
  ),
  teller(others, 'requestSlowFill', 'bridge', ([{ depositId, originChainId }], say) => ({
    text: `asks Across to fill the deposit ${depositId} from ${say.network(originChainId)} without a relayer`,
  })),
  teller(others, 'speedUpDeposit', 'bridge', ([, id, , to]) => ({
    text: `lowers what the deposit ${id} of Across pays out${account(to) ? ` to ${account(to)}` : ''}`,
    unread: ['how much it pays out then, in a token that is not in the call'],
  })),
  teller(others, 'multicall', 'other', ([all], { inner, call }) => {
    const calls = all.map((data) => inner({ to: call.to, value: 0n, data }))
    return { kind: kindOfAll(calls), text: `in one call: ${joinTexts(calls)}`, calls }
  }),
]
