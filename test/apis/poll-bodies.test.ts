import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createSimulator } from '../../src/index.ts'
import { toUnixSeconds } from '../../src/engine/clock/duration.ts'
import type { Task } from '../../src/engine/tasks/tasks.ts'
import { reaches, type TaskView } from '../../src/engine/tasks/timeline.ts'
import { authorization } from '../support/video.ts'

const headers = { authorization, 'content-type': 'application/json' }
const origins = ['http://one.example', 'http://other.example'] as const

/** The body of a poll, written from the task without the kit. */
function pollBody({ record, lifecycle: { roles } }: Task, view: TaskView, origin: string): string {
  const { id, row, submittedAt } = record
  const { model, quota, action } = record.request as Record<string, unknown>
  const submitted = toUnixSeconds(submittedAt)
  const statuses = { [roles.success]: 'completed', [roles.failure]: 'failed', [roles.work]: 'in_progress' }
  const status = statuses[view.state] ?? 'queued'
  const isDone = view.state === roles.success
  return JSON.stringify({
    code: 'success',
    message: '',
    data: {
      id: row,
      created_at: submitted,
      updated_at: toUnixSeconds(view.since),
      task_id: id,
      platform: '55',
      user_id: 1,
      group: 'default',
      channel_id: 1,
      quota,
      action,
      status: view.state,
      fail_reason: view.reason,
      result_url: isDone ? `${origin}/v1/videos/${id}/content` : undefined,
      submit_time: submitted,
      start_time: toUnixSeconds(view.startedAt),
      finish_time: toUnixSeconds(view.finishedAt),
      progress: `${view.progress}%`,
      properties: { input: '', upstream_model_name: model, origin_model_name: model },
      data: { id: `video_${row}`, object: 'video', status, progress: view.progress },
    },
  })
}

/** The body of a poll of a drawing, without its buttons. */
function drawingBody({ record, timeline }: Task, view: TaskView, now: number, origin: string): string {
  const { id, submittedAt } = record
  const { prompt } = record.request as { prompt: string }
  const isDone = view.state === 'SUCCESS'
  const hasPreview = view.state === 'IN_PROGRESS' && view.progress > 0
  const image = `${origin}/mj/image/${id}`
  const sentAt = reaches(timeline, 'SUBMITTED') ?? view.startedAt
  return JSON.stringify({
    id,
    action: 'IMAGINE',
    customId: '',
    botType: '',
    prompt,
    promptEn: prompt,
    description: 'Submit success',
    state: '',
    submitTime: submittedAt,
    startTime: sentAt <= now ? sentAt : 0,
    finishTime: view.finishedAt,
    imageUrl: isDone ? image : hasPreview ? `${image}?rand=${now}000000` : '',
    videoUrl: '',
    videoUrls: null,
    status: view.state,
    progress: `${view.progress}%`,
    failReason: view.reason,
    buttons: null,
    maskBase64: '',
    properties: isDone ? { finalPrompt: prompt, finalZhPrompt: '' } : null,
  })
}

const withoutButtons = (body: string): string => body.replace(/"buttons":\[.*\]/, '"buttons":null')

const step = fc.oneof(
  { weight: 2, arbitrary: fc.record({ does: fc.constant('advance'), amount: fc.nat(12_000) }) },
  // Less than anything of a task takes.
  { weight: 2, arbitrary: fc.record({ does: fc.constant('advance'), amount: fc.nat(100) }) },
  { weight: 6, arbitrary: fc.record({ does: fc.constant('look'), amount: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('fail'), amount: fc.constant(0) }) },
)

it('answers each poll with the current state of the task', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40, size: 'max' }), async (steps) => {
      await using sim = createSimulator({ clock: { mode: 'manual' }, cacheDir: false })
      const { tasks } = sim.core
      const ask = async (path: string, body?: object): Promise<string> => {
        const options = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers }
        return (await sim.fetch(path, options)).text()
      }
      const prompt = 'a red fox [[queued 1s]] [[render 60s]]'
      const submitted = await Promise.all([
        ask(`${origins[0]}/mj/submit/imagine`, { prompt }),
        ask(`${origins[0]}/v1/video/generations`, { model: 'video-1', prompt }),
      ])
      const [drawing, video] = submitted.map((text) => {
        const { result, task_id: id } = JSON.parse(text) as { result?: string; task_id?: string }
        return result ?? id!
      })
      for (const { does, amount } of steps) {
        const id = amount % 2 === 0 ? drawing! : video!
        const task = tasks.find(id)!
        const now = sim.clock.now()
        const view = tasks.view(task, now)
        if (does === 'advance') await sim.clock.advance(amount)
        else if (does === 'fail') {
          if (!view.final) sim.transition(id, { status: 'FAILURE', reason: 'a test' })
        } else {
          const origin = origins[amount >> 1]!
          const path = id === drawing ? `/mj/task/${id}/fetch` : `/v1/video/generations/${id}`
          const expected =
            id === drawing ? drawingBody(task, view, now, origin) : pollBody(task, view, origin)
          expect(withoutButtons(await ask(origin + path))).toBe(expected)
        }
      }
    }),
    { numRuns: 30 },
  )
})

it('serves an image in progress at another URL with each poll', async () => {
  await using sim = createSimulator({ clock: { mode: 'manual' }, cacheDir: false })
  const ask = async (path: string, init: RequestInit): Promise<Record<string, string>> =>
    (await (await sim.fetch(path, { headers, ...init })).json()) as Record<string, string>
  const body = JSON.stringify({ prompt: 'a red fox [[queued 1s]] [[render 70s]]' })
  const { result } = await ask('/mj/submit/imagine', { method: 'POST', body })
  await sim.clock.advance('40s')
  const looks = []
  for (let look = 0; look < 3; look++) {
    looks.push(await ask(`/mj/task/${result}/fetch`, {}))
    await sim.clock.advance(1)
  }
  expect(new Set(looks.map(({ progress }) => progress)).size).toBe(1)
  expect(new Set(looks.map(({ imageUrl }) => imageUrl)).size).toBe(3)
})
