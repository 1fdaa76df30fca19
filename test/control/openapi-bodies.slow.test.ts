import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dataUrl, postDrawing, type DrawingRecord, type Submitted } from '../support/drawing.ts'
import { described, document, escape, responseMistakes } from '../support/openapi.ts'
import { openDirect, type OpenTransport } from '../support/transports.ts'
import { authorization, submitVideo } from '../support/video.ts'

type Schema = Readonly<Record<string, unknown>>
type Described = (typeof described)[number]

/** Every operation of the gateway that takes a body. */
const taking = described.filter(
  ({ operation }) => operation.requestBody && operation['x-greenroom-operation'],
)

const ajv = new Ajv2020({ strict: false, logger: false })
ajv.addSchema(document, 'openapi')

const refOf = ({ pointer }: Described): string =>
  `${pointer}/requestBody/content/${escape('application/json')}/schema`

/** What a reference points at, from the root of the document. */
const lookUp = (ref: string): Schema =>
  ref
    .slice(2)
    .split('/')
    .map((name) => decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((value, name) => value[name] as Schema, document as unknown as Schema)

const [picture, photo] = [dataUrl('kite-64x48.png'), dataUrl('mask.png')]
const ownSchema = {
  type: 'object',
  properties: { a: { type: 'string' } },
  required: ['a'],
  additionalProperties: false,
}

/** What bodies refer to. */
const existing = { drawing: '', button: '', dialog: '', video: '' }

/** Values that a schema describes in words only, by the name of the field and perhaps of the operation. */
const worded: Readonly<Record<string, () => unknown>> = {
  image: () => picture,
  images: () => [picture, 'https://pictures.example/kite.png'],
  input_reference: () => 'https://pictures.example/kite.png',
  image_url: () => picture,
  inlineData: () => ({ mimeType: 'image/png', data: picture.split(',')[1] }),
  size: () => '128x96',
  resolution: () => '720p',
  aspect_ratio: () => '16:9',
  duration: () => 2,
  seconds: () => '2',
  metadata: () => ({ seed: 5, resolution: 480, aspect_ratio: 'auto' }),
  base64Array: () => [picture, photo],
  base64: () => picture,
  link: () => picture,
  endImage: () => picture,
  maskBase64: () => dataUrl('mask.png'),
  sourceBase64: () => picture,
  sourceUrl: () => picture,
  targetBase64: () => photo,
  targetUrl: () => photo,
  notifyHook: () => '',
  taskId: () => existing.drawing,
  'mj.modal taskId': () => existing.dialog,
  customId: () => existing.button,
  'mj.simple-change content': () => `${existing.drawing} V1`,
  schema: () => ownSchema,
  parameters: () => ownSchema,
  parametersJsonSchema: () => ownSchema,
  responseSchema: () => ownSchema,
  responseJsonSchema: () => ownSchema,
  arguments: () => '{"a":1}',
  previous_response_id: () => null,
  // Of images and documents in messages.
  data: () => picture.split(',')[1],
  // Of the same size as the first image.
  mask: () => picture,
}

/** Bodies of a schema. Callers leave out those whose fields don't fit together. */
function valuesOf(schema: Schema, operation: string, name = ''): fc.Arbitrary<unknown> {
  const given = worded[`${operation} ${name}`] ?? worded[name]
  if (given) return fc.constant(null).map(given)
  const inner = (each: unknown, key = ''): fc.Arbitrary<unknown> => valuesOf(each as Schema, operation, key)
  if (typeof schema['$ref'] === 'string') return inner(lookUp(schema['$ref']))
  if (schema['anyOf']) return fc.oneof(...(schema['anyOf'] as Schema[]).map((each) => inner(each)))
  if ('const' in schema) return fc.constant(schema['const'])
  if (schema['enum']) return fc.constantFrom(...(schema['enum'] as unknown[]))
  const { minimum, maximum, minItems = 0, maxItems = 3, minLength = 0 } = schema as Record<string, number>
  const {
    pattern,
    properties = {},
    required = [],
  } = schema as {
    pattern?: string
    properties?: Record<string, Schema>
    required?: string[]
  }
  switch (schema['type']) {
    case 'string':
      return pattern === undefined
        ? fc.string({ minLength, maxLength: minLength + 12 })
        : fc.stringMatching(new RegExp(pattern), { maxLength: 40 })
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'number':
    case 'integer': {
      const [min, max] = [minimum ?? -1e6, maximum ?? 1e6]
      const isWhole = schema['type'] === 'integer' || schema['multipleOf'] === 1
      const between = isWhole
        ? fc.maxSafeInteger().map((n) => min + (Math.abs(n) % (max - min + 1)))
        : fc.double({ min, max, noNaN: true })
      return fc.oneof(between, fc.constantFrom(min, max))
    }
    case 'array': {
      const first = (schema['prefixItems'] as Schema[] | undefined)?.map((each) => inner(each, name))
      if (first) return fc.tuple(...first)
      return fc.array(inner(schema['items'] ?? {}), {
        minLength: minItems,
        maxLength: Math.min(maxItems, minItems + 2),
      })
    }
    case 'object': {
      const fields = Object.entries(properties).map(([key, each]) => [key, inner(each, key)] as const)
      return fc.record(Object.fromEntries(fields), { requiredKeys: required })
    }
    default:
      return fc.jsonValue({ maxDepth: 1 })
  }
}

const textOf = (body: unknown): string => JSON.stringify(body)

/** Calls need results, and choices need declarations: stories test them. */
const isIncoherent =
  /"(?:tool_calls|tool_call_id|tool_use_id|call_id|functionResponse|allowed_tools)":|"role":"function"|"type":"tool_use"|"role":"assistant","content":(?:""|\[\])|"item_reference"|"required",|"required"}|"mode":"ANY"|"allowedFunctionNames":\[[^\]]|"(?:tool_choice|function_call)":{/

/** Whether a body keeps to what its descriptions say of several fields together, which schemas can't. */
function isCoherent(operation: string, body: unknown): boolean {
  const { tools, functions, input, generateContentRequest: counted } = body as Record<string, unknown>
  const names = [...textOf([tools, functions, counted]).matchAll(/"name":"([^"]*)"/g)].map(([, name]) => name)
  const isTurn = (item: unknown): boolean => /"role":"(?:user|assistant)"/.test(textOf(item))
  const isEmpty = operation === 'responses.create' && Array.isArray(input) && !input.some(isTurn)
  const { thinking, max_tokens: limit, temperature = 1 } = body as Record<string, unknown>
  const { type, budget_tokens: budget } = (thinking ?? {}) as { type?: string; budget_tokens?: number }
  const isCramped = type === 'enabled' && (Number(limit) <= budget! || temperature !== 1)
  const text = textOf(body).replaceAll(textOf(ownSchema), '{}')
  return new Set(names).size === names.length && !isIncoherent.test(text) && !isEmpty && !isCramped
}

/** Refusals that are about the task or the amount of work, not about the body. */
const isOther = /关联任务|task_not_found|is too much work/

let transport: OpenTransport

const send = async ({ method, path, operation }: Described, body: unknown) => {
  const target = path
    .replace('{task_id}', existing.video)
    .replace('{model}', operation.operationId.includes('embed') ? 'sim-embedding-1' : 'sim-text-1')
  const headers = { authorization, 'content-type': 'application/json' }
  const response = await transport.call(target, { method, headers, body: textOf(body) })
  const text = await response.text()
  const contentType = response.headers.get('content-type') ?? ''
  const { status } = response
  // The back end of drawings refuses with 200 as well.
  const isRefused = status !== 200 || /^{"code":(?!1,|21,|22,)\d/.test(text)
  return { status, contentType, text, isRefused }
}

beforeAll(async () => {
  transport = await openDirect({ promptDirectives: false, clock: { mode: 'manual' } })
  existing.video = await submitVideo(transport)
  const draw = async (path: string, fields: Record<string, unknown>): Promise<string> => {
    const { result } = (await (await postDrawing(transport, path, fields)).json()) as Submitted
    return result
  }
  existing.drawing = await draw('submit/imagine', { prompt: 'a kite' })
  await transport.sim.clock.advanceUntil(existing.drawing, 'SUCCESS')
  await transport.sim.clock.advanceUntil(existing.video, 'SUCCESS')
  const polled = await transport.call(`/mj/task/${existing.drawing}/fetch`, { headers: { authorization } })
  const { buttons } = (await polled.json()) as DrawingRecord
  existing.button = buttons!.find(({ customId }) => customId.includes('variation'))!.customId
  const taskId = existing.drawing
  const upscaled = await draw('submit/change', { taskId, action: 'UPSCALE', index: 1 })
  await transport.sim.clock.advanceUntil(upscaled, 'SUCCESS')
  const more = (await (
    await transport.call(`/mj/task/${upscaled}/fetch`, { headers: { authorization } })
  ).json()) as DrawingRecord
  const customId = more.buttons!.find((button) => button.customId.includes('CustomZoom'))!.customId
  existing.dialog = await draw('submit/action', { taskId: upscaled, customId })
})

afterAll(() => transport[Symbol.asyncDispose]())

const missing = Symbol('missing')
const wrong: readonly unknown[] = [missing, 'no such word', '', 7.5, -1, 1e15, true, {}, [], [7]]

/** A body with another value at one place in it. */
function mutate(body: unknown, place: number, value: unknown): unknown {
  const copy = structuredClone(body) as Record<string, unknown>
  const places: (() => void)[] = []
  const visit = (holder: Record<string, unknown>): void => {
    for (const [key, each] of Object.entries(holder)) {
      places.push(() => {
        if (value !== missing) holder[key] = value
        else if (Array.isArray(holder)) holder.splice(Number(key), 1)
        else delete holder[key]
      })
      if (typeof each === 'object' && each !== null) visit(each as Record<string, unknown>)
    }
  }
  visit(copy)
  places[place % Math.max(1, places.length)]?.()
  return copy
}

describe.each(taking.map((each) => [each.operation.operationId, each] as const))(
  'the body of %s',
  (operation, found) => {
    const isValid = ajv.getSchema(`openapi${refOf(found)}`)!
    const bodies = valuesOf(lookUp(refOf(found)), operation).filter(
      (body) => (isValid(body) as boolean) && isCoherent(operation, body),
    )

    const isLenient = operation === 'mj.list'

    it.runIf(isLenient)('has no schema that refuses anything', async () => {
      await fc.assert(
        fc.property(bodies, fc.nat(), fc.constantFrom(...wrong), (body, place, value) => {
          expect(isValid(mutate(body, place, value))).toBe(true)
        }),
      )
    })

    it('is accepted if its schema allows it', async () => {
      await fc.assert(
        fc.asyncProperty(bodies, async (body) => {
          const { status, text, isRefused } = await send(found, body)
          if (isRefused && !isOther.test(text)) throw new Error(`${status} ${text.slice(0, 300)}`)
        }),
        { numRuns: 40 },
      )
    })

    it.skipIf(isLenient)('is refused if its schema does not allow it', async () => {
      await fc.assert(
        fc.asyncProperty(bodies, fc.nat(), fc.constantFrom(...wrong), async (body, place, value) => {
          const mutated = mutate(body, place, value)
          fc.pre(!isValid(mutated))
          const { status, contentType, text, isRefused } = await send(found, mutated)
          if (!isRefused) throw new Error(`accepted ${textOf(mutated).replaceAll(/[\w+/=]{200,}/g, '…')}`)
          expect([200, 400, 500]).toContain(status)
          expect(responseMistakes(found, { status, contentType, body: text })).toEqual([])
        }),
        { numRuns: 80, maxSkipsPerRun: 1_000 },
      )
    })
  },
)
