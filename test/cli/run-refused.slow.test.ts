import { expect, it } from 'vitest'
import { folderWith, never, node, runIn } from './run-in-folder.ts'

const client = (path: string, rest = ''): string => `
const { GREENROOM_URL: url, GREENROOM_KEY: key } = process.env
const headers = { authorization: 'Bearer ' + key, 'content-type': 'application/json' }
const body = '{"model":"video-1","prompt":"a kite"}'
const submitted = await fetch(url + '${path}', { method: 'POST', headers, body })
const { task_id: id } = await submitted.json()
${rest}`

const environment = { PATH: process.env['PATH'] }

it.each([
  ['run', []],
  ['explore', []],
])('fails %s if the gateway refuses every request', async (command) => {
  const folder = folderWith({ 'client.mjs': client('/v1/v1/video/generations') })
  const words = [command, '--virtual-timers', ...node('client.mjs')]
  const { code, printed, warned } = await runIn(folder, words, { interrupted: never, environment })
  expect(code).toBe(20)
  expect(printed + warned).toContain('The gateway refused every request, 1 of 1.')
  expect(printed + warned).toContain('Did you mean POST /v1/video/generations')
})

it('says first that a client polls forever', async () => {
  const loop = `for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 30_000))
    await (await fetch(url + '/v1/video/generations/' + id, { headers })).text()
  }`
  const folder = folderWith({
    'client.mjs': client('/v1/video/generations', loop),
    'stuck.yaml': 'version: 1\nrules: [{ match: { op: video.submit }, task: { queued: forever } }]\n',
  })
  const words = ['run', '--virtual-timers', 'stuck.yaml', ...node('client.mjs')]
  const { code, warned } = await runIn(folder, words, { interrupted: never, environment })
  expect(code).toBe(24)
  expect(warned).toMatch(/^error: The run is stalled: the client polls forever: 400 polls of task/m)
  expect(warned).not.toContain('clock.limit')
})

it('explores a client that ends its process while requests are open', async () => {
  const folder = folderWith({
    'client.mjs': `
      const { GREENROOM_URL: url, GREENROOM_KEY: key } = process.env
      const headers = { authorization: 'Bearer ' + key, 'content-type': 'application/json' }
      const make = async (prompt) => {
        const body = JSON.stringify({ model: 'v', prompt, duration: 1 })
        const response = await fetch(url + '/v1/video/generations', { method: 'POST', headers, body })
        if (!response.ok) throw new Error('refused with ' + response.status)
      }
      await Promise.all(['a', 'b', 'c', 'd'].map(make)).catch((error) => {
        console.error(error.message)
        process.exit(1)
      })`,
  })
  const words = ['explore', '--virtual-timers', '--only', '503', ...node('client.mjs')]
  const { code, printed, warned } = await runIn(folder, words, { interrupted: never, environment })
  expect(warned + printed).not.toContain('Cannot read properties')
  expect([0, 20]).toContain(code)
})

const driven = 'version: 1\nconfig: { quality: full, cacheDir: false }\ndrive: [{ flow: video }]\n'

it.skipIf(process.platform === 'win32')(
  'fails for a step of drive that the simulator itself could not serve, such as without an encoder',
  async () => {
    const folder = folderWith({ 'story.yaml': driven })
    const broken = { ...environment, GREENROOM_FFMPEG: '/bin/false' }
    const { code, printed } = await runIn(folder, ['run', 'story.yaml'], { environment: broken })
    expect(code).toBe(23)
    expect(printed).toMatch(
      /✗ drive: is served by the simulator\n +#\d+ GET \/v1\/videos\/task_\w+\/content got 502: its bytes could not be made\n/,
    )
  },
)

it('takes what a rule breaks for served', async () => {
  const rule = 'rules: [{ match: { role: download }, fault: reset }]\n'
  const folder = folderWith({ 'story.yaml': driven.replace('full', 'fast') + rule })
  const { code, printed } = await runIn(folder, ['run', 'story.yaml'], { environment })
  expect(printed).not.toContain('is served by the simulator')
  expect(code).toBe(0)
})
