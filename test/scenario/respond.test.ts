import { expect, it } from 'vitest'
import { createSimulator, RuleError } from '../../src/index.ts'
import { checkScenario } from '../support/schemas.ts'
import type { Rule } from '../../src/scenario/vocabulary/types.ts'
import { describeTransports } from '../support/transports.ts'
import { authorization, getContent, postVideo, submitVideo } from '../support/video.ts'

describeTransports((open) => {
  it('replaces its own headers with those of a rule, case-insensitively', async () => {
    await using transport = await open({ clock: { mode: 'manual' } })
    const answers = [{ status: 429 }, { body: 'no' }, { error: { message: 'no' } }, { code: 23 }, {}]
    for (const answer of answers) {
      transport.sim.next('video.submit', { respond: { ...answer, headers: { 'content-type': 'text/odd' } } })
      expect((await postVideo(transport, { prompt: 'a kite' })).headers.get('content-type')).toBe('text/odd')
    }
  })

  it('sends each header once, including those of every response', async () => {
    await using transport = await open({ clock: { mode: 'manual' } })
    const id = await submitVideo(transport)
    await transport.sim.clock.advance('1m')
    for (const op of ['models.list', 'video.content', 'chat.complete']) {
      const headers = {
        'x-request-id': 'odd',
        'Access-Control-Allow-Origin': 'odd',
        date: 'odd',
        CONNECTION: 'close',
      }
      transport.sim.addRule({ id: op, match: { op }, respond: { headers } })
    }
    const headers = { authorization, origin: 'https://page.example', 'content-type': 'application/json' }
    const init = { headers }
    const chat = { model: 'sim-text-1', stream: true, messages: [{ role: 'user', content: 'Why?' }] }
    for (const answer of [
      await transport.call('/v1/models', init),
      await transport.call(`/v1/videos/${id}/content`, { ...init, method: 'HEAD' }),
      await transport.call(`/v1/videos/${id}/content`, init),
      await transport.call('/v1/chat/completions', { ...init, method: 'POST', body: JSON.stringify(chat) }),
    ]) {
      const names = ['x-request-id', 'access-control-allow-origin', 'date', 'connection']
      expect(names.map((name) => answer.headers.get(name))).toEqual(['odd', 'odd', 'odd', 'close'])
      await answer.arrayBuffer()
    }
  })

  it('overrides the headers of media, too', async () => {
    await using transport = await open({ clock: { mode: 'manual' } })
    const id = await submitVideo(transport)
    await transport.sim.clock.advance('1m')
    for (const name of ['Content-Type', 'content-type', 'etag', 'x-region']) {
      transport.sim.next('video.content', { respond: { headers: { [name]: 'odd' } } })
      const response = await getContent(transport, id)
      expect([response.status, response.headers.get(name)]).toEqual([200, 'odd'])
      expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(500)
    }
  })

  it.each([204, 205, 304])('sends no body with the status %d, and journals none', async (status) => {
    await using transport = await open({ clock: { mode: 'manual' } })
    for (const delay of [undefined, '1s']) {
      transport.sim.next('models.list', { respond: { status, body: 'a text' }, ...(delay && { delay }) })
      const answering = transport.call('/v1/models', { headers: { authorization } })
      if (delay) await expect.poll(() => transport.sim.clock.status().waiting).toHaveLength(1)
      await transport.sim.clock.advance('1s')
      const response = await answering
      expect([response.status, await response.text()]).toEqual([status, ''])
      await expect.poll(() => transport.sim.journal().at(-1)).toMatchObject({ bytes: 0, content: null })
    }
  })

  it('uses the error type of the rule', async () => {
    await using transport = await open()
    const error = { message: 'slow down', code: 'rate_limited', type: 'rate_limit_error' }
    transport.sim.next('video.submit', { respond: { status: 429, error } })
    expect(await (await postVideo(transport, { prompt: 'a kite' })).json()).toEqual({
      error: { ...error, message: expect.stringContaining('slow down (request id:') },
    })
  })
})

const line = 'one line of Latin characters'

it.each<[NonNullable<Rule['respond']>, string]>([
  [{ status: 99 }, '99'],
  [{ status: 600 }, '600'],
  [{ headers: { 'x-name': 'a\nx-other: b' } }, line],
  [{ headers: { 'x-name': '船' } }, line],
  [{ headers: { 'content-length': '5' } }, 'follows from the body'],
  [{ headers: { 'Transfer-Encoding': 'chunked' } }, 'follows from the body'],
  [{ retryAfter: 'soon' }, '"soon" is not a duration'],
])('refuses %j in code and in files, since no server can send it', async (respond, message) => {
  await using sim = createSimulator({ cacheDir: false })
  const match = { op: 'video.poll' }
  for (const rule of [
    { match, respond },
    { match, attempts: [{ respond }, 'ok' as const] },
  ]) {
    expect(() => sim.addRule(rule)).toThrow(RuleError)
    expect(() => sim.addRule(rule)).toThrow(message)
    const checked = checkScenario({ version: 1, rules: [rule] })
    expect('mistakes' in checked && checked.mistakes[0]!.sentence).toContain(message)
  }
})
