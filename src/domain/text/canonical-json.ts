/**
 * JSON with sorted keys and decimal text for bigints: one text for one value, whoever wrote it. `leaf` makes one of several ways to
 * write a text, such as hex in both casings; what is nothing is `null`.
 */
export const canonical = (value: unknown, leaf: (text: string) => string = (text) => text): string =>
  JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner === 'bigint') return inner.toString()
    if (typeof inner === 'string') return leaf(inner)
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
  }) ?? 'null'
