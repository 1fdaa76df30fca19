import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { folderWith, runIn, serve } from './run-in-folder.ts'

const mocks = (from: string): string =>
  `import { http, HttpResponse } from 'msw'\nexport const handlers = [http.get('/v1/models', () => HttpResponse.text('${from}'))]\n`

/** A folder with these files, msw and its middleware. */
function folderWithMsw(files: Readonly<Record<string, string>>): string {
  const folder = folderWith(files)
  mkdirSync(join(folder, 'node_modules/@mswjs'), { recursive: true })
  for (const name of ['msw', '@mswjs/http-middleware']) {
    const installed = fileURLToPath(new URL(`../../node_modules/${name}`, import.meta.url))
    symlinkSync(installed, join(folder, 'node_modules', name))
  }
  return folder
}

it(
  'serves handlers in front of the gateway, says so, and takes edits of their file',
  { timeout: 120_000 },
  async () => {
    const folder = folderWithMsw({ 'mocks.ts': mocks('first') })
    const path = join(folder, 'mocks.ts')
    const warned: string[] = []
    let interrupt = (): void => {}
    const interrupted = new Promise<void>((resolve) => (interrupt = resolve))
    let printed: string | undefined
    const print = (text: string): void => void (printed = text)
    const words = serve('--log', 'json', '--handlers', 'mocks.ts')
    const ended = runIn(folder, words, { print, warn: (text) => void warned.push(text), interrupted })
    await expect.poll(() => printed, { timeout: 60_000 }).toBeDefined()
    const { url, handlers } = JSON.parse(printed!) as { url: string; handlers: string }
    expect(handlers).toMatch(/^mocks\.ts: 1 handler, of msw 2\.[\d.]+$/)
    const models = async (): Promise<string> => (await fetch(`${url}/v1/models`)).text()
    expect(await models()).toBe('first')
    expect((await fetch(`${url}/_greenroom/health`)).status).toBe(200)

    writeFileSync(path, mocks('second'))
    await expect.poll(models, { timeout: 20_000 }).toBe('second')
    expect(warned.at(-1)).toBe('mocks.ts reloaded: 1 handler.')

    writeFileSync(path, 'export const handlers = [')
    await expect
      .poll(() => warned.at(-1), { timeout: 20_000 })
      .toContain('hint: The previous handlers stay in use.')
    expect(warned.at(-1)).toContain(`${path}:1:`)
    expect(await models()).toBe('second')
    interrupt()
    expect((await ended).code).toBe(0)
  },
)

const howTo = `Write export const handlers = [http.get('*/your/path', …)], or export the list as default.`

const mistakes: readonly [string, string, (path: string) => string][] = [
  ['is a syntax error', 'export default [', (path) => `${path}:1:`],
  ['throws', "throw new Error('no luck')", (path) => `${path}:1: The file can't be run: no luck.`],
  ['exports nothing', 'export const mocks = []', (path) => `${path}: exports no handlers. ${howTo}`],
  ['exports an empty list', 'export default []', (path) => `${path}: exports an empty list. ${howTo}`],
  ['exports no list', 'export default {}', (path) => `${path}: exports an object as its handlers. ${howTo}`],
  [
    'exports what is no handler',
    "import { http } from 'msw'\nexport const handlers = [http.get('/a', () => {}), '/v1/models']",
    (path) => `${path}: handlers[1] is a string, not an MSW handler. ${howTo}`,
  ],
]

it.each(mistakes)('says what to do where the file %s', async (_, text, message) => {
  const folder = folderWithMsw({ 'mocks.ts': text })
  const { code, printed, warned } = await runIn(folder, serve('--handlers', 'mocks.ts'))
  expect([code, printed]).toEqual([22, ''])
  expect(warned).toContain(message(join(folder, 'mocks.ts')))
  expect(warned).not.toContain('    at ')
})

it('says what to do where there is no such file, and where msw or its middleware is missing', async () => {
  const folder = folderWith({ 'mocks.ts': mocks('unused') })
  const missing = await runIn(folder, serve('--handlers', 'moks.ts'))
  expect([missing.code, missing.warned]).toEqual([
    22,
    `error: Failed to read ${join(folder, 'moks.ts')}: it does not exist. Did you mean "mocks.ts"? Name a TypeScript or JavaScript file that exports MSW handlers.\n`,
  ])
  const { code, warned } = await runIn(folder, serve('--handlers', 'mocks.ts'))
  expect([code, warned]).toEqual([
    22,
    `error: ${join(folder, 'mocks.ts')}: needs msw 2 and @mswjs/http-middleware, which were not found. Install them: npm install --save-dev msw@2 @mswjs/http-middleware.\n`,
  ])
})

it('names handlers that no request can reach', async () => {
  const text = `import { http, ws } from 'msw'
export const handlers = [
  http.get('https://gateway.example/v1/models', () => {}),
  ws.link('wss://gateway.example').addEventListener('connection', () => {}),
]\n`
  const folder = folderWithMsw({ 'mocks.ts': text })
  const { code, printed, warned } = await runIn(folder, serve('--log', 'json', '--handlers', 'mocks.ts'))
  expect(code).toBe(0)
  expect(JSON.parse(printed)).toMatchObject({ handlers: expect.stringContaining(': 1 handler,') })
  expect(warned.split('\n')).toEqual([
    `warning: ${join(folder, 'mocks.ts')}: handlers[1] is for WebSockets, which the gateway does not have. It is ignored.`,
    `warning: ${join(folder, 'mocks.ts')}: handlers[0] is for https://gateway.example/v1/models, but this server has another URL. Write "*/v1/models".`,
    '',
  ])
})

it('serves the handlers of docs/how-to/msw.md', async () => {
  const page = readFileSync(new URL('../../docs/how-to/msw.md', import.meta.url), 'utf8')
  const [, text] = /```ts\n(\/\/ mocks\.ts\n[\s\S]*?)```/.exec(page)!
  const folder = folderWithMsw({ 'mocks.ts': text! })
  const { printed, warned } = await runIn(folder, serve('--log', 'json', '--handlers', 'mocks.ts'))
  expect([JSON.parse(printed), warned]).toMatchObject([
    { handlers: expect.stringContaining('2 handlers') },
    '',
  ])
})
