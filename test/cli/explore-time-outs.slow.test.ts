import { expect, it } from 'vitest'
import { folderWith, never, runIn, type Ran } from './run-in-folder.ts'

/** Reads the models, with this before and after each request. */
const reader = (before: string, after = ''): string => `
const { GREENROOM_URL: url, GREENROOM_KEY: key } = process.env
${before}
await (await fetch(url + '/v1/models', { headers: { authorization: 'Bearer ' + key } })).text()
${after}
`

async function exploreSlow(client: string, ...flags: string[]): Promise<Ran> {
  const words = [
    'explore',
    '--only',
    'slow 40s',
    '--jobs',
    '1',
    ...flags,
    '--',
    process.execPath,
    'client.mjs',
  ]
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
