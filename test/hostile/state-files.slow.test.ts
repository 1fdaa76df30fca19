import { existsSync } from 'node:fs'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ServerError } from '../../src/server/server.ts'
import { copyAsKilled, editStore, newFolder, startStored, type Stored } from '../server/stored.ts'
import { settings, take, type Step } from '../support/steps.ts'
import { submitVideo } from '../support/video.ts'
import { runs, seed } from './open.ts'

const options = { ...settings, seed: 7 }
const done: Step[] = [
  { do: 'video', prompt: 'a kite', key: 'sk-poor' },
  { do: 'imagine', prompt: 'a fox' },
  { do: 'chat' },
  { do: 'advance', byMs: 90_000 },
  { do: 'press', task: 1 },
  { do: 'fail', task: 2 },
  { do: 'poll', task: 0 },
]

/** A folder with a value of every part. */
async function fullFolder(): Promise<string> {
  const folder = newFolder()
  await using stored = await startStored(folder, options)
  const made: string[] = []
  for (const step of done) await take(step, { call: stored.call, made })
  return folder
}

/** Starts from a folder and uses it; or expects an error that says what is wrong with it. */
async function expectSoundStart(folder: string): Promise<void> {
  let stored: Stored
  try {
    stored = await startStored(folder, options)
  } catch (error) {
    expect(error).toBeInstanceOf(ServerError)
    expect((error as Error).message).toMatch(
      /^Failed to use|^The state (?:in .* was|is damaged at) |is no state of greenroom/,
    )
    expect(existsSync(`${folder}/lock`)).toBe(false)
    return
  }
  await using _ = stored
  const made = await submitVideo(stored, { prompt: 'a hare' }, { authorization: 'Bearer sk-rich' })
  await using next = await startStored(copyAsKilled(folder), options)
  expect(next.sim.core.tasks.find(made)).toBeDefined()
}

const change = fc.record({
  entry: fc.nat({ max: 60 }),
  how: fc.constantFrom('remove', 'copy', 'value'),
  at: fc.nat({ max: 5_000 }),
  value: fc.jsonValue({ maxDepth: 1 }),
})

it(
  'starts from a store whose entries are missing, moved or say something else, or says why not',
  async () => {
    const folder = await fullFolder()
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
        const copy = copyAsKilled(folder)
        editStore(copy, (lines) => {
          for (const each of changes) applyChange(lines, each)
        })
        await expectSoundStart(copy)
      }),
      { numRuns: runs(80), seed, endOnFailure: true },
    )
  },
  runs(60_000),
)

type Entries = Record<string, unknown>

function applyChange(
  lines: unknown[],
  { entry, how, at, value }: { entry: number; how: string; at: number; value: unknown },
): void {
  const index = entry % lines.length
  if (how === 'remove') return void lines.splice(index, 1)
  const stored = structuredClone(lines[index])
  if (how === 'copy') return void lines.splice(at % lines.length, 0, stored)
  const places: [Entries, string][] = []
  const walk = (one: unknown): void => {
    for (const [name, inner] of Object.entries(one ?? {})) {
      places.push([one as Entries, name])
      if (typeof inner === 'object') walk(inner)
    }
  }
  walk(stored)
  const [holder, name] = places[at % Math.max(1, places.length)] ?? []
  if (holder) holder[name!] = value
  lines[index] = stored
}
