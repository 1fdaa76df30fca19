import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { defineApi } from '../../src/apis/own/index.ts'
import { acme, makeJob } from '../apis/own/acme.ts'
import { submitVideo } from '../support/video.ts'
import {
  copyAsKilled,
  editStore,
  everythingOf,
  failingDisk,
  fileIn,
  newFolder,
  startStored,
  type Stored,
} from './stored.ts'

const auth = { headers: { authorization: 'Bearer sk-test' } }

const postOf = (prompt: string): RequestInit => ({
  method: 'POST',
  headers: { ...auth.headers, 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'video-1', prompt }),
})

const post = ({ call }: Stored, prompt: string): Promise<Response> =>
  call('/v1/video/generations', postOf(prompt))

const idsOf = ({ sim }: Stored): string[] => sim.tasks().map(({ id }) => id)

it('continues the numbering of tasks after the last task was removed', async () => {
  const folder = newFolder()
  {
    await using stored = await startStored(folder)
    const id = await submitVideo(stored, { prompt: 'a kite' })
    await stored.call(`/_greenroom/tasks/${id}`, { method: 'DELETE' })
  }
  await using restored = await startStored(folder)
  const id = await submitVideo(restored, { prompt: 'a fox' })
  expect(restored.sim.core.tasks.find(id)!.record.nth).toBe(2)
})

it('refuses the jobs of an API whose definition has another version', async () => {
  const folder = newFolder()
  const apis = (version: number) => ({ apis: [defineApi({ ...acme, version })] })
  {
    await using stored = await startStored(folder, apis(1))
    await makeJob(stored.sim)
  }
  const problem = (found: string) =>
    `Failed to use the state in ${folder}: it has jobs of the API "acme", version 1, and ${found} is served. ` +
    'Start with the config of before, or give another folder.'
  await expect(startStored(folder, apis(2))).rejects.toThrow(problem('version 2'))
  await expect(startStored(folder)).rejects.toThrow(problem('no such API'))
  await using restored = await startStored(folder, apis(1))
  expect(idsOf(restored)).toHaveLength(1)
})

it('continues without an API that has no jobs', async () => {
  const folder = newFolder()
  {
    await using stored = await startStored(folder, { apis: [defineApi({ ...acme })] })
    await submitVideo(stored, { prompt: 'a kite' })
  }
  await using restored = await startStored(folder)
  expect(idsOf(restored)).toHaveLength(1)
})

it('restores what is left after a reset, a clear and a restored snapshot', async () => {
  const folder = newFolder()
  await using stored = await startStored(folder)
  const team = { authorization: 'Bearer sk-sim-team' }
  const expectSame = async (): Promise<void> => {
    await using restored = await startStored(copyAsKilled(folder))
    expect(everythingOf(restored)).toEqual(everythingOf(stored))
  }
  stored.sim.addRule({
    id: 'mine',
    match: { op: 'models.list' },
    per: 'key',
    times: 2,
    respond: { status: 503 },
  })
  await stored.call('/v1/models', auth)
  await submitVideo(stored, { prompt: 'a kite' })
  await submitVideo(stored, { prompt: 'a boat' }, team)
  const snapshot = JSON.stringify(stored.sim.core.control.state.snapshot())
  expect((await stored.call('/_greenroom/tasks?namespace=team', { method: 'DELETE' })).status).toBe(200)
  await expectSame()
  await submitVideo(stored, { prompt: 'a fox' }, team)
  await expectSame()
  expect((await stored.call('/_greenroom/snapshot', { method: 'PUT', body: snapshot })).status).toBe(200)
  expect(idsOf(stored)).toHaveLength(1)
  await expectSame()
  stored.sim.reset()
  await submitVideo(stored, { prompt: 'an owl' })
  await expectSame()
})

it('stores texts that are no well-formed Unicode, and names of any length', async () => {
  const folder = newFolder()
  const rule = {
    id: 'long',
    match: { op: 'models.list' },
    set: { [`name-${'x'.repeat(5_000)}`]: 'half \ud83d' },
  }
  await using stored = await startStored(folder, { rules: [rule] })
  await stored.call('/v1/models', auth)
  await submitVideo(stored, { prompt: 'half a smile \ud83d' })
  await using restored = await startStored(copyAsKilled(folder), { rules: [rule] })
  expect(everythingOf(restored)).toEqual(everythingOf(stored))
})

it('keeps the order of tasks, of namespaces and of rules that were added', async () => {
  const folder = newFolder()
  const names = ['zoo', 'ant', 'moth']
  await using stored = await startStored(folder)
  for (const name of names) {
    stored.sim.addRule({
      id: `rule-${name}`,
      match: { op: 'models.list' },
      chance: 0.5,
      respond: { status: 503 },
    })
    for (let n = 0; n < 3; n++) {
      await submitVideo(stored, { prompt: `${name} ${n}` }, { authorization: `Bearer sk-sim-${name}` })
      await stored.call('/v1/models', { headers: { authorization: `Bearer sk-sim-${name}` } })
    }
  }
  await using restored = await startStored(copyAsKilled(folder))
  const orderOf = ({ sim }: Stored): unknown => [
    sim.core.namespaces.all().map(({ name }) => [name, sim.core.tasks.list(name).map(({ id }) => id)]),
    sim.rules(),
  ]
  expect(orderOf(restored)).toEqual(orderOf(stored))
})

it('refuses another seed, another format, another program and a task without its lifecycle', async () => {
  const folder = newFolder()
  {
    await using stored = await startStored(folder)
    await submitVideo(stored, { prompt: 'a kite' })
  }
  await expect(startStored(folder, { seed: 8 })).rejects.toThrow('Start with --seed 7')
  editStore(folder, () => [{ greenroom: 'state', format: 9, made: '9.9.9' }])
  await expect(startStored(folder)).rejects.toThrow(
    /written by greenroom 9\.9\.9 in format 9, while this one reads format 5\. To move it, save a snapshot with that version \(GET \/_greenroom\/snapshot\)/,
  )

  const old = newFolder()
  writeFileSync(join(old, 'state.jsonl'), '["0badc0de",{"greenroom":"state","version":1}]\n')
  await expect(startStored(old)).rejects.toThrow(
    /the state of an older greenroom \(state\.jsonl, format 1\).*GET \/_greenroom\/snapshot/,
  )
  expect(readdirSync(old)).toEqual(['state.jsonl'])
  writeFileSync(join(old, 'state.mdb'), '')
  rmSync(join(old, 'state.jsonl'))
  await expect(startStored(old)).rejects.toThrow('(state.mdb, format 4 or earlier)')

  const other = newFolder()
  for (const text of ['mine', `${'not a database '.repeat(1_000)}`]) {
    writeFileSync(fileIn(other), text)
    await expect(startStored(other)).rejects.toThrow('is no state of greenroom')
    expect(readFileSync(fileIn(other), 'utf8')).toBe(text)
  }
})

it.skipIf(process.platform === 'win32')(
  'lets only the owner read its files in a folder of others',
  async () => {
    const folder = newFolder()
    chmodSync(folder, 0o755)
    await using stored = await startStored(folder)
    await submitVideo(stored, { prompt: 'a kite' })
    const modes = readdirSync(folder).map((name) => [name, statSync(join(folder, name)).mode & 0o777])
    const names = ['lock', 'state.log']
    expect(modes.toSorted()).toEqual(names.map((name) => [name, 0o600]))
  },
)

it('names the task whose state the present lifecycle does not have', async () => {
  const folder = newFolder()
  const states = {
    queued: { after: '1s', to: 'HELD' },
    HELD: { after: '1s', to: 'IN_PROGRESS' },
    IN_PROGRESS: { after: '1s', to: 'SUCCESS' },
    SUCCESS: { final: true, progress: 100 },
    FAILURE: { final: true, progress: 100 },
  } as const
  {
    const lifecycle = { unsafe: true, initial: 'queued', states } as const
    await using stored = await startStored(folder, { video: { lifecycle } })
    await submitVideo(stored, { prompt: 'a kite' })
  }
  await expect(startStored(folder)).rejects.toThrow(
    /task default task_.*state is "HELD": the lifecycle has queued.*Start with the config of before/,
  )
})

it('refuses a state with more namespaces than the config allows', async () => {
  const folder = newFolder()
  {
    await using stored = await startStored(folder)
    for (const name of ['one', 'two'])
      await submitVideo(stored, {}, { authorization: `Bearer sk-sim-${name}` })
  }
  await expect(startStored(folder, { limits: { namespaces: 2 } })).rejects.toThrow(
    /2 namespaces are in use\. .*limits\.namespaces\. Start with the config of before/,
  )
})

it('lets one server use a folder, and takes over the lock of one that has ended', async () => {
  const folder = newFolder()
  {
    await using _ = await startStored(folder)
    await expect(startStored(folder)).rejects.toThrow(`process ${process.pid} uses it`)
  }
  expect(readdirSync(folder)).toEqual(['state.log'])
  // No process has this id: it is above what the system gives.
  for (const stale of ['99999999  1', `${process.pid} 1 1`, '']) {
    writeFileSync(join(folder, 'lock'), stale)
    await using stored = await startStored(folder)
    expect([stored.sim.tasks(), stored.warnings]).toEqual([[], []])
  }
})

it.skipIf(process.platform !== 'linux')(
  'takes over the lock of a process that was killed and is still a zombie',
  async () => {
    const parent = spawn('sh', ['-c', 'sleep 0.2 & echo $!; exec sleep 60'])
    try {
      const [line] = (await once(parent.stdout, 'data')) as [Buffer]
      const pid = Number(String(line))
      const fields = (): string[] => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
      const lock = `${pid} ${fields()[19]} 1`
      await expect.poll(() => fields()[0]).toBe('Z')
      const folder = newFolder()
      writeFileSync(join(folder, 'lock'), lock)
      await using stored = await startStored(folder)
      expect(await submitVideo(stored, { prompt: 'a kite' })).toMatch(/^task_/)
    } finally {
      parent.kill()
    }
  },
)

it('lets real time pass while no server runs, and never turns a clock back', async () => {
  const folder = newFolder()
  const moveWall = (byMs: number): void =>
    editStore(folder, (lines) => {
      for (const list of lines.slice(1) as [string, string[], { wall: number }][][])
        for (const [part, , value] of list) if (part === 'clock') value.wall += byMs
    })
  const startIn = (mode: 'real' | 'manual'): Promise<Stored> => startStored(folder, { clock: { mode } })
  let stood = 0
  {
    await using stored = await startIn('real')
    await submitVideo(stored, { prompt: 'a kite' })
    stood = stored.sim.clock.now()
  }
  moveWall(-3_600_000)
  {
    await using stored = await startIn('real')
    expect(stored.sim.clock.now() - stood).toBeGreaterThanOrEqual(3_600_000)
    expect(stored.sim.tasks()[0]!.status).toBe('SUCCESS')
    stood = stored.sim.clock.now()
  }
  // The clock of the host was set back.
  moveWall(9_000_000)
  {
    await using stored = await startIn('real')
    expect(stored.sim.clock.now()).toBeGreaterThanOrEqual(stood)
    stood = stored.sim.clock.now()
  }
  await using stored = await startIn('manual')
  expect(stored.sim.clock.status().mode).toBe('manual')
  expect(stored.sim.clock.now()).toBeGreaterThanOrEqual(stood)
})

const ioError = Object.assign(new Error('Input/output error'), { code: 'EIO' })

it('refuses a change that the disk fails to take, answers polls, and stores it when the disk works again', async () => {
  const folder = newFolder()
  const disk = failingDisk()
  await using stored = await startStored(folder, {}, disk)
  const known = await submitVideo(stored, { prompt: 'a kite' })
  disk.error = () => ioError
  const response = await post(stored, 'a boat')
  expect([response.status, await response.json()]).toEqual([
    503,
    { error: expect.objectContaining({ code: 'system_disk_overloaded' }) },
  ])
  expect(stored.sim.journal().at(-1)).toMatchObject({ operation: 'video.submit', status: 503 })
  expect((await stored.call(`/v1/video/generations/${known}`, auth)).status).toBe(200)
  // Nothing is done for the next one.
  const before = stored.sim.tasks().length
  expect((await post(stored, 'a hare')).status).toBe(503)
  expect(stored.sim.tasks()).toHaveLength(before)
  expect(stored.warnings).toEqual([expect.stringContaining('Input/output error')])

  disk.error = () => undefined
  await expect.poll(async () => (await post(stored, 'a fox')).status, { interval: 100 }).toBe(200)
  expect(stored.warnings.at(-1)).toContain('again')
  await using restored = await startStored(copyAsKilled(folder))
  expect(everythingOf(restored)).toEqual(everythingOf(stored))
})

it('refuses a control call whose change the disk fails to take', async () => {
  const disk = failingDisk()
  await using stored = await startStored(newFolder(), {}, disk)
  disk.error = () => ioError
  const response = await stored.call('/_greenroom/clock/advance', { method: 'POST', body: '{"by":"90s"}' })
  expect([response.status, await response.json()]).toEqual([
    503,
    { error: { message: expect.stringContaining('Input/output error') } },
  ])
  expect((await stored.call('/_greenroom/clock')).status).toBe(200)
})

it('refuses a folder that is a file', async () => {
  const file = join(newFolder(), 'file')
  writeFileSync(file, '')
  await expect(startStored(file)).rejects.toThrow(
    /Failed to use the state in .*Give a folder that can be written/,
  )
})

it('stores no key that opens anything elsewhere', async () => {
  const folder = newFolder()
  const keys = [{ key: 'sk-real-secret', balance: 5 }]
  const rules = [{ match: { op: '*' }, per: 'key', times: 1, delay: 0 } as const]
  await using stored = await startStored(folder, { keys, rules })
  await submitVideo(stored, { prompt: 'a kite' }, { authorization: 'Bearer sk-real-secret' })
  expect(readFileSync(fileIn(folder)).includes('sk-real-secret')).toBe(false)
  expect(JSON.stringify(stored.sim.core.control.state.snapshot())).not.toContain('sk-real-secret')
  await using restored = await startStored(copyAsKilled(folder), { keys })
  expect(restored.sim.usage()).toEqual(stored.sim.usage())
})
