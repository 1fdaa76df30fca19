import {
  appendFileSync,
  copyFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { submitVideo } from '../support/video.ts'
import { fileIn, keep, newFolder, written, type Kept } from './keep.ts'

const idsOf = ({ sim }: Kept): string[] => sim.tasks().map(({ id }) => id)

/** The state of an earlier server, with one task. */
async function makeBackup(): Promise<string> {
  const folder = newFolder()
  await using kept = keep(folder)
  await submitVideo(kept, { prompt: 'an old kite' })
  const backup = join(newFolder(), 'backup.jsonl')
  writeFileSync(backup, written(folder))
  return backup
}

const changes: Readonly<Record<string, (file: string, backup: string) => void>> = {
  'another file took its place': (file, backup) => renameSync(backup, file),
  'it was moved away': (file) => renameSync(file, `${file}.moved`),
  'it was moved away and another file took its place': (file, backup) => {
    renameSync(file, `${file}.moved`)
    copyFileSync(backup, file)
  },
  'it was overwritten in place': (file, backup) => writeFileSync(file, readFileSync(backup)),
  'it was emptied': (file) => writeFileSync(file, ''),
  'lines were appended': (file) => appendFileSync(file, 'not a line of a state\n'),
  'it was deleted': (file) => rmSync(file),
}

/** A server with two tasks, whose file then changes; it accepts one more task. */
async function changeUnderServer(how: string): Promise<{ folder: string; kept: Kept; accepted: string[] }> {
  const backup = await makeBackup()
  const folder = newFolder()
  const kept = keep(folder)
  await submitVideo(kept, { prompt: 'a kite' })
  await submitVideo(kept, { prompt: 'a boat' })
  changes[how]!(fileIn(folder), backup)
  await submitVideo(kept, { prompt: 'a fox' })
  return { folder, kept, accepted: idsOf(kept) }
}

/** Starts from a copy of a file, as after a kill. */
function restartFrom(file: string): Kept {
  const folder = newFolder()
  writeFileSync(fileIn(folder), readFileSync(file))
  return keep(folder)
}

it.each(Object.keys(changes))(
  'loses no accepted task when the file changes under the server: %s',
  async (how) => {
    const { folder, kept, accepted } = await changeUnderServer(how)
    expect(accepted).toHaveLength(3)
    await using killed = restartFrom(fileIn(folder))
    expect(idsOf(killed)).toEqual(accepted)

    await kept.close()
    await using next = keep(folder)
    expect(idsOf(next)).toEqual(accepted)
  },
)

it.each([
  'another file took its place',
  'it was moved away and another file took its place',
  'it was overwritten in place',
])('keeps the other file and names it: %s', async (how) => {
  const { folder, kept } = await changeUnderServer(how)
  await using _ = kept
  const replaced = `${fileIn(folder)}.replaced`
  expect(kept.warnings).toEqual([
    expect.stringMatching(
      /^Another program changed .*state\.jsonl while .* is now .*\.replaced, .*stop the server/,
    ),
  ])
  expect(kept.warnings[0]).toContain(replaced)
  await using other = restartFrom(replaced)
  expect(other.sim.tasks().map(({ request }) => request['prompt'])).toEqual(['an old kite'])
})

it('keeps both files when the other one is put in place just before the server stops', async () => {
  const backup = await makeBackup()
  const folder = newFolder()
  const kept = keep(folder)
  const known = await submitVideo(kept, { prompt: 'a kite' })
  renameSync(backup, fileIn(folder))
  await kept.close()
  await using next = keep(folder)
  expect(idsOf(next)).toEqual([known])
  expect(existsSync(`${fileIn(folder)}.replaced`)).toBe(true)
})

it('does not restore a folder or a file that was deleted just before the server stops', async () => {
  for (const pathIn of [(folder: string) => folder, fileIn]) {
    const folder = join(newFolder(), 'inner')
    const kept = keep(folder)
    await submitVideo(kept, { prompt: 'a kite' })
    rmSync(pathIn(folder), { recursive: true })
    await kept.close()
    expect(existsSync(pathIn(folder))).toBe(false)
  }
})

it.each(['first', 'last'])('leaves the file of another server alone when it stops %s', async (order) => {
  const folder = join(newFolder(), 'inner')
  const first = keep(folder)
  await submitVideo(first, { prompt: 'a kite' })
  rmSync(folder, { recursive: true })
  const second = keep(folder)
  const known = await submitVideo(second, { prompt: 'a boat' })
  await (order === 'first' ? first : second).close()
  await (order === 'first' ? second : first).close()
  expect(existsSync(`${fileIn(folder)}.replaced`)).toBe(false)
  await using next = keep(folder)
  expect(idsOf(next)).toEqual([known])
})

it('announces that it loads a large file, and how many tasks it had', async () => {
  const folder = newFolder()
  {
    await using kept = keep(folder)
    for (let count = 0; count < 30; count++) await submitVideo(kept, { prompt: `a kite ${count}` })
  }
  const size = written(folder).length
  await using small = restartFrom(fileIn(folder))
  expect(small.warnings).toEqual([])
  await using large = keep(folder, {}, { noticeBytes: size })
  expect(large.warnings).toEqual([
    expect.stringMatching(/^Loading the state from .*state\.jsonl \(\d+\.\d MB\)/),
    expect.stringMatching(/^The state is loaded: 30 tasks in \d+\.\d s\.$/),
  ])
})
