import { contract } from '../../chain/call.ts'
import type { Address } from '../../domain/address.ts'
import type { Token } from '../../domain/token.ts'
import type { CalldataVerdict } from '../calldata-verdict.ts'
import type { CalldataRules, Cost, Pays, Protocol } from '../protocol.ts'
import { erc4626Abi } from './abi.ts'

/** The cost of a withdrawal of an exact amount, in shares. */
const previewWithdraw =
  (vault: Address) =>
  (amount: bigint): Cost => ({
    read: contract(vault, erc4626Abi)('previewWithdraw', amount),
    unitsOf: (shares) => shares,
  })

/** The shares that a deposit brings, after the fee of a vault that takes one. */
const previewDeposit = (vault: Address, amount: bigint): Cost => ({
  read: contract(vault, erc4626Abi)('previewDeposit', amount),
  unitsOf: (shares) => shares,
})

/** What shares pay. Without an answer of previewRedeem it is the share price, which does not include fees. */
const previewRedeem = (vault: Address, units: bigint): Pays => ({
  reads: ['previewRedeem', 'convertToAssets'].map((name) => contract(vault, erc4626Abi)(name, units)),
  amountOf: ([assets, worth]) => assets ?? worth,
  insteadOf: ([assets]) =>
    assets === undefined ? 'the vault does not quote its payout in advance' : undefined,
})

type Check = (...call: [...Parameters<CalldataRules['check']>, asset: Token]) => CalldataVerdict

/** The parts of the protocol of a vault that its previews answer: its calldata rules, and what shares pay and deposits bring. */
export const vaultProtocol = (
  check: Check,
  more?: Pick<CalldataRules, 'byUnits'>,
): Required<Pick<Protocol<{ vault: Address }>, 'calldata' | 'pays' | 'brings'>> => ({
  calldata: ({ asset }, { vault }) => ({
    targets: [vault],
    check: (transaction, intent) => check(transaction, intent, asset),
    cost: previewWithdraw(vault),
    ...more,
  }),
  pays: (_, { vault }, units) => previewRedeem(vault, units),
  brings: ({ vault }, { amount }) => previewDeposit(vault, amount),
})
