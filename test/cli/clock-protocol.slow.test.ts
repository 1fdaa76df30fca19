import { execFile, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { startServer, type RunningServer } from '../../src/server/index.ts'
import { folderWith } from './run-in-folder.ts'

const fileOf = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const preload = pathToFileURL(fileOf('dist/virtual-timers.js')).href
const hourly = fileOf('test/python/programs/hourly.py')
const PYTHONPATH = fileOf('python')

const hasPython = spawnSync('python3', ['--version']).status === 0
const skipped = hasPython ? '' : ' (skipped: needs python3)'

async function serve(rules: readonly object[] = []): Promise<RunningServer> {
  const server = await startServer({
    port: 0,
    clock: { mode: 'auto', start: '2030-01-01' },
    rules: rules as never,
  })
  onTestFinished(() => server.close())
  return server
}

async function run(server: RunningServer, program: string, ...words: string[]): Promise<string> {
  const env = { PATH: process.env['PATH'], PYTHONPATH, GREENROOM_URL: server.url }
  const { stdout } = await promisify(execFile)(program, words, { env })
  return stdout.trim()
}

/** When requests were admitted, in virtual seconds from the start. */
function admittedAt({ simulator }: RunningServer): number[] {
  return simulator.namespaces
    .get('default')
    .journal.entries()
    .map(({ at }) => (at - Date.UTC(2030, 0, 1)) / 1_000)
}

it.skipIf(!hasPython)(
  `lets an unchanged program in Python and one in Node share an hour of exact time${skipped}`,
  async () => {
    const server = await serve()
    const folder = folderWith({
      'halves.mjs': `
        const headers = { authorization: 'Bearer sk-test' }
        const start = Date.now()
        for (let count = 0; count < 3; count++) {
          await (await fetch(process.env.GREENROOM_URL + '/v1/models', { headers })).text()
          await new Promise((resolve) => setTimeout(resolve, 1_800_000))
        }
        console.log('after', Date.now() - start)
      `,
    })
    const shell = join(folder, 'both.sh')
    const both = `python3 '${hourly}' & '${process.execPath}' --import '${preload}' '${join(folder, 'halves.mjs')}' & wait`
    writeFileSync(shell, both)
    const ended = execFile('sh', [shell], {
      env: { PATH: process.env['PATH'], PYTHONPATH, GREENROOM_URL: server.url },
    })
    server.follow(ended.pid!)
    let printed = ''
    ended.stdout!.on('data', (text: string) => (printed += text))
    await new Promise((resolve) => ended.once('close', resolve))
    expect(printed.trim().split('\n').sort()).toEqual(['after 5400000', 'the same models after 3600.000 s'])
    expect(admittedAt(server)).toEqual([0, 0, 1_800, 3_600, 3_600])
    expect(server.simulator.control.clock.status('default').isExact).toBe(true)
  },
)

it.skipIf(!hasPython)(`runs a module of Python by its name${skipped}`, async () => {
  const server = await serve()
  const env = {
    PATH: process.env['PATH'],
    PYTHONPATH,
    GREENROOM_URL: server.url,
    PYTHONDONTWRITEBYTECODE: '1',
  }
  const words = ['-m', 'hourly']
  const { stdout } = await promisify(execFile)('python3', words, { cwd: dirname(hourly), env })
  expect(stdout.trim()).toBe('the same models after 3600.000 s')
})

it.skipIf(!hasPython)(
  `lets the time-out of a connection of Python pass in virtual time${skipped}`,
  async () => {
    const server = await serve([{ match: { op: 'models.list' }, on: 1, fault: 'hang' }])
    const folder = folderWith({
      'patient.py': `
import os, time
from urllib.request import Request, urlopen
request = Request(os.environ["GREENROOM_URL"] + "/v1/models", headers={"Authorization": "Bearer sk-test"})
start = time.monotonic()
for timeout in (30, 60):
    try:
        print(urlopen(request, timeout=timeout).status, time.monotonic() - start)
    except TimeoutError as error:
        print(error, time.monotonic() - start)
`,
    })
    const printed = await run(server, 'python3', join(folder, 'patient.py'))
    expect(printed.split('\n')).toEqual(['timed out 30.0', '200 30.0'])
    expect(admittedAt(server)).toEqual([0, 30])
  },
)

it.skipIf(!hasPython)(
  `lets a program in Python sleep that has not read the body of an error${skipped}`,
  async () => {
    const server = await serve([{ match: { op: 'models.list' }, on: 1, respond: { status: 503 } }])
    const folder = folderWith({
      'unread.py': `
import os, time
from urllib.error import HTTPError
from urllib.request import Request, urlopen
request = Request(os.environ["GREENROOM_URL"] + "/v1/models", headers={"Authorization": "Bearer sk-test"})
try:
    urlopen(request)
except HTTPError as error:
    failure = error
    time.sleep(3600)
    print(failure.code, len(failure.read()) > 0, urlopen(request).status)
`,
    })
    expect(await run(server, 'python3', join(folder, 'unread.py'))).toBe('503 True 200')
    expect(admittedAt(server)).toEqual([0, 3600])
  },
)
