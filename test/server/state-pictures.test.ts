import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startServer } from '../../src/server/index.ts'
import { dataUrl } from '../support/drawing.ts'
import { postVideo } from '../support/video.ts'

/** A server that keeps its state in a folder of its own, and nothing else anywhere. */
async function start(state: string, warnings: string[] = []) {
  const options = { port: 0, cacheDir: false, quality: 'fast', state } as const
  const server = await startServer({ ...options, onWarning: (message) => warnings.push(message) })
  return {
    ...server,
    call: (path: string, init?: RequestInit) => fetch(server.url + path, init),
    [Symbol.asyncDispose]: server.close,
  }
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'greenroom-state-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'state')
}

it('has the image of a task after a restart, without any cache', async () => {
  const folder = newFolder()
  let id = ''
  {
    await using server = await start(folder)
    const response = await postVideo(server, { prompt: 'it sails', image: dataUrl('sea.jpeg') })
    id = ((await response.json()) as { task_id: string }).task_id
  }
  await using server = await start(folder)
  const [task] = server.simulator.control.tasks.list('default')
  expect(task!.id).toBe(id)
  const received = await server.simulator.media.received(String(task!.request['imageDigest']))
  expect(received?.image.width).toBeGreaterThan(0)
})

it('refuses an image that it cannot store', async () => {
  const folder = newFolder()
  const warnings: string[] = []
  await using server = await start(folder, warnings)
  writeFileSync(join(folder, 'pictures'), 'in the way')
  for (let times = 0; times < 2; times++) {
    const response = await postVideo(server, { prompt: 'it sails', image: dataUrl('sea.jpeg') })
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({ error: { code: 'system_disk_overloaded' } })
    expect(response.headers.get('x-greenroom-hint')).toContain('could not be')
  }
  expect(warnings).toEqual([expect.stringContaining('Pictures are refused until this is fixed')])
  expect(server.simulator.control.tasks.list('default')).toEqual([])
  rmSync(join(folder, 'pictures'))
  const response = await postVideo(server, { prompt: 'it sails', image: dataUrl('sea.jpeg') })
  expect(response.status).toBe(200)
  expect(readdirSync(join(folder, 'pictures'))).toEqual(['.greenroom-cache', expect.stringMatching(/\.jpg$/)])
})

it('stores many requests that come at once', async () => {
  const folder = newFolder()
  const options = { port: 0, cacheDir: false, quality: 'fast', state: folder } as const
  const first = await startServer(options)
  const transport = { call: (path: string, init?: RequestInit) => fetch(first.url + path, init) }
  const prompts = Array.from({ length: 20 }, (_, n) => `a kite ${n}`)
  const answers = await Promise.all(prompts.map((prompt) => postVideo(transport, { prompt })))
  expect(answers.map(({ status }) => status)).toEqual(prompts.map(() => 200))
  await first.close()
  await using second = await start(folder)
  const stored = second.simulator.control.tasks.list('default').map(({ request }) => request['prompt'])
  expect(stored.toSorted()).toEqual(prompts.toSorted())
})
