import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ServerError } from '../../src/server/server.ts'
import { lineOf } from '../../src/server/state-lines.ts'
import { fileIn, keep, newFolder, written, type Kept } from '../state/keep.ts'
import { settings, take, type Step } from '../state/support.ts'
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

/** The lines of a file in which a little of everything was kept. */
async function linesKept(): Promise<string[]> {
  const folder = newFolder()
  await using kept = keep(folder, options)
  const made: string[] = []
  for (const step of done) await take(step, { call: kept.call, made })
  return written(folder).toString('utf8').trimEnd().split('\n')
}

/** Starts from a file, and is used; or says what is wrong with it. */
async function expectSoundStart(text: string | Buffer, salvage: boolean): Promise<void> {
  const folder = newFolder()
  writeFileSync(fileIn(folder), text)
  let kept: Kept
  try {
    kept = keep(folder, options, { salvage })
  } catch (error) {
    expect(error).toBeInstanceOf(ServerError)
    expect((error as Error).message).toMatch(/^(?:Failed to|.* is no state|.* was )/)
    // Who comes next finds it as it was, and can use the folder.
    expect(readFileSync(fileIn(folder))).toEqual(Buffer.from(text))
    expect(existsSync(`${folder}/lock`)).toBe(false)
    return
  }
  await using _ = kept
  const made = await submitVideo(kept, { prompt: 'a hare' }, { authorization: 'Bearer sk-rich' })
  const again = newFolder()
  writeFileSync(fileIn(again), written(folder))
  await using next = keep(again, options)
  expect(next.sim.core.tasks.find(made)).toBeDefined()
}

const change = fc.record({
  line: fc.nat({ max: 40 }),
  how: fc.constantFrom('bytes', 'delete', 'double', 'swap', 'cut', 'blank', 'zeros'),
  at: fc.nat({ max: 2_000 }),
  byte: fc.nat({ max: 255 }),
})

it(
  'starts from a file whose lines were damaged, doubled, moved or lost, or says why not',
  async () => {
    const lines = await linesKept()
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { minLength: 1, maxLength: 3 }),
        fc.boolean(),
        async (changes, salvage) => {
          const bytes = lines.map((line) => Buffer.from(line))
          for (const { line, how, at, byte } of changes) {
            const index = line % bytes.length
            const one = bytes[index]!
            if (how === 'bytes' && one.length > 0) one[at % one.length] = byte
            else if (how === 'delete' && bytes.length > 1) bytes.splice(index, 1)
            else if (how === 'double') bytes.splice(index, 0, Buffer.from(one))
            else if (how === 'swap') bytes.push(...bytes.splice(index, 1))
            else if (how === 'cut') bytes[index] = one.subarray(0, at % (one.length + 1))
            else bytes[index] = Buffer.alloc(at % 100, how === 'zeros' ? 0 : 10)
          }
          await expectSoundStart(Buffer.concat(bytes.flatMap((one) => [one, Buffer.from('\n')])), salvage)
        },
      ),
      { numRuns: runs(60), seed, endOnFailure: true },
    )
  },
  runs(60_000),
)

it(
  'starts from a file whose lines are whole but say something else, or says why not',
  async () => {
    const lines = await linesKept()
    const place = fc.record({
      line: fc.nat({ max: 40 }),
      at: fc.nat({ max: 5_000 }),
      value: fc.jsonValue({ maxDepth: 1 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(place, { minLength: 1, maxLength: 2 }), async (changes) => {
        const values = lines.map((line) => (JSON.parse(line) as [string, unknown])[1])
        for (const { line, at, value } of changes) {
          const places: [Record<string, unknown>, string][] = []
          const walk = (one: unknown): void => {
            for (const [name, inner] of Object.entries(one ?? {})) {
              places.push([one as Record<string, unknown>, name])
              if (typeof inner === 'object') walk(inner)
            }
          }
          walk(values[line % values.length])
          const [holder, name] = places[at % Math.max(1, places.length)] ?? []
          if (holder) holder[name!] = value
        }
        await expectSoundStart(values.map(lineOf).join(''), false)
      }),
      { numRuns: runs(60), seed, endOnFailure: true },
    )
  },
  runs(60_000),
)
