import type { Hex } from '../domain/address.ts'
import { type OnChain, onChain } from '../wallet/explain/on-chain.ts'
import type { Verdict } from '../wallet/explain/verdict.ts'
import type { Ground } from '../wallet/ground.ts'

/** Whether what was typed is the hash of a transaction: an id of ours never looks like one. */
export const isHash = (text: string): text is Hex => /^0x[0-9a-fA-F]{64}$/.test(text)

/** What the networks show of a hash: the id of the action of this machine that it is a transaction of, or a verdict about a stranger; else which networks do not say. */
export async function ofHash(
  ground: Ground,
  hash: Hex,
): Promise<{ id: string } | { verdict: Verdict } | { silent: string[] }> {
  const { found, silent } = await onChain(ground, hash)
  if (!found) return { silent }
  const { journal } = ground
  const holder = journal.holderOf(found.network.chainId, found.from, found.nonce)
  const attempts = holder ? journal.attempts(holder.operation, holder.index) : []
  return attempts.some((attempt) => attempt.hash.toLowerCase() === hash.toLowerCase())
    ? { id: holder!.operation }
    : { verdict: verdictOf(hash, found) }
}

/** A transaction that was sent from elsewhere, in words. */
function verdictOf(hash: Hex, { network, from, nonce, does, block }: OnChain): Verdict {
  const link = network.explorer === null ? [] : [`${network.explorer}/tx/${hash}`]
  const where = block && `in block ${block.number} of ${network.name}, of ${new Date(block.at).toISOString()}`
  return {
    id: hash,
    situation: 'FOREIGN',
    verdict: block
      ? `A transaction that this machine did not sign, ${where}: it ${does}, and ${block.succeeded ? 'succeeded' : 'reverted'}${block.isFinal ? '' : ', which is not final yet'}.`
      : `A transaction that this machine did not sign waits on ${network.name}: it ${does}.`,
    funds: block
      ? block.succeeded
        ? `Moved, as it says: out of ${from}.`
        : `Nothing but its fee was moved: the rest is with ${from}.`
      : `With ${from}, until it is in a block.`,
    safeToRetry: block?.succeeded === false && block.isFinal,
    next: block?.isFinal ? null : `sluice action explain ${hash}`,
    evidence: [
      { source: 'journal', text: 'the journal of this machine does not hold it' },
      { source: 'chain', text: `${from} signed it with the nonce ${nonce}` },
      ...[...(where ? [where] : []), ...link].map((text) => ({ source: 'chain' as const, text })),
    ],
  }
}
