import { expect, it } from 'vitest'
import { folderWith, never, runIn, type Ran } from './run-in-folder.ts'

/** Reads the models, with this before and after each request. */
const reader = (before: string, after = ''): string => `
const { GREENROOM_URL: url, GREENROOM_KEY: key } = process.env
${before}
await (await fetch(url + '/v1/models', { headers: { authorization: 'Bearer ' + key } })).text()
${after}
`

const exploreSlow = (client: string, ...flags: string[]): Promise<Ran> =>
  explore('slow 40s', client, ...flags)

async function explore(only: string, client: string, ...flags: string[]): Promise<Ran> {
  const words = ['explore', '--only', only, '--jobs', '1', ...flags, '--', process.execPath, 'client.mjs']
  return runIn(folderWith({ 'client.mjs': client }), words, { interrupted: never })
}

it('judges no slow response of a command whose time-outs pass in real time', async () => {
  const { code, printed } = await exploreSlow(reader(''))
  expect(printed).toMatch(/slow 40s +–\n/)
  expect(printed).toContain('1 not judged')
  expect(printed).not.toContain('Score')
  expect(code).toBe(0)
  expect((await exploreSlow(reader(''), '--strict')).code).toBe(26)
}, 60_000)

it('judges that of a command with a deadline on the clock, or with virtual timers', async () => {
  const open = `const end = new AbortController()
await fetch(url + '/_greenroom/clock/deadline', { method: 'POST', body: '{"for":"1m"}', signal: end.signal })`
  for (const ran of [
    await exploreSlow(reader(open, 'end.abort()')),
    await exploreSlow(reader(''), '--virtual-timers', '--strict'),
  ]) {
    expect(ran.printed).toMatch(/slow 40s +✓\n/)
    expect(ran.printed).toContain('Score 100 of 100')
    expect(ran.code).toBe(0)
  }
}, 60_000)

/** Polls a task, and sleeps on the clock over HTTP, until `isLate` is true. */
const poller = (start: string): string => `
const { GREENROOM_URL: url, GREENROOM_KEY: key } = process.env
const headers = { authorization: 'Bearer ' + key, 'content-type': 'application/json' }
const call = async (path, body) => {
  const response = await fetch(url + path, { headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) })
  return response.json()
}
${start}
const { task_id: id } = await call('/v1/video/generations', { model: 'video-1', prompt: 'a kite' })
for (let status; status !== 'SUCCESS' && status !== 'FAILURE'; ) {
  if (Date.now() > until) process.exit(1)
  await call('/_greenroom/clock/sleep', { for: '10s' })
  status = (await call('/v1/video/generations/' + id)).data.status
}
`

it('does not accuse a command of polling forever whose deadline passes in real time', async () => {
  const { code, printed } = await explore('task stuck', poller('const until = Date.now() + 600_000'))
  expect(printed).toMatch(/stuck +–\n/)
  expect(printed).toContain('found nothing')
  expect(code).toBe(0)
}, 60_000)

it('finds that a command with deadlines on the clock polls forever', async () => {
  const open = `const end = new AbortController()
await fetch(url + '/_greenroom/clock/deadline', { method: 'POST', body: '{"for":"1m"}', signal: end.signal })
end.abort()
const until = Infinity`
  const { code, printed } = await explore('task stuck', poller(open))
  expect(printed).toContain('HUNG: The client polls a task forever.')
  expect(code).toBe(20)
}, 60_000)
