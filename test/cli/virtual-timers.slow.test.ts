import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { startServer } from '../../src/server/index.ts'
import { folderWith, never, runIn } from './run-in-folder.ts'

const preload = pathToFileURL(fileURLToPath(new URL('../../dist/virtual-timers.js', import.meta.url))).href

/** Runs a program on the clock of a server. */
async function runProgram(
  program: string,
  { rules = [] }: { rules?: object[] } = {},
): Promise<{ printed: string; elapsedMs: number }> {
  const server = await startServer({ port: 0, clock: { mode: 'auto' }, rules: rules as never })
  const folder = mkdtempSync(join(tmpdir(), 'greenroom-test-'))
  onTestFinished(async () => {
    rmSync(folder, { recursive: true, force: true })
    await server.close()
  })
  const path = join(folder, 'program.mjs')
  writeFileSync(path, program)
  const { clock } = server.simulator.control
  const start = clock.now('default')
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', preload, path], {
    env: { PATH: process.env['PATH'], GREENROOM_URL: server.url },
  })
  return { printed: stdout.trim(), elapsedMs: clock.now('default') - start }
}

it('lets a program that sleeps for hours end at once', async () => {
  const { printed, elapsedMs } = await runProgram(`
    import { promisify } from 'node:util'
    import { setTimeout as sleep } from 'node:timers/promises'
    const start = Date.now()
    await new Promise((resolve) => setTimeout(resolve, 3_600_000))
    await sleep(60_000)
    await promisify(setTimeout)(30_000)
    console.log(Math.round((Date.now() - start) / 1_000), new Date().getUTCFullYear(), new Date() instanceof Date)
  `)
  expect(printed).toBe('3690 2030 true')
  expect(elapsedMs).toBe(3_690_000)
})

it('repeats an interval until it is cleared', async () => {
  const { printed, elapsedMs } = await runProgram(`
    let count = 0
    const interval = setInterval((name) => {
      if (++count < 3) return
      clearInterval(interval)
      console.log(name, count)
    }, 10_000, 'tick')
  `)
  expect(printed).toBe('tick 3')
  expect(elapsedMs).toBe(30_000)
})

it('runs timers in the order of their time, and never those that are cleared', async () => {
  const { printed, elapsedMs } = await runProgram(`
    const order = []
    const cleared = setTimeout(() => order.push('cleared'), 2_000)
    setTimeout(() => order.push('third'), 3_000)
    setTimeout(() => { order.push('first'); clearTimeout(cleared) }, 1_000)
    const late = setTimeout(() => console.log(order.join()), 1_000)
    setTimeout(() => late.refresh(), 900)
    setTimeout(() => late.refresh(), 1_800)
    setTimeout(() => late.refresh(), 2_700)
  `)
  expect(printed).toBe('first,third')
  expect(elapsedMs).toBe(3_700)
})

it.each([
  ['AbortSignal.timeout', 'const signal = AbortSignal.timeout(30_000)'],
  [
    'a timer that aborts',
    'const abort = new AbortController(); const { signal } = abort; setTimeout(() => abort.abort(), 30_000)',
  ],
])('ends a request that hangs by %s', async (_name, code) => {
  const rules = [{ match: { op: 'models.list' }, attempts: ['hang'] }]
  const { printed, elapsedMs } = await runProgram(
    `
    ${code}
    const headers = { authorization: 'Bearer sk-test' }
    await fetch(process.env.GREENROOM_URL + '/v1/models', { headers, signal }).catch(({ name }) => console.log(name))
  `,
    { rules },
  )
  expect(printed).toMatch(/^(?:TimeoutError|AbortError)$/)
  expect(elapsedMs).toBe(30_000)
})

it('moves no time while a program computes, reads files, or waits for another process', async () => {
  const { printed, elapsedMs } = await runProgram(`
    import { execFile } from 'node:child_process'
    import { createHash } from 'node:crypto'
    import { readFile } from 'node:fs/promises'
    import { promisify } from 'node:util'
    const timeout = setTimeout(() => console.log('too late'), 1_000)
    for (let count = 0; count < 200; count++) createHash('sha256').update(await readFile(process.execPath)).digest()
      && count === 3 && (count = 200)
    await promisify(execFile)(process.execPath, ['-e', 'setTimeout(() => {}, 300)'])
    clearTimeout(timeout)
    console.log('in time')
  `)
  expect(printed).toBe('in time')
  expect(elapsedMs).toBe(0)
})

it('does not let timers without a reference keep a program alive', async () => {
  const { elapsedMs } = await runProgram(`
    setTimeout(() => {}, 60_000).unref()
    setTimeout(() => {}, 5_000)
  `)
  expect(elapsedMs).toBe(5_000)
})

it('lets a program that has printed end although it has timers without a reference', async () => {
  const { printed, elapsedMs } = await runProgram(`
    setTimeout(() => {}, 60_000).unref()
    setTimeout(() => console.log('over'), 5_000)
  `)
  expect(printed).toBe('over')
  expect(elapsedMs).toBe(5_000)
})

it('waits for a Retry-After in virtual time with node:http', async () => {
  const rules = [{ match: { op: 'models.list' }, on: 1, respond: { status: 429, retryAfter: '20s' } }]
  const { printed, elapsedMs } = await runProgram(
    `
    import { get } from 'node:http'
    const headers = { authorization: 'Bearer sk-test' }
    const request = () => new Promise((resolve) => get(process.env.GREENROOM_URL + '/v1/models', { headers }, (response) => {
      response.resume().once('end', () => resolve(response))
    }))
    const refused = await request()
    await new Promise((resolve) => setTimeout(resolve, 1_000 * refused.headers['retry-after']))
    console.log(refused.statusCode, (await request()).statusCode)
  `,
    { rules },
  )
  expect(printed).toBe('429 200')
  expect(elapsedMs).toBe(20_000)
})

it('says what is missing without a simulator', async () => {
  const run = promisify(execFile)(process.execPath, ['--import', preload, '-e', ''], {
    env: { PATH: process.env['PATH'], GREENROOM_URL: 'http://127.0.0.1:9' },
  })
  await expect(run).rejects.toThrow(
    /GREENROOM_URL is http:\/\/127\.0\.0\.1:9: connect ECONNREFUSED .*Start one there/,
  )
})

it('puts a command on the clock with --virtual-timers, and names the flag in the line that repeats the run', async () => {
  const folder = folderWith({
    'slow.yaml': 'version: 1\nexpect: { requests: [{ op: models.list, count: 2 }] }\n',
    'client.mjs': `
      const list = () => fetch(process.env.GREENROOM_URL + '/v1/models', { headers: { authorization: 'Bearer ' + process.env.GREENROOM_KEY } })
      await (await list()).text()
      await new Promise((resolve) => setTimeout(resolve, 600_000))
      await (await list()).text()
    `,
  })
  const { code, printed } = await runIn(
    folder,
    [
      'run',
      '--virtual-timers',
      'slow.yaml',
      '--report',
      'json=report.json',
      '--',
      process.execPath,
      'client.mjs',
    ],
    { interrupted: never, environment: { PATH: process.env['PATH'] } },
  )
  expect(printed).toContain('2 requests in 10m')
  expect(code).toBe(0)
})

it('names --virtual-timers after a run whose client sleeps in real time', { timeout: 20_000 }, async () => {
  const list = `await (await fetch(process.env.GREENROOM_URL + '/v1/models', { headers: { authorization: 'Bearer ' + process.env.GREENROOM_KEY } })).text()`
  const folder = folderWith({
    'slow.yaml': 'version: 1\nexpect: { requests: [{ op: models.list, count: 2 }] }\n',
    'client.mjs': `${list}; await new Promise((resolve) => setTimeout(resolve, 3_100)); ${list}`,
  })
  const words = ['run', 'slow.yaml', '--', process.execPath, 'client.mjs']
  const { warned } = await runIn(folder, words, {
    interrupted: never,
    environment: { PATH: process.env['PATH'] },
  })
  expect(warned).toMatch(
    /^hint: The client slept 3s of real time\. If it is a Node or Python program, --virtual-timers /m,
  )
})
