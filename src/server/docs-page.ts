import { escapeHtml } from '../domain/text/escape-html.ts'

type Json = Record<string, unknown>
type Parameter = { name: string; in: string; required: boolean; schema: Json }
type Operation = {
  summary: string
  deprecated?: boolean
  parameters: Parameter[]
  requestBody?: { content: Record<string, { schema: Json }> }
  responses: Record<string, { content?: Record<string, { schema: Json }> }>
}

/** Renders the OpenAPI document as one HTML page without scripts or external resources. */
export function docsPage(document: Json): string {
  const { info, paths } = document as {
    info: { title: string; version: string; description: string }
    paths: Record<string, Record<string, Operation>>
  }
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(info.title)} API</title>
<style>body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}h2{font:600 1rem ui-monospace,monospace;margin:2rem 0 .25rem}
table{border-collapse:collapse}td{padding:.1rem 1rem .1rem 0;vertical-align:top}code,pre{font:13px ui-monospace,monospace}pre{background:#8881;padding:.75rem;overflow:auto}.old{opacity:.6}</style></head>
<body><h1>${escapeHtml(info.title)} ${escapeHtml(info.version)}</h1><p>${escapeHtml(info.description)}</p>
<p>Every endpoint needs an API key in the header <code>x-api-key</code>. The whole contract as data: <a href="/openapi.json">/openapi.json</a></p>
${operations.map(section).join('\n')}
</body></html>
`
}

function section({
  path,
  method,
  operation,
}: {
  path: string
  method: string
  operation: Operation
}): string {
  const { summary, deprecated, parameters, requestBody, responses } = operation
  const rows = parameters.map(
    (parameter) =>
      `<tr><td><code>${escapeHtml(parameter.name)}</code></td><td>${escapeHtml(parameter.in)}${parameter.required ? ', required' : ''}</td><td><code>${escapeHtml(JSON.stringify(parameter.schema))}</code></td></tr>`,
  )
  const body = requestBody ? shown('Body', requestBody.content['application/json']!.schema) : ''
  const answer = shown('Response', responses['200']!.content!['application/json']!.schema)
  return `<section${deprecated ? ' class="old"' : ''}><h2>${method} ${escapeHtml(path)}${deprecated ? ' (deprecated)' : ''}</h2><p>${escapeHtml(summary)}</p>
${rows.length > 0 ? `<table>${rows.join('')}</table>` : ''}${body}${answer}</section>`
}

const shown = (title: string, schema: Json): string =>
  `<details><summary>${title}</summary><pre>${escapeHtml(JSON.stringify(schema, null, 2))}</pre></details>`
