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
import { fileIn, makeFolder, newFolder, startStored, type Stored } from './stored.ts'

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
  expect(message).toContain('state.mdb')
  expect(message).toMatch(/Restore a copy of that file/)
  // eslint-disable-next-line no-control-regex
  expect(message, 'no raw bytes').toMatch(/^[\x20-\x7e]+$/)
  expect(readFileSync(fileIn(folder)).equals(before), 'the file stays as it was').toBe(true)
  expect(readdirSync(folder).filter((name) => !name.startsWith('state.mdb'))).toEqual([])
}

it.each([
  ['is empty', (file: string) => truncateSync(file, 0), /is damaged: it is empty/],
  ['was cut to 100 bytes', (file: string) => truncateSync(file, 100), /it ends after 100 bytes/],
  ['was cut to a page', (file: string) => truncateSync(file, 4_096), /it ends after 4096 bytes/],
  ['was cut to two pages', (file: string) => truncateSync(file, 8_192), /it ends after 8192 bytes/],
  [
    'was cut in half',
    (file: string) => truncateSync(file, statSync(file).size >> 1),
    /is damaged: (?:LMDB fails to read it|it ends after)/,
  ],
  [
    'has noise in the middle',
    (file: string) => overwrite(file, statSync(file).size >> 1, noise(2_048, 'middle')),
    /is damaged: (?:LMDB fails to read it|\d+ of \d+ values can be read|its values do not match)/,
  ],
  [
    'has noise in its first page',
    (file: string) => overwrite(file, 16, noise(80, 'first')),
    /or a damaged one/,
  ],
  [
    'has noise in its second page',
    (file: string) => overwrite(file, 4_096, noise(200, 'second')),
    /page 1 does not describe it/,
  ],
  [
    'has a first page of an earlier transaction',
    (file: string) => overwrite(file, 152, Buffer.from([1, 0, 0, 0])),
    /not from successive transactions/,
  ],
  [
    'has another letter in a prompt',
    (file: string) => overwrite(file, readFileSync(file).indexOf('kite 17') + 3, Buffer.from('y')),
    /its values do not match their digest/,
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
      expect(error.message).toContain('state.mdb')
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

it('writes no page that was free when the state was damaged', async () => {
  // Free pages hold nothing that could be lost, but a list of them that is wrong would let a server overwrite the others.
  const folder = damage(() => {})
  const { size } = statSync(fileIn(folder))
  {
    await using stored = await startStored(folder)
    expect(idsOf(stored)).toEqual(ids)
  }
  expect(statSync(fileIn(folder)).size).toBeLessThan(size)
})

it('warns when the file of a server is missing', async () => {
  const folder = newFolder()
  await (await startStored(folder)).close()
  rmSync(fileIn(folder))
  await using stored = await startStored(folder)
  expect(stored.warnings).toEqual([
    `${fileIn(folder)} is missing, though a server used it: all its tasks are lost.`,
  ])
})

it('removes what a start left that was killed', async () => {
  const folder = newFolder()
  await (await startStored(folder)).close()
  mkdirSync(join(folder, 'draft-abcdef'))
  writeFileSync(join(folder, 'draft-abcdef', 'state.mdb'), 'half')
  await (await startStored(folder)).close()
  expect(readdirSync(folder).toSorted()).toEqual(['state.mdb', 'state.mdb-lock'])
})

it('refuses a folder with files of others, and writes nothing there', async () => {
  const folder = newFolder()
  writeFileSync(join(folder, '.gitignore'), '*')
  writeFileSync(join(folder, 'thesis.txt'), 'mine')
  await expect(startStored(folder)).rejects.toThrow(
    'it contains "thesis.txt", which is not of greenroom. Give a folder of its own',
  )
  expect(readdirSync(folder)).toEqual(['.gitignore', 'thesis.txt'])

  const link = join(newFolder(), 'state')
  symlinkSync(folder, link)
  await expect(startStored(link)).rejects.toThrow('it contains "thesis.txt"')
})

it.each(['reserve', 'state.mdb', 'state.mdb-lock', 'lock'])('refuses a link as its %s', async (name) => {
  const file = join(newFolder(), 'thesis.txt')
  writeFileSync(file, 'mine')
  const folder = newFolder()
  symlinkSync(file, join(folder, name))
  await expect(startStored(folder)).rejects.toThrow(`${name} is a link there`)
  expect(readFileSync(file, 'utf8')).toBe('mine')
})

it('overwrites no file that has a second name elsewhere', async () => {
  const folder = newFolder()
  const file = join(newFolder(), 'thesis.txt')
  writeFileSync(file, 'mine')
  linkSync(file, join(folder, 'reserve'))
  linkSync(file, join(folder, 'state.mdb-lock'))
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
