import { getAddress } from 'viem/utils'
import type { Address, Hex } from '../../domain/address.ts'
import { type Teller, type Telling, teller, type Words } from '../../protocols/call-description.ts'
import { contractsIn, contractsOn } from '../swap-contracts.ts'
import { burnAbi, messageTransmitterV2Abi } from './abi.ts'
import { cctpV2Contracts } from './constants-schema.ts'
import { decodeMessage } from './message.ts'

const accountOf = (word: Hex): Address => getAddress(`0x${word.slice(26)}`)

/** The other end of a transfer, if it is in the catalogue. */
const endOf = ({ catalog, chainId }: Words, domain: number) => {
  const here = contractsOn(catalog, cctpV2Contracts, chainId)
  return contractsIn(catalog, cctpV2Contracts).find(
    (one) => one.domain === domain && one.attestation === here?.attestation,
  )
}

const domainText = (say: Words, domain: number): string => {
  const there = endOf(say, domain)
  return there ? say.network(there.chainId) : `CCTP domain ${domain}`
}

type Burn = readonly [
  amount: bigint,
  domain: number,
  recipient: Hex,
  token: Address,
  caller: Hex,
  maxFee: bigint,
  finality: number,
  hook?: Hex,
]

function burned(say: Words, [amount, domain, word, token, caller, maxFee, , hook = '0x']: Burn): Telling {
  const there = endOf(say, domain)
  const isEvm = BigInt(word) >> 160n === 0n
  const recipient = isEvm ? accountOf(word) : word
  return {
    text: `burns ${say.amount(token, amount)} by CCTP for ${domainText(say, domain)}, recipient ${recipient}, with a fee of at most ${say.amount(token, maxFee)}${BigInt(caller) === 0n ? '' : `; only ${BigInt(caller) >> 160n === 0n ? accountOf(caller) : caller} can deliver it`}`,
    gives: [{ token, units: amount }],
    ...(hook !== '0x' && { unread: ['the hook data, which the delivery may use'] }),
    ...(there &&
      isEvm && {
        transfer: {
          gives: { token, units: amount },
          arrival: { chainId: there.chainId, token: there.token, recipient: accountOf(word) },
          minimum: amount - maxFee,
        },
      }),
  }
}

/** What calls of the contract that burns do. */
export const burnTellers: readonly Teller[] = [
  teller(burnAbi, 'depositForBurn', 'bridge', (args, say) => burned(say, args)),
  teller(burnAbi, 'depositForBurnWithHook', 'bridge', (args, say) => burned(say, args)),
]

/** What calls of the contract that delivers messages do. */
export const deliveryTellers: readonly Teller[] = [
  teller(messageTransmitterV2Abi, 'receiveMessage', 'bridge', ([message], say) => {
    const burn = decodeMessage(message)
    const here = contractsOn(say.catalog, cctpV2Contracts, say.chainId)
    if (!burn || !here) return { text: 'delivers a message of CCTP', unread: ['the message'] }
    return {
      text: `delivers a CCTP transfer from ${domainText(say, burn.sourceDomain)}: ${say.amount(here.token, burn.amount)}, less ${say.amount(here.token, burn.feeExecuted)} of fees, to ${burn.mintRecipient}`,
      holders: [burn.mintRecipient],
    }
  }),
]
