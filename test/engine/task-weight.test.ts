import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { EventLog } from '../../src/engine/tasks/events.ts'
import { TaskStore } from '../../src/engine/tasks/tasks.ts'
import { Account } from '../../src/gateway/accounts/account.ts'
import { videoLifecycle } from '../../src/apis/video/lifecycle.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

function heapBytes(): number {
  collect()
  return process.memoryUsage().heapUsed
}

it('keeps a task, and what is set aside for it, in less than 500 bytes beside its prompt', () => {
  const tasks = new TaskStore([videoLifecycle], new EventLog())
  const account = new Account('sk-…', undefined, tasks)
  const prompt = 'a paper boat in the rain'
  const submit = (number: number): void => {
    const hex = number.toString(16).padStart(8, '0')
    const task = tasks.submit({
      id: `task_${hex}${hex}${hex}${hex}`,
      row: 1_000_000_000 + number,
      namespace: 'default',
      operation: 'video.submit',
      lifecycle: 'video',
      identity: `${hex}${hex}${hex}${hex}`,
      occurrence: 0,
      submittedAt: 1_893_456_000_000 + number,
      plan: {
        steps: [
          { state: 'queued', lastsMs: 1_000 + number },
          { state: 'IN_PROGRESS', lastsMs: 20_000 + number },
          { state: 'SUCCESS', lastsMs: null },
        ],
      },
      request: { model: 'video-1', prompt, seed: '1', seconds: 5, quota: 200_000, width: 1280, height: 720 },
    })
    account.charge({ quota: 200_000, task, seconds: 5 }, task.record.submittedAt)
  }
  // What is remembered of the latest is there before anything is measured.
  for (let number = 0; number < 2_000; number++) submit(number)
  const before = heapBytes()
  const count = 40_000
  for (let number = 2_000; number < 2_000 + count; number++) submit(number)
  const bytes = (heapBytes() - before) / count - prompt.length
  expect(tasks.count('default')).toBe(2_000 + count)
  expect(account.usage(0).tasks).toBe(2_000 + count)
  expect(bytes).toBeGreaterThan(100)
  expect(bytes).toBeLessThan(500)
})
