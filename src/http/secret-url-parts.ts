/** The field names of JSON-RPC; hiding them would break every response. */
const envelope = ['jsonrpc', 'id', 'result', 'error', 'code', 'message', 'data', 'method', 'params']

/** Not secret: a plain word, version or chain id under eight characters, such as `rpc`, `v2`, `8453`. */
const isHarmless = (part: string): boolean => part.length < 8 && /^([a-z]*[0-9]{0,2}|[0-9]+)$/i.test(part)

/**
 * The parts of a node's URL that may be secret, encoded and decoded: user, password, path segments and query values. The host is not
 * secret.
 */
export function secretUrlParts(url: string): string[] {
  const { username, password, pathname, searchParams, hash } = new URL(url)
  // A segment may have its own parameters, and a query parameter may have only a name.
  const segments = pathname.split('/').flatMap((one) => [one, ...one.split(/[;=,:]/)])
  const parts = [...segments, ...[...searchParams].flat(), hash.slice(1)].filter((one) => !isHarmless(one))
  const credentials = password === '' ? [] : [basicCredentials(username, password)]
  const found = [username, password, ...credentials, ...parts].flatMap((one) => [one, decodedPart(one)])
  return [...new Set(found)].filter((one) => one.length > 2 && !envelope.includes(one.toLowerCase()))
}

/** The credentials of Basic authentication (RFC 7617) for the user and password of a URL. */
export const basicCredentials = (username: string, password: string): string =>
  Buffer.from(`${decodedPart(username)}:${decodedPart(password)}`).toString('base64')

function decodedPart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch (error) {
    if (error instanceof URIError) return part
    throw error
  }
}
