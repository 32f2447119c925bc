import { parseAbi } from 'viem/utils'
import { type Address, nativeAddress } from '../../domain/address.ts'
import { momentText } from '../../domain/text/time-spans.ts'
import { type Teller, type Telling, teller, type Words } from '../../protocols/call-description.ts'
import { depositoryAbi } from './abi.ts'
import { decodeOrder } from './order.ts'

/** The deposit of the whole allowance (RelayDepository.sol of relayprotocol/relay-depository). */
const wholeAllowance = parseAbi(['function depositErc20(address depositor, address token, bytes32 id)'])

/** The order of a deposit that its own terms follow: where what is to arrive is only in the order of whoever made it. */
function deposited(say: Words, token: Address, units: bigint, depositor: Address, id: string): Telling {
  const order = decodeOrder({ data: say.call.data, value: say.call.value })
  const until = order ? `, which can be filled until ${momentText(order.terms.deadline * 1_000)}` : ''
  return {
    text: `deposits ${say.upTo(token, units)} at Relay for the order ${id}${say.forWhom(depositor)}${until}`,
    gives: token === nativeAddress ? [] : [{ token, units }],
    holders: [depositor],
    unread: ['what the order pays out, which is not in the call'],
  }
}

/** What calls of Relay's depository do. */
export const relayTellers: readonly Teller[] = [
  teller(depositoryAbi, 'depositErc20', 'bridge', ([depositor, token, units, id], say) =>
    deposited(say, token, units, depositor, id),
  ),
  teller(depositoryAbi, 'depositNative', 'bridge', ([depositor, id], say) =>
    deposited(say, nativeAddress, say.call.value, depositor, id),
  ),
  teller(wholeAllowance, 'depositErc20', 'bridge', ([depositor, token, id], say) => ({
    text: `deposits as much ${say.token(token)} as is allowed at Relay for the order ${id}${say.forWhom(depositor)}`,
    holders: [depositor],
    unread: ['what the order pays out, which is not in the call'],
  })),
]
