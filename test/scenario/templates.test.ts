import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSimulator, RuleError } from '../../src/index.ts'
import { checkScenario } from '../support/schemas.ts'
import {
  fillHeader,
  fillJson,
  fillText,
  maxFilledCharacters,
  maxValueCharacters,
  templateProblem,
} from '../../src/scenario/schema/templates.ts'
import { describeTransports } from '../support/transports.ts'
import { authorization, postVideo, submitVideo } from '../support/video.ts'
import { codePoint } from '../support/arbitraries.ts'

const only = (value: unknown) => () => value

describeTransports((open) => {
  it('fills a whole poll record from the task', async () => {
    await using transport = await open({ clock: { mode: 'manual', start: '2030-01-01T00:00:00Z' } })
    const id = await submitVideo(transport, { prompt: 'a "red" kite' })
    transport.sim.addRule({
      match: { op: 'video.poll' },
      respond: {
        headers: { 'x-task': '${task.id}', 'x-prompt': '${task.prompt}' },
        body: {
          nth: '${task.nth}',
          text: '${model}: ${prompt}',
          at: '${now}',
          seconds: '${now.seconds}',
          alt: '${query.alt}',
          agent: '${headers.X-Mine}',
          missing: '${vars.none}',
          plain: '$${task.id}',
        },
      },
    })
    const response = await transport.call(`/v1/video/generations/${id}?alt=sse`, {
      headers: { authorization, 'x-mine': 'me' },
    })
    expect([response.headers.get('x-task'), response.headers.get('x-prompt')]).toEqual([id, 'a "red" kite'])
    expect(await response.json()).toEqual({
      nth: 1,
      text: 'video-1: a "red" kite',
      at: '2030-01-01T00:00:00.000Z',
      seconds: 1_893_456_000,
      alt: 'sse',
      agent: 'me',
      missing: null,
      plain: '${task.id}',
    })
  })

  it('counts the attempts of a client from 1', async () => {
    await using transport = await open({
      rules: [{ match: { op: 'video.submit' }, respond: { status: 503, body: { attempt: '${attempt}' } } }],
    })
    for (const attempt of [1, 2]) {
      const refused = await postVideo(transport, { prompt: 'a kite' })
      expect(await refused.json()).toEqual({ attempt })
    }
  })

  it('names the new task in headers on top of the own response', async () => {
    await using transport = await open()
    transport.sim.next('video.submit', { respond: { headers: { location: '/v1/videos/${task.id}' } } })
    const response = await postVideo(transport, { prompt: 'a kite' })
    const { task_id: id } = (await response.json()) as { task_id: string }
    expect(response.headers.get('location')).toBe(`/v1/videos/${id}`)
  })

  it('fills fields of the body that made the task into its polls', async () => {
    await using transport = await open({
      rules: [{ match: { op: 'video.poll' }, respond: { body: { mine: '${body.metadata.mine}' } } }],
    })
    const id = await submitVideo(transport, { metadata: { mine: [1, 'two'] } })
    const response = await transport.call(`/v1/video/generations/${id}`, { headers: { authorization } })
    expect(await response.json()).toEqual({ mine: [1, 'two'] })
  })

  it('omits fields of the own record', async () => {
    await using transport = await open({ clock: { mode: 'manual' } })
    const id = await submitVideo(transport, { prompt: 'a kite [[fail: no]]' })
    await transport.sim.clock.advance('10m')
    const poll = async (): Promise<unknown> =>
      (await transport.call(`/v1/video/generations/${id}`, { headers: { authorization } })).json()
    const { data, ...rest } = (await poll()) as { data: Record<string, unknown> }
    expect(data).toHaveProperty('fail_reason', 'no')
    transport.sim.next('video.poll', { respond: { omit: ['data.fail_reason', 'data.no.such'] } })
    const { fail_reason: _, ...without } = data
    expect(await poll()).toEqual({ ...rest, data: without })
  })
})

describe('injection', () => {
  it('keeps the shape of JSON whatever a value is, in texts and in values', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), (value) => {
        const text = '{"a":"x ${prompt}","b":${prompt},"c":{"${prompt}":"\\"${prompt}"}}'
        const parsed = JSON.parse(fillText(text, only(value))) as Record<string, unknown>
        expect(Object.keys(parsed)).toEqual(['a', 'b', 'c'])
        expect([parsed['a'], parsed['b']]).toEqual([`x ${value}`, value])
        expect(fillJson({ a: ['${prompt}', '<${prompt}>'] }, only(value))).toEqual({
          a: [value, `<${value}>`],
        })
      }),
    )
  })

  it('starts no event, tag or header of its own', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), (value) => {
        expect(fillText('data: ${prompt}\n\n', only(value)).split(/\r?\n/)).toHaveLength(3)
        expect(fillText('<p title="${prompt}">${prompt}</p>', only(value))).toMatch(
          /^<p title="[^"<>]*">[^<>]*<\/p>$/,
        )
        expect(fillHeader('a ${prompt} b', only(value))).toMatch(/^a [\x20-\x7e]* b$/)
      }),
    )
  })

  it('does not fill templates that a value brings', () => {
    expect(fillText('${prompt}', only('${task.id}'))).toBe('${task.id}')
    expect(fillJson('${prompt} ', only('${task.id} $$ $&'))).toBe('${task.id} $$ $& ')
  })

  it('bounds each value and all of them', () => {
    const long = 'x'.repeat(maxValueCharacters * 2)
    expect(fillText('${prompt}', only(long))).toHaveLength(maxValueCharacters)
    expect(fillText('${prompt}'.repeat(500), only(long))).toHaveLength(maxFilledCharacters)
    expect(fillJson('${body.a}', only([long.repeat(100)]))).toBeNull()
    expect(fillHeader('${prompt}', only(long))).toHaveLength(1_000)
  })
})

it.each([
  ['${taks.id}', 'nothing fills ${taks.id}. Did you mean "${task.id}"?'],
  ['a ${header.x} b', 'Did you mean "${headers"?'],
  ['${body.}', 'nothing fills ${body.}'],
  ['${body.a[}', '${body.a[} has no path into a body'],
  ['${constructor}', 'nothing fills ${constructor}'],
  ['${task.id', '${task.id has no end. Write $${ for a plain ${'],
])('refuses %j in code and in files, with what was meant', async (text, message) => {
  expect(templateProblem(text)).toContain(message.replace('"${headers"?', ''))
  await using sim = createSimulator({ cacheDir: false })
  const match = { op: 'video.poll' }
  expect(() => sim.addRule({ match, respond: { headers: { 'x-a': text } } })).toThrow(RuleError)
  const checked = checkScenario({ version: 1, rules: [{ match, respond: { body: { a: [text] } } }] })
  if (!('mistakes' in checked)) throw new Error('no mistakes')
  expect(checked.mistakes[0]!.place).toEqual(['rules', 0, 'respond', 'body', 'a', 0])
})

it('refuses a body that contains itself', async () => {
  await using sim = createSimulator({ cacheDir: false })
  const body: Record<string, unknown> = {}
  body['self'] = body
  expect(() => sim.addRule({ match: { op: 'video.poll' }, respond: { body } })).toThrow(RuleError)
})
