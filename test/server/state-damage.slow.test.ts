import {
  copyFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { keyedDraws } from '../../src/engine/random/draws.ts'
import { lockFolder } from '../../src/server/state/state-lock.ts'
import { submitVideo } from '../support/video.ts'
import { copyAsKilled, fileIn, makeFolder, newFolder, startStored, type Stored } from './stored.ts'

const draws = keyedDraws('damage')
/** `GREENROOM_DAMAGES=1000` tries as many. */
const rounds = Number(process.env['GREENROOM_DAMAGES'] ?? 12)
/** A state with forty tasks, three of them in a namespace that was cleared. */
const whole = makeFolder()
let ids: string[] = []

beforeAll(async () => {
  await using stored = await startStored(whole)
  for (let n = 0; n < 40; n++) await submitVideo(stored, { prompt: `kite ${n} ${'x'.repeat(n * 40)}` })
  for (let n = 0; n < 3; n++) await submitVideo(stored, {}, { authorization: 'Bearer sk-sim-gone' })
  await stored.call('/_greenroom/tasks?namespace=gone', { method: 'DELETE' })
  await stored.sim.clock.advance('1h')
  ids = idsOf(stored)
})
afterAll(() => rmSync(whole, { recursive: true, force: true }))

const idsOf = ({ sim }: Stored): string[] => sim.tasks().map(({ id }) => id)

/** A copy of the state, damaged by a function that gets its path. */
function damage(how: (file: string) => void): string {
  const folder = newFolder()
  copyFileSync(fileIn(whole), fileIn(folder))
  how(fileIn(folder))
  return folder
}

const overwrite = (file: string, at: number, bytes: Uint8Array): void => {
  const content = readFileSync(file)
  content.set(bytes.subarray(0, Math.max(0, content.length - at)), at)
  writeFileSync(file, content)
}

const noise = (length: number, name: string): Buffer =>
  Buffer.from(Array.from({ length }, (_, index) => draws.integer(256, 'noise', name, index)))

const expectReport = async (folder: string, what: RegExp): Promise<void> => {
  const before = readFileSync(fileIn(folder))
  const problem: unknown = await startStored(folder).catch((error: unknown) => error)
  expect(problem).toMatchObject({ name: 'ServerError', message: expect.stringMatching(what) as string })
  const { message } = problem as Error
  expect(message).toContain('state.log')
  expect(message).toMatch(/Restore a copy of that file/)
  // eslint-disable-next-line no-control-regex
  expect(message, 'no raw bytes').toMatch(/^[\x20-\x7e]+$/)
  expect(readFileSync(fileIn(folder)).equals(before), 'the file stays as it was').toBe(true)
  expect(readdirSync(folder).filter((name) => !name.startsWith('state.log'))).toEqual([])
}

/** Changes the lines of a file. */
const relined = (how: (lines: string[]) => void) => (file: string) => {
  const lines = readFileSync(file, 'latin1').split('\n')
  how(lines)
  writeFileSync(file, lines.join('\n'), 'latin1')
}

it.each([
  ['is empty', (file: string) => truncateSync(file, 0), /state\.log:1: the file is empty/],
  ['was cut in its first line', (file: string) => truncateSync(file, 100), /state\.log:1: the file ends in/],
  [
    'was cut in half',
    (file: string) => truncateSync(file, statSync(file).size >> 1),
    /state\.log:\d+: the file ends here, but had \d+ lines at least/,
  ],
  [
    'has noise in the middle',
    (file: string) => overwrite(file, statSync(file).size >> 1, noise(2_048, 'middle')),
    /state\.log:\d+: the line does not match its checksum/,
  ],
  [
    'has noise at its start',
    (file: string) => overwrite(file, 0, noise(80, 'first')),
    /its first line is damaged/,
  ],
  ['lacks a line', relined((lines) => lines.splice(7, 1)), /state\.log:8: the line does not match/],
  ['has a line twice', relined((lines) => lines.splice(7, 0, lines[7]!)), /state\.log:9: the line does not/],
  [
    'has two lines in another order',
    relined((lines) => lines.splice(7, 2, lines[8]!, lines[7]!)),
    /state\.log:8: the line does not match/,
  ],
  ['has an empty line', relined((lines) => lines.splice(7, 0, '')), /state\.log:8: the line does not match/],
  [
    'has another letter in a prompt',
    (file: string) => overwrite(file, readFileSync(file).indexOf('kite 17') + 3, Buffer.from('y')),
    /state\.log:\d+: the line does not match its checksum/,
  ],
])('says that a file is damaged that %s', async (_, how, what) => {
  await expectReport(damage(how), what)
})

it('has every task, or says that the file is damaged, wherever the damage is', async () => {
  const { size } = statSync(fileIn(whole))
  let reported = 0
  for (let round = 0; round < rounds; round++) {
    const at = draws.integer(size, 'at', 'damage', round)
    const length = 1 << draws.integer(13, 'length', 'damage', round)
    const folder = damage((file) => {
      if (round % 5 === 0) truncateSync(file, at)
      else overwrite(file, at, noise(length, `round ${round}`))
    })
    let isReported = false
    const stored = await startStored(folder).catch((error: Error) => {
      isReported = true
      expect(error.name, error.stack).toBe('ServerError')
      expect(error.message).toContain('state.log')
    })
    if (stored) {
      expect(idsOf(stored), `round ${round}: ${length} bytes at ${at}`).toEqual(ids)
      await stored.close()
    }
    reported += Number(isReported)
    rmSync(folder, { recursive: true, force: true })
  }
  expect(reported).toBeGreaterThan(rounds / 4)
}, 600_000)

it('drops a torn last line, says so once, and detects a cut before it', async () => {
  const folder = newFolder()
  await using stored = await startStored(folder)
  await submitVideo(stored, { prompt: 'a kite' })
  const acknowledged = idsOf(stored)
  await submitVideo(stored, { prompt: 'a boat' })
  const torn = copyAsKilled(folder)
  truncateSync(fileIn(torn), statSync(fileIn(torn)).size - 5)
  {
    await using restored = await startStored(torn)
    expect([idsOf(restored), restored.warnings]).toEqual([
      acknowledged,
      [expect.stringMatching(/^The last line of \S+ was incomplete: it is dropped/)],
    ])
    await submitVideo(restored, { prompt: 'a fox' })
  }
  await using next = await startStored(torn)
  expect([idsOf(next).length, next.warnings]).toEqual([2, []])
})

it('removes what a start left that was killed', async () => {
  const folder = newFolder()
  await (await startStored(folder)).close()
  writeFileSync(join(folder, 'state.log.new'), 'half')
  await (await startStored(folder)).close()
  expect(readdirSync(folder).toSorted()).toEqual(['state.log'])
})

it.each(['state.log', 'lock'])('refuses a %s that is not its own', async (name) => {
  const file = join(newFolder(), 'thesis.txt')
  writeFileSync(file, 'mine')
  const folder = newFolder()
  symlinkSync(file, join(folder, name))
  await expect(startStored(folder)).rejects.toThrow(/is no state of greenroom|it names no process/)
  expect(readFileSync(file, 'utf8')).toBe('mine')
})

it('overwrites no file that has a second name elsewhere', async () => {
  const folder = newFolder()
  const file = join(newFolder(), 'thesis.txt')
  writeFileSync(file, 'mine')
  linkSync(file, join(folder, 'state.log.new'))
  await (await startStored(folder)).close()
  expect(readFileSync(file, 'utf8')).toBe('mine')
})

it('says that a lock can not be read', () => {
  const folder = newFolder()
  const path = join(folder, 'lock')
  writeFileSync(path, 'mine')
  expect(() => lockFolder(folder)).toThrow(
    `the lock ${path} can't be read: it names no process. If no server uses the folder, delete that file.`,
  )
  rmSync(path)
  mkdirSync(path)
  expect(() => lockFolder(folder)).toThrow(/the lock \S+ can't be read: it is a/)
})
