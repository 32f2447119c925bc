import type { Route } from '../api/routes.ts'
import { AppError } from '../domain/errors.ts'

/** Where an input goes: what the path names goes into the path, the rest into the query of a GET or the body of another. */
export function addressed(
  { method, path }: Pick<Route, 'method' | 'path'>,
  wire: Record<string, unknown>,
): { path: string; query: URLSearchParams; body: unknown } {
  const rest = { ...wire }
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(rest[name])
    delete rest[name]
    // A URL with a segment of dots is another URL.
    if (/^\.{0,2}$/.test(value)) throw new AppError('VALIDATION_ERROR', `"${value}" cannot be a ${name}`)
    return encodeURIComponent(value)
  })
  const query = new URLSearchParams()
  if (method !== 'GET') return { path: filled, query, body: rest }
  for (const [name, value] of Object.entries(rest))
    if (value !== undefined && value !== null) query.set(name, String(value))
  return { path: filled, query, body: undefined }
}
