import { spawn } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import { appendFileSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { StateFolderOptions } from '../../src/server/state-folder.ts'
import { fileIn, keep, newFolder, written, type Kept } from './keep.ts'
import { settings, steps, take } from './support.ts'
import { lineOf } from '../../src/server/state-lines.ts'
import { lockFolder } from '../../src/server/state-lock.ts'
import { turns } from '../support/turns.ts'
import { submitVideo } from '../support/video.ts'

/** A folder as a kill would leave it, with the file cut at a byte. */
function killedAt(folder: string, end: number): string {
  const left = newFolder()
  writeFileSync(fileIn(left), readFileSync(fileIn(folder)).subarray(0, end))
  return left
}

const whole = ({ sim }: Kept): unknown => [sim.tasks(), sim.usage(), sim.clock.now(), sim.rules()]

it('has after a kill at any byte what was acknowledged before', async () => {
  await fc.assert(
    fc.asyncProperty(
      steps,
      fc.array(fc.nat({ max: 1_000 }), { minLength: 4, maxLength: 4 }),
      async (done, cuts) => {
        const folder = newFolder()
        const options = { ...settings, seed: 7 }
        await using kept = keep(folder, options)
        const made: string[] = []
        const acknowledged = [{ end: written(folder).length, state: whole(kept) }]
        for (const step of done) {
          await take(step, { call: kept.call, made })
          acknowledged.push({ end: written(folder).length, state: whole(kept) })
        }
        const [first, last] = [acknowledged[0]!.end, acknowledged.at(-1)!.end]
        for (const cut of cuts) {
          const end = first + Math.round(((last - first) * cut) / 1_000)
          await using again = keep(killedAt(folder, end), options)
          expect(whole(again)).toEqual(acknowledged.findLast((one) => one.end <= end)!.state)
          expect(again.warnings.length).toBe(acknowledged.some((one) => one.end === end) ? 0 : 1)
        }
      },
    ),
    { numRuns: 20 },
  )
}, 60_000)

it('cuts off what stands behind a line that was not written whole, and goes on', async () => {
  const folder = newFolder()
  await using first = keep(folder)
  const known = await submitVideo(first, { prompt: 'a kite' })
  const left = killedAt(folder, written(folder).length)
  appendFileSync(fileIn(left), '["0badc0de",[["task",["ta')
  await using second = keep(left)
  expect(second.warnings).toEqual([expect.stringContaining('was cut off')])
  const fresh = await submitVideo(second, { prompt: 'a boat' })
  await using third = keep(killedAt(left, written(left).length))
  expect(third.sim.tasks().map(({ id }) => id)).toEqual([known, fresh])
})

it('names file and line of a damage in the middle, and goes on from what stands before it when told', async () => {
  const folder = newFolder()
  {
    await using kept = keep(folder)
    for (const prompt of ['a kite', 'a boat', 'a fox']) await submitVideo(kept, { prompt })
  }
  const lines = readFileSync(fileIn(folder), 'utf8').split('\n')
  const damaged = lines.findIndex((line) => line.includes('a boat'))
  lines[damaged] = lines[damaged]!.replace('a boat', 'a goat')
  writeFileSync(fileIn(folder), lines.join('\n'))
  expect(() => keep(folder)).toThrow(
    `state.jsonl: line ${damaged + 1} is damaged. Start with --state-salvage`,
  )
  await using kept = keep(folder, {}, { salvage: true })
  expect(kept.sim.tasks().map(({ request }) => request['prompt'])).toEqual(['a kite'])
  expect(readFileSync(`${fileIn(folder)}.damaged`, 'utf8')).toContain('a goat')
})

it('takes a line for damaged that is no JSON, though its sum says otherwise', async () => {
  const folder = newFolder()
  {
    await using kept = keep(folder)
    await submitVideo(kept, { prompt: 'a kite' })
  }
  const text = '[["task"'
  appendFileSync(fileIn(folder), `["${crc32(text).toString(16).padStart(8, '0')}",${text}]\n`)
  await using kept = keep(folder)
  expect(kept.warnings).toEqual([expect.stringContaining('was cut off')])
  expect(kept.sim.tasks().length).toBe(1)
})

it('refuses what another seed, another program or a newer one wrote, and a task that has no lifecycle', async () => {
  const folder = newFolder()
  {
    await using kept = keep(folder)
    await submitVideo(kept, { prompt: 'a kite' })
  }
  expect(() => keep(folder, { seed: 8 })).toThrow('Start with --seed 7')
  const other = newFolder()
  {
    const states = {
      queued: { after: '1s', to: 'HELD' },
      HELD: { after: '1s', to: 'IN_PROGRESS' },
      IN_PROGRESS: { after: '1s', to: 'SUCCESS' },
      SUCCESS: { final: true, progress: 100 },
      FAILURE: { final: true, progress: 100 },
    } as const
    await using kept = keep(other, { video: { lifecycle: { unsafe: true, initial: 'queued', states } } })
    await submitVideo(kept, { prompt: 'a kite' })
  }
  expect(() => keep(other)).toThrow(/line 4, .*state is "HELD", but the lifecycle has queued/)
  for (const text of [
    '{"mine":true}\n{"mine":true}\n',
    '{"mine":true}\n',
    '["0badc0de",{"mine":true}]',
    'mine',
  ]) {
    writeFileSync(fileIn(folder), text)
    expect(() => keep(folder)).toThrow('line 1 is damaged. Move the file away')
    expect(readFileSync(fileIn(folder), 'utf8')).toBe(text)
  }
})

it('says so where a state has more namespaces than there may be by now', async () => {
  const folder = newFolder()
  {
    await using kept = keep(folder)
    for (const name of ['one', 'two']) await submitVideo(kept, {}, { authorization: `Bearer sk-sim-${name}` })
  }
  expect(() => keep(folder, { limits: { namespaces: 2 } })).toThrow(
    /Failed to go on from .*: 2 namespaces are in use\. .*limits\.namespaces\. Start with the config of before/,
  )
})

it('begins anew where not even the first line was written whole', async () => {
  const folder = newFolder()
  await using kept = keep(folder)
  await submitVideo(kept, { prompt: 'a kite' })
  const headBytes = written(folder).indexOf('\n')
  for (let end = 0; end < headBytes; end++) {
    await using again = keep(killedAt(folder, end))
    expect(again.sim.tasks()).toEqual([])
  }
})

it('lets one process use a folder, and takes over the lock of one that is gone', async () => {
  const folder = newFolder()
  {
    await using _ = keep(folder)
    expect(() => keep(folder)).toThrow(`process ${process.pid} uses it`)
  }
  expect(readdirSync(folder)).toEqual(['state.jsonl'])
  // An id that no process has: above what the system gives.
  for (const stale of ['{"pid":99999999,"began":"1"}', '', `{"pid":${process.pid},"began":"another time"}`]) {
    writeFileSync(join(folder, 'lock'), stale)
    await using kept = keep(folder)
    expect(kept.sim.tasks()).toEqual([])
  }
})

it('does so where the file system knows no links, beside those who find some', () => {
  const refused = (code: string) => () => {
    throw Object.assign(new Error(`${code}: operation not permitted, link`), { code })
  }
  for (const link of ['EPERM', 'ENOTSUP', 'ENOSYS'].map(refused)) {
    const folder = newFolder()
    for (const stale of [undefined, '{"pid":99999999,"began":"1"}', '']) {
      if (stale !== undefined) writeFileSync(join(folder, 'lock'), stale)
      const lock = lockFolder(folder, link)
      for (const other of [link, fs.linkSync]) {
        expect(() => lockFolder(folder, other)).toThrow(`process ${process.pid} uses it`)
      }
      expect(readdirSync(folder)).toEqual(['lock'])
      lock.release()
      expect(readdirSync(folder)).toEqual([])
    }
    const holder = join(folder, 'lock', 'holder')
    for (const stale of ['{"pid":99999999,"began":"1"}', '']) {
      lockFolder(folder, link)
      writeFileSync(holder, stale)
      lockFolder(folder, link).release()
      expect(readdirSync(folder)).toEqual([])
    }
    const lock = lockFolder(folder)
    expect(() => lockFolder(folder, link)).toThrow(`process ${process.pid} uses it`)
    lock.release()
  }
})

it.skipIf(process.platform !== 'linux')(
  'takes over the lock of a process that was killed and that nobody has buried',
  async () => {
    const parent = spawn('sh', ['-c', 'sleep 0.2 & echo $!; exec sleep 60'])
    try {
      const [line] = (await once(parent.stdout, 'data')) as [Buffer]
      const pid = Number(String(line))
      const fields = (): string[] => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
      const lock = JSON.stringify({ pid, began: fields()[19] })
      await expect.poll(() => fields()[0]).toBe('Z')
      const folder = newFolder()
      writeFileSync(join(folder, 'lock'), lock)
      await using kept = keep(folder)
      expect(await submitVideo(kept, { prompt: 'a kite' })).toMatch(/^task_/)
    } finally {
      parent.kill()
    }
  },
)

it('lets real time go on while nobody serves, and time that stands stand', async () => {
  const folder = newFolder()
  let stood = 0
  {
    await using kept = keep(folder, { clock: { mode: 'real' } })
    await submitVideo(kept, { prompt: 'a kite' })
    stood = kept.sim.clock.now()
  }
  const hourAgo = readFileSync(fileIn(folder), 'utf8').replaceAll(
    /"wall":(\d+)/g,
    (_, wall) => `"wall":${Number(wall) - 3_600_000}`,
  )
  rewrite(folder, hourAgo)
  {
    await using kept = keep(folder, { clock: { mode: 'real' } })
    expect(kept.sim.clock.now() - stood).toBeGreaterThanOrEqual(3_600_000)
    expect(kept.sim.tasks()[0]!.status).toBe('SUCCESS')
    stood = kept.sim.clock.now()
  }
  // A host whose time was set back: ours never goes back.
  rewrite(
    folder,
    readFileSync(fileIn(folder), 'utf8').replaceAll(
      /"wall":(\d+)/g,
      (_, wall) => `"wall":${Number(wall) + 9_000_000}`,
    ),
  )
  {
    await using kept = keep(folder, { clock: { mode: 'real' } })
    expect(kept.sim.clock.now()).toBeGreaterThanOrEqual(stood)
    stood = kept.sim.clock.now()
  }
  // Told otherwise by its config, it stands from then on.
  await using kept = keep(folder, { clock: { mode: 'manual' } })
  expect(kept.sim.clock.status().mode).toBe('manual')
  expect(kept.sim.clock.now()).toBeGreaterThanOrEqual(stood)
})

it('writes the file anew when it has grown, while it goes on being used, and loses nothing', async () => {
  const folder = newFolder()
  const id = await (async () => {
    await using kept = keep(folder, {}, { defaultBytes: 20_000 })
    const task = await submitVideo(kept, { prompt: 'a kite [[stuck]]' })
    const sizes: number[] = []
    for (let round = 0; round < 30; round++) {
      for (let poll = 0; poll < 20; poll++) await kept.call(`/v1/video/generations/${task}`, asked)
      await submitVideo(kept, { prompt: `a boat ${round}` })
      await turns(8)
      // Where the disk takes its time, so do we.
      const drafts = (): boolean => readdirSync(folder).includes('state.jsonl.new')
      await expect.poll(drafts, { timeout: 20_000, interval: 5 }).toBe(false)
      sizes.push(written(folder).length)
    }
    // It shrank more than once, and never grew far beyond what it says.
    expect(sizes.filter((size, index) => size < (sizes[index - 1] ?? 0)).length).toBeGreaterThan(1)
    expect(Math.max(...sizes)).toBeLessThan(140_000)
    return task
  })()
  await using again = keep(folder)
  expect(again.sim.tasks().length).toBe(31)
  expect(again.sim.task(id).pollCount).toBe(600)
  expect(again.sim.tasks().map(({ request }) => request['prompt'])).toEqual([
    'a kite',
    ...Array.from({ length: 30 }, (_, round) => `a boat ${round}`),
  ])
}, 60_000)

const asked = { headers: { authorization: 'Bearer sk-test' } }

const postOf = (prompt: string): RequestInit => ({
  method: 'POST',
  headers: { ...asked.headers, 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'video-1', prompt }),
})

function rewrite(folder: string, text: string): void {
  const values = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => (JSON.parse(line) as [string, unknown])[1])
  writeFileSync(fileIn(folder), values.map(lineOf).join(''))
}

/** A disk of so many bytes, or none at all. */
function smallDisk(): { disk: StateFolderOptions['disk'] & object; room: number } {
  const small = {
    room: Infinity,
    disk: {
      ...fs,
      writeSync: ((file: number, bytes: Buffer, from: number, length: number, position: number) => {
        const free = Math.max(0, Math.min(length, small.room - position))
        const extends_ = position + length > statSize(file)
        if (extends_ && free === 0)
          throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
        return fs.writeSync(file, bytes, from, extends_ ? free : length, position)
      }) as typeof fs.writeSync,
    },
  }
  return small
}

const statSize = (file: number): number => fs.fstatSync(file).size

it('refuses on a full disk what it could not keep, tells it once, and goes on when there is room', async () => {
  const folder = newFolder()
  const small = smallDisk()
  await using kept = keep(folder, {}, { disk: small.disk })
  const known = await submitVideo(kept, { prompt: 'a kite' })
  small.room = statSync(fileIn(folder)).size + 1_000
  const post = (prompt: string): Promise<Response> => kept.call('/v1/video/generations', postOf(prompt))
  const accepted = [known]
  let refused = 0
  for (let n = 0; n < 120; n++) {
    const response = await post(`a boat ${n}`)
    if (response.ok) accepted.push(((await response.json()) as { task_id: string }).task_id)
    else {
      refused++
      expect(response.status).toBe(503)
      expect(await response.json()).toMatchObject({ error: { code: 'system_disk_overloaded' } })
      expect(response.headers.get('x-greenroom-hint')).toContain('the disk is full')
    }
  }
  expect(refused).toBeGreaterThan(0)
  expect(kept.warnings).toEqual([expect.stringContaining('the disk is full')])
  // Nothing was done for those that were refused, and looking goes on.
  expect(kept.sim.tasks().map(({ id }) => id)).toEqual(accepted)
  expect((await kept.call(`/v1/video/generations/${known}`, asked)).status).toBe(200)

  small.room = Infinity
  const response = await post('a fox')
  expect(response.status).toBe(200)
  expect(kept.warnings.at(-1)).toContain('again')
  await using again = keep(killedAt(folder, written(folder).length))
  expect(again.sim.tasks().length).toBe(accepted.length + 1)
  expect(again.sim.task(known).pollCount).toBe(1)
})

/** A disk on which lines can fail, while room for them can still be reserved. */
function failingDisk(): { failing: { now: boolean }; disk: StateFolderOptions['disk'] & object } {
  const failing = { now: false }
  const disk = {
    ...fs,
    writeSync: ((file: number, bytes: Buffer, ...rest: [number, number, number]) => {
      // The room is line ends.
      if (failing.now && bytes[rest[0]] !== 10)
        throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' })
      return fs.writeSync(file, bytes, ...rest)
    }) as typeof fs.writeSync,
  }
  return { failing, disk }
}

it('refuses a control call whose change the disk fails to take after it was made', async () => {
  const { failing, disk } = failingDisk()
  await using kept = keep(newFolder(), {}, { disk })
  failing.now = true
  const response = await kept.call('/_greenroom/clock/advance', { method: 'POST', body: '{"by":"90s"}' })
  expect([response.status, await response.json()]).toEqual([
    503,
    { error: { message: expect.stringContaining('EIO') } },
  ])
  expect((await kept.call('/_greenroom/clock')).status).toBe(200)
})

it('refuses a change that the disk fails to take after it was made, and answers what only looks', async () => {
  const folder = newFolder()
  const { failing, disk } = failingDisk()
  await using kept = keep(folder, {}, { disk })
  const known = await submitVideo(kept, { prompt: 'a kite' })
  failing.now = true
  const response = await kept.call('/v1/video/generations', postOf('a boat'))
  expect([response.status, await response.json()]).toEqual([
    503,
    { error: expect.objectContaining({ code: 'system_disk_overloaded' }) },
  ])
  expect(kept.sim.journal().at(-1)).toMatchObject({ operation: 'video.submit', status: 503 })
  const polled = await kept.call(`/v1/video/generations/${known}`, {
    headers: { authorization: 'Bearer sk-test' },
  })
  expect(polled.status).toBe(200)

  failing.now = false
  const fresh = await submitVideo(kept, { prompt: 'a fox' })
  await using again = keep(killedAt(folder, written(folder).length))
  expect(again.sim.tasks().map(({ id }) => id)).toEqual(kept.sim.tasks().map(({ id }) => id))
  expect(again.sim.tasks().map(({ id }) => id)).toContain(fresh)
})

it('refuses to start where the disk has no room for what is written at the start, and loses nothing', async () => {
  const folder = newFolder()
  {
    await using kept = keep(folder)
    await submitVideo(kept, { prompt: 'a kite' })
  }
  const small = smallDisk()
  small.room = 0
  // Another clock mode than before is written at the start.
  const start = (): Kept => keep(folder, { clock: { mode: 'auto' } }, { disk: small.disk })
  expect(start).toThrow(/the disk is full\. Make room/)
  small.room = Infinity
  await using again = start()
  expect(again.sim.tasks()).toHaveLength(1)
})

it('does nothing of a control call on a full disk, so that it can be made again', async () => {
  const small = smallDisk()
  await using kept = keep(newFolder(), { controlToken: 'a-token-of-16-signs' }, { disk: small.disk })
  const control = (path: string, init: RequestInit = {}): Promise<Response> =>
    kept.call(`/_greenroom${path}`, { headers: { authorization: 'Bearer a-token-of-16-signs' }, ...init })
  const begun = kept.sim.clock.now()
  const advance = { method: 'POST', body: '{"by":"90s"}' }
  small.room = 0
  let response = await control('/clock/advance', advance)
  // Until the room that was set aside is used up.
  for (let n = 0; response.ok && n < 1_000; n++) response = await control('/clock/advance', advance)
  const moved = kept.sim.clock.now()
  expect(response.status).toBe(503)
  expect(await response.json()).toEqual({ error: { message: expect.stringContaining('the disk is full') } })
  expect((moved - begun) % 90_000).toBe(0)
  expect((await control('/clock/advance', advance)).status).toBe(503)
  expect(kept.sim.clock.now()).toBe(moved)
  expect((await control('/clock')).status).toBe(200)
  // Whoever may not ask learns nothing of the folder.
  expect((await control('/clock/advance', { ...advance, headers: {} })).status).toBe(401)

  small.room = Infinity
  expect(await (await control('/clock/advance', advance)).json()).toMatchObject({ now: moved + 90_000 })
})

it('makes a folder anew that vanished', async () => {
  const folder = join(newFolder(), 'inner')
  await using kept = keep(folder)
  const known = await submitVideo(kept, { prompt: 'a kite' })
  rmSync(folder, { recursive: true })
  const fresh = await submitVideo(kept, { prompt: 'a boat' })
  await using again = keep(killedAt(folder, written(folder).length))
  expect(again.sim.tasks().map(({ id }) => id)).toEqual([known, fresh])
})

it('has a folder that it made anew to itself, and leaves it to who took it meanwhile', async () => {
  const folder = join(newFolder(), 'inner')
  await using first = keep(folder)
  rmSync(folder, { recursive: true })
  const known = await submitVideo(first, { prompt: 'a kite' })
  expect(() => keep(folder)).toThrow(`process ${process.pid} uses it`)

  rmSync(folder, { recursive: true })
  {
    await using second = keep(folder)
    const response = await first.call('/v1/video/generations', postOf('a boat'))
    expect([response.status, response.headers.get('x-greenroom-hint')]).toEqual([
      503,
      expect.stringContaining(`process ${process.pid} uses it`),
    ])
    await submitVideo(second, { prompt: 'a fox' })
    expect(fs.existsSync(`${fileIn(folder)}.new`)).toBe(false)
    await using left = keep(killedAt(folder, written(folder).length))
    expect(left.sim.tasks().map(({ request }) => request['prompt'])).toEqual(['a fox'])
  }
  expect(first.sim.tasks().map(({ id }) => id)).toEqual([known])
})

it('answers only when the disk has it, where that is wanted', async () => {
  const waiting: (() => void)[] = []
  const fsync = ((file: number, done: fs.NoParamCallback) => {
    waiting.push(() => fs.fsync(file, done))
  }) as typeof fs.fsync
  await using kept = keep(newFolder(), {}, { sync: true, disk: { ...fs, fsync } })
  const answered: number[] = []
  const answers = ['a kite', 'a boat'].map(async (prompt) => {
    answered.push((await kept.call('/v1/video/generations', postOf(prompt))).status)
  })
  await expect.poll(() => kept.sim.tasks().length).toBe(2)
  await turns(20)
  expect(answered).toEqual([])
  // One for all that were there when it began, and one for those who came since.
  while (answered.length < 2) {
    expect(waiting.length).toBeLessThanOrEqual(1)
    waiting.pop()?.()
    await turns(1)
  }
  await Promise.all(answers)
  expect(answered).toEqual([200, 200])
})

it('writes all anew where the disk has lost what it was given, and says so where it cannot', async () => {
  const folder = newFolder()
  const broken = { fsync: true, fsyncSync: false }
  const failure = (): Error => Object.assign(new Error('EIO: i/o error, fsync'), { code: 'EIO' })
  const disk = {
    ...fs,
    fsync: ((file: number, done: fs.NoParamCallback) =>
      broken.fsync ? done(failure()) : fs.fsync(file, done)) as typeof fs.fsync,
    fsyncSync: (file: number) => {
      if (broken.fsyncSync) throw failure()
      fs.fsyncSync(file)
    },
  }
  await using kept = keep(folder, {}, { sync: true, disk })
  const before = statSync(fileIn(folder)).ino
  await submitVideo(kept, { prompt: 'a kite' })
  expect(statSync(fileIn(folder)).ino).not.toBe(before)
  expect(kept.warnings).toEqual([])

  broken.fsyncSync = true
  await kept.call('/v1/video/generations', postOf('a boat'))
  expect(kept.warnings).toEqual([expect.stringContaining('EIO')])
  expect((await kept.call('/v1/video/generations', postOf('a fox'))).status).toBe(503)
})

it('says so when a folder can not be used', () => {
  const file = join(newFolder(), 'file')
  writeFileSync(file, '')
  expect(() => keep(file)).toThrow(/Failed to use the state in .*Give a folder that can be written/)
})

it('keeps no key that opens anything elsewhere', async () => {
  const folder = newFolder()
  await using kept = keep(folder, {
    keys: [{ key: 'sk-real-secret', balance: 5 }],
    rules: [{ match: { op: '*' }, per: 'key', times: 1, delay: 0 }],
  })
  await submitVideo(kept, { prompt: 'a kite' }, { authorization: 'Bearer sk-real-secret' })
  expect(readFileSync(fileIn(folder), 'utf8')).not.toContain('sk-real-secret')
  expect(JSON.stringify(kept.sim.core.control.snapshot())).not.toContain('sk-real-secret')
  await using again = keep(killedAt(folder, written(folder).length), {
    keys: [{ key: 'sk-real-secret', balance: 5 }],
  })
  expect(again.sim.usage()).toEqual(kept.sim.usage())
})
