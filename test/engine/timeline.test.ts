import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  defineLifecycle,
  LifecycleError,
  pathBetween,
  phaseOf,
  progressRange,
  replaceLifecycle,
  type LifecycleDefinition,
  type StateDefinition,
} from '../../src/engine/tasks/lifecycle.ts'
import { planTask, type TaskShape } from '../../src/engine/tasks/plan-task.ts'
import type { Amendment } from '../../src/engine/tasks/plan.ts'
import {
  endOfTimeline,
  nextChange,
  reaches,
  timelineOf,
  viewAt,
  waitsForClient,
} from '../../src/engine/tasks/timeline.ts'
import { videoLifecycle } from '../support/lifecycles.ts'

const order = ['queued', 'IN_PROGRESS', 'SUCCESS', 'FAILURE']
const half = (): number => 0.5

const timelineFor = (shape: TaskShape, amendments: Amendment[] = []): ReturnType<typeof timelineOf> =>
  timelineOf({ plan: planTask(videoLifecycle, shape, half), submittedAt: 1_000 }, amendments, videoLifecycle)

it('begins each state at the very instant at which the one before ends', () => {
  const { spans } = timelineFor({ queued: '10s', render: '20s' })
  expect(spans.map(({ state, from, until }) => [state, from, until])).toEqual([
    ['queued', 1_000, 11_000],
    ['IN_PROGRESS', 11_000, 31_000],
    ['SUCCESS', 31_000, null],
  ])
})

it('stores of a span only what it has', () => {
  expect(timelineFor({ queued: '10s', render: '20s', outcome: 'failure', failAt: 0.5 }).spans).toStrictEqual([
    { state: 'queued', from: 1_000, until: 11_000 },
    { state: 'IN_PROGRESS', from: 11_000, until: 21_000, wholeMs: 20_000 },
    { state: 'FAILURE', from: 21_000, until: null },
  ])
})

it('ends a failing render at its given time, with the progress of that time', () => {
  const timeline = timelineFor({
    queued: 0,
    render: '100s',
    outcome: 'failure',
    failAt: 0.5,
    reason: 'policy',
  })
  expect(viewAt(timeline, videoLifecycle, 50_999)).toMatchObject({
    state: 'IN_PROGRESS',
    progress: 64,
    reason: '',
  })
  expect(viewAt(timeline, videoLifecycle, 51_000)).toMatchObject({
    state: 'FAILURE',
    final: true,
    progress: 100,
    reason: 'policy',
    finishedAt: 51_000,
  })
})

it('passes a rendering of no length when a task fails in the queue', () => {
  const failed: Amendment = {
    kind: 'transition',
    at: 2_000,
    state: 'FAILURE',
    reason: 'cancelled',
    cause: 'control',
  }
  const timeline = timelineFor({ queued: '10s' }, [failed])
  expect(timeline.spans.map(({ state, from }) => [state, from])).toEqual([
    ['queued', 1_000],
    ['IN_PROGRESS', 2_000],
    ['FAILURE', 2_000],
  ])
  expect(viewAt(timeline, videoLifecycle, 2_000)).toMatchObject({ reason: 'cancelled', startedAt: 2_000 })
})

it('ends a task that was put to work by hand when an amendment says, or never', () => {
  const byHand: Amendment = { kind: 'transition', at: 2_000, state: 'IN_PROGRESS', cause: 'control' }
  const ending = (ends: number | null): Amendment => ({
    kind: 'end',
    at: 3_000,
    ends,
    state: 'FAILURE',
    reason: 'policy',
  })
  const failing = timelineFor({ queued: '10s', render: '20s' }, [byHand, ending(5_000)])
  expect([reaches(failing, 'FAILURE'), reaches(failing, 'SUCCESS')]).toEqual([5_000, null])
  expect(viewAt(failing, videoLifecycle, 5_000)).toMatchObject({ final: true, reason: 'policy' })
  const endless = timelineFor({ queued: '10s', render: '20s' }, [ending(null)])
  expect(endless.spans.map(({ state, until }) => [state, until])).toEqual([
    ['queued', 11_000],
    ['IN_PROGRESS', null],
  ])
})

it('takes a task out of the queue that is moved by hand', () => {
  const queue = defineLifecycle(
    'queue',
    {
      initial: 'NEW',
      states: { ...videoLifecycle.states, NEW: { after: '1s', to: 'queued' } },
    },
    { ...videoLifecycle.roles, queue: 'NEW' },
  )
  const record = { plan: planTask(queue, { queued: '10s', render: '20s' }, half), submittedAt: 0 }
  const timeline = timelineOf(
    record,
    [
      { kind: 'begin', at: 0, begins: 60_000 },
      { kind: 'transition', at: 500, state: 'queued', cause: 'control' },
    ],
    queue,
  )
  expect(reaches(timeline, 'IN_PROGRESS')).toBeLessThan(60_000)
})

it('goes on with the plan after a task was put to work by hand', () => {
  const byHand: Amendment = { kind: 'transition', at: 2_000, state: 'IN_PROGRESS', cause: 'control' }
  expect(reaches(timelineFor({ queued: '10s', render: '20s' }, [byHand]), 'SUCCESS')).toBe(22_000)
  expect(reaches(timelineFor({ queued: 'forever', render: '20s' }), 'SUCCESS')).toBeNull()
  expect(reaches(timelineFor({ queued: 'forever', render: '20s' }, [byHand]), 'SUCCESS')).toBe(22_000)
})

it('never lets progress fall, nor states leave their order, whatever happens to a task', () => {
  const duration = fc.oneof(fc.nat({ max: 60_000 }), fc.constant('forever' as const))
  const shape = fc.record(
    {
      queued: duration,
      render: duration,
      outcome: fc.constantFrom('success' as const, 'failure' as const),
      failAt: fc.double({ min: 0, max: 1, noNaN: true }),
    },
    { requiredKeys: [] },
  )
  const looks = fc.array(fc.nat({ max: 200_000 }), { minLength: 1, maxLength: 20 })
  const forced = fc.option(
    fc.record({ at: fc.nat({ max: 100_000 }), state: fc.constantFrom('IN_PROGRESS', 'SUCCESS', 'FAILURE') }),
  )
  fc.assert(
    fc.property(shape, forced, looks, (drawn, force, instants) => {
      const plain = timelineFor(drawn as TaskShape)
      const before = force && viewAt(plain, videoLifecycle, 1_000 + force.at)
      const possible = force && !before!.final && order.indexOf(force.state) > order.indexOf(before!.state)
      const timeline = possible
        ? timelineFor(drawn as TaskShape, [
            { kind: 'transition', at: 1_000 + force.at, state: force.state, cause: 'control' },
          ])
        : plain
      const views = instants
        .toSorted((a, b) => a - b)
        .map((instant) => viewAt(timeline, videoLifecycle, 1_000 + instant))
      for (const [index, view] of views.entries()) {
        const last = views[index - 1] ?? view
        expect(view.progress).toBeGreaterThanOrEqual(last.progress)
        expect(order.indexOf(view.state)).toBeGreaterThanOrEqual(order.indexOf(last.state))
        expect(last.final ? view : last).toEqual(last)
        expect(view.progress === 100).toBe(view.final)
      }
      const states = timeline.spans.map((span) => span.state)
      expect(states[0]).toBe('queued')
      if (states.some((state) => state === 'SUCCESS' || state === 'FAILURE'))
        expect(states[1]).toBe('IN_PROGRESS')
      for (const [index, span] of timeline.spans.entries()) {
        if (index > 0) expect(span.from).toBe(timeline.spans[index - 1]!.until)
      }
    }),
    { numRuns: 500 },
  )
})

const dialog = defineLifecycle(
  'dialog',
  {
    initial: 'MODAL',
    states: {
      MODAL: { on: 'modal', timeout: '5m', expires: 'FAILURE', to: 'WORK' },
      WORK: { after: '10s', progress: { from: 0, to: 99 }, to: 'SUCCESS' },
      SUCCESS: { final: true, progress: 100 },
      FAILURE: { final: true, progress: 100 },
    },
  },
  { queue: 'MODAL', work: 'WORK', success: 'SUCCESS', failure: 'FAILURE' },
)

it('lets a state wait for a request, and expire without it', () => {
  const record = { plan: planTask(dialog, {}, half), submittedAt: 0 }
  const waiting = timelineOf(record, [], dialog)
  expect(reaches(waiting, 'FAILURE')).toBe(300_000)
  expect(reaches(waiting, 'SUCCESS')).toBeNull()

  const confirmed = timelineOf(record, [{ kind: 'confirm', at: 60_000, operation: 'modal' }], dialog)
  expect(reaches(confirmed, 'SUCCESS')).toBe(70_000)
  const late = timelineOf(record, [{ kind: 'confirm', at: 400_000, operation: 'modal' }], dialog)
  expect(reaches(late, 'FAILURE')).toBe(300_000)
})

it('lets a state that was forced wait for its request too', () => {
  const queued = defineLifecycle(
    'queued-dialog',
    { initial: 'QUEUE', states: { ...dialog.states, QUEUE: { after: '1h', to: 'MODAL' } } },
    { ...dialog.roles, queue: 'QUEUE' },
  )
  const record = { plan: planTask(queued, {}, half), submittedAt: 0 }
  const timeline = timelineOf(
    record,
    [
      { kind: 'transition', at: 500, state: 'MODAL', cause: 'control' },
      { kind: 'confirm', at: 2_000, operation: 'modal' },
    ],
    queued,
  )
  expect(reaches(timeline, 'SUCCESS')).toBe(12_000)
})

it.each([
  ['an unknown successor', { queued: { after: '1s', to: 'NOWHERE' } }],
  ['a state that leads nowhere', { queued: { after: '1s' } }],
  ['a state that never ends', { queued: { to: 'IN_PROGRESS' } }],
  ['a circle', { IN_PROGRESS: { after: '1s', to: 'queued' } }],
  ['a final state that goes on', { SUCCESS: { final: true as const, to: 'FAILURE' } }],
  ['progress that falls', { queued: { after: '1s', to: 'IN_PROGRESS', progress: 50 } }],
  ['progress beyond its end', { SUCCESS: { final: true as const, progress: 101 } }],
  ['a time that cannot be read', { queued: { after: 'soon', to: 'IN_PROGRESS' } }],
])('refuses a lifecycle with %s', (_what, states) => {
  const definition = { ...videoLifecycle, states: { ...videoLifecycle.states, ...states } }
  expect(() => defineLifecycle('video', definition, videoLifecycle.roles)).toThrow(LifecycleError)
})

it('keeps the documented order unless a lifecycle says unsafe', () => {
  const { states } = videoLifecycle
  const skipping = {
    initial: 'queued',
    states: { ...states, queued: { after: '1s', to: { IN_PROGRESS: 1, SUCCESS: 1 } } },
  }
  expect(() => replaceLifecycle(videoLifecycle, skipping)).toThrow(
    'queued → SUCCESS breaks the documented order',
  )
  expect(replaceLifecycle(videoLifecycle, { ...skipping, unsafe: true }).unsafe).toBe(true)
  const quicker = { initial: 'queued', states: { ...states, queued: { after: '1ms', to: 'IN_PROGRESS' } } }
  expect(replaceLifecycle(videoLifecycle, quicker).states['queued']!.after).toBe(1)
})

const simple = {
  initial: 'queued',
  states: {
    queued: { after: '1s', to: 'WORK' },
    WORK: { after: '9s', progress: { from: 0, to: 99 }, to: { SUCCESS: 1, FAILURE: 1 } },
    SUCCESS: { final: true },
    FAILURE: { final: true },
  },
} satisfies LifecycleDefinition
const roles = { queue: 'queued', work: 'WORK', success: 'SUCCESS', failure: 'FAILURE' }

it.each<[Record<string, StateDefinition>, string]>([
  [
    { queued: { after: '1s', to: 'NOWHERE' } },
    'a successor of queued is "NOWHERE". Known states: queued, WORK, SUCCESS, FAILURE.',
  ],
  [
    { queued: { on: 'modal', timeout: '1s', expires: 'NEVER', to: 'WORK' } },
    'a successor of queued is "NEVER". Known states: queued, WORK, SUCCESS, FAILURE.',
  ],
  [
    { SUCCESS: { final: true, to: { FAILURE: 1, WORK: 1 } } },
    'SUCCESS is final, but leads to FAILURE, WORK. Remove one.',
  ],
  [{ queued: { after: '1s' } }, 'queued leads nowhere. Give it "to", or make it final.'],
  [{ queued: { to: 'WORK' } }, 'queued never ends. Give it "after" or "on".'],
  [{ queued: { on: 'modal', timeout: '1s', to: 'WORK' } }, 'queued has a timeout but no "expires" state.'],
  [
    { queued: { after: 'soon', to: 'WORK' } },
    'queued: "soon" is not a duration: write it as "500ms", "5s", "1m30s" or "2h".',
  ],
  [
    { queued: { on: 'modal', timeout: 'soon', expires: 'FAILURE', to: 'WORK' } },
    'queued: "soon" is not a duration: write it as "500ms", "5s", "1m30s" or "2h".',
  ],
  [{ WORK: { after: '1s', to: 'queued' } }, 'queued can be reached from itself. A task must be able to end.'],
  [{ WORK: { after: '1s', to: 'SUCCESS', progress: [] } }, 'progress of WORK must climb within 0 and 100.'],
  [
    { WORK: { after: '1s', to: 'SUCCESS', progress: [10, 5] } },
    'progress of WORK must climb within 0 and 100.',
  ],
  [
    { WORK: { after: '1s', to: 'SUCCESS', progress: [10, 101] } },
    'progress of WORK must climb within 0 and 100.',
  ],
  [{ queued: { after: '1s', to: 'WORK', progress: -1 } }, 'progress of queued must climb within 0 and 100.'],
  [
    { WORK: { after: '1s', to: 'SUCCESS', progress: { from: 60, to: 50 } } },
    'progress of WORK must climb within 0 and 100.',
  ],
  [{ queued: { after: '1s', to: 'WORK', progress: 1 } }, 'progress would fall from queued to WORK.'],
  [{ SUCCESS: { final: true, progress: 98 } }, 'progress would fall from WORK to SUCCESS.'],
])('says what is wrong with the states %j', (states, message) => {
  const define = (): unknown =>
    defineLifecycle('own', { ...simple, states: { ...simple.states, ...states } }, roles)
  expect(define).toThrow(new LifecycleError(`Failed to define the own lifecycle: ${message}`))
})

it.each<[Partial<LifecycleDefinition>, Partial<typeof roles>, string]>([
  [{ initial: 'NEW' }, {}, 'initial is "NEW".'],
  [{}, { work: 'RENDER' }, 'the state for work is "RENDER".'],
  [{}, { failure: '' }, 'the state for failure is "".'],
])('wants each role of a lifecycle to have a state, case %#', (definition, others, message) => {
  expect(() => defineLifecycle('own', { ...simple, ...definition }, { ...roles, ...others })).toThrow(
    new LifecycleError(
      `Failed to define the own lifecycle: ${message} Known states: queued, WORK, SUCCESS, FAILURE.`,
    ),
  )
})

it('takes progress at the very limits, and reads the durations of every state', () => {
  const lifecycle = defineLifecycle(
    'own',
    {
      ...simple,
      states: {
        ...simple.states,
        queued: { on: 'modal', timeout: '2s', expires: 'FAILURE', to: 'WORK', progress: 0 },
        WORK: { after: '9s', to: 'SUCCESS', progress: [0, 50, 50, 100] },
      },
    },
    roles,
  )
  expect(lifecycle).toMatchObject({
    name: 'own',
    roles,
    states: { queued: { timeout: 2_000, on: 'modal' }, WORK: { after: 9_000 } },
  })
  expect('after' in lifecycle.states['queued']!).toBe(false)
  const phases = ['queued', 'WORK', 'SUCCESS', 'FAILURE', 'OTHER'].map((state) => phaseOf(lifecycle, state))
  expect(phases).toEqual(['waiting', 'working', 'done', 'failed', 'waiting'])
})

it.each([
  [undefined, undefined, [0, 0]],
  [undefined, true, [100, 100]],
  [40, undefined, [40, 40]],
  [{ from: 1, to: 9 }, undefined, [1, 9]],
  [[5, 6, 7], undefined, [5, 7]],
] as const)('reads the range of the progress %j', (progress, final, range) => {
  const state: StateDefinition = { ...(progress !== undefined && { progress }), ...(final && { final }) }
  expect(progressRange({ initial: 'a', states: { a: state } }, 'a')).toEqual(range)
})

it.each([
  [{ initial: 'WORK' }, 'initial is "WORK", documented is "queued". Set unsafe: true to start elsewhere.'],
  [
    { states: { ...simple.states, queued: { after: '1s', to: { WORK: 1, FAILURE: 1 } } } },
    'queued → FAILURE breaks the documented order. Set unsafe: true if a client must survive it.',
  ],
  [
    { states: { ...simple.states, EXTRA: { after: '1s', to: 'SUCCESS' } } },
    'EXTRA → SUCCESS breaks the documented order. Set unsafe: true if a client must survive it.',
  ],
])('refuses to replace a documented lifecycle, case %#', (change, message) => {
  const documented = defineLifecycle('own', simple, roles)
  const definition = { ...simple, ...change } as LifecycleDefinition
  expect(() => replaceLifecycle(documented, definition)).toThrow(
    new LifecycleError(`Failed to define the own lifecycle: ${message}`),
  )
  expect(replaceLifecycle(documented, { ...definition, unsafe: true }).initial).toBe(definition.initial)
  expect(replaceLifecycle(documented, undefined)).toBe(documented)
})

it('refuses to replace a state that waits for the client by one that does not', () => {
  const { MODAL: _, ...others } = dialog.states
  const definition = { ...dialog, unsafe: true, states: { ...others, MODAL: { after: '1s', to: 'WORK' } } }
  expect(() => replaceLifecycle(dialog, definition)).toThrow(
    new LifecycleError(
      'Failed to define the dialog lifecycle: MODAL must wait for the client. Give it on: modal.',
    ),
  )
})

it('finds the shortest way between two states, without its ends', () => {
  const lifecycle = defineLifecycle(
    'own',
    {
      ...simple,
      states: {
        ...simple.states,
        queued: { after: '1s', to: { MIDDLE: 1, WORK: 1 } },
        MIDDLE: { after: 0, to: 'WORK' },
      },
    },
    roles,
  )
  const way = (from: string, to: string): unknown => pathBetween(lifecycle, from, to)
  expect(way('queued', 'WORK')).toEqual([])
  expect(way('queued', 'SUCCESS')).toEqual(['WORK'])
  expect(way('MIDDLE', 'FAILURE')).toEqual(['WORK'])
  expect([way('WORK', 'queued'), way('SUCCESS', 'SUCCESS'), way('NOWHERE', 'WORK')]).toEqual([
    null,
    null,
    null,
  ])
  expect(pathBetween(dialog, 'MODAL', 'FAILURE')).toEqual([])
})

it('knows the next change of state or progress', () => {
  const timeline = timelineFor({ queued: '10s', render: '20s' })
  const next = (now: number): number | null => nextChange(timeline, videoLifecycle, now)
  expect([next(0), next(10_999), next(31_000), next(99_000)]).toEqual([11_000, 11_000, null, null])
  const change = next(11_000)!
  const progressAt = (now: number): number => viewAt(timeline, videoLifecycle, now).progress
  expect(progressAt(change)).toBeGreaterThan(progressAt(11_000))
  expect(progressAt(change - 1)).toBe(progressAt(11_000))
  const endless = timelineFor({ queued: 0, render: 'forever' })
  let last: number | null = 1_000
  let changes = 0
  for (let now = nextChange(endless, videoLifecycle, 1_000); now !== null; changes++)
    [last, now] = [now, nextChange(endless, videoLifecycle, now)]
  expect(changes).toBeGreaterThan(1)
  expect(viewAt(endless, videoLifecycle, last).progress).toBe(viewAt(endless, videoLifecycle, 1e12).progress)
})

it('knows whether a task waits for its client, and when it ends', () => {
  const record = { plan: planTask(dialog, {}, half), submittedAt: 0 }
  const waiting = timelineOf(record, [], dialog)
  expect([waitsForClient(waiting, dialog), endOfTimeline(waiting, dialog)]).toEqual([true, 300_000])
  const endless = timelineFor({ queued: 0, render: 'forever' })
  expect([waitsForClient(endless, videoLifecycle), endOfTimeline(endless, videoLifecycle)]).toEqual([
    false,
    Infinity,
  ])
})

it.each([
  [
    { at: 2_000, ends: 1_500, state: 'SUCCESS' },
    [
      ['queued', 1_000, 2_000],
      ['IN_PROGRESS', 2_000, 2_000],
      ['SUCCESS', 2_000, null],
    ],
  ],
  [
    { at: 2_000, ends: 31_000, state: 'FAILURE' },
    [
      ['queued', 1_000, 11_000],
      ['IN_PROGRESS', 11_000, 31_000],
      ['FAILURE', 31_000, null],
    ],
  ],
  [
    { at: 2_000, ends: 60_000, state: 'SUCCESS' },
    [
      ['queued', 1_000, 11_000],
      ['IN_PROGRESS', 11_000, 60_000],
      ['SUCCESS', 60_000, null],
    ],
  ],
  [
    { at: 2_000, ends: 11_000, state: 'SUCCESS' },
    [
      ['queued', 1_000, 11_000],
      ['IN_PROGRESS', 11_000, 11_000],
      ['SUCCESS', 11_000, null],
    ],
  ],
  [
    { at: 2_000, ends: null, state: 'SUCCESS' },
    [
      ['queued', 1_000, 11_000],
      ['IN_PROGRESS', 11_000, null],
    ],
  ],
])('ends a task as the amendment %j says', (end, spans) => {
  const timeline = timelineFor({ queued: '10s', render: '20s' }, [{ kind: 'end', ...end }])
  expect(timeline.spans.map(({ state, from, until }) => [state, from, until])).toEqual(spans)
})

it('counts only the latest end, and none after a task was moved to its end by hand', () => {
  const end = (ends: number): Amendment => ({
    kind: 'end',
    at: 1_500,
    ends,
    state: 'FAILURE',
    reason: 'late',
  })
  const moved: Amendment = { kind: 'transition', at: 2_000, state: 'SUCCESS', cause: 'control' }
  const shape = { queued: '10s', render: '20s' }
  expect(reaches(timelineFor(shape, [end(20_000), end(25_000)]), 'FAILURE')).toBe(25_000)
  expect(reaches(timelineFor(shape, [end(20_000), moved]), 'FAILURE')).toBeNull()
  expect(timelineFor(shape, [end(20_000), moved]).reason).toBe('')
  expect(timelineFor(shape, [end(20_000)]).reason).toBe('late')
})
