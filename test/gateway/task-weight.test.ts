import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { alphanumerics, keyedDraws } from '../../src/engine/random/draws.ts'
import { hash128Hex } from '../../src/engine/random/hash.ts'
import { EventLog } from '../../src/engine/tasks/events.ts'
import { TaskStore } from '../../src/engine/tasks/tasks.ts'
import { Account } from '../../src/gateway/accounts/account.ts'
import { videoLifecycle } from '../support/lifecycles.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

function heapBytes(): number {
  collect()
  return process.memoryUsage().heapUsed
}

it('stores a task and its reservation in at most 1 kB, its prompt not counted', () => {
  const tasks = new TaskStore([videoLifecycle], new EventLog())
  const account = new Account('sk-…', undefined, tasks)
  const draws = keyedDraws(1)
  const prompt = 'a paper boat in the rain'
  const submit = (number: number): void => {
    const task = tasks.submit({
      id: `task_${draws.text(alphanumerics, 32, 'task', String(number), 0)}`,
      row: 1_000_000_000 + number,
      namespace: 'default',
      operation: 'video.submit',
      lifecycle: 'video',
      identity: hash128Hex(String(number)),
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
      nth: number + 1,
    })
    account.charge({ quota: 200_000, task, seconds: 5 }, task.record.submittedAt)
  }
  for (let number = 0; number < 2_000; number++) submit(number)
  const count = 5_000
  // The least of three: other tests of the process may still allocate.
  let before = heapBytes()
  const measured = [0, 1, 2].map((round) => {
    for (let number = 0; number < count; number++) submit(2_000 + round * count + number)
    const now = heapBytes()
    const bytes = (now - before) / count - prompt.length
    before = now
    return bytes
  })
  const bytes = Math.min(...measured)
  expect(tasks.count('default')).toBe(2_000 + 3 * count)
  expect(account.usage(0).tasks).toBe(2_000 + 3 * count)
  expect(bytes).toBeGreaterThan(100)
  expect(bytes).toBeLessThanOrEqual(1_000)
})
