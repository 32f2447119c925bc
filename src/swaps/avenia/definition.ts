import type { SwapDefinition } from '../definition.ts'
import { contractsIn } from '../swap-contracts.ts'
import { checkAveniaCalldata } from './calldata-check.ts'
import { aveniaContracts } from './constants-schema.ts'
import { followRamp, isSentToDesk } from './follow.ts'
import { aveniaOn, isRamp } from './pairs.ts'
import { avenia as openProvider, provider } from './provider.ts'

/** Avenia: a partner that receives USDC or BRLA by a plain transfer to its account, and pays out the other token later. */
export const avenia: SwapDefinition<typeof aveniaContracts> = {
  name: provider,
  title: 'Avenia',
  contracts: aveniaContracts,
  // Its desk is an account without a contract.
  assertions: () => [],
  pools: 'none',
  reach: 'same-chain',
  paysOutLater: true,
  // Only the partner vouches for the payout, its recipient and its time.
  proof: { spender: 'calldata', amount: 'calldata', recipient: 'none', minimum: 'none', deadline: 'none' },
  // The transfer names no ticket. The engine uses a ticket for one quote, and a payment of the desk counts for one operation.
  orders: 'none',
  // It needs no allowance: the wallet sends the tokens.
  spender: () => undefined,
  expect: (catalog, intent) => {
    const { tokenIn, tokenOut } = intent
    const here = aveniaOn(catalog, tokenIn.chainId)
    // Under another provider name, the swap would count as complete with its transaction.
    if (!here || intent.provider !== provider || !isRamp(here, [tokenIn, tokenOut])) return undefined
    return {
      targets: [tokenIn.address],
      check: (transaction) => checkAveniaCalldata(transaction, intent, here),
    }
  },
  follow: followRamp,
  isTransfer: isSentToDesk,
  open: (catalog, network) => openProvider(contractsIn(catalog, aveniaContracts), network),
}
