import { z } from 'zod'
import { ErrorEnvelope } from '../api/error-envelope.ts'
import { missingHeader } from '../api/missing-networks.ts'
import { olderRoutes } from '../api/older-routes.ts'
import { answerShapes, type HttpRoute } from '../api/routes.ts'
import { errorTable } from '../domain/error-table.ts'
import { errorRow, isErrorCode } from '../domain/errors.ts'
import { type Served, servedRoutes } from './served-routes.ts'

/** A JSON object of any shape. */
type Json = Record<string, unknown>

/** Builds the OpenAPI 3.1 document of this server from the table of routes. */
export function openapi(version: string): Json {
  const paths: Record<string, Json> = {}
  for (const served of servedRoutes(olderRoutes)) {
    const { path, method } = served.route
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation(served) }
  }
  paths[updatesPath] = { get: updatesOperation() }
  return {
    openapi: '3.1.0',
    info: { title: 'sluice', version, description: about },
    servers: [{ url: '/' }],
    security: [{ apiKey: [] }],
    tags: [{ name: 'current' }, { name: 'deprecated' }],
    paths,
    components: {
      securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' } },
      schemas: { Error: { ...schemaOf(ErrorEnvelope), description: codes() } },
      responses: {
        Error: {
          description: 'An error. All errors have this envelope.',
          content: error,
        },
        Unauthorized: { description: 'UNAUTHORIZED: the API key is missing or invalid.', content: error },
        NotFound: { description: 'The resource does not exist.', content: error },
        Invalid: {
          description:
            'VALIDATION_ERROR. `details.errors` lists each invalid field, with its path and the reason.',
          content: error,
        },
        Running: {
          description:
            'Extension: IDEMPOTENCY_KEY_RUNNING. A request with the same idempotency key has no answer yet; `retry-after` has the seconds to wait.',
          content: error,
        },
        Limited: {
          description: 'RATE_LIMITED. `details.retryAfter` equals the header.',
          headers: {
            'Retry-After': {
              description: 'Seconds to wait before the next request.',
              schema: { type: 'integer' },
            },
          },
          content: error,
        },
      },
    },
  }
}

const about = `Yield strategies, positions, tracked operations and swaps. Responses contain data and ready-to-sign transactions; the service holds no keys and no funds.
Amounts are decimal integer strings in the smallest unit of the token. Each request counts against the key's limits: 100 a minute and 1,000 an hour.
Fields and endpoints marked as extensions are not part of the common specification.`

/** The path of the stream of updates, which is no route of the contract: its answer is no JSON. */
const updatesPath = '/updates'

const updatesOperation = (): Json => ({
  operationId: 'updates',
  tags: ['current'],
  summary:
    'Extension: the events of this customer as server-sent events, as they are numbered, those of a wallet, an action or a quote if one is named. The `id` of an event is its cursor: a stream with `Last-Event-ID` goes on after it, one without begins now. An event is a reason to read again. A comment every 15 seconds is the heartbeat; a stream ends after 10 minutes, and its client opens the next one. A customer has at most 20 streams.',
  parameters: [
    {
      name: 'wallet',
      in: 'query',
      required: false,
      schema: { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' },
    },
    {
      ...{ name: 'action', in: 'query', required: false },
      description: 'The id of an action or a quote.',
      schema: { type: 'string', minLength: 1 },
    },
    {
      ...{ name: 'Last-Event-ID', in: 'header', required: false },
      description: 'The id of the last event that was received.',
      schema: { type: 'string' },
    },
  ],
  responses: {
    200: {
      description: 'The stream. `event` is the type of the event, `data` the event as in `GET /events`.',
      content: { 'text/event-stream': { schema: { type: 'string' } } },
    },
    401: { $ref: '#/components/responses/Unauthorized' },
    404: { description: 'NOT_FOUND: this deployment has no events; its clients poll.', content: error },
    422: { $ref: '#/components/responses/Invalid' },
    429: { $ref: '#/components/responses/Limited' },
    default: { $ref: '#/components/responses/Error' },
  },
})

const json = (schema: Json) => ({ 'application/json': { schema } })

const error = json({ $ref: '#/components/schemas/Error' })

/** Routes whose lists omit networks that do not answer. */
const omittingRoutes: readonly Served['name'][] = ['listStrategies', 'recommend']

const missingHeaderDoc = {
  description:
    'Extension: the names of networks that did not answer and are missing from the response, separated by commas.',
  schema: { type: 'string' },
}

/** Chooses the shape of an answer, where a route has two. */
const shapeParameter = {
  name: 'shape',
  in: 'query',
  required: false,
  description: 'The shape of the response: that of the reference, or that of the quickstart.',
  schema: { type: 'string', enum: answerShapes, default: answerShapes[0] },
}

/** Makes a POST safe to repeat. */
const idempotencyParameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Extension: a repetition with the same key and body, at any server, gets the answer of the first for 24 hours, with the header `idempotent-replayed: true`. Another request with the key is refused (422 IDEMPOTENCY_KEY_REUSED), and one while the first runs too (409 IDEMPOTENCY_KEY_RUNNING). A request that failed is not kept. Keys are of a customer.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
}

function operation({ name, route, successor }: Served): Json {
  const { $schema: _, ...input } = schemaOf(route.input) as {
    $schema?: string
    properties?: Record<string, Json>
    required?: string[]
  }
  const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, param]) => param!)
  const fields = Object.entries(input.properties ?? {})
  const parameters = fields
    .filter(([field]) => inPath.includes(field) || route.method === 'GET')
    .map(([field, schema]) => ({
      name: field,
      in: inPath.includes(field) ? 'path' : 'query',
      required: inPath.includes(field) || (input.required ?? []).includes(field),
      schema,
    }))
  const { quickstart } = route as HttpRoute
  const hasBody = route.method !== 'GET' && fields.some(([field]) => !inPath.includes(field))
  return {
    operationId: successor ? `${name}${route.path.replace(/[^a-z0-9]+/gi, '_')}` : name,
    tags: [successor ? 'deprecated' : 'current'],
    summary: route.doc,
    ...(successor && { deprecated: true }),
    parameters: [
      ...parameters,
      ...(quickstart ? [shapeParameter] : []),
      ...(route.method === 'POST' ? [idempotencyParameter] : []),
    ],
    ...(hasBody && { requestBody: { required: true, content: json(bodyOf(input, inPath)) } }),
    responses: {
      200: {
        description: 'The response.',
        ...(omittingRoutes.includes(name) && { headers: { [missingHeader]: missingHeaderDoc } }),
        content: json(
          quickstart ? { anyOf: [schemaOf(route.output), schemaOf(quickstart)] } : schemaOf(route.output),
        ),
      },
      401: { $ref: '#/components/responses/Unauthorized' },
      ...(inPath.length > 0 && { 404: { $ref: '#/components/responses/NotFound' } }),
      ...(fields.length > 0 && { 422: { $ref: '#/components/responses/Invalid' } }),
      ...(route.method === 'POST' && { 409: { $ref: '#/components/responses/Running' } }),
      429: { $ref: '#/components/responses/Limited' },
      default: { $ref: '#/components/responses/Error' },
    },
  }
}

/** The schema of a body: that of the input without what is in the path. */
function bodyOf(
  { properties = {}, required = [], ...input }: { properties?: Record<string, Json>; required?: string[] },
  inPath: readonly string[],
): Json {
  const isInBody = (field: string) => !inPath.includes(field)
  return {
    ...input,
    properties: Object.fromEntries(Object.entries(properties).filter(([field]) => isInBody(field))),
    ...(required.some(isInBody) && { required: required.filter(isInBody) }),
  }
}

/** The JSON schema of a type on the wire. If several shapes are accepted, the one that is written. */
function schemaOf(schema: z.ZodType): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      // The fallback for a value that is not understood is never sent.
      if (zodSchema._zod.def.type === 'catch') delete jsonSchema.default
      // JavaScript's safe integer limits are not part of the contract.
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      const { writes } = z.globalRegistry.get(zodSchema) ?? {}
      if (typeof writes !== 'number' || !jsonSchema.anyOf) return
      const written = jsonSchema.anyOf[writes]
      for (const key of Object.keys(jsonSchema)) delete jsonSchema[key as keyof typeof jsonSchema]
      Object.assign(jsonSchema, written)
    },
  })
  return rest as Json
}

/** Lists the error codes with their statuses, as text. */
function codes(): string {
  const lines = Object.keys(errorTable).flatMap((code) =>
    isErrorCode(code) && errorRow(code).status !== undefined
      ? [`- \`${code}\` ${errorRow(code).status}`]
      : [],
  )
  return `\`error.code\` is one of:\n${lines.join('\n')}`
}
