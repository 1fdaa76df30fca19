import { request as ask } from 'node:http'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createSimulator } from '../../src/index.ts'
import { openWatched, runs, seed } from './open.ts'
import { expectSound } from './sound.ts'

/** Bytes that a header may carry, and that node:http lets through. */
const header = fc.oneof(
  fc.constantFrom(
    'a',
    'a,b',
    ' a ',
    'a b',
    '..',
    '__proto__',
    'constructor',
    '%00',
    '%2e%2e',
    'x'.repeat(64),
    'x'.repeat(65),
    'x'.repeat(4_000),
    'é',
    'Bearer',
    'bearer x',
    '\t',
  ),
  fc.string({
    unit: fc
      .oneof(fc.integer({ min: 0x20, max: 0x7e }), fc.integer({ min: 0x80, max: 0xff }))
      .map((code) => String.fromCharCode(code)),
    maxLength: 80,
  }),
)

interface Answer {
  readonly status: number
  readonly type: string
  readonly text: string
}

/** Fetch takes headers apart; what is meant is sent as it is. */
function get(url: string, headers: Record<string, string | string[]>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = ask(url, { headers }, (response) => {
      const pieces: Buffer[] = []
      response.on('data', (piece: Buffer) => pieces.push(piece))
      response.on('end', () =>
        resolve({
          status: response.statusCode!,
          type: response.headers['content-type'] ?? '',
          text: Buffer.concat(pieces).toString('utf8'),
        }),
      )
    })
    request.on('error', reject)
    request.end()
  })
}

it('opens a namespace only for a name that may be one, whatever a header says', async () => {
  await using server = await openWatched({ limits: { namespaces: 20 } })
  await fc.assert(
    fc.asyncProperty(header, async (name) => {
      const headers = { 'x-greenroom-namespace': name, authorization: 'Bearer sk-test' }
      for (const path of ['/v1/models', '/_greenroom/tasks', '/v1/video/generations/none']) {
        const answer = await get(server.url + path, headers)
        expectSound(answer, `${path} in ${JSON.stringify(name)}`)
      }
      for (const each of server.sim.core.namespaces.all()) expect(each.name).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
      expect(server.mistakes).toEqual([])
    }),
    { numRuns: runs(60), seed, endOnFailure: true },
  )
})

const token = 'a-token-of-some-length'

it('opens the control API for its token and for nothing that is like it', async () => {
  await using server = await openWatched({ controlToken: token })
  const url = `${server.url}/_greenroom/clock`
  const statusOf = async (authorization: string | string[]): Promise<number> =>
    (await get(url, { authorization })).status
  expect(await statusOf(`Bearer ${token}`)).toBe(200)
  expect(await statusOf(`bearer   ${token}`)).toBe(200)
  const near = [
    '',
    'Bearer',
    'Bearer ',
    token,
    `Basic ${token}`,
    `Bearer ${token}x`,
    `Bearer ${token.slice(0, -1)}`,
    `Bearer ${token} ${token}`,
    `Bearer ${token},Bearer x`,
    `Bearer ${token.toUpperCase()}`,
    `Bearer "${token}"`,
    `Bearer ${token}\u00e9`,
    'Bearer undefined',
    `Bearer ${'x'.repeat(token.length)}`,
  ]
  for (const each of near) expect([each, await statusOf(each)]).toEqual([each, 401])
  await fc.assert(
    fc.asyncProperty(header, async (sent) => {
      expect(await statusOf(`Bearer ${sent}`)).toBe(sent.trim() === token ? 200 : 401)
    }),
    { numRuns: runs(60), seed, endOnFailure: true },
  )
})

it.each([
  '',
  ' ',
  'short',
  'has a space in it!!',
  'x'.repeat(15),
  'mit-Umlauten-äöü-drin',
  'line\nbreak-in-it-here',
])('rejects the token %j, which is not sendable or is easy to guess', (controlToken) => {
  expect(() => createSimulator({ controlToken })).toThrow(/token/i)
})
