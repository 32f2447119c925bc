/** A value that is made at most once, when it is first asked for; a failure is asked for again. */
export function once<value>(make: () => Promise<value>): () => Promise<value> {
  let made: Promise<value> | undefined
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined
      throw error
    })
    return made
  }
}
