import fc from 'fast-check'
import * as z from 'zod/mini'
import { expect, it } from 'vitest'
import { defineForm } from '../../../src/apis/define/form.ts'
import type { FormOptions, Misfit } from '../../../src/apis/define/form.ts'
import { orJsonText } from '../../../src/apis/define/operation-schema.ts'
import { integers, lenient } from '../../support/schemas.ts'

const refuse = ({ field, sentence, issue }: Misfit): Error => new Error(sentence ?? `${field}: ${issue.code}`)

const formOf = <Shape extends z.core.$ZodShape>(shape: Shape, options?: FormOptions) =>
  defineForm(() => z.object(shape), refuse, options)

const parts = z.array(
  z.union([
    z.object({ type: z.literal('text'), text: z.string() }),
    z.object({ type: z.enum(['image', 'file']), url: z.optional(z.string()) }),
  ]),
)

it('refuses the first field of the schema that does not fit, not the first of the body', () => {
  const form = formOf({ one: z.string(), two: z.string() })
  expect(() => form.read({ two: 2, one: 1 })).toThrow('one: invalid_type')
})

it('takes a field that is null as missing', () => {
  const form = formOf({ one: z.optional(z.string()), two: z._default(z.boolean(), true) })
  expect(form.read({ one: null, two: null })).toEqual({ two: true })
  expect(() => formOf({ one: z.string() }).read({ one: null })).toThrow('one: invalid_type')
})

it('leaves out fields that the schema does not have', () => {
  expect(formOf({ one: z.string() }).read({ one: 'a', other: 1 })).toEqual({ one: 'a' })
})

it('names the place of a value in lists and objects', () => {
  const form = formOf({ messages: z.array(z.object({ content: z.union([z.string(), parts]) })) })
  const messages = [{ content: 'a' }, { content: [{ type: 'text', text: 5 }] }]
  expect(() => form.read({ messages })).toThrow('messages[1].content[0].text: invalid_type')
})

it('reads one of several objects by the word that they differ by', () => {
  const form = formOf({ parts })
  const given = [
    { type: 'file', url: 'a' },
    { type: 'text', text: 'b' },
  ]
  expect(form.read({ parts: given })).toEqual({ parts: given })
  expect(() => form.read({ parts: [{ type: 'sound' }] })).toThrow('parts[0].type: invalid_value')
  expect(() => form.read({ parts: [{}] })).toThrow('parts[0].type: invalid_value')
})

const tools = z.array(
  z.union([
    z.object({ type: z.optional(z.literal('own')), name: z.string() }),
    z.object({
      type: z.pipe(
        z.string().check(z.regex(/^other/)),
        z.transform(() => 'other' as const),
      ),
    }),
  ]),
)

it('reads an object whose word may be missing, or is none of those that are known', () => {
  const form = formOf({ tools })
  expect(form.read({ tools: [{ name: 'a' }, { type: null, name: 'b' }, { type: 'other_1' }] })).toEqual({
    tools: [{ name: 'a' }, { name: 'b' }, { type: 'other' }],
  })
  expect(() => form.read({ tools: [{ type: 'own' }] })).toThrow('tools[0].name: invalid_type')
  expect(() => form.read({ tools: [{ type: 'x', name: 'a' }] })).toThrow('tools[0].type: invalid_format')
})

it('says that something else than one of several objects is no object', () => {
  const expected: unknown[] = []
  const form = defineForm(
    () => z.object({ tools }),
    ({ issue }) => {
      expected.push((issue as z.core.$ZodIssueInvalidType).expected)
      return new Error('refused')
    },
  )
  expect(() => form.read({ tools: [5] })).toThrow('refused')
  expect(expected).toEqual(['object'])
})

it('writes places with dots if the API does', () => {
  const form = formOf({ tools }, { hasDottedPaths: true })
  expect(() => form.read({ tools: [{}] })).toThrow('tools.0.name: invalid_type')
})

it('names the object around a value', () => {
  const form = formOf({ tools: z.array(z.object({ name: z.string('{holder} has no name') })) })
  expect(() => form.read({ tools: [{}] })).toThrow(/^tools\[0\] has no name$/)
})

it('refuses what a conversion does not take', () => {
  const positive = z.transform((value: number, payload) => {
    if (value > 0) return value
    payload.issues.push({ code: 'custom', message: '{field} is too small', input: value })
    return z.NEVER
  })
  const form = formOf({ size: z.pipe(z.number(), positive) })
  expect(form.read({ size: 5 })).toEqual({ size: 5 })
  expect(() => form.read({ size: -5 })).toThrow(/^size is too small$/)
})

it("says a schema's own sentence, with the place of the value", () => {
  const form = formOf({ names: z.array(z.string('{field} must be a name').check(z.minLength(2))) })
  expect(() => form.read({ names: ['ab', 5] })).toThrow(/^names\[1\] must be a name$/)
  expect(() => form.read({ names: ['a'] })).toThrow(/^names\[0\] must be a name$/)
})

it("says a choice's sentence for values that have none of their own", () => {
  const form = formOf({ stop: z.union([z.number(), z.array(z.number('a number'))], '{field} is wrong') })
  expect(() => form.read({ stop: 'a' })).toThrow(/^stop is wrong$/)
  expect(() => form.read({ stop: ['a'] })).toThrow(/^a number$/)
})

it('reads one of several lists by the kind of its first item', () => {
  const form = formOf({ input: z.union([z.array(z.string()), z.array(z.number())], '{field} is wrong') })
  expect(form.read({ input: [1, 2] })).toEqual({ input: [1, 2] })
  expect(() => form.read({ input: [1, 'a'] })).toThrow('input[1]: invalid_type')
  expect(() => form.read({ input: [true] })).toThrow('input[0]: invalid_type')
  expect(form.read({ input: [] })).toEqual({ input: [] })
})

it('refuses infinite numbers, which JSON may have as 1e999', () => {
  expect(() => formOf({ n: z.number() }).read({ n: Infinity })).toThrow('n: invalid_type')
})

it('refuses a list that is too long before it reads an item', () => {
  const form = formOf({ list: z.array(z.string()).check(z.maxLength(1)) })
  expect(() => form.read({ list: [1, 2] })).toThrow('list: too_big')
})

it('checks the length and the format of a text', () => {
  const form = formOf({ name: z.optional(z.string().check(z.minLength(2))), link: z.optional(z.url()) })
  expect(() => form.read({ name: 'a' })).toThrow('name: too_small')
  expect(() => form.read({ link: 'a' })).toThrow('link: invalid_format')
})

it('ignores a value that does not fit a schema with an alternative', () => {
  const form = formOf({ loop: z.catch(z.optional(z.boolean()), undefined) })
  expect(form.read({ loop: 'yes' })).toEqual({})
  expect(form.read({ loop: true })).toEqual({ loop: true })
})

it('reads an object that is written as JSON', () => {
  const form = formOf({ metadata: orJsonText(z.object({ seed: z.number() }, 'no object')) })
  expect(form.read({ metadata: '{"seed":5}' })).toEqual({ metadata: { seed: 5 } })
  expect(() => form.read({ metadata: '{"seed":"a"}' })).toThrow('metadata.seed: invalid_type')
  expect(() => form.read({ metadata: '[]' })).toThrow('no object')
})

it('reads a value that it ignores as missing, and says in the document that it takes any', () => {
  const form = formOf({ loop: z.optional(lenient(z.boolean())) })
  expect([form.read({ loop: 'yes' }), form.read({ loop: null }), form.read({ loop: true })]).toEqual([
    {},
    {},
    { loop: true },
  ])
  const { properties } = z.toJSONSchema(form.schema, { io: 'input', unrepresentable: 'any' })
  expect(properties).toEqual({ loop: { anyOf: [{ type: 'boolean' }, { description: 'Ignored.' }] } })
})

it('refuses null where only a missing field is allowed', () => {
  const form = formOf({ size: z.exactOptional(z.string()) })
  expect(form.read({})).toEqual({})
  expect(() => form.read({ size: null })).toThrow('size: invalid_type')
})

it('reads an object with one of many fields, by either name', () => {
  const shape = { topK: z.optional(z.number()), seed: z.optional(z.number()) }
  const form = formOf({ config: z.object(shape) }, { takesSnakeCase: true })
  for (const config of [{ topK: 3 }, { top_k: 3 }, { topK: 3, other: 1 }])
    expect(form.read({ config })).toEqual({ config: { topK: 3 } })
  expect(form.read({ config: { other: 1 } })).toEqual({ config: {} })
  expect(() => form.read({ config: { seed: 'a' } })).toThrow('config.seed: invalid_type')
})

it('reads names in snake case if the API takes them', () => {
  const form = formOf({ topK: z.optional(z.number()) }, { takesSnakeCase: true })
  expect(form.read({ top_k: 3 })).toEqual({ topK: 3 })
  expect(form.read({ topK: 4, top_k: 3 })).toEqual({ topK: 4 })
})

it('reads numbers and booleans of a multipart body, which are texts', () => {
  const form = formOf({ n: integers(1, 4), stream: z.boolean() }, { takesMultipart: true })
  expect(form.read({ n: '2', stream: 'false' }, true)).toEqual({ n: 2, stream: false })
  expect(() => form.read({ n: '2.5', stream: 'false' }, true)).toThrow('n: not_multiple_of')
  expect(() => form.read({ n: '', stream: 'false' }, true)).toThrow('n: invalid_type')
  expect(() => form.read({ n: '2', stream: false })).toThrow('n: invalid_type')
})

it('accepts exactly the bodies that zod accepts', () => {
  const numbers = z.array(z.number()).check(z.minLength(1))
  const schema = z.object({
    a: z.union([z.string(), integers(0, 3), z.array(z.union([z.literal('x'), z.literal('y')])), numbers]),
    b: z.optional(z.object({ c: z._default(z.boolean(), false), d: z.lazy(() => z.nullable(z.string())) })),
  })
  const leaf = fc.constantFrom('x', 'y', 'z', 0, 3, 4, 1.5, true)
  const a = fc.oneof(leaf, fc.array(leaf, { maxLength: 2 }))
  const b = fc.oneof(leaf, fc.record({ c: leaf, d: fc.option(leaf) }, { requiredKeys: [] }))
  fc.assert(
    fc.property(fc.record({ a, b, e: leaf }, { requiredKeys: [] }), (body) => {
      const { success, data } = z.safeParse(schema, body)
      const read = () => defineForm(() => schema, refuse).read(body as never)
      if (success) expect(read()).toEqual(data)
      else expect(read).toThrow()
    }),
    { numRuns: 300 },
  )
})
