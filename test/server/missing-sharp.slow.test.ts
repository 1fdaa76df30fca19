import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, afterAll, expect, it, vi } from 'vitest'
import { headers, serve, type Served } from '../support/served.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const png = readFileSync(join(root, 'fixtures/pictures/kite-64x48.png')).toString('base64')
const packages = join(mkdtempSync(join(tmpdir(), 'greenroom-no-sharp-')), 'node_modules')

/** The packages as `npm install --omit=optional` leaves them: sharp without its native part. */
function installWithoutOptional(): void {
  mkdirSync(packages)
  const copied = ['sharp', 'greenroom']
  const omitted = ['ffmpeg-static', '@img', '.bin', '.cache']
  for (const name of readdirSync(join(root, 'node_modules')))
    if (!copied.includes(name) && !omitted.includes(name) && !name.startsWith('.'))
      symlinkSync(join(root, 'node_modules', name), join(packages, name))
  mkdirSync(join(packages, '@img'))
  symlinkSync(join(root, 'node_modules/@img/colour'), join(packages, '@img/colour'))
  cpSync(join(root, 'node_modules/sharp'), join(packages, 'sharp'), { recursive: true })
  for (const name of ['dist', 'package.json'])
    cpSync(join(root, name), join(packages, 'greenroom', name), { recursive: true })
}

let server: Served

beforeAll(async () => {
  installWithoutOptional()
  const main = join(packages, 'greenroom/dist/cli/main.js')
  const flags = ['serve', '--port', '0', '--log', 'silent', '--timing', 'instant', '--cache-dir', 'false']
  server = await serve([process.execPath, main, ...flags])
}, 60_000)

afterAll(async () => {
  server.child.kill('SIGTERM')
  await once(server.child, 'exit')
  rmSync(join(packages, '..'), { recursive: true, force: true })
})

const missing = /^The package sharp does not load: .+ Run npm install --include=optional sharp, and restart\./

async function call(path: string, body?: object): Promise<[number, string]> {
  const init = body && { method: 'POST', body: JSON.stringify(body) }
  const response = await fetch(server.url + path, { headers, ...init })
  const text = await response.text()
  const { error } = JSON.parse(text) as { error?: { message: string } }
  return [response.status, error?.message ?? text]
}

async function submit(path: string, body: object): Promise<string> {
  const [, text] = await call(path, body)
  const { task_id: task, result } = JSON.parse(text) as { task_id?: string; result?: string }
  return task ?? result!
}

it('says soon after its start what will not work without the native part of sharp', async () => {
  const warning = /^warning: The package sharp does not load: .+ no images and no full clips\./m
  await vi.waitFor(() => expect(server.stderr()).toMatch(warning), 10_000)
})

it('names the missing package in the response to whatever needs it', async () => {
  const clip = { model: 'video-1', prompt: 'a kite', size: '128x96', duration: 1 }
  const video = await submit('/v1/video/generations', clip)
  const drawing = await submit('/mj/submit/imagine', { prompt: 'a kite' })
  const refused = [501, expect.stringMatching(missing)]
  expect(await call(`/v1/videos/${video}/content`)).toEqual(refused)
  expect(await call(`/v1/videos/${video}/content?variant=thumbnail`)).toEqual(refused)
  expect(await call(`/mj/image/${drawing}`)).toEqual(refused)
  expect(await call('/v1/video/generations', { ...clip, image: png })).toEqual(refused)
  expect(server.stderr()).not.toContain('mistake in greenroom')
  expect(server.stderr()).not.toContain('Panic')
})

it('still answers what needs no image', async () => {
  const [status] = await call('/v1/chat/completions', {
    model: 'sim-text-1',
    messages: [{ role: 'user', content: 'Hello' }],
  })
  expect(status).toBe(200)
})
