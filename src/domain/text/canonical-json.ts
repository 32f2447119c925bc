/**
 * Serializes a value as canonical JSON: sorted keys, bigints as decimal text. `leaf` normalizes texts, such as the
 * case of hex; `undefined` becomes `null`.
 */
export const canonicalJson = (value: unknown, leaf: (text: string) => string = (text) => text): string =>
  JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner === 'bigint') return inner.toString()
    if (typeof inner === 'string') return leaf(inner)
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
  }) ?? 'null'
