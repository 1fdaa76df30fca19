import { asyncProperty, assert, constantFrom, integer, record, subarray } from 'fast-check'
import { expect, it } from 'vitest'
import type { EmbeddedOptions } from '../../src/index.ts'
import type { InvariantName, Rule } from '../../src/index.ts'
import { audit } from '../../src/judge/audit.ts'
import { createWatch } from '../../src/judge/judge.ts'
import { replayEntries } from '../../src/judge/watch.ts'
import type { Bug, Client } from './client.ts'
import { run, type ClientRun } from './run.ts'

interface Story {
  readonly invariant: InvariantName
  readonly bug: Bug
  readonly rules?: readonly Rule[]
  readonly play?: (client: Client) => Promise<unknown>
}

const video = (client: Client): Promise<unknown> => client.video('a red kite')
const troubled = (attempts: Rule['attempts'] & {}): Rule => ({
  id: 'trouble',
  match: { op: 'video.poll' },
  attempts,
})

const stories: readonly Story[] = [
  { invariant: 'auth-on-every-call', bug: 'drops the key on download' },
  { invariant: 'one-key', bug: 'polls with another key' },
  { invariant: 'no-poll-after-terminal', bug: 'polls after the end' },
  { invariant: 'poll-interval', bug: 'polls too fast' },
  {
    invariant: 'honours-retry-after',
    bug: 'ignores Retry-After',
    rules: [troubled([{ respond: { status: 429, retryAfter: '20s' } }])],
  },
  { invariant: 'backs-off', bug: 'retries at once', rules: [troubled([503, 503, 503])] },
  {
    invariant: 'no-duplicate-submit',
    bug: 'resubmits on a lost poll',
    rules: [{ id: 'lost', match: { op: 'video.poll' }, on: 1, fault: 'reset' }],
  },
  { invariant: 'no-early-download', bug: 'downloads early' },
  {
    invariant: 'modal-follows-its-action',
    bug: 'ignores the dialog',
    play: (client) => client.drawing('a red fox', 'upsample', 'CustomZoom'),
  },
  {
    invariant: 'reads-stream-to-end',
    bug: 'accepts a broken stream',
    rules: [{ id: 'breaks', match: { op: 'chat.complete' }, on: 1, stream: { cut: { afterChunk: 2 } } }],
    play: (client) => client.stream('tell me about the boat'),
  },
]

const reportOf = ({ watch }: ClientRun, name: InvariantName) =>
  watch.invariants().find((report) => report.name === name)!

it.each(stories)('$invariant: a good client meets it, and one that $bug violates it', async (story) => {
  const { invariant, bug, rules = [], play = video } = story
  const good = await run({ rules }, (client) => play(client()))
  expect(reportOf(good, invariant)).toMatchObject({ verdict: 'pass' })
  expect(good.watch.invariants().filter(({ verdict }) => verdict === 'fail')).toEqual([])
  const bad = await run({ rules }, (client) => play(client()), { bugs: [bug] })
  const report = reportOf(bad, invariant)
  expect(report).toMatchObject({ verdict: 'fail' })
  const [offending] = report.first!.requests.slice(-1)
  expect(bad.sim.journal().some(({ number }) => number === offending)).toBe(true)
})

it('judges a recorded journal like a live one', async () => {
  for (const { bug, rules = [], play = video } of stories) {
    const { watch, sim } = await run({ rules }, (client) => play(client()), { bugs: [bug] })
    const lines = sim.journal().map((entry) => JSON.parse(JSON.stringify(entry)) as typeof entry)
    const replayed = createWatch()
    replayEntries(lines, replayed)
    expect(audit(replayed), bug).toEqual(audit(watch))
  }
})

it('remembers its findings when the journal drops entries', async () => {
  const story: Parameters<typeof run>[1] = (client) => client().video('a red kite')
  const whole = await run({}, story, { bugs: ['polls too fast'] })
  const short = await run({ limits: { journalEntries: 3 } }, story, { bugs: ['polls too fast'] })
  expect(short.sim.journal()).toHaveLength(3)
  expect(audit(short.watch)).toEqual(audit(whole.watch))
})

const troubles: readonly Rule[] = [
  { match: { op: ['video.poll', 'videos.retrieve', 'mj.fetch'] }, chance: 0.2, respond: { status: 503 } },
  {
    match: { op: 'video.*' },
    chance: 0.2,
    respond: { status: 429, retryAfter: '7s', retryAfterFormat: 'seconds' },
  },
  { match: { op: 'video.*' }, chance: 0.15, fault: 'reset' },
  { match: { op: ['video.poll', 'mj.*'] }, chance: 0.15, fault: 'invalid-json' },
  { match: { op: 'video.poll' }, chance: 0.1, fault: 'stale' },
  { match: { op: 'video.*' }, chance: 0.3, delay: '3s' },
  { match: { op: 'video.content' }, chance: 0.4, fault: { type: 'truncate', at: 0.4 } },
  { match: { op: 'video.content' }, chance: 0.3, fault: { type: 'corrupt', bytes: 4 } },
  { match: { op: 'video.submit' }, chance: 0.3, task: { outcome: 'failure', reason: 'policy' } },
  { match: { op: 'chat.complete' }, chance: 0.4, stream: { error: { afterChunk: 2 } } },
]

const plays: Readonly<Record<string, (client: Client, prompt: string) => Promise<unknown>>> = {
  video: (client, prompt) => client.video(prompt),
  drawing: (client) => client.drawing('a red fox', 'upsample', 'CustomZoom'),
  stream: (client, prompt) => client.stream(prompt),
}

it('never accuses a good client, whatever the faults and its concurrency', async () => {
  const world = record({
    seed: integer({ min: 1, max: 1_000_000 }),
    rules: subarray([...troubles.keys()]),
    plays: subarray(['video', 'video', 'video', 'drawing', 'stream'], { minLength: 1 }),
    prompts: constantFrom('same', 'different'),
    pollMs: integer({ min: 5_000, max: 9_000 }),
  })
  await assert(
    asyncProperty(world, async ({ seed, rules, plays: chosen, prompts, pollMs }) => {
      const options: EmbeddedOptions = {
        seed,
        rules: rules.map((index) => ({ id: `trouble-${index}`, ...troubles[index]! })),
      }
      const { watch } = await run(options, (client) =>
        Promise.all(
          chosen.map((name, index) => {
            const api = index % 2 === 0 ? 'video' : 'openai'
            const prompt = prompts === 'same' ? 'a red kite' : `kite ${index}`
            return plays[name]!(client(`client ${index}`, { api, pollMs }), prompt).catch(() => {})
          }),
        ),
      )
      expect(watch.invariants().filter(({ verdict }) => verdict === 'fail')).toEqual([])
    }),
    { numRuns: 40, seed: 1 },
  )
})

it('never accuses for unknown waits', async () => {
  const rules = [
    troubled([503, 429, 'reset', 503]),
    { match: { op: 'video.submit' }, task: { render: '60s' } },
  ]
  const { watch } = await run({ rules }, (client) =>
    client('', { sleep: async () => {} }).video('a red kite'),
  )
  const verdicts = Object.fromEntries(watch.invariants().map(({ name, verdict }) => [name, verdict]))
  expect(verdicts).toMatchObject({ 'poll-interval': 'not-applicable', 'backs-off': 'not-applicable' })
  expect(Object.values(verdicts)).not.toContain('fail')
})
