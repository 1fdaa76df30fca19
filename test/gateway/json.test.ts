import fc from 'fast-check'
import { expect, it } from 'vitest'
import { WorkBudget, WorkRefused } from '../../src/engine/work-budget.ts'
import { runAtOnce } from '../../src/engine/clock/timers/steps.ts'
import {
  decodeText,
  hasTooMany,
  isHeavy,
  isJson,
  maxDepth,
  maxValues,
  parseBody,
  parseJson,
  parseLargeJson,
  parseObject,
  unreadBodyHint,
  type JsonObject,
} from '../../src/gateway/bodies/json.ts'
import { abortError, GatewayError } from '../../src/gateway/replies/errors.ts'
import type { GatewayRequest } from '../../src/gateway/request.ts'
import { codePoint } from '../support/arbitraries.ts'

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const parse = (bytes: Uint8Array, work = new WorkBudget()): unknown => runAtOnce(parseBody(bytes, work))

function refusalOf(parseAny: () => unknown): GatewayError {
  try {
    parseAny()
  } catch (error) {
    if (error instanceof GatewayError) return error
  }
  throw new Error('It is not refused.')
}

it('parses a large body as it parses a small one', () => {
  const object = fc.dictionary(fc.string({ unit: codePoint }), fc.jsonValue())
  fc.assert(
    fc.property(object, (value) => {
      const bytes = bytesOf(JSON.stringify(value))
      expect(parse(bytes)).toEqual(parseObject(bytes) ?? 'malformed')
    }),
  )
})

it('decodes characters that stand across two steps', () => {
  for (const shift of [0, 1, 2, 3]) {
    const text = 'x'.repeat(2 * 1024 * 1024 - shift) + '🪁é漢'.repeat(10)
    expect(runAtOnce(decodeText(bytesOf(text)))).toBe(text)
  }
  expect(runAtOnce(decodeText(Uint8Array.of(0x61, 0xff)))).toBeUndefined()
})

it.each([
  ['text that is no UTF-8', Uint8Array.of(0x7b, 0xff, 0x7d), 'malformed'],
  ['a list', bytesOf('[]'), 'malformed'],
  ['what breaks off', bytesOf('{"a":"\\'), 'malformed'],
  ['what is nested too deep', bytesOf(`{"a":${'['.repeat(101)}${']'.repeat(101)}}`), 'malformed'],
  ['too many values', bytesOf(`{"a":[${'0,'.repeat(maxValues)}0]}`), 'too-many'],
])('takes no body of %s', (_, bytes, problem) => {
  expect(parse(bytes)).toBe(problem)
})

it('spends on escapes, which take long, and not on what looks like them', () => {
  const spentOn = (text: string): number => {
    const work = new WorkBudget(Infinity)
    parse(bytesOf(JSON.stringify({ text })), work)
    return work.spent
  }
  expect(spentOn('\n'.repeat(100_000))).toBeGreaterThan(5 * spentOn('nn'.repeat(100_000)))
  expect(() => parse(bytesOf(`{"a":"${'\\n'.repeat(7_000_000)}"}`))).toThrow(WorkRefused)
})

it('finds the end of strings behind any number of backslashes', () => {
  const many = ','.repeat(maxValues + 1)
  for (let slashes = 0; slashes < 6; slashes++) {
    const isOpen = slashes % 2 === 1
    expect(hasTooMany(`{"a":"${'\\'.repeat(slashes)}"${many}}`)).toBe(!isOpen)
  }
})

it.each([
  [maxDepth, true],
  [maxDepth + 1, false],
])('parses a body that is nested %i levels deep: %s', (depth, isParsed) => {
  const inside = depth - 2
  const lists = bytesOf(`{"a":${'['.repeat(inside)}0${']'.repeat(inside)}}`)
  const objects = bytesOf(`${'{"a":'.repeat(depth - 1)}0${'}'.repeat(depth - 1)}`)
  for (const body of [lists, objects]) {
    expect(parseObject(body) !== undefined).toBe(isParsed)
    expect(parse(body) !== 'malformed').toBe(isParsed)
  }
})

it('counts lists, objects and commas as values, up to the limit exactly', () => {
  const text = `{"a":[1,2,{"b":"[,{"}],"c":[]}`
  for (const value of [text, text.replace('[,{', '[\\",{')]) {
    expect(hasTooMany(value, 7)).toBe(false)
    expect(hasTooMany(value, 6)).toBe(true)
    expect(parseObject(value, 7)).toEqual(JSON.parse(value))
    expect(parseObject(value, 6)).toBeUndefined()
  }
})

it('takes no body for one with too many values that is shorter than that', () => {
  expect(hasTooMany(',,', 2)).toBe(false)
  expect(hasTooMany(',,,', 2)).toBe(true)
})

it('parses exactly as many values as allowed', () => {
  const list = (values: number): Uint8Array => bytesOf(`{"a":[${'0,'.repeat(values - 2)}0]}`)
  const { a } = parse(list(maxValues), new WorkBudget(Infinity)) as { a: unknown[] }
  expect(a.length).toBe(maxValues - 1)
  expect(parse(list(maxValues + 1), new WorkBudget(Infinity))).toBe('too-many')
})

it('spends work on characters, escapes, values and names', () => {
  const spentOn = (text: string): number => {
    const work = new WorkBudget(Infinity)
    parse(bytesOf(text), work)
    return work.spent
  }
  expect(spentOn('{"a":1}')).toBeCloseTo(7 * 0.0005 + 0.1 + 1.1)
  expect(spentOn(String.raw`{"a":["\n\"",{"b":":"}]}`)).toBeCloseTo(
    24 * 0.0005 + 2 * 0.008 + 4 * 0.1 + 2 * 1.1,
  )
})

it('is heavy above 2,000 units of work', () => {
  const work = new WorkBudget(Infinity)
  work.spend(2_000, 'its body')
  expect(isHeavy(work)).toBe(false)
  work.spend(1, 'its body')
  expect(isHeavy(work)).toBe(true)
})

it('divides the work on a large body into steps', () => {
  const stepsOf = (text: string): number => [...parseBody(bytesOf(text), new WorkBudget(Infinity))].length
  expect(stepsOf('{"a":1}')).toBe(0)
  expect(stepsOf(`{"a":"${'x'.repeat(4_200_000)}"}`)).toBe(4)
  expect(stepsOf(`{"a":1${' '.repeat(1_999_994)}}`)).toBe(0)
  expect(stepsOf(`{"a":1${' '.repeat(1_999_995)}}`)).toBe(1)
  expect(stepsOf(`{"a":"${'\\n'.repeat(99_999)}"}`)).toBe(0)
  expect(stepsOf(`{"a":"${'\\n'.repeat(100_000)}"}`)).toBe(1)
})

it.each([
  ['', 'The body is empty. Send a JSON object.'],
  [' \n', 'The body is empty. Send a JSON object.'],
  ['[1]', 'The body is a JSON array. Send a JSON object.'],
  ['null', 'The body is a single JSON value. Send an object.'],
  ['"text"', 'The body is a single JSON value. Send an object.'],
  [
    `{"a":${'['.repeat(101)}${']'.repeat(101)}}`,
    'The body is not UTF-8, or is nested deeper than 100 levels.',
  ],
  [
    "{'a':1}",
    'The body is not valid JSON from character 2 on. Send a JSON object, in quotes that your shell leaves as they are.',
  ],
  ['{', /^The body is not valid JSON.* Send a JSON object, in quotes that your shell leaves as they are\.$/],
  [`{"a":[${'0,'.repeat(maxValues)}0]}`, 'The body has more than 100000 values. Send fewer at a time.'],
])('explains why a body is refused, case %#', (text, hint) => {
  const refusal = refusalOf(() => parseJson(text))
  expect(refusal).toMatchObject({
    status: 400,
    message: 'Invalid request: Invalid request: invalid JSON request body',
    headers: { 'X-Greenroom-Hint': expect.stringMatching(hint) as unknown },
  })
  expect(refusalOf(() => parseJson(bytesOf(text))).headers).toEqual(refusal.headers)
})

it('refuses a large body as it refuses a small one, or as its operation wants', () => {
  const parseLarge = (text: string, malformed?: () => GatewayError): unknown =>
    runAtOnce(parseLargeJson(bytesOf(text), new WorkBudget(Infinity), malformed))
  expect(parseLarge('{"a":1}')).toEqual({ a: 1 })
  expect(refusalOf(() => parseLarge('[]')).headers).toEqual({})
  expect(refusalOf(() => parseLarge('[]', () => abortError(418, 'own'))).message).toBe('own')
  expect(refusalOf(() => parseJson('[]', () => abortError(418, 'own'))).message).toBe('own')
  const many = `{"a":[${'0,'.repeat(maxValues)}0]}`
  expect(refusalOf(() => parseLarge(many, () => abortError(418, 'own')))).toMatchObject({
    message: 'own',
    headers: { 'X-Greenroom-Hint': 'The body has more than 100000 values. Send fewer at a time.' },
  })
})

const form = 'application/x-www-form-urlencoded'
const asForm = `The body looks like JSON, but was read as a form: Content-Type is ${form}. Send "Content-Type: application/json".`

it.each<[string, JsonObject, string | undefined]>([
  [form, { '{"a":1}': '' }, asForm],
  [`${form}; charset=utf-8`, { ' [1]': '' }, asForm],
  [form, { a: '{"b":1}' }, undefined],
  [form, {}, undefined],
  ['application/json', {}, undefined],
  ['multipart/form-data; boundary=x', {}, undefined],
  ['', {}, 'The body was not read: Content-Type is missing. Send application/json.'],
  ['text/plain', {}, 'The body was not read: Content-Type is "text/plain". Send application/json.'],
  [
    `text/${'x'.repeat(100)}`,
    {},
    `The body was not read: Content-Type is "text/${'x'.repeat(75)}". Send application/json.`,
  ],
])('explains why a body with the content type %j has no fields', (type, fields, hint) => {
  const request = { headers: { 'content-type': type }, body: [] } as unknown as GatewayRequest
  expect(unreadBodyHint(request, fields)).toBe(hint)
})

it('explains nothing of a request without a body', () => {
  expect(unreadBodyHint({ headers: { 'content-type': 'text/plain' } } as unknown as GatewayRequest, {})).toBe(
    undefined,
  )
})

it.each([
  ['application/json', true],
  [' Application/JSON; charset=utf-8', true],
  ['application/json, application/json', true],
  ['text/application/json', false],
  ['application/yaml', false],
  ['', false],
])('reads the content type %j as JSON: %s', (type, isRead) => {
  expect(isJson(type)).toBe(isRead)
})
