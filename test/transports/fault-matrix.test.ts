import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createSimulator, defineScenario, type Fault, type FaultType } from '../../src/index.ts'
import { faults, faultTypes } from '../../src/scenario/faults/index.ts'
import { openDirect, openSocket, type OpenTransport } from '../support/transports.ts'
import { outcomeOf } from '../support/faults.ts'
import { loadMsw, noMsw3 } from '../support/msw.ts'
import { ask, postChat } from '../support/text.ts'
import { authorization, getContent, submitVideo } from '../support/video.ts'

const page = readFileSync(new URL('../../docs/reference/faults.md', import.meta.url), 'utf8')

type Way = 'socket' | 'direct' | 'msw 2' | 'msw 3'

/** What a client sees of a fault: where it fails and with which code of the cause, or that it has an answer. */
interface Seen {
  readonly where: 'fetch' | 'body' | 'nowhere'
  readonly code?: string
  readonly name?: string
  /** Whether the journal says that it was carried out only nearly, without a socket. */
  readonly isNearly: boolean
}

const whole: Seen = { where: 'nowhere', isNearly: false }
const lost = (code: string): Seen => ({ where: 'fetch', name: 'TypeError', code, isNearly: true })
const broken = (code: string): Seen => ({ where: 'body', name: 'TypeError', code, isNearly: true })

const matrix: Readonly<Record<FaultType, Seen>> = {
  reset: lost('ECONNRESET'),
  close: lost('UND_ERR_SOCKET'),
  hang: { where: 'fetch', name: 'TimeoutError', isNearly: false },
  'slow-start': whole,
  drip: whole,
  truncate: broken('UND_ERR_SOCKET'),
  'half-headers': lost('UND_ERR_SOCKET'),
  garbage: lost('HPE_INVALID_CONSTANT'),
  'malformed-chunk': broken('HPE_INVALID_CHUNK_SIZE'),
  corrupt: whole,
  'wrong-type': whole,
  'invalid-json': whole,
  'redirect-loop': { where: 'fetch', name: 'TypeError', isNearly: false },
  'duplicate-events': whole,
  'split-character': whole,
  stale: whole,
}

const more: Readonly<Partial<Record<FaultType, object>>> = {
  drip: { bytesPerSecond: 1000 },
  'slow-start': { for: '5s' },
}

async function open(way: Way): Promise<OpenTransport> {
  const options = { cacheDir: false } as const
  if (way === 'socket') return openSocket(options)
  if (way === 'direct') return openDirect(options)
  const { http, setupServer } = await loadMsw(way === 'msw 2' ? 2 : 3)
  const url = 'https://gateway.example'
  const sim = createSimulator(options)
  const server = setupServer(...sim.handlers({ baseUrl: url, http }))
  server.listen({ onUnhandledRequest: 'error', onUnhandledFrame: 'error' })
  return {
    sim,
    url,
    fetch,
    call: (path, init) => fetch(url + path, init),
    [Symbol.asyncDispose]: async () => {
      server.close()
      await sim.close()
    },
  }
}

/** A client's own timeout, which runs out when its request has arrived. */
function abortedWhenOpen({ sim }: OpenTransport): AbortSignal {
  const before = sim.journal().length
  const controller = new AbortController()
  const reason = new DOMException('The operation was aborted due to timeout', 'TimeoutError')
  void expect
    .poll(() => sim.journal().length)
    .toBeGreaterThan(before)
    .then(() => controller.abort(reason))
  return controller.signal
}

/** The request that a fault befalls, made once. */
function callFor(type: FaultType, transport: OpenTransport, id: string): Promise<Response> {
  if (type === 'duplicate-events' || type === 'split-character')
    return postChat(transport, { ...ask('[[say: one twö three]]'), stream: true })
  const signal = type === 'hang' ? abortedWhenOpen(transport) : null
  if (type === 'stale' || type === 'invalid-json')
    return transport.call(`/v1/video/generations/${id}`, { headers: { authorization } })
  return getContent(transport, id, { signal })
}

describe.each<Way>(['socket', 'direct', 'msw 2', 'msw 3'])('through %s', (way) => {
  it.skipIf(way === 'msw 3' && noMsw3 !== undefined).each(faultTypes)(
    'shows %s as a socket does',
    async (type) => {
      await using transport = await open(way)
      const id = await submitVideo(transport)
      await transport.sim.clock.advanceUntil(id, 'SUCCESS')
      const before = transport.sim.journal().length
      transport.sim.addRule({ match: { op: '*' }, fault: { type, ...more[type] } as Fault })
      const seen = await outcomeOf(() => callFor(type, transport, id))
      const { where, name, code, isNearly } = matrix[type]
      expect([seen.where, seen.name]).toEqual([where, name])
      // Of a body that breaks off, msw 3 knows one cause.
      const expectedCode = way === 'msw 3' && where === 'body' ? 'UND_ERR_SOCKET' : code
      // Node 24 gives no code to what can't be read as HTTP, of some answers.
      const mayLack =
        way === 'socket' && (type === 'garbage' || type === 'malformed-chunk' || type === 'half-headers')
      if (seen.code !== undefined || !mayLack) expect(seen.code).toBe(expectedCode)
      await expect.poll(() => transport.sim.journal().at(-1)!.outcome).not.toBe('open')
      const entries = transport.sim.journal().slice(before)
      expect(entries).toHaveLength(type === 'redirect-loop' ? 21 : 1)
      expect(entries[0]).toMatchObject({ fault: type, approximated: isNearly && way !== 'socket' })
    },
  )

  it.skipIf(way === 'msw 3' && noMsw3 !== undefined)('cuts no stream so that it looks whole', async () => {
    await using transport = await open(way)
    const asks: readonly [string, Fault | undefined][] = [
      ['[[say: one two three]] [[cut after 2]]', undefined],
      ['[[say: one two three]]', { type: 'truncate', at: 0.5 }],
      ['[[say: one two three]]', { type: 'reset', phase: 'mid-body' }],
    ]
    for (const [prompt, fault] of asks) {
      if (fault) transport.sim.next('chat.complete', { fault })
      const seen = await outcomeOf(() => postChat(transport, { ...ask(prompt), stream: true }))
      expect(seen).toMatchObject({ where: 'body', name: 'TypeError', message: 'terminated' })
      expect(seen.bytes).toBeGreaterThan(0)
    }
    const whole = await postChat(transport, { ...ask('[[say: one two three]]'), stream: true })
    expect(await whole.text()).toContain('[DONE]')
  })
})

it.each(faultTypes)('says in docs/reference/faults.md how nearly %s is carried out', (type) => {
  const row = page.split('\n').find((line) => line.startsWith(`| \`${type}\` `))
  expect(row, `a row for ${type}`).toBeDefined()
  expect(/\| nearly\b/.test(row!)).toBe(matrix[type].isNearly)
})

it('plays no scenario without a socket that requires one', () => {
  const scenario = defineScenario({ version: 1, name: 'a bad line', requires: ['wire'], rules: [] })
  expect(() => createSimulator({ scenario })).toThrow(
    'Failed to play "a bad line": it requires wire, and without a socket some faults are only approximated. Play it by ' +
      '"greenroom run" or "greenroom serve --scenario", or leave requires out.',
  )
})

it.each(faults)('describes $name as clients notice it', ({ name, needsSocket, visibleIn }) => {
  const { where, isNearly } = matrix[name]
  expect(needsSocket).toBe(isNearly)
  expect(visibleIn === 'body').toBe(where === 'body')
  if (visibleIn === 'connection') expect(where).toBe('fetch')
})
