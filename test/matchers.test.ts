import { expect as jestExpect } from 'expect'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect as vitestExpect, it } from 'vitest'
import { greenroomMatchers, type GreenroomMatchers } from '../src/matchers/index.ts'
import { createSimulator, type EmbeddedSimulator } from '../src/index.ts'
import { VideoClient } from './support/video-client.ts'

vitestExpect.extend(greenroomMatchers)
// Both keep what they learn in one place of the process, and Jest calls what lies there: so it is Jest's.
jestExpect.extend(greenroomMatchers)

type Learned = GreenroomMatchers & { not: GreenroomMatchers }
const runners = {
  Vitest: { expect: vitestExpect as unknown as (value: unknown) => Learned, any: vitestExpect },
  Jest: { expect: jestExpect as unknown as (value: unknown) => Learned, any: jestExpect },
}

/** Two videos, of which the second fails; the very first poll is answered with 503. */
async function twoVideos(): Promise<EmbeddedSimulator> {
  const sim = createSimulator({
    cacheDir: false,
    rules: [{ match: { op: 'video.poll' }, on: 1, fault: 'reset' }],
  })
  const client = new VideoClient({ baseUrl: 'https://gateway.example', key: 'sk-test', fetch: sim.fetch })
  const id = await client.submit('a red kite')
  await client.untilEnded(id).catch(() => {})
  await client.untilEnded(id)
  await client.download(id)
  await client.make('a blue kite [[fail: content policy]]')
  return sim
}

/** What a failing expectation says, without colours. */
function messageOf(expectation: () => void): string {
  try {
    expectation()
  } catch (error) {
    return stripVTControlCharacters((error as Error).message)
  }
  throw new Error('It does not fail.')
}

describe.each(Object.entries(runners))('with %s', (_name, { expect, any }) => {
  it('matches submissions, results and requests', async () => {
    await using sim = await twoVideos()
    expect(sim).toHaveSubmitted()
    expect(sim).toHaveSubmitted({ model: 'video-1', prompt: 'a red kite', request: { seconds: 1 } })
    expect(sim).toHaveSubmitted({ prompt: any.stringContaining('kite') }, { times: 2 })
    expect(sim).not.toHaveSubmitted({ prompt: 'a green kite' })
    expect(sim).toHaveSettled({ status: 'SUCCESS', elapsedMs: any.any(Number) }, { times: 1 })
    expect(sim).toHaveSettled({ status: 'FAILURE', reason: 'content policy' })
    expect(sim).not.toHaveSettled({ status: 'SUCCESS' }, { times: 2 })
    expect(sim).toHavePolled({ reportedStatus: 'SUCCESS' }, { times: 1 })
    expect(sim).toHavePolled({}, { times: { min: 3 } })
    expect(sim).toHaveDownloaded({ content: 'complete' }, { times: 1 })
    expect(sim).toHaveRequested('video.poll', { fault: 'reset', outcome: 'failed' })
    expect(sim).toHaveRequested('video.*', undefined, { times: sim.journal().length })
    expect(sim).not.toHaveRequested('mj.*')
  })

  it('takes a namespace too', async () => {
    await using sim = await twoVideos()
    expect(sim.namespace('mine')).not.toHaveSubmitted()
    expect(sim.namespace('default')).toHaveSubmitted()
  })

  it('counts no download that broke off, and none that came to nothing', async () => {
    await using sim = createSimulator({
      cacheDir: false,
      rules: [{ match: { op: 'video.content' }, on: 2, fault: { type: 'truncate', at: 0.5 } }],
    })
    const client = new VideoClient({ baseUrl: 'https://gateway.example', key: 'sk-test', fetch: sim.fetch })
    const id = await client.submit('a kite')
    await client.download(id)
    await sim.clock.advanceUntil(id, 'SUCCESS')
    await client.download(id).catch(() => {})
    expect(sim).toHaveRequested('video.content', {}, { times: 2 })
    expect(sim).not.toHaveDownloaded()
  })

  it('shows how the nearest differs, and no more of it', async () => {
    await using sim = await twoVideos()
    const wanted = {
      model: 'video-1',
      prompt: any.stringContaining('green'),
      request: { seconds: 1, width: 640 },
    }
    const message = messageOf(() => expect(sim).toHaveSubmitted(wanted))
    vitestExpect(message).toContain('Expected at least once: submissions like')
    vitestExpect(message).toContain('Received never, of 2 submissions in total')
    vitestExpect(message).toMatch(/The closest match is task_\w{32}:/)
    vitestExpect(message).toContain('    "model": "video-1",')
    vitestExpect(message).toMatch(/-\s+"prompt": StringContaining "green",/)
    vitestExpect(message).toMatch(/\+\s+"prompt": "a blue kite",/)
    vitestExpect(message).toMatch(/^\s+"seconds": 1,$/m)
    vitestExpect(message).toMatch(/-\s+"width": 640,/)
    vitestExpect(message).not.toContain('framesPerSecond')
  })

  it('names what it found, where something else was expected', async () => {
    await using sim = await twoVideos()
    const [{ id } = { id: '' }] = sim.tasks()
    vitestExpect(messageOf(() => expect(sim).not.toHaveSettled({ status: 'SUCCESS' }))).toContain(
      `Received once, of 2 ended tasks in total: ${id}`,
    )
    vitestExpect(messageOf(() => expect(sim).toHaveDownloaded({}, { times: { min: 2, max: 3 } }))).toMatch(
      /Expected 2 to 3 times: complete downloads like (?:Object )?\{\}\nReceived once, of 1 complete downloads in total: #\d+ video\.content/,
    )
    vitestExpect(messageOf(() => expect(sim).toHaveRequested('mj.fetch', undefined, { times: 1 }))).toBe(
      'expect(gateway).toHaveRequested()\n\nExpected once: requests of mj.fetch\n' +
        'Received never, of 0 requests of mj.fetch in total',
    )
  })

  it('tells whether a verdict is good, and shows what is wrong', async () => {
    await using sim = await twoVideos()
    expect(await sim.verdict()).toPass()
    await sim.fetch('/v1/video/generations/unknown')
    const verdict = await sim.verdict()
    expect(verdict).not.toPass()
    vitestExpect(messageOf(() => expect(verdict).toPass())).toContain('✗ always: auth-on-every-call')
  })

  it.each<[names: string, matcher: 'toHaveSubmitted' | 'toHavePolled', args: unknown[], message: string]>([
    [
      'field',
      'toHaveSubmitted',
      [{ promt: 'a' }],
      'unknown field "promt". Did you mean "prompt"? Known: id,',
    ],
    ['field of a request', 'toHaveSubmitted', [{ request: { secnds: 1 } }], 'Did you mean "seconds"?'],
    ['field of an exchange', 'toHavePolled', [{ tsk: 'a' }], 'unknown field "tsk". Did you mean "task"?'],
    ['nested field', 'toHavePolled', [{ stream: { chunk: 1 } }], 'Did you mean "chunks"?'],
    ['option', 'toHaveSubmitted', [{ prompt: 'a' }, { tmes: 2 }], 'tmes is not known. Did you mean "times"?'],
    ['bound', 'toHaveSubmitted', [{}, { times: { mn: 2 } }], 'times.mn is not known. Did you mean "min"?'],
    ['set of options', 'toHaveSubmitted', [{}, null], 'submissions: it is null: must be a mapping.'],
    ['negative count', 'toHaveSubmitted', [{}, { times: -1 }], 'times is -1: must be at least 0'],
    ['fraction', 'toHaveSubmitted', [{}, { times: 1.5 }], 'times is 1.5: must be a whole number'],
    [
      'text',
      'toHaveSubmitted',
      ['a red kite'],
      '"a red kite" is not a set of fields. Use one such as { id: … }',
    ],
  ])('refuses an unknown %s, also after not', async (_what, matcher, args, message) => {
    await using sim = await twoVideos()
    const call = (of: GreenroomMatchers): void => (of[matcher] as (...all: unknown[]) => void)(...args)
    vitestExpect(messageOf(() => call(expect(sim)))).toContain(message)
    vitestExpect(messageOf(() => call(expect(sim).not))).toContain(message)
  })

  it('refuses an unknown field in objectContaining', async () => {
    await using sim = await twoVideos()
    const typo = { request: any.objectContaining({ secnds: 1 }) }
    vitestExpect(messageOf(() => expect(sim).not.toHaveSubmitted(typo))).toContain('Did you mean "seconds"?')
    expect(sim).toHaveSubmitted({ request: any.objectContaining({ seconds: 1 }) })
  })

  it('names the tasks that are still open, and how to move the clock to their end', async () => {
    await using sim = createSimulator({ cacheDir: false, clock: { mode: 'manual' } })
    const client = new VideoClient({ baseUrl: 'https://gateway.example', key: 'sk-test', fetch: sim.fetch })
    const stuck = await client.submit('a kite [[queued forever]]')
    const id = await client.submit('a kite [[fail: content policy]]')
    const message = messageOf(() => expect(sim).toHaveSettled({ status: 'FAILURE' }))
    vitestExpect(message).toContain(
      `Still open: ${stuck} (queued, without an end), ${id} (queued, then FAILURE)\n` +
        `Let the client poll until the end, or move the clock: await gateway.clock.advanceUntil('${id}', 'FAILURE')`,
    )
    await sim.clock.advanceUntil(id, 'FAILURE')
    expect(sim).toHaveSettled({ status: 'FAILURE' })
    vitestExpect(messageOf(() => expect(sim).not.toHaveSettled())).not.toContain('Still open')
  })

  it('refuses a field that is undefined, also with not, and in a nested object', async () => {
    await using sim = await twoVideos()
    const video: { id?: string } = {}
    vitestExpect(messageOf(() => expect(sim).toHavePolled({ task: video.id }))).toBe(
      'Failed to match polls: "task" is undefined. Check its value for a misspelled name, or remove the field.',
    )
    const request = { model: 'video-1', seed: undefined }
    vitestExpect(messageOf(() => expect(sim).not.toHaveSubmitted({ request }))).toContain('"request.seed" is')
    const ofVideo = any.objectContaining({ task: video.id }) as object
    vitestExpect(messageOf(() => expect(sim).toHavePolled(ofVideo))).toContain('"task" is undefined')
  })

  it('takes a matcher for a whole record or request', async () => {
    await using sim = await twoVideos()
    expect(sim).toHaveSubmitted(any.anything() as object, { times: 2 })
    expect(sim).toHaveSettled(any.any(Object) as object)
    expect(sim).toHaveSubmitted(
      any.objectContaining({ prompt: 'a red kite', request: any.anything() }) as object,
    )
  })

  it('knows the fields that no task has yet', async () => {
    await using sim = createSimulator({ cacheDir: false })
    expect(sim).not.toHaveSubmitted({ request: { imageDigest: any.any(String), remixedFrom: 'a' } })
    expect(sim).not.toHaveSettled({ elapsedMs: 1, request: { hook: 'https://a.example' } })
    expect(sim).not.toHaveRequested('chat.*', { stream: { chunks: 1 }, retryAfterMs: 5 })
  })

  it('says what it takes', () => {
    vitestExpect(messageOf(() => expect(7).toHaveSubmitted())).toContain(
      'expect() got number. Pass a simulator',
    )
    vitestExpect(messageOf(() => expect(Promise.resolve()).toPass())).toContain('a promise. Await it')
  })
})

it('takes a schema of a library whose schemas are plain objects', async () => {
  await using sim = await twoVideos()
  const validate = (value: unknown): object => ({ value })
  const schema = { type: 'object', '~standard': { version: 1, vendor: 'example', validate } }
  const { any } = runners.Vitest as unknown as { any: { schemaMatching(of: object): object } }
  runners.Vitest.expect(sim).toHaveSubmitted({ request: any.schemaMatching(schema) })
  runners.Vitest.expect(sim).toHavePolled(any.schemaMatching(schema))
})

it('works with the context of Bun, whose helpers need their object and have no diff', async () => {
  await using sim = await twoVideos()
  class Helpers {
    #print = (value: unknown): string => JSON.stringify(value)
    printExpected(value: unknown): string {
      return this.#print(value)
    }
    printReceived(value: unknown): string {
      return this.#print(value)
    }
  }
  const context = { equals: Object.is, utils: new Helpers() }
  const { toHaveSubmitted } = greenroomMatchers
  const likeTheFirst = { prompt: 'a red kite', request: { seconds: 1 } }
  vitestExpect(toHaveSubmitted.call(context, sim, likeTheFirst).pass).toBe(true)
  const { pass, message } = toHaveSubmitted.call(context, sim, { prompt: 'a green kite' })
  vitestExpect(pass).toBe(false)
  vitestExpect(message()).toMatch(
    /Expected: {"prompt":"a green kite"}\nReceived: {"prompt":"a blue kite.*"}$/,
  )
})
