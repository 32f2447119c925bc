/**
 * What an error to a broadcast means. `known`: the pool already has the transaction. Too cheap for the pool (`cheap`), for the next block
 * (`fee`), or to replace another one (`under`). `low`, `high`: the nonce is used, or is not the next. `funds`: the balance. `dear`: above
 * the node's own cap. `gas`: the gas limit. `chain`: the chain ID. `barred`: the node never takes such a transaction from this caller, by its type,
 * the provider's policy or a quota that is used up. `refused`: any other refusal.
 */
export type SendErrorClass =
  | 'known'
  | 'cheap'
  | 'fee'
  | 'under'
  | 'low'
  | 'high'
  | 'funds'
  | 'dear'
  | 'gas'
  | 'chain'
  | 'barred'
  | 'refused'

/**
 * The answer to a broadcast. `unknown`: there was none. `inferred`: none was read, but the chain shows that the transaction was sent. `words`
 * are for people only. `demands` are the fees in wei that a node asked for when it refused, as far as they are above those of the attempt.
 */
export type SendAnswer = {
  is: 'accepted' | 'inferred' | 'unknown' | SendErrorClass
  words: string
  demands?: { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }
}

/** An answer as one text. */
export function sendAnswerText({ is, words }: SendAnswer): string {
  if (is === 'inferred') return words
  return words === '' ? is : `${is}: ${words}`
}
