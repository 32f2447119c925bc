import { askNumber } from '../../chain/ask.ts'
import { contract } from '../../chain/call.ts'
import { strictDecode } from '../../chain/strict-calldata-decoding.ts'
import type { OrderRules } from '../definition.ts'
import { settlementAbi as abi, preSignatureAbi } from './abi.ts'

/** The uid of the order that a call pre-signs, in lower case; `undefined` for another call. */
const uidIn: OrderRules['idIn'] = ({ data }) => {
  const call = strictDecode(preSignatureAbi, data)
  return call?.args[1] ? call.args[0].toLowerCase() : undefined
}

/** The orders of CoW Protocol, named by their uids. The settlement keeps how much of each was filled, and whether its owner signed it. */
export const cowOrders: OrderRules = {
  idIn: uidIn,
  findUse: async ({ rpc }, { transaction }) => {
    const { chainId, to } = transaction
    const node = rpc(chainId)
    const order = contract(to, abi)
    const [filled, signed] = await Promise.all(
      ['filledAmount', 'preSignature'].map((name) =>
        askNumber(node, order(name, uidIn(transaction)), 'the state of an order'),
      ),
    )
    if (filled! > 0n) return 'the settlement has already filled or cancelled it'
    return signed! > 0n ? 'it is already signed in the settlement' : undefined
  },
}
