import { execFile, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { startServer, type RunningServer } from '../../src/server/index.ts'
import { folderWith, never, runIn } from '../cli/run-in-folder.ts'
import { findPython, pythonFolder, pythonPrograms } from '../support/python.ts'

const python = findPython()
const test = it.skipIf(!python)

async function serve(mode: 'auto' | 'manual' = 'auto'): Promise<RunningServer> {
  const server = await startServer({ port: 0, clock: { start: '2030-01-01', mode } })
  onTestFinished(() => server.close())
  return server
}

/** A folder with modules of Python, by their paths. */
function modules(files: Readonly<Record<string, string>>): string {
  const folder = folderWith({})
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return folder
}

/** Runs a program of a few lines. @param path further folders of modules. */
async function runLines(
  url: string,
  lines: readonly string[],
  ...path: readonly string[]
): Promise<{ stdout: string; stderr: string }> {
  const PYTHONPATH = [pythonFolder, ...path].join(':')
  const env = { PATH: process.env['PATH'], GREENROOM_URL: url, PYTHONPATH }
  return promisify(execFile)(python!, ['-c', lines.join('\n')], { env, timeout: 50_000 })
}

test('runs the sitecustomize of the program, too', async () => {
  const folder = modules({ 'sitecustomize.py': 'import builtins\nbuiltins.answer = 42\n' })
  const { url } = await serve()
  const lines = ['import sitecustomize, time', 'time.sleep(3600)', 'print(answer, sitecustomize.__file__)']
  const { stdout, stderr } = await runLines(url, lines, folder)
  expect([stdout, stderr]).toEqual([`42 ${folder}/sitecustomize.py\n`, ''])
})

test('runs the sitecustomize of the program without a simulator, too', async () => {
  const folder = modules({ 'sitecustomize.py': 'print("mine")\n' })
  const { stdout, stderr } = await runLines('', ['print("done")'], folder)
  expect([stdout, stderr]).toEqual(['mine\ndone\n', ''])
})

test('says in a line that no simulator is there, and waits in real time', async () => {
  const lines = [
    'import time',
    'start = time.time()',
    'time.sleep(0.2)',
    'print(0.2 <= time.time() - start < 20)',
  ]
  const { stdout, stderr } = await runLines('http://127.0.0.1:1', lines)
  expect(stdout).toBe('True\n')
  expect(stderr).toMatch(
    /^greenroom: no virtual time, because no simulator is at GREENROOM_URL, .*refused\n$/,
  )
})

test('goes on in real time when the simulator ends in the middle of waits', async () => {
  const server = await serve('manual')
  const program = [
    'import asyncio, queue, threading, time',
    'threading.Thread(target=time.sleep, args=(0.3,)).start()',
    'try: queue.Queue().get(timeout=0.2)',
    'except queue.Empty: pass',
    'asyncio.run(asyncio.sleep(0.2))',
    'print("done")',
  ]
  const env = { PATH: process.env['PATH'], GREENROOM_URL: server.url, PYTHONPATH: pythonFolder }
  const child = spawn(python!, ['-c', program.join('\n')], { env })
  let printed = ''
  child.stdout.on('data', (bytes: Buffer) => void (printed += bytes.toString()))
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const { clock } = server.simulator.control
  await expect.poll(() => clock.status('default').waiters, { timeout: 20_000 }).toBe(2)
  await server.close()
  expect([await ended, printed]).toEqual([0, 'done\n'])
})

test.each([
  ['gevent', 'gevent/__init__.py', 'gevent waits outside of Python.'],
  ['eventlet', 'eventlet/__init__.py', 'eventlet replaces sockets and sleeps with its own.'],
  ['grpc._cython.cygrpc', 'grpc/_cython/cygrpc.py', 'grpc waits outside of Python.'],
  ['pycurl', 'pycurl.py', 'pycurl waits outside of Python.'],
  ['psycopg2._psycopg', 'psycopg2/_psycopg.py', 'psycopg2 waits for its database outside of Python.'],
  ['psycopg_c', 'psycopg_c.py', 'psycopg waits for its database outside of Python.'],
])('says at the import of %s that it waits in real time', async (name, path, warning) => {
  const { url } = await serve()
  const { stderr } = await runLines(url, [`import ${name}`, `import ${name}`], modules({ [path]: '' }))
  expect(stderr.trimEnd().split('\n')).toEqual([expect.stringContaining(`greenroom: ${warning}`)])
  expect(stderr).toContain('virtual time does not move meanwhile')
})

test('replaces uvloop by the event loop of asyncio, and says so', async () => {
  const { url } = await serve()
  const folder = modules({ 'uvloop/__init__.py': 'def install(): raise SystemExit("not replaced")\n' })
  const lines = [
    'import asyncio, uvloop',
    'uvloop.install()',
    'uvloop.run(asyncio.sleep(3600))',
    'print("done")',
  ]
  const { stdout, stderr } = await runLines(url, lines, folder)
  expect([stdout, stderr]).toEqual([
    'done\n',
    'greenroom: uvloop waits outside of Python. The event loop of asyncio is used instead.\n',
  ])
})

test('reports approximate timing of equal processes that share a queue', { timeout: 60_000 }, async () => {
  const folder = folderWith({})
  const report = ['run', '--virtual-timers', '--no-strict', '--report', 'json=report.json']
  const words = [...report, '--', python!, join(pythonPrograms, 'shared_queue.py')]
  const environment = { PATH: process.env['PATH'] }
  const { code, warned } = await runIn(folder, words, { interrupted: never, environment })
  expect(code, warned).toBe(0)
  const { verdicts } = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')) as {
    verdicts: { timing: string; requests: number }[]
  }
  expect(verdicts).toMatchObject([{ timing: 'approximate', requests: 6 }])
})
