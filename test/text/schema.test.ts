// `then` is a keyword of JSON Schema.
/* oxlint-disable unicorn/no-thenable */
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { SchemaRefused, type DeclaredSchema } from '../../src/text/spec.ts'
import { writeSchema } from './ask.ts'

const json = (schema: unknown): DeclaredSchema => ({ dialect: 'json-schema', schema })
const native = (schema: unknown): DeclaredSchema => ({ dialect: 'native', schema })

// An Ajv compiles its meta-schemas first, which takes longer than most of these tests. A check of one value is not worth
// optimized code.
const ajv = addFormats.default(new Ajv2020({ strict: false, logger: false, code: { optimize: false } }))

function validator(schema: object | boolean): (value: unknown) => boolean {
  return ajv.compile(schema) as (value: unknown) => boolean
}

function refusal(declared: DeclaredSchema): SchemaRefused {
  try {
    const value = writeSchema(declared)
    throw new Error(`${JSON.stringify(declared.schema)} gave ${JSON.stringify(value)}`)
  } catch (error) {
    if (error instanceof SchemaRefused) return error
    throw error
  }
}

/** Random schemas of the documented subset that always have a value. */
const bound = fc.integer({ min: -50, max: 50 })
const leaf = fc.oneof(
  fc.constant({ type: 'null' }),
  fc.constant({ type: 'boolean' }),
  fc.constant({}),
  fc.constant(true),
  fc
    .record({ type: fc.constantFrom('integer', 'number'), minimum: bound })
    .chain((schema) => fc.nat({ max: 40 }).map((span) => ({ ...schema, maximum: schema.minimum + span }))),
  fc.record({
    type: fc.constant('number'),
    exclusiveMinimum: bound,
    multipleOf: fc.constantFrom(0.01, 0.5, 3, 7),
  }),
  fc.record({ type: fc.constant('integer'), exclusiveMaximum: bound, multipleOf: fc.constantFrom(1, 2, 5) }),
  fc
    .tuple(fc.nat({ max: 30 }), fc.nat({ max: 30 }))
    .map(([minLength, span]) => ({ type: 'string', minLength, maxLength: minLength + span })),
  fc.record({
    type: fc.constant('string'),
    format: fc.constantFrom(
      'date-time',
      'date',
      'time',
      'duration',
      'email',
      'hostname',
      'ipv4',
      'ipv6',
      'uuid',
      'uri',
    ),
  }),
  fc.record({
    type: fc.constant('string'),
    pattern: fc.constantFrom(
      '^[A-Z]{2}-\\d{4}$',
      '^(a+)+$',
      'foo|bar$',
      '^#[0-9a-fA-F]{6}$',
      '^\\+?[1-9]\\d{1,14}$',
      '^.{3,8}$',
      '[^x]y?z*',
      '^(?:un|re)do(?:ing)?$',
      '^\\S+@\\S+\\.\\S+$',
      '^$|^[a-c]$',
      '^\\p{Lu}\\p{L}*$',
      '^(\\d{1,3}\\.){3}\\d{1,3}$',
      '',
      'é{2}',
    ),
  }),
  fc.record({ enum: fc.array(fc.jsonValue({ maxDepth: 1 }), { minLength: 1, maxLength: 4 }) }),
  fc.record({ const: fc.constantFrom('x', 3, null, [1, 2], { a: 1 }) }),
  fc.constant({ type: ['string', 'null'], maxLength: 5 }),
  fc.constant({ type: ['integer', 'array'], items: { type: 'string' } }),
)

const { schema: anySchema } = fc.letrec<{
  schema: unknown
  object: unknown
  array: unknown
  choice: unknown
}>((tie) => ({
  schema: fc.oneof({ maxDepth: 4, withCrossShrink: true }, leaf, tie('object'), tie('array'), tie('choice')),
  object: fc
    .tuple(
      fc.dictionary(
        fc.constantFrom('name', 'email', 'city', 'age', 'price', 'a/b', 'x~y', 'items'),
        tie('schema'),
        { maxKeys: 4 },
      ),
      fc.constantFrom(undefined, false, true, { type: 'integer' }),
      fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
      fc.nat({ max: 2 }),
    )
    .map(([properties, additional, flags, least]) => ({
      type: 'object',
      properties,
      required: Object.keys(properties).filter((_, index) => flags[index]),
      ...(additional === undefined ? {} : { additionalProperties: additional }),
      ...(Object.keys(properties).length >= least ? { minProperties: least } : {}),
    })),
  array: fc
    .tuple(tie('schema'), fc.nat({ max: 3 }), fc.nat({ max: 3 }), fc.array(tie('schema'), { maxLength: 2 }))
    .map(([items, minItems, span, prefixItems]) => ({
      type: 'array',
      items,
      minItems,
      maxItems: minItems + span,
      ...(prefixItems.length > 0 ? { prefixItems } : {}),
    })),
  choice: fc.oneof(
    fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
    tie('schema').map((only) => ({ oneOf: [only, { const: 'a value of its own' }] })),
    tie('schema').map((part) => ({ allOf: [part, { description: 'nothing more' }] })),
    tie('schema').map((part) => ({ $defs: { part }, allOf: [part] })),
  ),
}))

it('writes valid values for random schemas', () => {
  fc.assert(
    fc.property(anySchema, fc.nat(), (schema, seed) => {
      let value: unknown
      try {
        value = writeSchema(json(schema), seed)
      } catch (error) {
        // A oneOf over a schema that takes everything has no value; ajv can't say so either.
        if (error instanceof SchemaRefused && JSON.stringify(schema).includes('oneOf')) return
        throw error
      }
      const check = validator(schema as object)
      expect(check(value), `${JSON.stringify(schema)} gave ${JSON.stringify(value)}`).toBe(true)
    }),
    { numRuns: 150 },
  )
}, 120_000)

it('writes what the native dialect asks for, in its order', () => {
  const value = writeSchema(
    native({
      type: 'OBJECT',
      properties: {
        price: { type: 'NUMBER', minimum: 3, maximum: 4 },
        tags: { type: 'ARRAY', items: { type: 'STRING' }, minItems: '2', maxItems: '2' },
        size: { type: 'STRING', format: 'enum', enum: ['small', 'large'] },
        gone: { type: 'STRING', nullable: true },
        either: { anyOf: [{ type: 'INTEGER', format: 'int32' }, { type: 'BOOLEAN' }] },
      },
      required: ['price', 'tags', 'size', 'gone', 'either'],
      propertyOrdering: ['size', 'tags', 'price', 'either', 'gone'],
    }),
  ) as Record<string, unknown>
  expect(Object.keys(value)).toEqual(['size', 'tags', 'price', 'either', 'gone'])
  expect(value['tags']).toHaveLength(2)
  expect(value['price']).toBeGreaterThanOrEqual(3)
  expect(['small', 'large']).toContain(value['size'])
})

it('gives null for a nullable value now and then, and mostly the value', () => {
  const values = Array.from({ length: 300 }, (_, seed) =>
    writeSchema(native({ type: 'STRING', nullable: true }), seed),
  )
  expect(values.filter((value) => value === null).length).toBeGreaterThan(0)
  expect(values.filter((value) => value === null).length).toBeLessThan(90)
})

it('ends schemas that contain themselves', () => {
  const tree = {
    $ref: '#/$defs/node',
    $defs: {
      node: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          children: { type: 'array', items: { $ref: '#/$defs/node' } },
        },
        required: ['name', 'children'],
        additionalProperties: false,
      },
    },
  }
  const list = {
    anyOf: [{ type: 'object', properties: { next: { $ref: '#' } }, required: ['next'] }, { type: 'null' }],
  }
  for (let seed = 0; seed < 30; seed++) {
    expect(validator(tree)(writeSchema(json(tree), seed))).toBe(true)
    expect(validator(list)(writeSchema(json(list), seed))).toBe(true)
  }
})

it('writes all the different items that there are', () => {
  const schema = { type: 'array', items: { enum: [1, 2, 3, 4, 5, 6, 7] }, minItems: 7, uniqueItems: true }
  expect(new Set(writeSchema(json(schema)) as number[]).size).toBe(7)
  expect(refusal(json({ ...schema, minItems: 8 })).message).toContain('must differ')
})

it('fills properties by their names', () => {
  const schema = {
    type: 'object',
    properties: {
      firstName: { type: 'string' },
      email: { type: 'string' },
      age: { type: 'integer' },
      summary: { type: 'string' },
    },
    required: ['firstName', 'email', 'age', 'summary'],
  }
  const value = writeSchema(json(schema)) as {
    firstName: string
    email: string
    age: number
    summary: string
  }
  expect(value.firstName).toMatch(/^[A-Z][a-z'-]+$/)
  expect(value.email).toMatch(/@example\.(com|net|org)$/)
  expect(value.age).toBeGreaterThan(17)
  expect(value.summary).toContain('paper boat')
})

it('gives the same value for the same seed and another one for another', () => {
  const schema = json({ type: 'array', items: { type: 'string' }, minItems: 3 })
  expect(writeSchema(schema, 5)).toEqual(writeSchema(schema, 5))
  expect(writeSchema(schema, 5)).not.toEqual(writeSchema(schema, 6))
})

it.each([
  [
    json({ type: 'object', properties: { age: { type: 'integer', minimum: 5, maximum: 3 } } }),
    '/properties/age/minimum',
    'above',
  ],
  [
    json({ type: 'array', items: { type: 'string', minLength: 4, maxLength: 2 } }),
    '/items/minLength',
    'above',
  ],
  [json({ type: 'string', pattern: '^[a-z]{3}$', minLength: 5 }), '/pattern', 'length from 5'],
  [json({ type: 'string', pattern: '^(aa)+$', minLength: 3, maxLength: 3 }), '/pattern', 'no text'],
  [json({ enum: [] }), '/enum', 'empty'],
  [json({ type: 'string', enum: [1, 2] }), '/enum', 'type string'],
  [json({ type: 'object', properties: { 'a/b': { type: 'text' } } }), '/properties/a~1b/type', 'not a type'],
  [json({ not: {} }), '', 'something that nothing fits'],
  [json({ type: 'text' }), '/type', 'not a type'],
  [json({ $ref: '#/$defs/nowhere' }), '/$ref', 'leads nowhere'],
  [json({ $ref: 'https://example.com/schema' }), '/$ref', 'same schema'],
  [json({ $ref: '#' }), '', 'defined as itself'],
  [json({ type: 'object', properties: { next: { $ref: '#' } }, required: ['next'] }), '', 'without end'],
  [json({ allOf: [{ minimum: 5 }, { maximum: 3 }], type: 'number' }), '', 'no number'],
  [json({ allOf: [{ type: 'string' }, { type: 'number' }] }), '', 'no type'],
  [json({ oneOf: [{ type: 'string' }, { maxLength: 1000 }], type: 'string' }), '/oneOf', 'another one too'],
  [json({ type: 'object', required: ['a'], additionalProperties: false }), '/required', '"a"'],
  [json({ type: 'array', items: { type: 'string' }, minItems: 1e9 }), '/minItems', 'more than'],
  [json({ type: 'string', minLength: 1e9 }), '/minLength', 'more than'],
  [native({ type: ['STRING', 'NULL'] }), '/type', 'not a type'],
  [json([]), '', 'not a schema'],
])('refuses %j', (declared, pointer, words) => {
  const { message, pointer: where } = refusal(declared)
  expect(where).toBe(pointer)
  expect(message).toContain(words)
})

it('refuses a small schema with a huge value', () => {
  const levels = Object.fromEntries(
    Array.from({ length: 20 }, (_, level) => [
      `level${level}`,
      level === 19
        ? { type: 'string' }
        : { type: 'array', minItems: 10, items: { $ref: `#/$defs/level${level + 1}` } },
    ]),
  )
  expect(refusal(json({ $ref: '#/$defs/level0', $defs: levels })).message).toContain('larger than')
})

it('draws from patterns only what the regular expression of the language finds too', () => {
  fc.assert(
    fc.property(
      fc.stringMatching(/^(?:[ab]|\[a-c\]|\(a\|b\)|\\d|\.)(?:[*+?]|\{1,3\})?(?:x|\(yz\)\*)$/),
      fc.nat(),
      (pattern, seed) => {
        const value = writeSchema(json({ type: 'string', pattern }), seed) as string
        expect(value).toMatch(new RegExp(pattern, 'u'))
      },
    ),
    { numRuns: 200 },
  )
})

it.each([
  [{ type: 'integer', exclusiveMinimum: 3, exclusiveMaximum: 5 }, 4],
  [{ type: 'number', exclusiveMinimum: 1, exclusiveMaximum: 1.5, multipleOf: 0.25 }, 1.25],
  [{ type: 'integer', minimum: 2.5, maximum: 3.5 }, 3],
  [{ type: 'number', minimum: 0.3, maximum: 0.3 }, 0.3],
  [{ type: 'integer', format: 'int32', minimum: 2 ** 31 - 1 }, 2 ** 31 - 1],
  [{ type: 'number', multipleOf: 1e9, minimum: 1, maximum: 1.5e9 }, 1e9],
  [{ allOf: [{ multipleOf: 4 }, { multipleOf: 6 }], type: 'integer', minimum: 1, maximum: 20 }, 12],
])('finds the only number of %j', (schema, only) => {
  for (let seed = 0; seed < 10; seed++) expect(writeSchema(json(schema), seed)).toBe(only)
})

it.each([
  { type: 'number', exclusiveMinimum: 0, maximum: 0.001 },
  { type: 'number', exclusiveMinimum: 1e300 },
  { type: 'number', maximum: -1e15 },
  { type: 'integer', minimum: 1e12 },
  { type: 'number', exclusiveMinimum: 5, exclusiveMaximum: 5.000001 },
])('stays within the bounds of %j', (schema) => {
  const check = validator(schema as object)
  for (let seed = 0; seed < 50; seed++) expect(check(writeSchema(json(schema), seed))).toBe(true)
})

it('refuses bounds with nothing between them', () => {
  expect(refusal(json({ type: 'integer', exclusiveMinimum: 3, exclusiveMaximum: 4 })).message).toContain(
    'no number',
  )
})

it('fits exactly one alternative of a oneOf, and all parts of an allOf', () => {
  const part = (minimum: number, maximum: number) => ({ type: 'integer', minimum, maximum })
  const one = { oneOf: [part(1, 6), part(3, 8)] }
  const merged = {
    allOf: [
      { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
      { properties: { a: { minLength: 30 }, b: { const: 1 } }, required: ['b'] },
      { anyOf: [{ properties: { a: { maxLength: 10 } } }, { properties: { a: { maxLength: 35 } } }] },
    ],
  }
  const [checkOne, checkMerged] = [validator(one), validator(merged)]
  for (let seed = 0; seed < 100; seed++) {
    expect(checkOne(writeSchema(json(one), seed))).toBe(true)
    expect(checkMerged(writeSchema(json(merged), seed))).toBe(true)
  }
})

/** The same schema in the words of JSON Schema. */
function translated(schema: Record<string, unknown>): Record<string, unknown> {
  const { type, nullable, properties, items, anyOf, propertyOrdering: _, ...rest } = schema
  const own: Record<string, unknown> = { ...rest }
  for (const bound of ['minItems', 'maxItems', 'minLength'])
    if (own[bound] !== undefined) own[bound] = Number(own[bound])
  if (type !== undefined) own['type'] = (type as string).toLowerCase()
  if (items !== undefined) own['items'] = translated(items as Record<string, unknown>)
  if (anyOf !== undefined) own['anyOf'] = (anyOf as Record<string, unknown>[]).map(translated)
  if (properties !== undefined) {
    own['properties'] = Object.fromEntries(
      Object.entries(properties as object).map(([name, each]) => [
        name,
        translated(each as Record<string, unknown>),
      ]),
    )
  }
  return nullable === true ? { anyOf: [own, { type: 'null' }] } : own
}

const nativeSchema = fc.letrec<{ schema: Record<string, unknown>; leaf: Record<string, unknown> }>((tie) => ({
  leaf: fc.oneof(
    fc.record({ type: fc.constantFrom('STRING', 'INTEGER', 'NUMBER', 'BOOLEAN'), nullable: fc.boolean() }),
    fc.constant({ type: 'STRING', enum: ['a', 'b'], format: 'enum' }),
    fc.constant({ type: 'STRING', format: 'date-time', description: 'when' }),
    fc.constant({ type: 'INTEGER', format: 'int64', minimum: -3, maximum: 3, example: 1 }),
    fc.constant({ type: 'STRING', minLength: '2', maxLength: 4, default: 'abc' }),
  ),
  schema: fc.oneof(
    { maxDepth: 3 },
    tie('leaf'),
    fc
      .dictionary(fc.constantFrom('name', 'age', 'tags'), tie('schema'), { maxKeys: 3 })
      .map((properties) => ({
        type: 'OBJECT',
        properties,
        required: Object.keys(properties).slice(0, 2),
        propertyOrdering: Object.keys(properties).toReversed(),
      })),
    fc.tuple(tie('schema'), fc.nat({ max: 2 })).map(([items, minItems]) => ({
      type: 'ARRAY',
      items,
      minItems: String(minItems),
      maxItems: '4',
      nullable: true,
    })),
    fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
  ),
})).schema

it('writes valid values for random schemas of the native dialect', () => {
  fc.assert(
    fc.property(nativeSchema, fc.nat(), (schema, seed) => {
      const value = writeSchema(native(schema), seed)
      expect(
        validator(translated(schema))(value),
        `${JSON.stringify(schema)} gave ${JSON.stringify(value)}`,
      ).toBe(true)
    }),
    { numRuns: 100 },
  )
}, 60_000)
