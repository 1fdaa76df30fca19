import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createSimulator } from '../src/index.ts'

const conf = new URL('../examples/sharded/nginx.conf', import.meta.url)
const program = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
const missing = hasNginx() ? '' : ' (skipped: nginx is not installed)'

/** Whether an nginx is installed. */
function hasNginx(): boolean {
  try {
    execFileSync('nginx', ['-v'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Starts one shard, and resolves to its address. */
async function startShard(shard: number, children: ChildProcess[]): Promise<string> {
  const words = [
    'serve',
    '--log',
    'silent',
    '--cache-dir',
    'false',
    '--port',
    '0',
    '--shard',
    String(shard),
    '--clock',
    'auto',
  ]
  const child = spawn(process.execPath, [program, ...words], { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  for await (const line of child.stdout) return String(line).trim()
  throw new Error(`Shard ${shard} ended before it printed its URL.`)
}

const namespaces = Array.from({ length: 24 }, (_, index) => `team-${index}`)
const keyOf = (namespace: string): string => `sk-sim-${namespace}.ci`
const json = { 'content-type': 'application/json' }

it('puts the tag of the process into ids, and leaves the rest of them as it is', async () => {
  const idsOf = async (options: { shard?: number }): Promise<string[]> => {
    await using sim = createSimulator(options)
    const ask = async (path: string, fields: unknown): Promise<Record<string, string>> => {
      const headers = { authorization: 'Bearer sk-test', ...json }
      const answer = await sim.fetch(path, { method: 'POST', headers, body: JSON.stringify(fields) })
      return (await answer.json()) as Record<string, string>
    }
    const video = await ask('/v1/video/generations', { model: 'video-1', prompt: 'a red kite' })
    const drawing = await ask('/mj/submit/imagine', { prompt: 'a red kite' })
    return [video['task_id']!, drawing['result']!]
  }
  const [video, drawing] = await idsOf({})
  expect(video).toMatch(/^task_[0-9A-Za-z]{32}$/)
  expect(drawing).toMatch(/^1\d{15}$/)
  expect(await idsOf({ shard: 7 })).toEqual([`task_07${video!.slice(7)}`, `107${drawing!.slice(3)}`])
})

it.each([
  ['', '--shard is empty'],
  ['0x10', '--shard is "0x10": must be a number.'],
])('takes no --shard %j: a variable that is not set is not a number', (shard, message) => {
  const words = ['serve', '--log', 'silent', '--port', '0', `--shard=${shard}`]
  const { status, stderr } = spawnSync(process.execPath, [program, ...words], { encoding: 'utf8' })
  expect([status, stderr]).toEqual([2, expect.stringContaining(message)])
})

it('refuses a shard that two digits cannot say', () => {
  expect(() => createSimulator({ shard: 100 })).toThrow('shard is 100: must be at most 99')
  expect(() => createSimulator({ shard: 0.5 })).toThrow('shard is 0.5')
  const { status, stderr } = spawnSync(process.execPath, [program, 'serve', '--shard', '100'], {
    encoding: 'utf8',
  })
  expect([status, stderr]).toEqual([2, expect.stringContaining('--shard is 100: must be at most 99.')])
})

describe.skipIf(missing !== '')(`four processes behind nginx${missing}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'greenroom-sharded-'))
  const children: ChildProcess[] = []
  let shards: string[] = []
  let url = ''

  beforeAll(async () => {
    shards = await Promise.all([0, 1, 2, 3].map((shard) => startShard(shard, children)))
    const port = await freePort()
    url = `http://127.0.0.1:${port}`
    // In one go: an address that was put in may begin as another that is to be replaced.
    const text = readFileSync(conf, 'utf8')
      .replace('127.0.0.1:4646', `127.0.0.1:${port}`)
      .replaceAll(
        /127\.0\.0\.1:465(\d)\b/g,
        (_address, shard: string) => new URL(shards[Number(shard)]!).host,
      )
    writeFileSync(join(folder, 'nginx.conf'), text)
    // Workers of an nginx that root started run as another user.
    chmodSync(folder, 0o755)
    children.push(
      spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr'], { stdio: 'inherit' }),
    )
    const answers = (): Promise<number> => fetch(`${url}/_greenroom/health`).then(({ status }) => status)
    await vi.waitFor(async () => expect(await answers()).toBe(200), 20_000)
  })

  afterAll(async () => {
    const running = children.filter(({ exitCode }) => exitCode === null)
    const ended = running.map((child) => new Promise((resolve) => child.once('exit', resolve)))
    for (const child of running) child.kill()
    await Promise.all(ended)
    rmSync(folder, { recursive: true, force: true })
  })

  const call = (path: string, key: string, body?: unknown): Promise<Response> =>
    fetch(url + path, {
      headers: { authorization: `Bearer ${key}`, ...json },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    })

  const submit = async (key: string): Promise<string> => {
    const fields = { model: 'video-1', prompt: 'a red kite', size: '128x96', duration: 1 }
    const answer = await call('/v1/video/generations', key, fields)
    return ((await answer.json()) as { task_id: string }).task_id
  }

  const journalOn = async (shard: string, namespace: string): Promise<unknown[]> => {
    const answer = await fetch(`${shard}/_greenroom/journal?namespace=${namespace}`)
    return (await answer.json()) as unknown[]
  }

  it('keeps each namespace whole, in one process, and spreads them over all', async () => {
    const used = new Set<string>()
    for (const namespace of namespaces) {
      const id = await submit(keyOf(namespace))
      await call(`/v1/video/generations/${id}`, `sk-sim-${namespace}`)
      await fetch(`${url}/ns/${namespace}/v1/video/generations/${id}`, {
        headers: { authorization: 'Bearer sk-plain' },
      })
      await fetch(`${url}/v1/video/generations/${id}`, {
        headers: { authorization: 'Bearer sk-plain', 'x-greenroom-namespace': namespace },
      })
      await fetch(`${url}/v1beta/models?key=${keyOf(namespace)}`)
      await fetch(`${url}/v1beta/models`, { headers: { 'x-native-api-key': keyOf(namespace) } })
      const counts = await Promise.all(
        shards.map(async (shard) => (await journalOn(shard, namespace)).length),
      )
      expect(counts.toSorted()).toEqual([0, 0, 0, 6])
      const home = counts.indexOf(6)
      expect(id.slice(0, 7)).toBe(`task_0${home}`)
      used.add(shards[home]!)
    }
    expect(used.size).toBe(4)
  })

  it('moves the clock of a namespace by a call that names it in its query', async () => {
    const id = await submit(keyOf('hurried'))
    const moved = await fetch(`${url}/_greenroom/clock/advance?namespace=hurried`, {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ by: '1h' }),
    })
    expect(moved.status).toBe(200)
    const polled = await call(`/v1/video/generations/${id}`, keyOf('hurried'))
    expect(await polled.json()).toMatchObject({ data: { status: 'SUCCESS' } })
  })

  it('finds drawings and uploaded pictures without a key, by the tag in their addresses', async () => {
    const picture = readFileSync(new URL('../docs/images/drawing-operations.png', import.meta.url))
    const base64Array = [`data:image/png;base64,${picture.toString('base64')}`]
    for (const namespace of namespaces.slice(0, 6)) {
      const key = keyOf(namespace)
      const drawn = await call('/mj/submit/imagine', key, { prompt: 'a red kite' })
      const { result: id } = (await drawn.json()) as { result: string }
      await fetch(`${url}/ns/${namespace}/_greenroom/clock/advance`, {
        method: 'POST',
        headers: json,
        body: JSON.stringify({ by: '1h' }),
      })
      const image = await fetch(`${url}/mj/image/${id}`)
      expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/png'])

      const uploaded = await call('/mj/submit/upload-discord-images', key, { base64Array })
      const { result } = (await uploaded.json()) as { result: string[] }
      expect((await fetch(result[0]!)).status).toBe(200)
    }
  })
})
