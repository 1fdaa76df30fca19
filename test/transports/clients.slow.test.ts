import https from 'node:https'
import { describe, expect, it, vi } from 'vitest'
import type { Fault } from '../../src/index.ts'
import { faultTypes } from '../../src/scenario/faults/index.ts'
import { interceptedClients, undiciClient, type Client, type PlainRequest } from '../support/clients.ts'
import { openMsw, openSocket, type OpenTransport } from '../support/transports.ts'
import { ask, textModel } from '../support/text.ts'
import { authorization, submitVideo } from '../support/video.ts'

const headers = { authorization }
const fields: Readonly<Record<string, object>> = {
  drip: { bytesPerSecond: 100_000 },
  'slow-start': { for: '5s' },
}
const faults: readonly [name: string, fault: Fault][] = [
  ...faultTypes.map((type): [string, Fault] => [type, { type, ...fields[type] } as Fault]),
  ['reset in the middle of a body', { type: 'reset', phase: 'mid-body' }],
]

const chat = (url: string, text: string): Omit<PlainRequest, 'signal'> => ({
  url: `${url}/v1/chat/completions`,
  headers,
  json: { model: textModel, ...ask(text), stream: true },
})

/** The request that meets a fault. */
function requestFor(name: string, url: string, id: string): Omit<PlainRequest, 'signal'> {
  if (name === 'duplicate-events' || name === 'split-character') return chat(url, '[[say: one twö three]]')
  if (name === 'stale') return { url: `${url}/v1/video/generations/${id}`, headers }
  // This body has no address in it, which would differ.
  if (name === 'invalid-json') return { url: `${url}/v1/models`, headers }
  return { url: `${url}/v1/videos/${id}/content`, headers }
}

interface Failure {
  readonly name: string
  readonly message: string | undefined
  readonly code: unknown
  readonly cause?: Failure
}

function describeFailure(error: unknown, url: string): Failure {
  const { name, message, code, cause } = error as Failure
  // Node 24 says less of what is no HTTP.
  if (name === 'HTTPParserError') return { name, message: undefined, code: undefined }
  const own = { name, message: message?.replaceAll(url, ''), code }
  // The cause of an error that MSW makes is a response with the fields of an error.
  return cause ? { ...own, cause: describeFailure(cause, url) } : own
}

/** What a client makes of a fault, and what the journal says of it. */
async function meetFault(
  open: () => Promise<OpenTransport>,
  client: Client,
  [name, fault]: (typeof faults)[number],
) {
  await using transport = await open()
  const id = await submitVideo(transport)
  await transport.sim.clock.advanceUntil(id, 'SUCCESS')
  const before = transport.sim.journal().length
  transport.sim.addRule({ match: { op: '*' }, fault })
  const leaving = new AbortController()
  const { url } = transport
  const request = { ...requestFor(name, url, id), signal: leaving.signal }
  const sent = client(request).then(
    ({ status, body }) => ({ status, body: body.toString('base64') }),
    (error: unknown) => describeFailure(error, url),
  )
  if (name === 'hang') {
    await expect.poll(() => transport.sim.journal().length).toBe(before + 1)
    leaving.abort()
  }
  const seen = await sent
  await expect.poll(() => transport.sim.journal().at(-1)!.outcome).not.toBe('open')
  const entries = transport.sim.journal().slice(before)
  return { seen, journal: entries.map(({ outcome, bytes, content }) => ({ outcome, bytes, content })) }
}

const open = { socket: () => openSocket({ cacheDir: false }), msw: () => openMsw({ cacheDir: false }) }

/** As docs/reference/faults.md says: where no response comes, MSW 2 replaces this one message of fetch. */
function inWordsOfMsw(seen: unknown): unknown {
  return JSON.parse(
    JSON.stringify(seen).replaceAll('"message":"fetch failed"', '"message":"Failed to fetch"'),
  )
}

describe.each(Object.entries(interceptedClients))('with %s', (_name, client) => {
  it.each(faults)('MSW has the same outcome as a socket for %s', async (...fault) => {
    const overSocket = await meetFault(open.socket, client, fault)
    const overMsw = await meetFault(open.msw, client, fault)
    expect(inWordsOfMsw(overMsw)).toEqual(inWordsOfMsw(overSocket))
  })

  it.each(['socket', 'msw'] as const)('%s notices that it leaves in the middle of a stream', async (way) => {
    const pace = { firstToken: '1s', tokensPerSecond: 1 } as const
    const options = { cacheDir: false, clock: { mode: 'manual' }, text: { timing: pace } } as const
    await using transport = await (way === 'socket' ? openSocket : openMsw)(options)
    const leaving = new AbortController()
    const sent = client({ ...chat(transport.url, '[[say: one two three]]'), signal: leaving.signal })
    const failed = expect(sent).rejects.toThrow()
    await expect.poll(() => transport.sim.clock.status().waiters).toBe(1)
    await transport.sim.clock.advance('1s')
    await expect.poll(() => transport.sim.clock.status().waiters).toBe(1)
    leaving.abort()
    await failed
    await expect.poll(() => transport.sim.journal().at(-1)!.outcome).toBe('aborted')
    expect(transport.sim.clock.status().waiters).toBe(0)
  })
})

it.each(['http.request', 'axios', 'got', 'node-fetch', 'superagent'])(
  'gives %s the code that retries depend on',
  async (name) => {
    for (const type of ['reset', 'close', 'half-headers'] as const) {
      const { seen } = await meetFault(open.msw, interceptedClients[name]!, [type, { type }])
      expect([type, (seen as Failure).code]).toEqual([type, 'ECONNRESET'])
    }
  },
)

it('emits the error of a body that breaks off once', async () => {
  await using transport = await open.msw()
  const id = await submitVideo(transport)
  await transport.sim.clock.advanceUntil(id, 'SUCCESS')
  transport.sim.addRule({ match: { op: '*' }, fault: { type: 'reset', phase: 'mid-body' } })
  const errors: string[] = []
  await new Promise<void>((resolve) => {
    const sent = https.get(`${transport.url}/v1/videos/${id}/content`, { headers }, (response) => {
      response.on('error', ({ message }) => errors.push(`response: ${message}`)).on('close', resolve)
      response.resume()
    })
    sent.on('error', ({ message }) => errors.push(`request: ${message}`))
  })
  expect(errors.toSorted()).toEqual(['request: read ECONNRESET', 'response: aborted'])
})

it('lets MSW print nothing for a broken connection', async () => {
  const printed = vi.spyOn(console, 'error')
  const warned = vi.spyOn(console, 'warn')
  for (const fault of faults) await meetFault(open.msw, interceptedClients['http.request']!, fault)
  expect([...printed.mock.calls, ...warned.mock.calls]).toEqual([])
  vi.restoreAllMocks()
})

it('does not reach undici.request by MSW, as docs/how-to/msw.md says', async () => {
  await using transport = await open.msw()
  const { signal } = new AbortController()
  const sent = undiciClient({ url: `${transport.url}/v1/models`, headers, signal })
  await expect(sent).rejects.toMatchObject({ code: expect.stringMatching(/^(ENOTFOUND|EAI_AGAIN)$/) })
  expect(transport.sim.journal()).toEqual([])
})

it.each([
  ['reset', 'ECONNRESET'],
  ['close', 'UND_ERR_SOCKET'],
  ['truncate', 'UND_ERR_SOCKET'],
  ['half-headers', 'UND_ERR_SOCKET'],
] as const)('gives undici.request the code of %s over a socket', async (type, code) => {
  const { seen } = await meetFault(open.socket, undiciClient, [type, { type }])
  expect(seen).toMatchObject({ code })
})
