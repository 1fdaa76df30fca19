import { expect, it } from 'vitest'
import { createSimulator } from '../../src/index.ts'
import { judge } from '../../src/judge/judge.ts'
import { poll, Story, submit } from './entries.ts'

const judged = (story: Story, strict: boolean) =>
  judge({ watch: story.watch, tasks: [], now: story.watch.lastAt ?? 0, strict })

it('fails a strict run for faults that were only approximated, unless the file allows it', () => {
  const broken = poll('queued', { outcome: 'failed', fault: 'reset', approximated: true })
  for (const [allow, passed] of [
    [{}, false],
    [{ approximated: true }, true],
  ] as const) {
    const story = new Story({ allow })
    story.add(submit())
    story.add(broken)
    expect(judged(story, false).passed).toBe(true)
    expect(judged(story, true).passed).toBe(passed)
    if (!passed)
      expect(judged(story, true).results[0]).toMatchObject({
        title: 'run: every fault is carried out exactly',
        actual: 'approximated: reset ×1',
        fails: true,
      })
  }
})

it('does not fail expectations that need several seeds', () => {
  const story = new Story({ sometimes: [{ rule: 'rare' }] })
  story.add(submit())
  expect(judged(story, true)).toMatchObject({ passed: true, results: [{ verdict: 'not-applicable' }] })
})

it('is never strict when it is embedded, whatever the environment says', async () => {
  await using sim = createSimulator({
    cacheDir: false,
    scenario: { version: 1, expect: { always: ['poll-interval'] } },
  })
  const call = (path: string, body?: unknown): Promise<Response> =>
    sim.fetch(`http://gateway.example${path}`, {
      headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    })
  const { task_id: id } = (await (
    await call('/v1/video/generations', { model: 'video-1', prompt: 'a kite' })
  ).json()) as { task_id: string }
  for (let polls = 0; polls < 3; polls++) await call(`/v1/video/generations/${id}`)
  expect(await sim.verdict()).toMatchObject({ passed: true, results: [{ verdict: 'not-applicable' }] })
})
