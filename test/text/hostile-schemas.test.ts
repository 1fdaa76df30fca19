import { expect, it } from 'vitest'
import { SchemaRefused } from '../../src/text/spec.ts'
import { loadWriter } from '../../src/text/write/writer.ts'
import { ask, chance } from './ask.ts'
import { spentMs } from '../support/processor-time.ts'

const writer = await loadWriter()

/** Nests a schema `levels` times. */
function nested(levels: number, leaf: unknown, wrap: (inner: unknown) => unknown): unknown {
  let schema = leaf
  for (let level = 0; level < levels; level++) schema = wrap(schema)
  return schema
}

const hostile: Readonly<Record<string, unknown>> = {
  'anyOf^10 deep 12 of contradictory': nested(
    12,
    { type: 'string', allOf: [{ type: 'number' }] },
    (inner) => ({ anyOf: [inner, inner] }),
  ),
  'allOf of anyOf x20': {
    allOf: Array.from({ length: 20 }, () => ({
      anyOf: [
        { minimum: 5, type: 'number' },
        { maximum: 3, type: 'number' },
      ],
    })),
  },
  'allOf of anyOf x20 impossible': {
    allOf: [
      { type: 'number', minimum: 10, maximum: 20 },
      ...Array.from({ length: 20 }, () => ({ anyOf: [{ multipleOf: 7 }, { multipleOf: 11 }] })),
      { multipleOf: 500 },
    ],
  },
  'oneOf deep': nested(30, { type: 'string' }, (inner) => ({
    type: 'object',
    properties: { a: { oneOf: [inner, { type: 'integer' }] } },
    required: ['a'],
  })),
  'wide ref doubling': {
    $ref: '#/$defs/l0',
    $defs: Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [
        `l${i}`,
        i === 39
          ? { type: 'string' }
          : {
              type: 'object',
              properties: { a: { $ref: `#/$defs/l${i + 1}` }, b: { $ref: `#/$defs/l${i + 1}` } },
              required: ['a', 'b'],
            },
      ]),
    ),
  },
  'optional doubling': {
    $ref: '#/$defs/l0',
    $defs: Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [
        `l${i}`,
        i === 39
          ? { type: 'string' }
          : {
              type: 'object',
              properties: { a: { $ref: `#/$defs/l${i + 1}` }, b: { $ref: `#/$defs/l${i + 1}` } },
            },
      ]),
    ),
  },
  '5000 properties': {
    type: 'object',
    properties: Object.fromEntries(
      Array.from({ length: 4000 }, (_, i) => [
        `property${i}`,
        { type: 'string', description: 'x'.repeat(50) },
      ]),
    ),
    required: Array.from({ length: 4000 }, (_, i) => `property${i}`),
  },
  '50 heavy patterns': {
    type: 'object',
    properties: Object.fromEntries(
      Array.from({ length: 50 }, (_, i) => [
        `p${i}`,
        { type: 'string', pattern: `^(?:[a-z]{0,30}[0-9]{0,30}){0,12}${i}$` },
      ]),
    ),
    required: Array.from({ length: 50 }, (_, i) => `p${i}`),
  },
  'unique impossible booleans': {
    type: 'array',
    items: { type: 'boolean' },
    minItems: 500,
    uniqueItems: true,
  },
  'deep raw nest 5000': nested(5000, { type: 'string' }, (inner) => ({ type: 'array', items: inner })),
  'enum 100k': { enum: Array.from({ length: 100_000 }, (_, i) => `value ${i}`) },
  'enum unique 3000 objects': {
    type: 'array',
    uniqueItems: true,
    minItems: 1000,
    items: { enum: Array.from({ length: 1500 }, (_, i) => ({ i })) },
  },
  'long text': { type: 'string', minLength: 5_000 },
  'pattern long': { type: 'string', pattern: '^(?:[a-z]+ )*[a-z]+$', minLength: 4_900 },
  'required 4000 with fits': {
    allOf: Array.from({ length: 100 }, () => ({
      type: 'object',
      properties: Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`p${i}`, { type: 'string' }])),
      required: Array.from({ length: 50 }, (_, i) => `p${i}`),
    })),
  },
  proto: {
    type: 'object',
    properties: JSON.parse('{"__proto__":{"type":"string"},"constructor":{"type":"integer"}}'),
    required: ['__proto__', 'constructor', 'toString'],
  },
  '5000 alternatives for 5000 items': {
    type: 'array',
    minItems: 5_000,
    items: { anyOf: Array.from({ length: 5_000 }, (_, i) => ({ const: i })) },
  },
  '4000 parts for 5000 items': {
    type: 'array',
    minItems: 5_000,
    items: { allOf: Array.from({ length: 4_000 }, () => ({ type: 'string' })) },
  },
  'long texts in a long list': {
    type: 'array',
    minItems: 5_000,
    items: { type: 'string', minLength: 5_000 },
  },
  'heavy pattern for enumerated texts': {
    enum: Array.from({ length: 1_000 }, (_, i) => `${'a'.repeat(4_000)}${i}`),
    pattern: '^[a-z]{0,280}[a-z]{0,280}$',
  },
  'definitions that each require the one before': {
    type: 'object',
    properties: Object.fromEntries(
      Array.from({ length: 3_000 }, (_, i) => [`p${i}`, { $ref: `#/$defs/l${i}` }]),
    ),
    $defs: Object.fromEntries(
      Array.from({ length: 3_000 }, (_, i) => [
        `l${i}`,
        i === 0
          ? { type: 'string' }
          : { type: 'object', properties: { a: { $ref: `#/$defs/l${i - 1}` } }, required: ['a'] },
      ]),
    ),
  },
  'dense minimal recursion anyOf': {
    $ref: '#/$defs/e',
    $defs: {
      e: {
        anyOf: [
          {
            type: 'object',
            properties: { l: { $ref: '#/$defs/e' }, r: { $ref: '#/$defs/e' }, m: { $ref: '#/$defs/e' } },
            required: ['l', 'r', 'm'],
          },
          { type: 'number' },
        ],
      },
    },
  },
}

it.each(Object.entries(hostile))('is bounded in time, even for many candidates: %s', (_, schema) => {
  for (const candidates of [1, 128]) {
    const output = { kind: 'schema' as const, schema: { dialect: 'json-schema' as const, schema } }
    const spent = spentMs(() => {
      try {
        const answer = writer.answer(ask('Hello from Oslo', { candidates, output }), chance())
        expect(() => JSON.parse(answer.candidates[0]!.text) as unknown).not.toThrow()
      } catch (error) {
        expect(error).toBeInstanceOf(SchemaRefused)
      }
    })
    // Half a second each. A busy machine may take longer.
    expect(spent).toBeLessThan(2_000)
  }
})

it('looks at a place once for each value, however many references lead there', () => {
  const levels = 16
  const schema = {
    $defs: Object.fromEntries(
      Array.from({ length: levels + 1 }, (_, n) => {
        const next = { $ref: `#/$defs/l${n + 1}` }
        return [`l${n}`, n === levels ? { type: 'integer' } : { anyOf: [next, next] }]
      }),
    ),
    allOf: [{ $ref: '#/$defs/l0' }, { enum: [...Array.from({ length: 20 }, (_, n) => `no ${n}`), 7] }],
  }
  const output = { kind: 'schema' as const, schema: { dialect: 'json-schema' as const, schema } }
  expect(writer.answer(ask('Hello', { output }), chance()).candidates[0]!.text).toBe('7')
})

it('follows a chain of references no further than the call stack allows', () => {
  const chain = (length: number): unknown => ({
    $ref: '#/$defs/l0',
    $defs: Object.fromEntries(
      Array.from({ length }, (_, n) => [
        `l${n}`,
        n === length - 1 ? { type: 'integer' } : { $ref: `#/$defs/l${n + 1}` },
      ]),
    ),
  })
  const answer = (length: number) =>
    writer.answer(
      ask('Hello', {
        output: { kind: 'schema', schema: { dialect: 'json-schema', schema: chain(length) } },
      }),
      chance(),
    )
  expect(answer(90).candidates[0]!.text).toMatch(/^\d+$/)
  expect(() => answer(110)).toThrow('more than 100 references and alternatives')
  expect(() => answer(9_000)).toThrow('shorten the chain of references')
})
