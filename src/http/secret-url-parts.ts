/** The names of JSON-RPC itself, without which an answer is none. */
const envelope = ['jsonrpc', 'id', 'result', 'error', 'code', 'message', 'data', 'method', 'params']

/** Under eight characters, a plain word, a version or a chain id tells nothing: `rpc`, `v2`, `8453`. */
const isTold = (part: string): boolean => part.length < 8 && /^([a-z]*[0-9]{0,2}|[0-9]+)$/i.test(part)

/**
 * The parts of the URL of a node that may be secret, as they stand there and as they are meant: user, password, the segments of
 * the path and the values of the query. Its host is shown anyway.
 */
export function secretUrlParts(url: string): string[] {
  const { username, password, pathname, searchParams, hash } = new URL(url)
  // A segment may have parameters of its own, and a query a name alone.
  const segments = pathname.split('/').flatMap((one) => [one, ...one.split(/[;=,:]/)])
  const parts = [...segments, ...[...searchParams].flat(), hash.slice(1)].filter((one) => !isTold(one))
  const found = [username, password, ...parts].flatMap((one) => [one, meant(one)])
  return [...new Set(found)].filter((one) => one.length > 2 && !envelope.includes(one.toLowerCase()))
}

function meant(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch (error) {
    if (error instanceof URIError) return part
    throw error
  }
}
