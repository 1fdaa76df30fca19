import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { newFolder } from './stored.ts'
import { call, commandOf, headers, serve, type Served } from '../support/served.ts'

/** Runs a command with a disk of its own mounted on a folder, until the command ends. */
function onDiskOf(kilobytes: number, folder: string, options: string, command: readonly string[]): string[] {
  const script = 'mount -t tmpfs -o "$1" tmpfs "$2" && shift 2 && exec "$@"'
  const mount = `size=${kilobytes}k${options}`
  return ['unshare', '--map-root-user', '--mount', 'sh', '-c', script, 'sh', mount, folder, ...command]
}

const works = ([program, ...words]: readonly string[]): boolean => spawnSync(program!, words).status === 0
const mayMount = process.platform === 'linux' && works(onDiskOf(100, tmpdir(), '', ['true']))
const mayLimit = process.platform === 'linux' && works(['prlimit', '--version'])

interface Submitted {
  readonly accepted: string[]
  readonly refused: Response[]
}

async function submitMany(url: string, count: number, name: string): Promise<Submitted> {
  const accepted: string[] = []
  const refused: Response[] = []
  for (let n = 0; n < count; n++) {
    const body = JSON.stringify({ model: 'video-1', prompt: `${name} ${n} ${'x'.repeat(3_000)}` })
    const response = await fetch(`${url}/v1/video/generations`, { method: 'POST', headers, body })
    if (response.ok) accepted.push(((await response.json()) as { task_id: string }).task_id)
    else refused.push(response)
  }
  return { accepted, refused }
}

const idsOf = async (url: string): Promise<string[]> =>
  (await call<{ id: string }[]>(`${url}/_greenroom/tasks`, 'GET')).map(({ id }) => id)

/** Fills the disk of a server, makes room, and checks that everything acknowledged is there, also after a restart. */
async function expectToSurvive(
  served: Served,
  file: string,
  full: RegExp,
  makeRoom: () => void,
  doneThoughRefused = 0,
): Promise<void> {
  const first = await submitMany(served.url, 150, 'a kite')
  expect(first.accepted.length).toBeGreaterThan(5)
  expect(first.refused.length).toBeGreaterThan(5)
  for (const response of first.refused) {
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({ error: { code: 'system_disk_overloaded' } })
    expect(response.headers.get('x-greenroom-hint')).toMatch(full)
  }
  // Polls are answered, and the warning comes once.
  await call(`${served.url}/v1/video/generations/${first.accepted[0]!}`, 'GET')
  const present = await idsOf(served.url)
  expect(present.filter((id) => first.accepted.includes(id))).toEqual(first.accepted)
  expect(present.length - first.accepted.length).toBeLessThanOrEqual(doneThoughRefused)
  expect(served.stderr().match(/Failed to store the state/g)?.length).toBe(1)

  makeRoom()
  await expect
    .poll(async () => (await submitMany(served.url, 1, 'a first boat')).accepted.length, { interval: 100 })
    .toBe(1)
  const between = (await idsOf(served.url)).slice(present.length)
  const second = await submitMany(served.url, 50, 'a boat')
  expect(second.refused).toEqual([])
  await expect.poll(() => served.stderr()).toContain('is stored in')
  const again = newFolder()
  writeFileSync(join(again, 'state.log'), readFileSync(file))
  const next = await serve(commandOf(again, ['--clock', 'manual']))
  try {
    expect(await idsOf(next.url)).toEqual([...present, ...between, ...second.accepted])
  } finally {
    next.child.kill('SIGKILL')
  }
}

it.skipIf(!mayMount)(
  'refuses what a full disk has no room for, until there is room again',
  async () => {
    const folder = newFolder()
    const state = join(folder, 'state')
    const command = ['sh', '-c', 'head -c 1000000 /dev/zero > "$1" && shift && exec "$@"', 'sh']
    const filled = [...command, join(folder, 'filler'), ...commandOf(state, ['--clock', 'manual'])]
    const served = await serve(onDiskOf(1_500, folder, '', filled))
    // The disk is mounted for the server only, but visible through its process.
    const seen = join(`/proc/${served.child.pid!}/root`, folder)
    try {
      await expectToSurvive(
        served,
        join(seen, 'state', 'state.log'),
        /the disk is full/,
        () => rmSync(join(seen, 'filler')),
        1,
      )
    } finally {
      served.child.kill('SIGKILL')
    }
  },
  60_000,
)

it.skipIf(!mayMount)(
  'says that the disk is full when it starts on one, and has every task when there is room again',
  async () => {
    const before = newFolder()
    const first = await serve(commandOf(before, ['--clock', 'manual']))
    const { accepted } = await submitMany(first.url, 20, 'a kite')
    first.child.kill('SIGKILL')

    const folder = newFolder()
    const state = join(folder, 'state')
    const script =
      'mkdir "$1" && cp "$2" "$1" && cat /dev/zero > "$3" 2> /dev/null; shift 3; ' +
      '"$@"; echo "exit code $?" >&2; ls "$0" >&2; rm "$0"/../filler; exec "$@"'
    const files = [state, join(before, 'state.log'), join(folder, 'filler')]
    const command = ['sh', '-c', script, state, ...files, ...commandOf(state, ['--clock', 'manual'])]
    const served = await serve(onDiskOf(1_000, folder, '', command))
    try {
      expect(served.stderr()).toMatch(
        /^error: Failed to use the state in \S+: the disk is full\. Make room, then start again\.\nexit code 23\nstate\.log\n$/,
      )
      expect(await idsOf(served.url)).toEqual(accepted)
    } finally {
      served.child.kill('SIGKILL')
    }
  },
  60_000,
)

it.skipIf(!mayLimit)(
  'refuses what goes beyond the size that its files may have, until they may have more',
  async () => {
    const folder = newFolder()
    const command = ['prlimit', '--fsize=300000:unlimited', ...commandOf(folder, ['--clock', 'manual'])]
    const served = await serve(command)
    const file = join(folder, 'state.log')
    try {
      await expectToSurvive(
        served,
        file,
        /file too large/,
        () => {
          expect(statSync(file).size).toBeLessThanOrEqual(300_000)
          execFileSync('prlimit', ['--pid', String(served.child.pid), '--fsize=unlimited:unlimited'])
        },
        1,
      )
    } finally {
      served.child.kill('SIGKILL')
    }
  },
  60_000,
)

it.skipIf(!mayMount)('says that it cannot write where a disk can only be read', async () => {
  const folder = newFolder()
  const command = onDiskOf(1_000, folder, ',ro', commandOf(join(folder, 'state')))
  await expect(serve(command)).rejects.toThrow(
    /Failed to use the state in .*the disk is read-only\. Give a folder that can be written/,
  )
})

it.skipIf(process.platform !== 'linux').each(['/proc/greenroom', '/sys/greenroom', '/dev/null/state'])(
  'says that it cannot write in %s',
  async (folder) => {
    await expect(serve(commandOf(folder))).rejects.toThrow(/Failed to use the state in .*can be written/)
  },
)
