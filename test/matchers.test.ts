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

/** Two films, of which the second fails; the first poll of all is answered by 503. */
async function twoFilms(): Promise<EmbeddedSimulator> {
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
function saidBy(expectation: () => void): string {
  try {
    expectation()
  } catch (error) {
    return stripVTControlCharacters((error as Error).message)
  }
  throw new Error('It does not fail.')
}

describe.each(Object.entries(runners))('with %s', (_name, { expect, any }) => {
  it('finds what was submitted, what came of it, and what was asked', async () => {
    await using sim = await twoFilms()
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
    await using sim = await twoFilms()
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
    await using sim = await twoFilms()
    const wanted = {
      model: 'video-1',
      prompt: any.stringContaining('green'),
      request: { seconds: 1, width: 640 },
    }
    const said = saidBy(() => expect(sim).toHaveSubmitted(wanted))
    vitestExpect(said).toContain('Expected at least once: submissions like')
    vitestExpect(said).toContain('Received never, of 2 submissions in total')
    vitestExpect(said).toMatch(/The closest match is task_\w{32}:/)
    vitestExpect(said).toContain('    "model": "video-1",')
    vitestExpect(said).toMatch(/-\s+"prompt": StringContaining "green",/)
    vitestExpect(said).toMatch(/\+\s+"prompt": "a blue kite",/)
    vitestExpect(said).toMatch(/^\s+"seconds": 1,$/m)
    vitestExpect(said).toMatch(/-\s+"width": 640,/)
    vitestExpect(said).not.toContain('framesPerSecond')
  })

  it('names what it found, where something else was expected', async () => {
    await using sim = await twoFilms()
    const [{ id } = { id: '' }] = sim.tasks()
    vitestExpect(saidBy(() => expect(sim).not.toHaveSettled({ status: 'SUCCESS' }))).toContain(
      `Received once, of 2 ended tasks in total: ${id}`,
    )
    vitestExpect(saidBy(() => expect(sim).toHaveDownloaded({}, { times: { min: 2, max: 3 } }))).toMatch(
      /Expected 2 to 3 times: complete downloads like (?:Object )?\{\}\nReceived once, of 1 complete downloads in total: #\d+ video\.content/,
    )
    vitestExpect(saidBy(() => expect(sim).toHaveRequested('mj.fetch', undefined, { times: 1 }))).toBe(
      'expect(gateway).toHaveRequested()\n\nExpected once: requests of mj.fetch\n' +
        'Received never, of 0 requests of mj.fetch in total',
    )
  })

  it('tells whether a verdict is good, and shows what is wrong', async () => {
    await using sim = await twoFilms()
    expect(await sim.verdict()).toPass()
    await sim.fetch('/v1/video/generations/nobody')
    const verdict = await sim.verdict()
    expect(verdict).not.toPass()
    vitestExpect(saidBy(() => expect(verdict).toPass())).toContain('✗ always: auth-on-every-call')
  })

  it('names the present word for a former field', async () => {
    await using sim = await twoFilms()
    const former = { shown: 'SUCCESS' } as object
    vitestExpect(saidBy(() => expect(sim).not.toHavePolled(former))).toContain('It is called "reportedStatus" now.')
  })

  it('says what it takes', () => {
    vitestExpect(saidBy(() => expect(7).toHaveSubmitted())).toContain('expect() got number. Pass a simulator')
    vitestExpect(saidBy(() => expect(Promise.resolve()).toPass())).toContain('a promise. Await it')
  })
})
