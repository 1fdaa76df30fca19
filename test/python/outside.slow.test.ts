import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startServer } from '../../src/server/index.ts'
import { findPython, pythonFolder, pythonPrograms } from '../support/python.ts'

const python = findPython()

it.skipIf(!python).each([
  [
    'in_c.py',
    /process \d+ \(in_c\.py\) waits in a call that virtual time does not reach, such as one of a C library/,
  ],
  [
    'thread_in_c.py',
    /process \d+ \(thread_in_c\.py\) waits for a call outside of Python at .*thread_in_c\.py:9\b/,
  ],
])(
  'names a program in Python that waits in C, with what to do: %s',
  { timeout: 60_000 },
  async (program, why) => {
    const warnings: string[] = []
    const clock = { mode: 'auto', start: '2030-01-01' } as const
    const server = await startServer({ port: 0, clock, onWarning: (text) => warnings.push(text) })
    const env = { PATH: process.env['PATH'], GREENROOM_URL: server.url, PYTHONPATH: pythonFolder }
    const child = spawn(python!, [join(pythonPrograms, program)], { env, stdio: 'ignore' })
    onTestFinished(async () => {
      child.kill('SIGKILL')
      await server.close()
    })
    await expect.poll(() => warnings, { timeout: 50_000, interval: 250 }).toHaveLength(1)
    expect(warnings[0]).toMatch(why)
    expect(warnings[0]).toContain('Call the gateway by requests, httpx or aiohttp')
  },
)
