import * as z from 'zod/mini'

type JsonSchema = Readonly<Record<string, unknown>>

/** A small value that fits the schema of a body in most cases. */
export function drawBody(body: z.ZodMiniType): unknown {
  return drawValue(z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' }) as JsonSchema)
}

/** Texts of common forms. The first one that matches a pattern is sent. */
const texts = [
  'a red kite',
  'https://api.example/kite.png',
  'data:image/png;base64,iVBORw0KGgo=',
  '16:9',
  '1280x720',
  '1280:720',
  '720p',
  '5',
  '5s',
  '#ff0000',
  'kite',
  'kite@api.example',
  '2030-01-01T00:00:00Z',
  '2030-01-01',
  '8c5f2f7e-3b0a-4d3f-9a51-0b6c2d1e4f70',
]

function drawText({ pattern, format, minLength = 1 }: JsonSchema): string {
  const fits = (text: string): boolean => typeof pattern !== 'string' || new RegExp(pattern).test(text)
  const found = format === 'uri' ? texts[1] : texts.find(fits)
  return (found ?? texts[0]!).padEnd(Number(minLength), '.')
}

function drawValue(schema: JsonSchema): unknown {
  const { type, enum: choices, anyOf, examples, minItems = 1, minimum = 1 } = schema
  if (Array.isArray(examples) && examples.length > 0) return examples[0]
  if ('default' in schema) return schema['default']
  if ('const' in schema) return schema['const']
  if (Array.isArray(choices)) return choices[0]
  if (Array.isArray(anyOf)) return drawValue(anyOf[0] as JsonSchema)
  if (type === 'string') return drawText(schema)
  if (type === 'number' || type === 'integer') return Math.max(1, Number(minimum))
  if (type === 'boolean') return true
  if (type === 'array')
    return Array.from({ length: Number(minItems) }, () => drawValue((schema['items'] ?? {}) as JsonSchema))
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>
  const required = (schema['required'] ?? []) as readonly string[]
  return Object.fromEntries(required.map((key) => [key, drawValue(properties[key] ?? {})]))
}
