import { describe, expect, it } from 'vitest'
import { createSimulator, defineScenario, type Fault } from '../../src/index.ts'
import { faults, type FaultDefinition } from '../../src/scenario/faults/index.ts'
import { openDirect, openSocket, type OpenTransport } from '../support/transports.ts'
import { outcomeOf } from '../support/faults.ts'
import { loadMsw, noMsw3 } from '../support/msw.ts'
import { ask, postChat } from '../support/text.ts'
import { authorization, getContent, submitVideo } from '../support/video.ts'

type Way = 'socket' | 'direct' | 'msw 2' | 'msw 3'

/** What a client sees of a fault: where it fails and with which code of the cause, or that it has an answer. */
interface Seen {
  readonly where: 'fetch' | 'body' | 'nowhere'
  readonly code?: unknown
  readonly name?: string
}

/** The faults that fail `fetch` although the connection lasts. */
const failures: Readonly<Record<string, Seen>> = {
  hang: { where: 'fetch', name: 'TimeoutError' },
  'redirect-loop': { where: 'fetch', name: 'TypeError' },
}

/** What a fault says of itself. */
function seenOf({ name, ends: [end] = [], visibleIn }: FaultDefinition): Seen {
  if (!end) return failures[name] ?? { where: 'nowhere' }
  const where = visibleIn === 'body' ? 'body' : 'fetch'
  return { where, name: 'TypeError', code: end.fetchCause.fields['code'] }
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

/** A request that a fault befalls, as exploration does. */
function callFor(
  { name, hits, explored }: FaultDefinition,
  transport: OpenTransport,
  id: string,
): Promise<Response> {
  const at = (explored || undefined)?.at ?? hits
  const signal = name === 'hang' ? abortedWhenOpen(transport) : null
  if (at === 'any' || at.includes('download')) return getContent(transport, id, { signal })
  return at.includes('poll')
    ? transport.call(`/v1/video/generations/${id}`, { headers: { authorization } })
    : postChat(transport, { ...ask('[[say: one twö three]]'), stream: true })
}

describe.each<Way>(['socket', 'direct', 'msw 2', 'msw 3'])('through %s', (way) => {
  it.skipIf(way === 'msw 3' && noMsw3 !== undefined).each<FaultDefinition>(faults)(
    'shows $name as a socket does',
    async (definition) => {
      const { name: type, ends, explored } = definition
      await using transport = await open(way)
      const id = await submitVideo(transport)
      await transport.sim.clock.advanceUntil(id, 'SUCCESS')
      const before = transport.sim.journal().length
      transport.sim.addRule({
        match: { op: '*' },
        fault: { type, ...(explored || undefined)?.fields } as Fault,
      })
      const seen = await outcomeOf(() => callFor(definition, transport, id))
      const { where, name, code } = seenOf(definition)
      expect([seen.where, seen.name]).toEqual([where, name])
      // Of a body that breaks off, msw 3 knows one cause.
      const expectedCode = way === 'msw 3' && where === 'body' ? 'UND_ERR_SOCKET' : code
      // Node 24 gives no code to what can't be read as HTTP, of some answers.
      const mayLack = way === 'socket' && ends?.[0]?.lastBytes !== undefined
      if (seen.code !== undefined || !mayLack) expect(seen.code).toBe(expectedCode)
      await expect.poll(() => transport.sim.journal().at(-1)!.outcome).not.toBe('open')
      const entries = transport.sim.journal().slice(before)
      expect(entries).toHaveLength(type === 'redirect-loop' ? 21 : 1)
      expect(entries[0]).toMatchObject({ fault: type, approximated: ends !== undefined && way !== 'socket' })
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
      // How many bytes were read before is not the same each time: an error discards what is in a queue.
    }
    const whole = await postChat(transport, { ...ask('[[say: one two three]]'), stream: true })
    expect(await whole.text()).toContain('[DONE]')
  })
})

it('plays no scenario without a socket that requires one', () => {
  const scenario = defineScenario({ version: 1, name: 'a bad line', requires: ['wire'], rules: [] })
  expect(() => createSimulator({ scenario })).toThrow(
    'Failed to play "a bad line": it requires wire, and without a socket some faults are only approximated. Play it by ' +
      '"greenroom run" or "greenroom serve --scenario", or leave requires out.',
  )
})
