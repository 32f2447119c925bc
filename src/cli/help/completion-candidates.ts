/** A candidate for completion, and its description. */
export type Candidate = readonly [value: string, description: string]

/** Finds the candidates for an argument or option; `undefined` if only the person knows the value. */
export type CompletionValues = (backend: {
  /** The words of the command, such as `strategies show`. */
  command: string
  /** The argument or the long option that it is for. */
  name: string
  /** The options before it. */
  given: Readonly<Record<string, string>>
  /** The arguments before it. */
  before: readonly string[]
}) => Promise<readonly Candidate[] | undefined>
