import { ask } from '../chain/ask.ts'
import type { ChainClient } from '../chain/chain-client.ts'
import { erc20 } from '../chain/erc20.ts'
import { readStandingAllowance, type StandingAllowance } from '../chain/standing-allowance.ts'
import { nativeAddress } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import { sanitizeText } from '../domain/text/terminal-sanitizing.ts'
import type { Token } from '../domain/token.ts'
import type { CheckedLeg } from '../guard/calldata-against-intent.ts'
import { isNativeTransfer } from '../guard/intent-recipient-and-deadline.ts'
import { requiredAllowance } from '../guard/spending.ts'
import type { Terms } from '../guard/user-limits-and-exemptions.ts'
import { intentTokens } from '../protocols/intent.ts'
import { actionAmong } from '../protocols/service-fees-of-intent.ts'
import { allowanceSpender } from '../swaps/swap-provider-registry.ts'
import { type CheckedContract, checkCode } from './contract-code-pins.ts'
import type { ExecutionContext } from './execution-context-types.ts'
import { refuseLostPayee } from './lost-recipient-check.ts'

/** The target of an action: its contract, and the allowance it has beyond what the action needs. */
export type CheckedTarget = { contract: CheckedContract; standing: StandingAllowance | undefined }

/**
 * G5 and G10 on the chain: the contract's code is the pinned one, the tokens have the decimals that amounts were parsed with, and
 * standing allowances are known. Nor is the recipient a pool. A native transfer calls no contract.
 */
export async function checkTarget(
  context: ExecutionContext,
  { chainId, intent, transactions }: CheckedLeg,
  terms: Terms,
): Promise<CheckedTarget | undefined> {
  if (isNativeTransfer(intent)) return undefined
  const action = actionAmong(intent, transactions)
  const rpc = context.rpc(chainId)
  const { wallet } = intent
  const [contract, standing] = await Promise.all([
    checkCode(context, chainId, action.to, terms),
    readStandingAllowance(rpc, wallet, allowanceSpender(context.catalog, action), requiredAllowance(intent)),
    checkDecimals(
      rpc,
      intentTokens(intent).filter((token) => token.chainId === chainId),
    ),
    refuseLostPayee(context, intent),
  ])
  return { contract, standing }
}

/** Checks that a token's own decimals are those that amounts were parsed with. */
async function checkDecimals(rpc: ChainClient, tokens: readonly Token[]): Promise<void> {
  const asked = tokens.filter(({ address }) => address !== nativeAddress)
  const answers = await ask(
    rpc,
    asked.map(({ address }) => erc20.decimals(address)),
  )
  for (const [at, { address, symbol, decimals }] of asked.entries()) {
    const found = answers[at]
    if (found === undefined)
      throw new AppError('RPC_INCONSISTENT', `The node returns no number for the decimals of ${address}`)
    if (found !== decimals)
      throw new AppError(
        'POLICY_TOKEN_METADATA',
        `${sanitizeText(symbol)} (${address}) has ${found} decimals, but the amounts assume ${decimals}`,
      )
  }
}
