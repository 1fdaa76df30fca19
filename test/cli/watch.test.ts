import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { startServer, type RunningServer, type ServerOptions } from '../../src/server/index.ts'
import { folderWith, never, runIn } from './run-in-folder.ts'

const headers = { authorization: 'Bearer sk-test', 'content-type': 'application/json' }

async function start(options: ServerOptions = {}): Promise<RunningServer> {
  const server = await startServer({ port: 0, cacheDir: false, clock: { mode: 'manual' }, ...options })
  onTestFinished(() => server.close())
  return server
}

/** Submits a video. @returns its id. */
async function submit({ url }: RunningServer, key = 'sk-test'): Promise<string> {
  const body = JSON.stringify({ model: 'video-1', prompt: 'a red kite' })
  const own = { ...headers, authorization: `Bearer ${key}` }
  const response = await fetch(`${url}/v1/video/generations`, { method: 'POST', headers: own, body })
  return ((await response.json()) as { task_id: string }).task_id
}

/** Runs `watch` until the test ends it. */
function watch(...words: string[]) {
  const lines: string[] = []
  let end = (): void => {}
  const interrupted = new Promise<void>((resolve) => (end = resolve))
  onTestFinished(() => end())
  const ran = runIn(folderWith({}), ['watch', ...words], {
    print: (text) => void lines.push(...text.split('\n')),
    interrupted,
  })
  return { lines, ran, end }
}

const isWatching = [expect.stringMatching(/^Watching namespace default of http/)]

it('logs the requests of another server as serve does, and warns of what a good client does not do', async () => {
  const server = await start()
  await submit(server)
  const { lines, ran, end } = watch(server.url)
  await expect.poll(() => lines, { timeout: 5_000 }).toHaveLength(2)
  const id = await submit(server)
  await fetch(`${server.url}/v1/video/generations/${id}`)
  await expect.poll(() => lines, { timeout: 5_000 }).toHaveLength(5)
  expect(lines).toEqual([
    ...isWatching,
    expect.stringMatching(/POST \/v1\/video\/generations +200 +0ms {2}task_\w+$/),
    expect.stringMatching(new RegExp(`POST /v1/video/generations +200 +0ms  ${id}$`)),
    expect.stringMatching(/GET .* 401 +0ms {2}Invalid token/),
    expect.stringMatching(/^warning: auth-on-every-call: .*Send the key/),
  ])
  end()
  expect((await ran).code).toBe(0)
})

it('logs of one namespace, as JSON, with the token of the server', async () => {
  const server = await start({ controlToken: 'a-token-of-this-test' })
  await submit(server, 'sk-sim-shop')
  const flags = ['--namespace', 'shop', '--token', 'a-token-of-this-test', '--log', 'json']
  const { lines } = watch(server.url, ...flags)
  await expect.poll(() => lines, { timeout: 5_000 }).toHaveLength(2)
  expect(JSON.parse(lines[1]!)).toMatchObject({ namespace: 'shop', status: 200, number: 1 })
})

it('shows only the latest of the requests before', async () => {
  const server = await start()
  for (let count = 0; count < 15; count++) await fetch(`${server.url}/v1/models`, { headers })
  const { lines } = watch(server.url, '--verbose')
  await expect.poll(() => lines.at(-1), { timeout: 5_000 }).toContain('#15')
  expect(lines.filter((line) => line.includes('GET '))).toHaveLength(10)
})

it('continues when the server is back, and logs nothing twice', async () => {
  const server = await start()
  await submit(server)
  const { lines } = watch(server.url)
  await expect.poll(() => lines, { timeout: 5_000 }).toHaveLength(2)
  await server.close()
  await expect
    .poll(() => lines.at(-1), { timeout: 5_000 })
    .toMatch(/^warning: Lost the connection to .* Trying again\.$/)
  const again = await start({ port: server.port })
  await submit(again)
  await expect.poll(() => lines, { timeout: 10_000 }).toHaveLength(5)
  expect(lines.slice(3)).toEqual([
    expect.stringMatching(/^Connected to .* again\.$/),
    expect.stringMatching(/POST \/v1\/video\/generations/),
  ])
})

it('says what is wrong with the URL, the namespace or the token', async () => {
  const { url } = await start()
  const secured = await start({ controlToken: 'a-token-of-this-test' })
  const other = createServer((_, response) => response.writeHead(404).end('<html>')).listen(0)
  onTestFinished(() => void other.close())
  const otherUrl = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
  const failure = async (...words: string[]) => {
    const { code, warned } = await runIn(folderWith({}), ['watch', ...words], { interrupted: never })
    return `${code} ${warned}`
  }
  expect(await failure('localhost')).toContain('2 error: "localhost" is not a URL.')
  expect(await failure('http://127.0.0.1:1')).toContain(
    '2 error: Failed to reach http://127.0.0.1:1: no server',
  )
  expect(await failure(otherUrl)).toContain(
    `2 error: Failed to watch ${otherUrl}: it is not a greenroom server`,
  )
  expect(await failure(url, '--namespace', 'defautl')).toContain('Did you mean "default"? It has default.')
  expect(await failure(secured.url)).toContain('Pass it by --token, or set GREENROOM_CONTROL_TOKEN.')
})
