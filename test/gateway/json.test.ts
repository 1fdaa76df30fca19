import { caps } from '../../src/engine/caps.ts'
import { expect, it } from 'vitest'
import {
  hasTooMany,
  isJson,
  parseJson,
  parseObject,
  unreadBodyHint,
  type JsonObject,
} from '../../src/gateway/bodies/json.ts'
import { abortError, GatewayError } from '../../src/gateway/replies/errors.ts'
import type { GatewayRequest } from '../../src/gateway/request.ts'

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

function refusalOf(parseAny: () => unknown): GatewayError {
  try {
    parseAny()
  } catch (error) {
    if (error instanceof GatewayError) return error
  }
  throw new Error('It is not refused.')
}

it.each([
  ['text that is no UTF-8', Uint8Array.of(0x7b, 0xff, 0x7d)],
  ['a list', bytesOf('[]')],
  ['what breaks off', bytesOf('{"a":"\\')],
  ['what is nested too deep', bytesOf(`{"a":${'['.repeat(101)}${']'.repeat(101)}}`)],
  ['too many values', bytesOf(`{"a":[${'0,'.repeat(caps.jsonValues)}0]}`)],
])('takes no body of %s', (_, bytes) => {
  expect(parseObject(bytes)).toBeUndefined()
})

it('finds the end of strings behind any number of backslashes', () => {
  const many = ','.repeat(caps.jsonValues + 1)
  for (let slashes = 0; slashes < 6; slashes++) {
    const isOpen = slashes % 2 === 1
    expect(hasTooMany(`{"a":"${'\\'.repeat(slashes)}"${many}}`)).toBe(!isOpen)
  }
})

it.each([
  [caps.jsonDepth, true],
  [caps.jsonDepth + 1, false],
])('parses a body that is nested %i levels deep: %s', (depth, isParsed) => {
  const inside = depth - 2
  const lists = bytesOf(`{"a":${'['.repeat(inside)}0${']'.repeat(inside)}}`)
  const objects = bytesOf(`${'{"a":'.repeat(depth - 1)}0${'}'.repeat(depth - 1)}`)
  for (const body of [lists, objects]) {
    expect(parseObject(body) !== undefined).toBe(isParsed)
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
  const { a } = parseObject(list(caps.jsonValues)) as unknown as { a: unknown[] }
  expect(a.length).toBe(caps.jsonValues - 1)
  expect(parseObject(list(caps.jsonValues + 1))).toBeUndefined()
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
  [`{"a":[${'0,'.repeat(caps.jsonValues)}0]}`, 'The body has more than 100000 values. Send fewer at a time.'],
])('explains why a body is refused, case %#', (text, hint) => {
  const refusal = refusalOf(() => parseJson(text))
  expect(refusal).toMatchObject({
    status: 400,
    message: 'Invalid request: Invalid request: invalid JSON request body',
    headers: { 'X-Greenroom-Hint': expect.stringMatching(hint) as unknown },
  })
  expect(refusalOf(() => parseJson(bytesOf(text))).headers).toEqual(refusal.headers)
})

it('refuses a body as its operation wants', () => {
  const many = `{"a":[${'0,'.repeat(caps.jsonValues)}0]}`
  expect(refusalOf(() => parseJson('[]', () => abortError(418, 'own'))).message).toBe('own')
  expect(refusalOf(() => parseJson(many, () => abortError(418, 'own')))).toMatchObject({
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
