import { type Address, nativeAddress, sameAddress } from '../domain/address.ts'
import { type Token, tokenAt } from '../domain/token.ts'
import type { Transaction } from '../domain/transaction-types.ts'
import { type CalldataVerdict, refuse, type Violation } from '../protocols/calldata-verdict.ts'
import type { Catalog, StrategyEntry } from '../protocols/catalog-types.ts'
import { type Intent, type IntentOf, intentTokens } from '../protocols/intent.ts'
import { calldataRulesOf, queueOf } from '../protocols/registry.ts'
import { cctpV2Contracts } from '../swaps/cctp-v2/constants-schema.ts'
import { checkDeliveryCalldata } from '../swaps/cctp-v2/delivery-check.ts'
import { contractsOn } from '../swaps/swap-contracts.ts'
import { swapExpectation } from '../swaps/swap-provider-registry.ts'
import { checkRevokeCalldata, checkTransferCalldata } from './erc20-calldata-check.ts'
import type { Exemptions } from './user-limits-and-exemptions.ts'

/** The targets of an intent's action, and the check of its calldata. */
type Expectation = { targets: readonly Address[]; check: (transaction: Transaction) => CalldataVerdict }

/** Compares the intent's tokens with the catalogue: wrong decimals mean wrong amounts. */
function tokenFault(
  intent: Intent,
  catalog: Catalog,
  allowTokens: readonly Address[],
): { violation: Violation } | undefined {
  for (const token of intentTokens(intent)) {
    if (sameAddress(token.address, nativeAddress)) continue
    const known =
      tokenAt(catalog.tokens, token.chainId, token.address) ??
      (intent.kind === 'revoke' ? tokenAt(receiptsIn(catalog), token.chainId, token.address) : undefined)
    if (!known && !allowTokens.some((address) => sameAddress(address, token.address)))
      return notListed(`The token ${token.address}`, { token: token.address })
    if (known && (known.decimals !== token.decimals || known.symbol !== token.symbol))
      return refuse(
        'POLICY_TOKEN_METADATA',
        `${token.address} is ${known.symbol} with ${known.decimals} decimals`,
      )
  }
  return undefined
}

const notListed = (
  what: string,
  unlisted: NonNullable<Violation['unlisted']> = 'way',
): { violation: Violation } => ({
  violation: {
    code: 'POLICY_CONTRACT_NOT_ALLOWED',
    message: `${what} is not in the catalogue of this program`,
    unlisted,
  },
})

/** The receipts of positions: a withdrawal approves one, which can be revoked. */
const receiptsIn = ({ strategies }: Catalog): Token[] => strategies.map(({ receipt }) => receipt)

/**
 * G5: the registered contract for an intent on this chain, and the check of its calldata. It comes from the catalogue, never from
 * the intent, unless the person exempts the contract with `allow`.
 */
export function expectationOf(
  intent: Intent,
  chainId: number,
  catalog: Catalog,
  action: Transaction,
  { allow, allowTokens }: Exemptions,
): Expectation | { violation: Violation } {
  const vouched = allow.some((address) => sameAddress(address, action.to))
  const fault = tokenFault(intent, catalog, allowTokens)
  if (fault) return fault
  switch (intent.kind) {
    case 'transfer': {
      const { token } = intent
      if (token.chainId !== chainId)
        return refuse('POLICY_CHAIN', `${token.symbol} is a token of chain ${token.chainId}`)
      const check = (transaction: Transaction) => checkTransferCalldata(transaction, intent)
      if (sameAddress(token.address, nativeAddress)) return { targets: [action.to], check }
      return { targets: [token.address], check }
    }
    case 'revoke': {
      const { token } = intent
      if (token.chainId !== chainId)
        return refuse('POLICY_CHAIN', `${token.symbol} is a token of chain ${token.chainId}`)
      return { targets: [token.address], check: (transaction) => checkRevokeCalldata(transaction, intent) }
    }
    case 'deliver':
      return deliveryExpectation(intent, chainId, catalog)
    case 'deposit':
    case 'withdraw':
    case 'claim':
      return strategyExpectation(intent, chainId, catalog, action, vouched)
    case 'swap': {
      const { tokenIn, tokenOut } = intent
      if (tokenIn.chainId !== chainId)
        return refuse('POLICY_CHAIN', `${tokenIn.symbol} is not a token of chain ${chainId}`)
      const expected = swapExpectation(catalog, intent)
      if (expected) return expected
      return notListed(
        tokenOut.chainId === chainId
          ? `A swap provider of chain ${chainId}`
          : `A bridge from chain ${chainId} to chain ${tokenOut.chainId}`,
      )
    }
  }
}

/** The bridge contract that mints what a burn on another chain sent here. */
function deliveryExpectation(
  intent: IntentOf<'deliver'>,
  chainId: number,
  catalog: Catalog,
): Expectation | { violation: Violation } {
  const { token, chainFrom } = intent
  if (token.chainId !== chainId)
    return refuse('POLICY_CHAIN', `${token.symbol} is a token of chain ${token.chainId}`)
  const here = contractsOn(catalog, cctpV2Contracts, chainFrom)
  const there = contractsOn(catalog, cctpV2Contracts, chainId)
  // Mainnet and testnet chains share domain numbers.
  if (!here || !there || here.attestation !== there.attestation)
    return notListed(`A burn-and-mint bridge from chain ${chainFrom} to chain ${chainId}`)
  return {
    targets: [there.messageTransmitter],
    check: (transaction) => checkDeliveryCalldata(transaction, intent, { here, there }),
  }
}

/** The contract of a strategy, or of its withdrawal queue for a claim. */
function strategyExpectation(
  intent: IntentOf<'deposit' | 'withdraw' | 'claim'>,
  chainId: number,
  catalog: Catalog,
  action: Transaction,
  vouched: boolean,
): Expectation | { violation: Violation } {
  if (intent.strategy.chainId !== chainId)
    return refuse(
      'POLICY_CHAIN',
      `${intent.strategy.id} is on chain ${intent.strategy.chainId}, not on ${chainId}`,
    )
  const known = catalog.strategies.find(
    (entry) => entry.id === intent.strategy.id && entry.chainId === chainId,
  )
  const strategy = known ?? (vouched ? intent.strategy : undefined)
  if (!strategy) return notListed(`The strategy ${intent.strategy.id}`, { contract: action.to })
  if (!sameAddress(strategy.asset.address, intent.strategy.asset.address))
    return refuse('POLICY_TOKEN_METADATA', `${strategy.id} takes ${strategy.asset.address}`)
  if (intent.kind === 'claim') return claimExpectation(intent, strategy)
  const { targets, check } = calldataRulesOf(strategy)
  return { targets, check: (transaction) => check(transaction, intent) }
}

/** The contract of a queue that pays claims, or takes lapsed ones back. */
function claimExpectation(
  intent: IntentOf<'claim'>,
  strategy: StrategyEntry,
): Expectation | { violation: Violation } {
  const queue = queueOf(strategy)
  if (!queue) return notListed(`A queue of ${strategy.id}`)
  const check = intent.takesBack ? queue.lapses?.check : queue.check
  if (!check) return notListed(`The contract that returns lapsed claims in the queue of ${strategy.id}`)
  return { targets: [queue.place], check: (transaction) => check(transaction, intent) }
}
