import { expect, it } from 'vitest'
import { createSimulator, type EmbeddedSimulator } from '../../../src/index.ts'
import { draw, drawn, fetchDrawing, press, pressed } from '../../support/drawing.ts'

const transportOf = (
  sim: EmbeddedSimulator,
): { call: (path: string, init?: RequestInit) => Promise<Response> } => ({
  call: (path, init) => sim.fetch(path, init),
})

const workBegins = (sim: EmbeddedSimulator, id: string): number | undefined =>
  sim.task(id).timeline.find(({ status }) => status === 'IN_PROGRESS')?.from

it('starts the next drawing when the one before it is cancelled', async () => {
  await using sim = createSimulator({
    drawing: { queue: { running: 1, waiting: 5 } },
    clock: { mode: 'manual' },
    cacheDir: false,
  })
  const transport = transportOf(sim)
  const stuck = await draw(transport, 'submit/imagine', { prompt: 'a [[stuck]]' })
  const behind = await draw(transport, 'submit/imagine', { prompt: 'b' })
  const last = await draw(transport, 'submit/imagine', { prompt: 'c' })
  await sim.clock.advance('10m')
  expect(await fetchDrawing(transport, behind.result)).toMatchObject({ status: 'NOT_START' })
  sim.transition(stuck.result, { status: 'FAILURE', reason: 'cancelled' })
  expect(workBegins(sim, behind.result)).toBe(sim.clock.now())
  const ends = sim.task(behind.result).timeline.at(-1)!.from
  expect(workBegins(sim, last.result)).toBe(ends)
  await sim.clock.advance('5m')
  expect(await fetchDrawing(transport, last.result)).toMatchObject({ status: 'SUCCESS' })
})

it('takes no place in line for a dialog before it is answered, and the next one then', async () => {
  await using sim = createSimulator({ drawing: { queue: { running: 1, waiting: 5 } }, cacheDir: false })
  const transport = transportOf(sim)
  const single = await pressed(transport, await drawn(transport, 'submit/imagine', { prompt: 'a fox' }), 'U1')
  sim.clock.set('manual')
  const dialog = await press(transport, single, 'Vary (Region)')
  const free = await draw(transport, 'submit/imagine', { prompt: 'b' })
  await sim.clock.advance('5s')
  expect(await fetchDrawing(transport, free.result)).toMatchObject({ status: 'IN_PROGRESS' })
  await draw(transport, 'submit/modal', { taskId: dialog.result, prompt: 'a hat' })
  expect(workBegins(sim, dialog.result)).toBe(sim.task(free.result).timeline.at(-1)!.from)
})

it('imagines all prompts of a description or none', async () => {
  await using sim = createSimulator({ drawing: { queue: { running: 1, waiting: 2 } }, cacheDir: false })
  const transport = transportOf(sim)
  const picture =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
  const described = await drawn(transport, 'submit/describe', { base64: picture })
  const before = sim.tasks().length
  expect(await press(transport, described, 'Imagine all')).toMatchObject({ code: 23, result: null })
  expect(sim.tasks()).toHaveLength(before)
})
