import { expect, it } from 'vitest'
import { compileSchema } from '../../src/text/json-schema/schema.ts'

const strict = { title: "response_format 'person'", param: 'response_format', code: null }
const text = { type: 'string' }

const compile = (schema: unknown): unknown => compileSchema({ dialect: 'json-schema', schema, strict })

/** A strict object with these properties, and anything else. */
const object = (properties: object, more: object = {}): object => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...more,
})

const deep = (levels: number): object => (levels === 0 ? text : object({ a: deep(levels - 1) }))

it.each([
  ['no additionalProperties', { type: 'object', properties: { a: text }, required: ['a'] }, "In context=(), 'additionalProperties' is required to be supplied and to be false."], // prettier-ignore
  ['open objects inside', object({ a: object({}, { additionalProperties: true }) }), "In context=('properties', 'a'), 'additionalProperties' is required to be supplied and to be false."], // prettier-ignore
  ['an optional property', object({ a: text, b: text }, { required: ['a'] }), "In context=(), 'required' is required to be supplied and to be an array including every key in properties. Missing 'b'."], // prettier-ignore
  ['an undeclared required property', object({ a: text }, { required: ['a', 'c'] }), "In context=(), 'required' is required to be supplied and to be an array including every key in properties. Extra required key 'c' supplied."], // prettier-ignore
  ['oneOf', object({ a: { oneOf: [text] } }), "In context=('properties', 'a'), 'oneOf' is not permitted."],
  ['allOf in an item', object({ a: { type: 'array', items: { allOf: [text] } } }), "In context=('properties', 'a', 'items'), 'allOf' is not permitted."], // prettier-ignore
  ['uniqueItems in a definition', object({ a: text }, { $defs: { list: { type: 'array', items: text, uniqueItems: true } } }), "In context=('$defs', 'list'), 'uniqueItems' is not permitted."], // prettier-ignore
  ['an alternative without a type', object({ a: { anyOf: [text, {}] } }), "In context=('properties', 'a', 'anyOf', '1'), schema must have a 'type' key."], // prettier-ignore
  ['an array of anything', object({ a: { type: 'array' } }), "In context=('properties', 'a'), array schema missing items."], // prettier-ignore
  ['an unknown format', object({ a: { type: 'string', format: 'uri' } }), "In context=('properties', 'a'), 'uri' is not a valid format."], // prettier-ignore
  ['a described reference', object({ a: { $ref: '#/$defs/t', description: 'x' } }, { $defs: { t: text } }), "In context=('properties', 'a'), $ref cannot have keywords {'description'}."], // prettier-ignore
  ['a root that is a list', { type: 'array', items: text }, 'schema must be a JSON Schema of \'type: "object"\', got \'type: "array"\'.'], // prettier-ignore
  ['a root without a type', { anyOf: [text] }, 'schema must be a JSON Schema of \'type: "object"\', got \'type: "None"\'.'], // prettier-ignore
  ['a choice at the root', object({ a: text }, { anyOf: [text] }), "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level."], // prettier-ignore
  ['eleven levels', deep(11), '11 levels of nesting exceeds limit of 10.'],
])('refuses %s in a strict schema', (_name, schema, message) => {
  expect(() => compile(schema)).toThrow(`Invalid schema for response_format 'person': ${message}`)
})

it.each([
  ['ten levels', deep(10)],
  ['nullable, as zod 3 writes it', object({ a: { ...text, nullable: true } })],
  ['null among the types', object({ a: { type: ['string', 'null'] }, b: { anyOf: [text, { type: 'null' }] } })], // prettier-ignore
  ['bounds, patterns and formats', object({ a: { type: 'array', items: { type: 'integer', minimum: 1, multipleOf: 2 }, minItems: 1, maxItems: 3 }, b: { type: 'string', pattern: '^a', format: 'uuid' } })], // prettier-ignore
  ['recursion', { ...object({ next: { anyOf: [{ $ref: '#' }, { type: 'null' }] } }) }],
  ['a reference at the root', { $ref: '#/$defs/a', $defs: { a: object({ b: text }) } }],
  ['annotations', object({ a: { ...text, title: 'A', description: 'x', default: 'y', 'x-a': 1 } })],
])('takes %s in a strict schema', (_name, schema) => {
  expect(() => compile(schema)).not.toThrow(/Invalid schema/)
})
