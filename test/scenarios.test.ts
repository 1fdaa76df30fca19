import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { hostTimers } from '../src/engine/clock/timers/host-timers.ts'
import type { TaskOutcome } from '../src/judge/client/drive.ts'
import { lintLoaded } from '../src/files/lint/lint.ts'
import { judgeSeeds, type Verdict } from '../src/judge/index.ts'
import { mutants } from './judge/client/mutants.ts'
import { roughMutants } from './judge/client/rough-mutants.ts'
import { failuresOf, play } from './support/play.ts'
import { folder, load, names } from './support/shipped-scenarios.ts'

// A client that sleeps by calls of the clock may also wait in real time. A busy machine would look like such a wait.
beforeEach(() => {
  const nowMs = hostTimers.now()
  vi.spyOn(hostTimers, 'now').mockReturnValue(nowMs)
})
afterEach(() => void vi.restoreAllMocks())

const read = (path: string): string => readFileSync(new URL(path, folder), 'utf8')

/** How it ends for the reference client, where it isn't with success. */
const endings: Readonly<Record<string, readonly TaskOutcome['ended'][]>> = {
  'second-task-fails': ['succeeded', 'failed', 'succeeded'],
  'fails-without-a-reason': ['failed'],
  'gateway-gives-up': ['failed'],
  'stuck-in-the-queue': ['gave-up', 'succeeded'],
  'dialog-timeout': ['refused'],
  'quota-runs-out': ['succeeded', 'succeeded', 'refused'],
  'expired-key': ['refused'],
}

const all = { ...mutants, ...roughMutants }

/** Which scenario fails which client, and by what it does so. */
const convictions: readonly (readonly [scenario: string, mutant: keyof typeof all, by: string])[] = [
  ['happy-video', 'polls too fast', 'always: poll-interval'],
  ['happy-video', 'polls after the end', 'always: no-poll-after-terminal'],
  ['happy-video', 'downloads early', 'always: no-early-download'],
  ['happy-video', 'drops the key on download', 'always: auth-on-every-call'],
  ['happy-video', 'uses two keys', 'always: one-key'],
  ['happy-openai-video', 'downloads early', 'sequence: submit poll+ content'],
  ['happy-openai-video', 'drops the key on download', 'always: auth-on-every-call'],
  ['happy-drawing', 'ignores the dialog', 'always: modal-follows-its-action'],
  ['happy-text', 'has one deadline for the whole answer', 'requests: 1 × text.generate'],
  ['happy-chat', 'has one deadline for the whole answer', 'requests: 1 × chat.complete'],
  ['happy-text-stream', 'has one deadline for the whole answer', 'requests: 1 × text.stream'],
  ['happy-chat-stream', 'has one deadline for the whole answer', 'requests: 1 × chat.complete'],
  ['second-task-fails', 'resubmits failed tasks', 'requests: 3 × video.submit'],
  ['second-task-fails', 'downloads early', 'requests: 0 × video.content'],
  ['fails-without-a-reason', 'resubmits failed tasks', 'requests: 1 × video.submit'],
  ['gateway-gives-up', 'gives up too early', 'tasks: 1 × video task: FAILURE'],
  ['stuck-in-the-queue', 'gives up too late', 'quiet: no video.poll'],
  ['rate-limit-burst', 'ignores Retry-After', 'always: honours-retry-after'],
  ['outage-and-recovery', 'polls too fast', 'requests: at most 10 × video.poll (status 503)'],
  ['flaky-network', 'resubmits on a lost poll', 'always: no-duplicate-submit'],
  ['flaky-network', 'never verifies a download', 'artifacts: '],
  ['broken-downloads', 'never verifies a download', 'artifacts: '],
  ['lost-polls', 'resubmits on a lost poll', 'always: no-duplicate-submit'],
  ['lost-polls', 'retries without back-off', 'always: backs-off'],
  ['slow-answers', 'has one deadline for the whole answer', 'requests: 0 × video.* (aborted)'],
  ['slow-answers', 'polls too fast', 'always: poll-interval'],
  ['invalid-answers', 'takes nonsense for the end', 'tasks: 1 × video task: SUCCESS'],
  ['stream-breaks', 'accepts a cut stream', 'always: reads-stream-to-end'],
  ['stream-stalls', 'has one deadline for the whole answer', 'requests: 1 × text.stream'],
  ['stream-garbled', 'takes an event that comes again for an error', 'requests: 1 × text.stream'],
  ['stream-garbled', 'decodes packet by packet', 'requests: 1 × chat.complete'],
  ['dialog-chain', 'ignores the dialog', 'requests: 2 × mj.modal'],
  ['dialog-timeout', 'ignores Retry-After', 'always: honours-retry-after'],
  ['quota-runs-out', 'tries again what was refused for good', 'requests: 3 × video.submit'],
  ['expired-key', 'tries again what was refused for good', 'requests: 1 × video.poll (status 401)'],
  ['one-worker', 'gives up too early', 'requests: 4 × video.content'],
  ['retry-three-times', 'retries without back-off', 'always: backs-off'],
  ['a-bad-day', 'never verifies a download', 'artifacts: '],
  ['a-bad-day', 'retries without back-off', 'requests: 4 × video.submit'],
]

it('says at the head of each what it shows, what a good client does, and what it catches', () => {
  for (const name of names) {
    expect(read(`${name}.yaml`), name).toMatch(
      /^# yaml-language-server: \$schema=\.\.\/schema\/scenario\.schema\.json\n# Shows: .+\n# A good client: .+\n# Catches: .+\nversion: 1\n/,
    )
  }
})

it('lists each in the docs, and no other', () => {
  const listed = read('../docs/reference/scenarios.md').matchAll(
    /^\| \[([a-z-]+)\]\(\.\.\/\.\.\/scenarios\/\1\.yaml\) \|/gm,
  )
  expect(Array.from(listed, ([, name]) => name).toSorted()).toEqual(names)
})

it.each(names)('finds nothing to say of %s', async (name) => {
  expect(lintLoaded(await load(name))).toEqual([])
})

it.each(names)('lets the reference client pass %s', async (name) => {
  const { verdict, outcomes } = await play(await load(name))
  expect(failuresOf(verdict)).toEqual([])
  // What happens on a bad day is a matter of chance.
  if (name === 'a-bad-day') return
  const ended = outcomes.map((outcome) => outcome.ended)
  expect(ended).toEqual(endings[name] ?? ended.map(() => 'succeeded'))
})

it.each(convictions)('fails in %s a client that %s, by %s', async (name, mutant, by) => {
  const { verdict } = await play(await load(name), { mutate: all[mutant] })
  expect(failuresOf(verdict).filter((failure) => failure.startsWith(by))).toHaveLength(1)
})

it('has for each scenario a client that fails it, and for each bug a scenario', () => {
  expect([...new Set(convictions.map(([name]) => name))].toSorted()).toEqual(names)
  expect([...new Set(convictions.map(([, mutant]) => mutant))].toSorted()).toEqual(
    Object.keys(all).toSorted(),
  )
})

it('reaches on bad days all that can go wrong, and never more than a good client can bear', async () => {
  const loaded = await load('a-bad-day')
  const verdicts: Verdict[] = []
  for (let seed = 1; seed <= 8; seed++) {
    verdicts.push((await play(loaded, { seed: String(seed) })).verdict)
  }
  expect(
    verdicts.flatMap((verdict) => failuresOf(verdict).map((why) => `seed ${verdict.seed}: ${why}`)),
  ).toEqual([])
  expect(judgeSeeds(verdicts).sometimes.filter(({ fails }) => fails)).toEqual([])
})

it('brings a text through packets that end inside of characters', async () => {
  const { outcomes } = await play(await load('stream-garbled'))
  expect(outcomes.at(-1)!.text).toBe('Ein Papierboot für dich: 纸船 ⛵')
})
