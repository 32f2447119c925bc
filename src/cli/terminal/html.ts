import { plain } from '../../domain/text.ts'

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

// Nothing that was read from JSON has a symbol: what a stranger sent is never taken for markup.
const markup = Symbol('markup')

/** Markup that only `html` makes. */
export type Html = { readonly [markup]: string }

/** Markup as it is written; whatever is put into it is text, in an element or a quoted attribute, unless `html` made it too. */
export const html = (parts: TemplateStringsArray, ...values: readonly unknown[]): Html => ({
  [markup]: parts.map((part, at) => part + (at < values.length ? written(values[at]) : '')).join(''),
})

/** Markup as a text. */
export const pageText = (page: Html): string => page[markup]

function written(value: unknown): string {
  if (Array.isArray(value)) return value.map(written).join('')
  if (value === null || value === undefined) return ''
  if (typeof value === 'object' && markup in value) return (value as Html)[markup]
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return plain(text).replace(/[&<>"']/g, (character) => entities[character]!)
}
