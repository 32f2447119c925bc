/** An error and its causes with every text of theirs read through `hide`; the name and the code stay. */
export function hidden(error: unknown, hide: (text: string) => string): unknown {
  if (!(error instanceof Error)) return typeof error === 'string' ? hide(error) : error
  const { name, message, stack, cause } = error
  const safe = new Error(hide(message), cause === undefined ? {} : { cause: hidden(cause, hide) })
  const code = (error as NodeJS.ErrnoException).code
  return Object.assign(safe, {
    name,
    ...(stack !== undefined && { stack: hide(stack) }),
    ...(code !== undefined && { code }),
  })
}
