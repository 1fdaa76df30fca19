import { expect, it } from 'vitest'
import { CrashPlan, type Crash } from '../../src/gateway/crash-plan.ts'
import { createSimulator } from '../../src/index.ts'

it('meets all crashes that name one request when the client crashes at it', async () => {
  await using sim = createSimulator()
  const crashed: Crash[] = []
  const crashes = [
    { op: 'video.submit', nth: 1 },
    { op: 'video.*', nth: 1 },
    { op: 'video.*', nth: 2 },
  ]
  const plan = new CrashPlan(crashes, (crash) => void crashed.push(crash))
  const namespace = sim.core.namespaces.get('default')
  const arrive = (operation: string): unknown =>
    plan.arrive({ route: { operation }, clock: namespace.clock, namespace })
  expect(arrive('video.submit')).toBe('lost')
  expect(plan.pending).toEqual([{ crash: crashes[2], count: 1 }])
  plan.restart()
  plan.resume()
  expect(arrive('video.poll')).toBe('lost')
  expect(plan.pending).toEqual([])
  expect(crashed).toEqual([crashes[0], crashes[2]])
})
