import { expect, it } from 'vitest'
import { EventLog, type SimulatorEvent } from '../../src/engine/tasks/events.ts'

const cleared: SimulatorEvent = { type: 'tasks.cleared', at: 1, namespace: 'a' }
const moved: SimulatorEvent = { type: 'clock.moved', at: 2, namespace: 'a' }

it('passes each event to the subscribers of its type and to those of all, in the order of subscription', () => {
  const events = new EventLog()
  const heard: string[] = []
  events.on('tasks.cleared', ({ at }) => void heard.push(`cleared ${at}`))
  const stop = events.subscribe(({ type, at }) => void heard.push(`${type} ${at}`))
  events.on('clock.moved', ({ at }) => void heard.push(`moved ${at}`))
  events.append(cleared)
  events.append(moved)
  expect(heard).toEqual(['cleared 1', 'tasks.cleared 1', 'clock.moved 2', 'moved 2'])
  stop()
  events.append(moved)
  expect(heard.slice(4)).toEqual(['moved 2'])
})
