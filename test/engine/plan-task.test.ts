import { expect, it } from 'vitest'
import { defineLifecycle } from '../../src/engine/tasks/lifecycle.ts'
import { planTask, TimelineError, type TaskShape } from '../../src/engine/tasks/plan-task.ts'
import { drawingLifecycle, videoLifecycle } from '../support/lifecycles.ts'

const half = (): number => 0.5

const stepsOf = (shape: TaskShape): unknown => planTask(videoLifecycle, shape, half).steps

it('plans each state of the documented order', () => {
  expect(stepsOf({ queued: '1s', render: '10s' })).toEqual([
    { state: 'queued', lastsMs: 1_000 },
    { state: 'IN_PROGRESS', lastsMs: 10_000 },
    { state: 'SUCCESS', lastsMs: null },
  ])
})

it.each([0.4, '40%'])('ends the work at the share %j of its time if it fails', (failAt) => {
  const shape: TaskShape = { queued: 0, render: '10s', outcome: 'failure', failAt, reason: 'policy' }
  expect(planTask(videoLifecycle, shape, half)).toEqual({
    steps: [
      { state: 'queued', lastsMs: 0 },
      { state: 'IN_PROGRESS', lastsMs: 4_000, wholeMs: 10_000 },
      { state: 'FAILURE', lastsMs: null },
    ],
    reason: 'policy',
  })
})

it('gives endless work a length for its progress', () => {
  expect(stepsOf({ queued: 0, render: 'forever' })).toEqual([
    { state: 'queued', lastsMs: 0 },
    { state: 'IN_PROGRESS', lastsMs: null, wholeMs: 12_000 },
    { state: 'SUCCESS', lastsMs: null },
  ])
})

it('fails a task that expires in the queue or at work', () => {
  const expiresAfter = (after: string): unknown =>
    stepsOf({ queued: '10s', render: '20s', expire: { after, reason: 'too slow' } })
  const expires = { expires: 'FAILURE', expiryReason: 'too slow' }
  expect(expiresAfter('4s')).toEqual([{ state: 'queued', lastsMs: 4_000, wholeMs: 10_000, ...expires }])
  expect(expiresAfter('25s')).toEqual([
    { state: 'queued', lastsMs: 10_000 },
    { state: 'IN_PROGRESS', lastsMs: 15_000, wholeMs: 20_000, ...expires },
  ])
})

it('measures the progress of work that fails and expires by its whole length', () => {
  const shape: TaskShape = {
    queued: 0,
    render: '20s',
    outcome: 'failure',
    failAt: 0.5,
    expire: { after: '4s' },
  }
  expect(stepsOf(shape)).toEqual([
    { state: 'queued', lastsMs: 0 },
    { state: 'IN_PROGRESS', lastsMs: 4_000, wholeMs: 20_000, expires: 'FAILURE', expiryReason: '' },
  ])
})

it('lets work without an end expire', () => {
  expect(stepsOf({ queued: 'forever', expire: { after: '4s' } })).toEqual([
    { state: 'queued', lastsMs: 4_000, wholeMs: 2_000, expires: 'FAILURE', expiryReason: '' },
  ])
})

it.each(['30s', '1m', 'forever'])('does not expire after %s if the task has ended by then', (after) => {
  expect(stepsOf({ queued: '10s', render: '20s', expire: { after } })).toEqual(
    stepsOf({ queued: '10s', render: '20s' }),
  )
})

it('follows a timeline, and begins in its first line if that comes at once', () => {
  const timeline = [
    { after: 0, status: 'IN_PROGRESS', progress: '10%' },
    { after: '30s', progress: 90.5 },
    { after: '2m', status: 'SUCCESS' },
  ]
  expect(planTask(videoLifecycle, { timeline, reason: 'unused' }, half)).toEqual({
    steps: [
      { state: 'IN_PROGRESS', lastsMs: 30_000, progress: 10 },
      { state: 'IN_PROGRESS', lastsMs: 90_000, progress: 90.5 },
      { state: 'SUCCESS', lastsMs: null },
    ],
    reason: 'unused',
  })
})

it('waits in a timeline for a request', () => {
  const timeline = [
    { after: '5s', status: 'IN_PROGRESS' },
    { waitFor: 'mj.modal', timeout: '1m', reason: 'no answer' },
    { after: '3s', status: 'SUCCESS' },
  ]
  const [, waiting, done] = planTask(drawingLifecycle, { timeline }, half).steps
  expect(waiting).toEqual({
    state: 'IN_PROGRESS',
    lastsMs: 60_000,
    awaits: 'mj.modal',
    expires: 'FAILURE',
    expiryReason: 'no answer',
  })
  expect(done).toEqual({ state: 'SUCCESS', lastsMs: null })
  const [endless] = planTask(drawingLifecycle, { timeline: [{ waitFor: 'mj.modal' }] }, half).steps
  expect(endless).toMatchObject({ lastsMs: null, expiryReason: '' })
})

it('leaves out the lines of a timeline after one that never comes', () => {
  const timeline = [
    { after: '1s', status: 'IN_PROGRESS' },
    { after: 'forever', status: 'SUCCESS' },
    { after: '2s', status: 'FAILURE' },
  ]
  expect(stepsOf({ timeline })).toEqual([
    { state: 'queued', lastsMs: 1_000 },
    { state: 'IN_PROGRESS', lastsMs: null },
  ])
})

it.each<[TaskShape['timeline'], string]>([
  [
    [{ after: 0, status: 'DONE' }],
    'timeline[0]: there is no state "DONE". Use queued, IN_PROGRESS, SUCCESS, FAILURE.',
  ],
  [
    [{ after: '5s' }, { after: '4s' }],
    'timeline[1]: it lies before the line in front of it. Put lines in order of their times.',
  ],
])('refuses the timeline %j', (timeline, message) => {
  expect(() => planTask(videoLifecycle, { timeline: timeline! }, half)).toThrow(new TimelineError(message))
})

it('chooses the next state by its weight, and draws only if there is a choice', () => {
  const weighed = (to: Record<string, number>): ReturnType<typeof defineLifecycle> =>
    defineLifecycle(
      'coin',
      {
        initial: 'thrown',
        states: {
          thrown: { after: '1s', progress: 0, to },
          heads: { final: true, progress: 100 },
          tails: { final: true, progress: 100 },
        },
      },
      { queue: 'thrown', work: 'thrown', success: 'heads', failure: 'tails' },
    )
  const endFor = (to: Record<string, number>, draw: () => number): string =>
    planTask(weighed(to), {}, draw).steps.at(-1)!.state
  expect(endFor({ heads: 1, tails: 3 }, () => 0.24)).toBe('heads')
  expect(endFor({ heads: 1, tails: 3 }, () => 0.25)).toBe('tails')
  const drawNothing = (): number => {
    throw new Error('nothing is to be drawn')
  }
  expect(endFor({ heads: 0, tails: 3 }, drawNothing)).toBe('tails')
})
