import fc from 'fast-check'
import { expect, it } from 'vitest'
import { settings, steps, take } from '../support/steps.ts'
import { copyAsKilled, everythingOf, newFolder, startStored, type Stored } from './stored.ts'

it('restores after each acknowledged step exactly what was stored, and answers the same from then on', async () => {
  const options = { ...settings, seed: 7 }
  await fc.assert(
    fc.asyncProperty(steps, steps, async (before, after) => {
      const folder = newFolder()
      await using stored = await startStored(folder, options)
      const made: string[] = []
      for (const step of before) {
        await take(step, { call: stored.call, made })
        await using restored = await startStored(copyAsKilled(folder), options)
        expect(everythingOf(restored)).toEqual(everythingOf(stored))
        expect(restored.warnings).toEqual([])
      }
      await using restored = await startStored(copyAsKilled(folder), options)
      const answers = async ({ call }: Stored): Promise<unknown[]> => {
        const known = [...made]
        const all: unknown[] = []
        for (const step of after) all.push(await take(step, { call, made: known }))
        return all
      }
      expect(await answers(restored)).toEqual(await answers(stored))
      expect(everythingOf(restored)).toEqual(everythingOf(stored))
    }),
    { numRuns: 6 },
  )
}, 120_000)
