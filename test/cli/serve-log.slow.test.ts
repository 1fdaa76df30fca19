import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { folderWith, runCommandLine, serve } from './run-in-folder.ts'

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
const headers = { authorization: 'Bearer sk-test', 'content-type': 'application/json' }

/** Runs `serve` until the callback has ended. @returns what it printed after its banner. */
async function logOf(
  flags: readonly string[],
  use: (url: string) => Promise<void>,
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  const printed: string[] = []
  let begin = (): void => {}
  const started = new Promise<void>((resolve) => (begin = resolve))
  let end = (): void => {}
  const interrupted = new Promise<void>((resolve) => (end = resolve))
  const code = runCommandLine(serve(...flags), {
    print: (text) => {
      printed.push(text)
      begin()
    },
    warn: (text) => printed.push(text),
    interrupted,
    folder: folderWith({}),
    environment,
  })
  await started
  const [url = ''] = /http:\/\/[\d.:]+/.exec(printed[0]!) ?? []
  await use(url)
  end()
  expect(await code).toBe(0)
  return printed.slice(1).join('\n')
}

const submit = (url: string, body: object = { model: 'video-1', prompt: 'a red kite' }): Promise<Response> =>
  fetch(`${url}/v1/video/generations`, { method: 'POST', headers, body: JSON.stringify(body) })

it('logs each request as one line', async () => {
  const log = await logOf(['--clock', 'manual'], async (url) => {
    const { task_id: id } = (await (await submit(url)).json()) as { task_id: string }
    await fetch(`${url}/v1/video/generations/${id}`, { headers })
    await submit(url, {})
  })
  const [submitted, polled, refused, ...rest] = log.split('\n')
  expect(rest).toEqual([])
  expect(submitted).toMatch(/^00:00:00\.000 POST \/v1\/video\/generations +200 +0ms {2}task_\w+$/)
  expect(polled).toMatch(/^00:00:00\.000 GET {2}\/v1\/video\/generations\/task_\w+ +200 +0ms {2}queued$/)
  expect(refused).toMatch(/ 400 +0ms {2}Model name not specified/)
})

it('logs a stream at its end, with what was streamed and how long it took', async () => {
  const log = await logOf(['--clock', 'auto'], async (url) => {
    const body = { model: 'sim-text-1', stream: true, messages: [{ role: 'user', content: 'Hello' }] }
    await (
      await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body: JSON.stringify(body) })
    ).text()
  })
  expect(log).toMatch(/POST \/v1\/chat\/completions +200 +[\d.]+m?s {2}sim-text-1 {2}streamed \d+ chunks$/)
})

it('logs JSON lines by pino, the banner included', async () => {
  const log = await logOf(['--log', 'json', '--verbose'], async (url) => void (await submit(url)))
  expect(JSON.parse(log)).toMatchObject({
    level: 30,
    msg: 'POST /v1/video/generations 200',
    method: 'POST',
    status: 200,
    operation: 'video.submit',
    key: 'sk-…',
    headers: { 'content-type': 'application/json' },
  })
})

it('logs nothing with --log silent', async () => {
  expect(await logOf(['--log', 'silent'], async (url) => void (await submit(url)))).toBe('')
})

it('warns once of each thing that a good client does not do, and says what to do instead', async () => {
  const log = await logOf(['--clock', 'manual'], async (url) => {
    for (const prompt of ['one', 'two']) {
      const { task_id: id } = (await (await submit(url, { model: 'video-1', prompt })).json()) as {
        task_id: string
      }
      for (let count = 0; count < 3; count++)
        await fetch(`${url}/v1/video/generations/${id}`, { headers: { authorization: '' } })
    }
    await new Promise((resolve) => setTimeout(resolve, 700))
  })
  const warnings = log.split('\n').filter((line) => line.startsWith('warning: '))
  expect(warnings).toEqual([
    expect.stringMatching(
      /^warning: auth-on-every-call: GET .* carried no key\. Send the key with every request, .*\(greenroom explain 2 --url http.*\)$/,
    ),
  ])
})

it('begins the command of a warning with npx if npm started greenroom', async () => {
  const useWithoutKey = async (url: string): Promise<void> => {
    await (await fetch(`${url}/v1/video/generations/none`)).text()
    await new Promise((resolve) => setTimeout(resolve, 700))
  }
  const log = await logOf([], useWithoutKey, { npm_command: 'run-script' })
  expect(log).toMatch(/warning: auth-on-every-call: [^]*\(npx greenroom explain 1 --url http/)
})

it('answers requests while its output is not read, and ends', async () => {
  const words = [main, 'serve', '--port', '0', '--cache-dir', 'false', '--verbose']
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines = createInterface(child.stdout)
  const [url] = (await once(lines, 'line')) as [string]
  lines.close()
  child.stdout.pause()

  // The pipe and this process hold some 300 kB. A verbose line has half a kilobyte.
  const agent = { 'user-agent': 'x'.repeat(200) }
  for (let count = 0; count < 700; count++)
    await (await fetch(`${url}/v1/models`, { headers: agent })).arrayBuffer()

  const health = (await (await fetch(`${url}/_greenroom/health`)).json()) as object
  expect(health).toBeTruthy()
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([0, null])
})
