import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { compileSchema } from '../../src/text/json-schema/schema.ts'
import { SchemaRefused, type DeclaredSchema } from '../../src/text/spec.ts'
import { writeSchema } from './ask.ts'

const text = { type: 'string' }

// An Ajv compiles its meta-schemas first, which takes longer than most of these tests. A check of one value is not worth
// optimized code.
const options = { strict: false, code: { optimize: false } }
const ajv2020 = addFormats.default(new Ajv2020(options))
const ajv7 = addFormats.default(new Ajv(options))

function checkerOf(schema: object, ajv: Ajv = ajv2020): (value: unknown) => void {
  const isValid = ajv.compile(schema)
  return (value) =>
    expect(isValid(value), `${JSON.stringify(schema)} gave ${JSON.stringify(value)}`).toBe(true)
}

function expectValidValues(schema: object, ajv?: Ajv): void {
  const check = checkerOf(schema, ajv)
  for (let seed = 0; seed < 30; seed++) check(writeSchema({ dialect: 'json-schema', schema }, seed))
}

const notesOf = (schema: unknown, dialect: DeclaredSchema['dialect'] = 'json-schema'): readonly string[] =>
  compileSchema({ dialect, schema }).notes

const person = { type: 'object', properties: { name: text, age: { type: 'integer' } }, required: ['name'] }

it.each([
  ['a nullable text', { ...text, nullable: true }],
  [
    'a record, as zod writes it',
    { type: 'object', propertyNames: text, additionalProperties: { type: 'integer' } },
  ],
  ['a record of known names', { type: 'object', propertyNames: { ...text, enum: ['a', 'b'] }, additionalProperties: text, minProperties: 1 }], // prettier-ignore
  ['a property that must be absent, as zod writes it', { ...person, properties: { ...person.properties, x: { not: {} } } }], // prettier-ignore
  ['prefixItems', { type: 'array', prefixItems: [text, { type: 'number' }], items: false, minItems: 2 }],
  ['a discriminator', { oneOf: [{ type: 'object', properties: { kind: { const: 'a' } }, required: ['kind'] }, { type: 'object', properties: { kind: { const: 'b' }, n: { type: 'integer' } }, required: ['kind', 'n'] }], discriminator: { propertyName: 'kind' } }], // prettier-ignore
  ['anyOf and oneOf together', { anyOf: [{ minimum: 3 }, { maximum: -3 }], oneOf: [{ type: 'integer' }, { const: 0.5 }] }], // prettier-ignore
  ['base64', { ...text, contentEncoding: 'base64', contentMediaType: 'image/png' }],
  ['an e-mail address as zod writes it', { ...text, format: 'email', pattern: "^(?!\\.)(?!.*\\.\\.)([A-Za-z0-9_'+\\-\\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$" }], // prettier-ignore
  ['annotations of other kinds', { ...text, 'x-order': 1, $comment: 'no', deprecated: true, example: 'a', examples: ['a'], markdownDescription: '' }], // prettier-ignore
])('writes what %s requires', (_name, schema) => {
  expectValidValues(schema)
})

it.each([
  ['a tuple of draft 7', { type: 'array', items: [text, { type: 'integer' }], additionalItems: false, minItems: 2 }], // prettier-ignore
])('writes what %s requires', (_name, schema) => {
  expectValidValues(schema, ajv7)
})

it('takes the exclusive bounds of draft 4', () => {
  const schema = { type: 'integer', minimum: 3, exclusiveMinimum: true, maximum: 5, exclusiveMaximum: true }
  expect(writeSchema({ dialect: 'json-schema', schema })).toBe(4)
  expect(writeSchema({ dialect: 'json-schema', schema: { ...schema, exclusiveMaximum: false, minimum: 4 } })).toBe(5) // prettier-ignore
})

it('takes null for a keyword that is not set', () => {
  const schema = { type: 'object', properties: { a: { type: 'integer', minimum: null, enum: null } }, required: ['a'], pattern: null } // prettier-ignore
  expect(writeSchema({ dialect: 'json-schema', schema })).toEqual({ a: expect.any(Number) })
})

it.each([
  [{ ...text, minLenght: 3 }, ['"minLenght" at the root is ignored (did you mean "minLength"?)']],
  [
    { type: 'object', properties: { a: { type: 'array', unevaluatedItems: false } } },
    ['"unevaluatedItems" at /properties/a is ignored'],
  ],
  [{ ...text, format: 'phone' }, ['"format": "phone" at the root is ignored']],
  [{ ...text, contentEncoding: 'quoted-printable' }, ['"contentEncoding" at the root is ignored']],
  [{ ...text, pattern: '^(?=.*x)y' }, ['the pattern "^(?=.*x)y" at /pattern is ignored (it looks ahead']],
  [{ ...text, pattern: '(a)\\1' }, ['is ignored (\\1 is not an escape']],
  [{ ...text, pattern: '(a' }, ['a group is not closed']],
  [{ ...text, pattern: '((a{900}){900}){900}' }, ['more than 1000']],
  [{ type: 'object', properties: { a: { ...text, required: true } } }, ['"required" at /properties/a']],
  [{ ...text, 'x-anything': 1, title: 'A', default: 'a' }, []],
])('names what it ignores in %j, and writes a value', (schema, notes) => {
  const found = notesOf(schema)
  expect(found).toHaveLength(notes.length)
  for (const [index, note] of notes.entries()) expect(found[index]).toContain(note)
  expect(writeSchema({ dialect: 'json-schema', schema })).toBeDefined()
})

it('says that the native dialect lacks a keyword, and honours it', () => {
  const schema = { type: 'OBJECT', properties: { a: { type: 'INTEGER', exclusiveMinimum: 4, maximum: 5 } }, required: ['a'] } // prettier-ignore
  expect(notesOf(schema, 'native')).toEqual([
    expect.stringContaining('JSON Schema, which the vendor takes in'),
  ])
  expect(writeSchema({ dialect: 'native', schema })).toEqual({ a: 5 })
})

it('names ten things at most', () => {
  expect(notesOf(Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`fancy${n}`, n])))).toHaveLength(10) // prettier-ignore
})

it.each([
  ['not', { enum: [1, 2, 3] }, { not: { const: 2 } }],
  ['if', person, { if: { required: ['age'] }, else: false }],
  ['dependentRequired', person, { dependentRequired: { name: ['age'] } }],
  ['dependentSchemas', person, { dependentSchemas: { name: { required: ['age'] } } }],
  ['dependencies', person, { dependencies: { name: ['age'] } }],
  ['contains', { type: 'array', items: { type: 'integer' } }, { contains: { minimum: 1_000 } }],
  ['patternProperties', { type: 'object', required: ['n_1'] }, { patternProperties: { '^n_': text }, additionalProperties: false }], // prettier-ignore
])('ignores %s with a note, and writes what the rest requires', (keyword, rest, ignored) => {
  const schema = { ...rest, ...ignored }
  expect(notesOf(schema)).toEqual([`"${keyword}" at the root is ignored`])
  checkerOf(rest)(writeSchema({ dialect: 'json-schema', schema }))
})

/** Schemas that combine alternatives; a few of them have no value, which ajv can't say either. */
const { schema: nested } = fc.letrec<{ schema: object; object: object; array: object }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<object>(text, { type: 'integer', minimum: 0 }, { enum: ['a', 'b', 3] }, { type: ['string', 'null'] }), // prettier-ignore
    tie('object'),
    tie('array'),
    fc.tuple(tie('schema'), tie('schema')).map((anyOf) => ({ anyOf })),
    fc.tuple(tie('schema'), tie('schema')).map((oneOf) => ({ oneOf })),
    tie('schema').map((one) => ({ allOf: [one, {}] })),
  ),
  object: fc
    .tuple(tie('schema'), tie('schema'), fc.subarray(['a', 'b']), fc.boolean())
    .map(([a, b, required, isOpen]) => ({
      type: 'object',
      properties: { a, b },
      required,
      additionalProperties: isOpen,
    })),
  array: tie('schema').map((first) => ({ type: 'array', prefixItems: [first], items: { type: 'integer' } })),
}))

it('writes valid values for random schemas, or refuses them', () => {
  let refused = 0
  const runs = 300
  fc.assert(
    fc.property(nested, fc.nat(), (schema, seed) => {
      let value: unknown
      try {
        value = writeSchema({ dialect: 'json-schema', schema }, seed)
      } catch (error) {
        if (!(error instanceof SchemaRefused)) throw error
        refused++
        return
      }
      checkerOf(schema)(value)
    }),
    { numRuns: runs },
  )
  expect(refused).toBeLessThan(runs / 6)
}, 60_000)
