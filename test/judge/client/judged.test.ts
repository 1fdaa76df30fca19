import { expect, it } from 'vitest'
import { drive } from '../../../src/judge/client/drive.ts'
import type { Rule } from '../../../src/index.ts'
import type { DriveStep } from '../../../src/index.ts'
import { createWatch, judge, watchJournal, type Verdict } from '../../../src/judge/index.ts'
import type { Expect } from '../../../src/index.ts'
import { openSocket } from '../../support/transports.ts'
import { mutants, type MutantName, type Mutate } from './mutants.ts'

/** A script that a good client comes through, and what of the verdict a mutant fails. */
interface Trial {
  readonly step: DriveStep
  readonly rules?: readonly Rule[]
  readonly expect: Expect
  readonly fails: string
}

const video: DriveStep = { flow: 'video', size: '128x96', seconds: 1 }
const steady: Rule = { match: { op: 'video.submit' }, task: { queued: '3s', render: '20s' } }
const always = (...names: NonNullable<Expect['always']>): Expect => ({ always: names })

const trials: Readonly<Record<MutantName, Trial>> = {
  'ignores Retry-After': {
    step: video,
    rules: [{ match: { op: 'video.submit' }, times: 1, respond: { status: 429, retryAfter: '30s' } }],
    expect: always('honours-retry-after'),
    fails: 'always[0]',
  },
  'polls after the end': {
    step: video,
    rules: [steady],
    expect: always('no-poll-after-terminal'),
    fails: 'always[0]',
  },
  'downloads early': {
    step: video,
    rules: [steady],
    expect: always('no-early-download'),
    fails: 'always[0]',
  },
  'never verifies a download': {
    step: video,
    rules: [{ match: { op: 'video.content' }, on: 1, fault: 'corrupt' }],
    expect: { artifacts: [{ kind: 'video', downloaded: 'intact' }] },
    fails: 'artifacts[0]',
  },
  'resubmits on a lost poll': {
    step: video,
    rules: [steady, { match: { op: 'video.poll' }, on: 2, fault: 'reset' }],
    expect: always('no-duplicate-submit'),
    fails: 'always[0]',
  },
  'resubmits failed tasks': {
    step: { ...video, prompt: 'a kite [[fail: no wind]]' },
    expect: { requests: [{ op: 'video.submit', count: 1 }] },
    fails: 'requests[0]',
  },
  'gives up too late': {
    step: { ...video, prompt: 'a kite [[stuck]]', giveUpAfter: '2m' },
    expect: { quiet: [{ op: 'video.poll', after: '2m', for: '5m' }] },
    fails: 'quiet[0]',
  },
  'gives up too early': {
    step: { ...video, giveUpAfter: '2m' },
    rules: [steady],
    expect: { artifacts: [{ kind: 'video', downloaded: 'any' }] },
    fails: 'artifacts[0]',
  },
  'ignores the dialog': {
    step: { flow: 'drawing', actions: ['upscale 1', 'repaint'], download: false },
    expect: { tasks: [{ kind: 'drawing', count: 3, status: 'SUCCESS' }] },
    fails: 'tasks[0]',
  },
  'accepts a cut stream': {
    step: { flow: 'text-stream' },
    rules: [{ match: { op: 'text.stream' }, on: 1, stream: { cut: { afterChunk: 3 } } }],
    expect: always('reads-stream-to-end'),
    fails: 'always[0]',
  },
  'drops the key on download': { step: video, expect: always('auth-on-every-call'), fails: 'always[0]' },
  'retries without back-off': {
    step: video,
    rules: [{ match: { op: 'video.submit' }, attempts: [503, 503, 503, 503, 503, 'ok'] }],
    expect: always('backs-off'),
    fails: 'always[0]',
  },
  'polls too fast': { step: video, rules: [steady], expect: always('poll-interval'), fails: 'always[0]' },
  'uses two keys': { step: video, expect: always('one-key'), fails: 'always[0]' },
}

async function judged({ step, rules = [], expect }: Trial, mutate: Mutate | undefined): Promise<Verdict> {
  await using transport = await openSocket({ rules, cacheDir: false })
  const { sleep, now } = transport.sim.clock
  const parts = { fetch: transport.fetch, url: transport.url, key: 'sk-test', sleep, now }
  const watch = createWatch({ ...expect, allow: { unusedRules: true } })
  watchJournal(transport.sim.core.namespaces.get('default').journal, watch)
  const given = mutate?.(step, parts) ?? { step, parts }
  await drive(given.step, given.parts)
  await transport.sim.clock.advance('10m')
  return judge({ watch, tasks: transport.sim.tasks(), now: now() })
}

it.each(Object.entries(trials))('fails a client that %s, and not a good one', async (name, trial) => {
  const good = await judged(trial, undefined)
  const failing = ({ results }: Verdict): string[] =>
    results.filter(({ fails }) => fails).map(({ path, actual }) => `${path} ${actual}`)
  expect(failing(good)).toEqual([])
  const bad = await judged(trial, mutants[name as MutantName])
  expect(failing(bad).map((each) => each.split(' ')[0])).toContain(trial.fails)
})
