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
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer"><title>${escapeHtml(info.title)} API</title>
<style>${docsStyle}</style></head>
<body><h1>${escapeHtml(info.title)} ${escapeHtml(info.version)}</h1><p>${escapeHtml(info.description)}</p>
<p>Every endpoint needs an API key in the header <code>x-api-key</code>. The whole contract as data: <a href="/openapi.json">/openapi.json</a></p>
<nav aria-label="Endpoints"><ul>${operations.map(({ path, method, operation }) => `<li><a href="#${idOf(method, path)}">${method} ${escapeHtml(path)}</a>${operation.deprecated ? ' <span class="soft">deprecated</span>' : ''}</li>`).join('')}</ul></nav>
<main>
${operations.map(section).join('\n')}
</main>
</body></html>
`
}

/** Readable from 320 pixels on, light or dark; a parameter is a block of its own on a phone. */
const docsStyle = `:root{color-scheme:light dark;--ink:#1b1f24;--soft:#5b6470;--line:#d5dae0;--back:#fff;--raised:#f6f7f9;--accent:#0b62b8}
@media(prefers-color-scheme:dark){:root{--ink:#e4e8ed;--soft:#9aa5b1;--line:#343c45;--back:#14181d;--raised:#1c2229;--accent:#6cb2f5}}
*{box-sizing:border-box}body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--back);max-width:60rem;margin:0 auto;padding:1rem;overflow-wrap:anywhere}
h1{font-size:1.35rem;margin:.5rem 0}h2{font:600 1rem ui-monospace,monospace;margin:2rem 0 .25rem}a{color:var(--accent)}.soft{color:var(--soft)}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}nav ul{list-style:none;padding:0;font:.85rem/1.7 ui-monospace,monospace;columns:24rem}
table{border-collapse:collapse;width:100%}th{text-align:left;color:var(--soft);font-weight:500}td,th{padding:.25rem 1rem .25rem 0;vertical-align:top;border-bottom:1px solid var(--line)}
code,pre{font:.8125rem/1.5 ui-monospace,monospace}pre{background:var(--raised);padding:.75rem;overflow:auto;overflow-wrap:normal}summary{cursor:pointer;padding:.35rem 0}
@media(max-width:40rem){thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}tr{display:block;border-bottom:1px solid var(--line);padding:.4rem 0}td{display:block;border:0;padding:0}pre{white-space:pre-wrap;overflow-wrap:anywhere}}`

const idOf = (method: string, path: string): string =>
  `${method}${path}`
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/-$/, '')

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
  const answer = shown('Response', Object.values(responses['200']!.content!)[0]!.schema)
  return `<section><h2 id="${idOf(method, path)}">${method} ${escapeHtml(path)}${deprecated ? ' <span class="soft">deprecated</span>' : ''}</h2><p>${escapeHtml(summary).replace(/`([^`]+)`/g, '<code>$1</code>')}</p>
${rows.length > 0 ? `<table><thead><tr><th scope="col">parameter</th><th scope="col">in</th><th scope="col">schema</th></tr></thead><tbody>${rows.join('')}</tbody></table>` : ''}${body}${answer}</section>`
}

const shown = (title: string, schema: Json): string =>
  `<details><summary>${title}</summary><pre>${escapeHtml(JSON.stringify(schema, null, 2))}</pre></details>`
