type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

/** Values that a broken or hostile program may put in place of a valid one. */
const odd: readonly Json[] = [
  null,
  true,
  0,
  -1,
  1e21,
  1.5,
  '',
  '0',
  '-1',
  '1e21',
  '0x',
  '0x0',
  '115792089237316195423570985008687907853269984665640564039457584007913129639936',
  `0x${'66'.repeat(20)}`,
  `0x${'00'.repeat(20)}`,
  'sandbox-two',
  31338,
  '\u001b[2J',
  '__proto__',
  'constructor',
  '9999-12-31T00:00:00Z',
  '1970-01-01T00:00:00Z',
  [],
  {},
  [[[[]]]],
]

/** The paths of all values in a document. */
function places(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (value === null || typeof value !== 'object') return [path]
  return [path, ...Object.entries(value).flatMap(([name, inner]) => places(inner, [...path, name]))]
}

/** A document with one to three of its values removed, replaced, duplicated, or with changed digits. */
export function mutated(document: unknown, random: () => number): unknown {
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)]!
  let body = structuredClone(document) as Json
  for (let left = 1 + Math.floor(random() * 3); left > 0; left--) {
    const path = pick(places(body))
    if (path.length === 0) {
      if (random() < 0.1) body = pick(odd)
      continue
    }
    const parent = path
      .slice(0, -1)
      .reduce<Json>((at, name) => (at as { [name: string]: Json })[name]!, body) as {
      [name: string]: Json
    }
    const name = path.at(-1)!
    const before = parent[name]!
    const how = pick(['odd', 'gone', 'digits', 'digits', 'doubled', 'added'] as const)
    if (how === 'gone') Array.isArray(parent) ? parent.splice(Number(name), 1) : delete parent[name]
    else if (how === 'digits' && typeof before === 'string' && /[0-9]/.test(before)) {
      const digits = [...before.matchAll(/[0-9a-f]/g)].map(({ index }) => index)
      const at = pick(digits)
      parent[name] = `${before.slice(0, at)}${pick([...'0123456789'])}${before.slice(at + 1)}`
    } else if (how === 'digits' && typeof before === 'number') parent[name] = before + pick([-1, 1, 10])
    else if (how === 'doubled' && Array.isArray(before))
      before.push(structuredClone(pick(before.length > 0 ? before : odd)))
    else if (how === 'added' && before !== null && typeof before === 'object' && !Array.isArray(before))
      Object.defineProperty(
        before,
        pick(['__proto__', 'constructor', 'type', 'authorizationList', 'gas', 'from']),
        {
          value: pick(odd),
          enumerable: true,
          configurable: true,
          writable: true,
        },
      )
    else parent[name] = pick(odd)
  }
  return body
}
