import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createSimulator } from '../../../src/index.ts'
import { draw, drawn, fetchDrawing, finished, type DrawingRecord } from '../../support/drawing.ts'

/**
 * Walks over buttons as a client could: each step presses one of those that the last result carries, and answers the
 * dialog where there is one. No picture is drawn, so a walk costs little; that every drawing can be drawn is another
 * test's.
 */
it('leads from any button to a successful result, with buttons of its own and the right parent', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 1e9 }),
      fc.array(fc.nat({ max: 1_000 }), { minLength: 1, maxLength: 14 }),
      async (seed, choices) => {
        await using sim = createSimulator({ seed, cacheDir: false })
        const transport = { call: (path: string, init?: RequestInit) => sim.fetch(path, init) }
        let last: DrawingRecord = await drawn(transport, 'submit/imagine', { prompt: 'a red fox --ar 3:2' })
        for (const choice of choices) {
          const buttons = withEffect(last.buttons!)
          const button = buttons[choice % buttons.length]!
          const answer = await draw(transport, 'submit/action', {
            taskId: last.id,
            customId: button.customId,
          })
          expect([1, 21]).toContain(answer.code)
          if (answer.code === 21) {
            expect(await fetchDrawing(transport, answer.result)).toMatchObject({ status: 'MODAL' })
            const fields = { taskId: answer.result, prompt: 'a blue hat' }
            expect(await draw(transport, 'submit/modal', fields)).toMatchObject({
              code: 1,
              result: answer.result,
            })
          }
          const next = await finished(transport, answer.result)
          expect(next).toMatchObject({ status: 'SUCCESS', progress: '100%', failReason: '' })
          expect(next.buttons!.length).toBeGreaterThan(0)
          expect(next.imageUrl).toMatch(/\/mj\/image\/\d{16}$/)
          if (next.id !== last.id) expect(sim.task(next.id).request).toMatchObject({ remixedFrom: last.id })
          last = next
        }
      },
    ),
    { numRuns: 25 },
  )
})

it('gives the same answers to the same walk, whatever else is requested between its steps', async () => {
  const walk = async (disturb: boolean): Promise<unknown[]> => {
    await using sim = createSimulator({ seed: 5, cacheDir: false })
    const transport = { call: (path: string, init?: RequestInit) => sim.fetch(`/ns/walk${path}`, init) }
    const other = { call: (path: string, init?: RequestInit) => sim.fetch(`/ns/other${path}`, init) }
    const seen: unknown[] = []
    let last = await drawn(transport, 'submit/imagine', { prompt: 'a harbour' })
    for (const choice of [1, 4, 2, 6, 8, 0, 12]) {
      if (disturb) await drawn(other, 'submit/imagine', { prompt: `noise ${choice}` })
      const buttons = withEffect(last.buttons!)
      const button = buttons[choice % buttons.length]!
      const { code, result } = await draw(transport, 'submit/action', {
        taskId: last.id,
        customId: button.customId,
      })
      if (code === 21) await draw(transport, 'submit/modal', { taskId: result })
      last = await finished(transport, result)
      seen.push([last.id, last.action, last.buttons, sim.namespace('walk').task(last.id).request])
    }
    return seen
  }
  expect(await walk(true)).toEqual(await walk(false))
})

/** All buttons but those that the gateway refuses. */
function withEffect(buttons: NonNullable<DrawingRecord['buttons']>): NonNullable<DrawingRecord['buttons']> {
  return buttons.filter(({ label }) => !label.startsWith('Animate'))
}
