import { execFileSync } from 'node:child_process'
import {
  chmod,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { defaultCacheFolder, DiskCache } from '../../src/media/cache/disk-cache.ts'
import { MemoryCache } from '../../src/media/cache/media-cache.ts'
import { nodeMedia, type NodeMediaOptions } from '../../src/media/node.ts'
import { specOf } from './clips.ts'
import { folder } from './folders.ts'

const small = specOf({ width: 64, height: 48, seconds: 1 })

afterEach(() => vi.unstubAllEnvs())

/** The files in a cache folder, without its mark. */
async function visibleFiles(path: string): Promise<string[]> {
  return (await readdir(path)).filter((name) => !name.startsWith('.')).toSorted()
}

/** The name of a cached clip, which differs by one digit. */
function clipName(digit: number): string {
  return `clip-${String(digit).repeat(64)}.mp4`
}

async function setAge(path: string, minutes: number): Promise<void> {
  const used = new Date(Date.now() - minutes * 60_000)
  await utimes(path, used, used)
}

function open(options: NodeMediaOptions) {
  const media = nodeMedia({ ffmpeg: 'wasm', ...options })
  return Object.assign(media, { [Symbol.asyncDispose]: () => media.close() })
}

it('keeps finished clips on disk, and reads them without an encoder', async () => {
  await using files = await folder()
  await using first = open({ cacheDir: join(files.path, 'new', 'cache') })
  const made = await first.clip(small)

  await using second = open({ cacheDir: join(files.path, 'new', 'cache') })
  const read = await second.clip(small)

  expect(read.etag).toBe(made.etag)
  expect(Buffer.compare(read.bytes, made.bytes)).toBe(0)
  expect(second.encoder().verified).toBe(false)
})

it('drops a clip that no request can reach any more, from the folder too', async () => {
  await using files = await folder()
  await using media = open({ cacheDir: files.path })
  await media.clip(small)
  expect(await visibleFiles(files.path)).toHaveLength(1)
  media.forget!(small)
  await vi.waitFor(async () => expect(await visibleFiles(files.path)).toEqual([]))
})

it('ends the render of a clip that is made for later and then dropped', async () => {
  await using files = await folder()
  await using media = open({ cacheDir: files.path })
  const long = { ...small, seconds: 60 }
  const prefetched = media.prefetch(long)
  media.forget!(long)
  expect(await prefetched).toBe('skipped')
  expect(await visibleFiles(files.path)).toEqual([])
})

it('finishes a clip that is dropped while a client waits for it, and keeps it nowhere', async () => {
  await using files = await folder()
  await using media = open({ cacheDir: files.path })
  const made = media.clip(small)
  await media.prefetch({ ...small, taskId: 'b' })
  media.forget!(small)
  expect((await made).bytes.length).toBeGreaterThan(1000)
  media.forget!({ ...small, taskId: 'b' })
  await vi.waitFor(async () => expect(await visibleFiles(files.path)).toEqual([]))
})

it('drops many clips in a few turns', async () => {
  await using media = open({ cacheDir: false })
  const fast = { ...small, quality: 'fast' as const }
  const made = await media.clip(fast)
  for (let index = 0; index < 5_000; index++) media.forget!({ ...fast, taskId: `gone ${index}` })
  media.forget!(fast)
  let turns = 0
  for (; media.clip(fast) === made && turns < 5_000; turns++)
    await new Promise((resolve) => setImmediate(resolve))
  expect(turns).toBeGreaterThan(10)
  expect(turns).toBeLessThan(1_000)
})

for (const [damage, harm] of [
  ['a bit is wrong', (path: string) => flipByte(path)],
  ['it is cut off', (path: string) => truncate(path, 500)],
  ['it is empty', (path: string) => truncate(path, 0)],
] as const) {
  it(`makes a clip again of whose file ${damage}`, async () => {
    await using files = await folder()
    await using first = open({ cacheDir: files.path })
    const made = await first.clip(small)
    const [name] = await visibleFiles(files.path)
    await harm(join(files.path, name!))

    await using second = open({ cacheDir: files.path })
    const again = await second.clip(small)

    expect(again.etag).toBe(made.etag)
    expect(second.encoder().verified).toBe(true)
    await using third = open({ cacheDir: files.path })
    expect((await third.clip(small)).etag).toBe(made.etag)
    expect(third.encoder().verified).toBe(false)
  })
}

it('warns once of a cache folder that can not be written, and works from memory', async () => {
  await using files = await folder()
  await writeFile(join(files.path, 'file'), '')
  const onWarning = vi.fn()
  await using media = open({ cacheDir: join(files.path, 'file', 'cache'), onWarning })

  const made = await media.clip(small)
  await media.clip({ ...small, taskId: 'b' })

  expect(await media.clip(small)).toBe(made)
  expect(onWarning).toHaveBeenCalledExactlyOnceWith(
    expect.stringMatching(/Failed to store a clip in .*file.cache: .*in memory only.*another cache folder/),
  )
})

it.skipIf(process.platform !== 'linux')('works from memory where the system takes no folders', async () => {
  const onWarning = vi.fn()
  await using media = open({ cacheDir: '/proc/greenroom', onWarning })
  const made = await media.clip(small)
  expect(await media.clip(small)).toBe(made)
  expect(onWarning).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('no folder can be made'))
})

it('tries a folder again that could not be written, and tells of it once', async () => {
  await using files = await folder()
  const path = join(files.path, 'cache')
  await writeFile(path, '')
  const onWarning = vi.fn()
  const cache = new DiskCache({ folder: path, maxBytes: 1_000, onWarning, retryAfterMs: 0 })
  expect(await cache.put(clipName(1), Buffer.from('bytes'))).toBe(false)
  expect(await cache.put(clipName(2), Buffer.from('bytes'))).toBe(false)

  await rm(path)

  expect(await cache.put(clipName(3), Buffer.from('bytes'))).toBe(true)
  expect(Buffer.from((await cache.get(clipName(3)))!).toString()).toBe('bytes')
  expect(onWarning).toHaveBeenCalledOnce()
})

it('makes do with a folder that may only be read', async () => {
  await using files = await folder()
  const warnings: string[] = []
  const cache = new DiskCache({
    folder: files.path,
    maxBytes: 1000,
    onWarning: (text) => warnings.push(text),
  })
  await cache.put(clipName(1), Buffer.from('bytes'))
  await chmod(files.path, 0o500)

  expect(Buffer.from((await cache.get(clipName(1)))!).toString()).toBe('bytes')
  await cache.put(clipName(2), Buffer.from('bytes'))

  await chmod(files.path, 0o700)
  // root may write everywhere.
  expect(warnings).toHaveLength(process.getuid?.() === 0 ? 0 : 1)
})

it('removes what was used longest ago when the folder holds too much', async () => {
  await using files = await folder()
  const cache = new DiskCache({ folder: files.path, maxBytes: 1000, onWarning: () => undefined })
  for (const digit of [1, 2, 3]) {
    await cache.put(clipName(digit), Buffer.alloc(250))
    await setAge(join(files.path, clipName(digit)), 4 - digit)
  }
  const draft = join(files.path, '.greenroom-draft-abcdef')
  await mkdir(draft)
  await writeFile(join(draft, clipName(5)), 'half')
  await setAge(draft, 1_440)

  await cache.get(clipName(1))
  await cache.put(clipName(4), Buffer.alloc(250))

  expect(await visibleFiles(files.path)).toEqual([clipName(1), clipName(3), clipName(4)])
  expect(await readdir(files.path)).not.toContain('.greenroom-draft-abcdef')
})

it('never deletes files of others from its folder, however full it is', async () => {
  await using files = await folder()
  const own = join(files.path, 'cache')
  const cache = new DiskCache({ folder: own, maxBytes: 1000, onWarning: () => undefined })
  await cache.put(clipName(1), Buffer.alloc(400))
  const foreign = ['holiday.mp4', 'clip-short.mp4', `clip-${'1'.repeat(64)}.mov`, 'draft-report', 'notes']
  const link = clipName(9)
  for (const name of foreign.slice(0, 3)) await writeFile(join(own, name), Buffer.alloc(5000))
  await writeFile(join(files.path, 'elsewhere.mp4'), Buffer.alloc(5000))
  await symlink(join(files.path, 'elsewhere.mp4'), join(own, link))
  for (const name of foreign.slice(3)) await mkdir(join(own, name))
  const draft = join(own, '.greenroom-draft-123456')
  await mkdir(draft)
  await writeFile(join(draft, 'mine.txt'), 'mine')
  for (const name of [...foreign, '.greenroom-draft-123456']) await setAge(join(own, name), 10_000)
  await setAge(join(own, clipName(1)), 5_000)

  await cache.put(clipName(2), Buffer.alloc(700))
  await cache.remove('holiday.mp4')
  await cache.get('holiday.mp4')

  expect(await visibleFiles(own)).toEqual([clipName(2), link, ...foreign].toSorted())
  expect(await readFile(join(draft, 'mine.txt'), 'utf8')).toBe('mine')
})

it('keeps nothing in a folder that holds files of others, and says which', async () => {
  await using files = await folder()
  await writeFile(join(files.path, 'holiday.mp4'), Buffer.alloc(5000))
  await writeFile(join(files.path, clipName(1)), 'a damaged clip from elsewhere')
  const onWarning = vi.fn()
  const cache = new DiskCache({ folder: files.path, maxBytes: 1000, onWarning })

  expect(await cache.put(clipName(1), Buffer.alloc(700))).toBe(false)
  expect(await cache.get(clipName(1))).toBeUndefined()
  await cache.remove(clipName(1))

  expect(await readdir(files.path)).toEqual([clipName(1), 'holiday.mp4'])
  expect(await readFile(join(files.path, clipName(1)), 'utf8')).toMatch(/^a damaged clip/)
  expect(onWarning).toHaveBeenCalledExactlyOnceWith(
    expect.stringMatching(/not a cache of greenroom: it contains "holiday\.mp4".*another cache folder/),
  )
})

it.skipIf(process.platform === 'win32')(
  'does not wait for a pipe in its folder, and replaces it',
  async () => {
    await using files = await folder()
    execFileSync('mkfifo', [join(files.path, clipName(1))])
    const cache = new DiskCache({ folder: files.path, maxBytes: 1000, onWarning: vi.fn() })
    expect(await cache.get(clipName(1))).toBeUndefined()
    expect(await cache.put(clipName(1), Buffer.alloc(700))).toBe(true)
    expect(await cache.get(clipName(1))).toHaveLength(700)
  },
)

it('goes on with the unmarked cache folder of an earlier version', async () => {
  await using files = await folder()
  await writeFile(join(files.path, clipName(1)), Buffer.alloc(900))
  await writeFile(join(files.path, '.DS_Store'), '')
  await mkdir(join(files.path, 'draft-a1B2c3'))
  await setAge(join(files.path, clipName(1)), 5)
  const cache = new DiskCache({ folder: files.path, maxBytes: 1000, onWarning: () => undefined })

  expect(await cache.put(clipName(2), Buffer.alloc(700))).toBe(true)

  expect(await visibleFiles(files.path)).toEqual([clipName(2), 'draft-a1B2c3'])
})

it('leaves no half-written files, and only its owner may read the others', async () => {
  await using files = await folder()
  const cache = new DiskCache({ folder: files.path, maxBytes: 100_000, onWarning: () => undefined })

  await Promise.all(
    Array.from({ length: 20 }, (_, index) => cache.put(clipName(index % 2), Buffer.alloc(1000, index % 2))),
  )

  expect((await readdir(files.path)).toSorted()).toEqual(['.greenroom-cache', clipName(0), clipName(1)])
  expect((await cache.get(clipName(1)))?.[0]).toBe(1)
  if (process.platform !== 'win32') {
    expect((await stat(join(files.path, clipName(0)))).mode & 0o077).toBe(0)
  }
})

it('forgets in memory what was used longest ago', () => {
  const memory = new MemoryCache<{ bytes: Uint8Array }>(100)
  for (const key of ['a', 'b']) memory.put(key, { bytes: new Uint8Array(40) })
  memory.get('a')

  memory.put('c', { bytes: new Uint8Array(40) })
  memory.put('too large', { bytes: new Uint8Array(101) })

  expect(['a', 'b', 'c', 'too large'].filter((key) => memory.get(key))).toEqual(['a', 'c'])
})

it('stores clips in the cache folder of the user by default', () => {
  vi.stubEnv('XDG_CACHE_HOME', '')
  if (process.platform === 'linux') expect(defaultCacheFolder()).toBe(join(homedir(), '.cache', 'greenroom'))
  vi.stubEnv('XDG_CACHE_HOME', '/caches')
  if (process.platform === 'linux') expect(defaultCacheFolder()).toBe('/caches/greenroom')
})

async function flipByte(path: string): Promise<void> {
  const bytes = await readFile(path)
  bytes[600]! ^= 1
  await writeFile(path, bytes)
}
