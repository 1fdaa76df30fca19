import { caps } from '../../src/engine/caps.ts'
import { expect, it } from 'vitest'
import { createSimulator, type EmbeddedOptions } from '../../src/index.ts'
import { maxPartHeaderBytes } from '../../src/gateway/bodies/form.ts'
import { hasTooMany } from '../../src/gateway/bodies/json.ts'
import { everything } from './open.ts'

const json = 'application/json'
const multipart = 'multipart/form-data; boundary=x'
const part = '--x\r\nContent-Disposition: form-data; name="a"\r\n'

interface Sent {
  path: string
  type: string
  body: string
}

async function refusalOf({ path, type, body }: Sent, options: EmbeddedOptions = {}): Promise<string> {
  await using sim = createSimulator({ ...everything, ...options })
  const headers = { authorization: 'Bearer sk-test', 'x-goog-api-key': 'sk-test', 'content-type': type }
  const response = await sim.fetch(`https://gateway.example${path}`, { method: 'POST', headers, body })
  expect(response.status).toBe(400)
  return `${response.headers.get('x-greenroom-hint') ?? ''} ${await response.text()}`
}

const tooManyValues = `The body has more than ${caps.jsonValues} values`

it.each([
  ['empty lists', '/v1/video/generations', `{"prompt":"x","a":[${'[],'.repeat(caps.jsonValues)}[]]}`],
  ['nothing but brackets', '/v1/video/generations', '['.repeat(caps.jsonValues + 1)],
  [
    'fields',
    '/mj/submit/imagine',
    `{${Array.from({ length: caps.jsonValues + 2 }, (_, n) => `"k${n}":1`).join()}}`,
  ],
  ['messages', '/v1/chat/completions', `{"messages":[${'{},'.repeat(caps.jsonValues)}{}]}`],
  [
    'parts',
    '/v1beta/models/m:generateContent',
    `{"contents":[{"parts":[${'{"text":"a"},'.repeat(caps.jsonValues)}]}]}`,
  ],
])('refuses a body of too many %s before it parses it', async (_what, path, body) => {
  expect(await refusalOf({ path, type: json, body })).toContain(tooManyValues)
})

it('refuses too many values in the text that metadata may be, too', async () => {
  const metadata = `{"a":[${'[],'.repeat(caps.jsonValues)}[]]}`
  const body = JSON.stringify({ model: 'video-1', prompt: 'a kite', metadata })
  expect(await refusalOf({ path: '/v1/video/generations', type: json, body })).toContain('metadata')
})

it('counts no values in strings, whatever stands in them', () => {
  const many = ','.repeat(2 * caps.jsonValues)
  expect(hasTooMany(`{"a":"${many}"}`)).toBe(false)
  expect(hasTooMany(`{"a":"\\"${many}\\\\"}`)).toBe(false)
  expect(hasTooMany(`{"a":"\\\\","b":[${many}]}`)).toBe(true)
  expect(hasTooMany(`{"a":"${many}`)).toBe(false)
})

it.each([
  ['fields of a form', 'application/x-www-form-urlencoded', 'a=1&'.repeat(1_100), 'at most 1000 fields'],
  ['parts of a form', multipart, `${`${part}\r\n1\r\n`.repeat(1_100)}--x--`, 'at most 1000 fields'],
  [
    'headers of a part',
    multipart,
    `${part}${'X: y\r\n'.repeat(2_000)}\r\n1\r\n--x--`,
    `${maxPartHeaderBytes} bytes`,
  ],
])('refuses too many %s', async (_what, type, body, why) => {
  expect(await refusalOf({ path: '/v1/videos', type, body })).toContain(why)
})

const long = 'word '.repeat(900_000)

it.each([
  ['/v1/chat/completions', { model: 'm', messages: [{ role: 'user', content: long }] }, 4_000_000],
  ['/v1beta/models/m:generateContent', { contents: [{ parts: [{ text: long }] }] }, 4_000_000],
  ['/v1beta/models/m:streamGenerateContent', { contents: [{ parts: [{ text: long }] }] }, 4_000_000],
  ['/v1beta/models/m:countTokens', { contents: [{ parts: [{ text: long }] }] }, 4_000_000],
  ['/v1beta/models/m:embedContent', { content: { parts: [{ text: long }] } }, 1_000_000],
])('refuses texts that are too long for %s', async (path, body, most) => {
  const message = await refusalOf({ path, type: json, body: JSON.stringify(body) })
  expect(message).toContain(`the texts have 4500000 characters, at most ${most} are taken in one request`)
})
