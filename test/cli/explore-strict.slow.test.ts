import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { folderWith, never, runIn, type Ran } from './run-in-folder.ts'

const good = fileURLToPath(new URL('../../examples/ci/client.js', import.meta.url))

function explore(
  client: string,
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  folder = folderWith({}),
): Promise<Ran> {
  const line = ['explore', '--jobs', '2', ...words, '--', process.execPath, client]
  return runIn(folder, line, { interrupted: never, environment })
}

it('fails if the budget ends before the first fault, and says how much was not tried', async () => {
  const budget = ['--only', 'rate limit', '--budget', '1ms']
  const early = await explore(good, budget)
  const isLast = /\nstopped early: 12 of 12 schedules were not tried; they would take about \S+s\n$/
  expect(early.printed).toMatch(isLast)
  expect(early.printed).not.toMatch(/score/i)
  expect(early.printed).toMatch(/^✗ explore: /)
  expect(early.warned).toContain(
    'error: Nothing was tried. The search ended before the first run with a fault. Raise --budget.',
  )
  expect(early.code).toBe(26)
  const whole = await explore(good, ['--only', '503', '--strict'])
  expect(whole.printed).toMatch(/\n {2}Score 100 of 100; \d+ runs: \d+ survived\n\n {2}found nothing\n$/)
  expect(whole.code).toBe(0)
}, 180_000)

/** Gives up at 503 in the first run that has one. */
const forgetful = `
import { writeFileSync } from 'node:fs'
const { GREENROOM_URL: url, GREENROOM_KEY: key } = process.env
for (;;) {
  const { status } = await fetch(url + '/v1/models', { headers: { authorization: 'Bearer ' + key } })
  if (status === 200) break
  try { writeFileSync('seen', '', { flag: 'wx' }) } catch { continue }
  process.exit(7)
}
`

it('fails for a flaky finding if it is strict, as in CI', async () => {
  const once = (words: readonly string[], environment?: Readonly<Record<string, string>>): Promise<Ran> => {
    const folder = folderWith({ 'client.mjs': forgetful })
    return explore('client.mjs', ['--only', '503', ...words], environment, folder)
  }
  const { code, printed } = await once([])
  expect(printed).toContain('GAVE UP (flaky): ')
  expect(code).toBe(0)
  expect((await once(['--strict'])).code).toBe(20)
  const { code: inCI, warned } = await once([], { CI: '1' })
  expect(inCI).toBe(20)
  expect(warned).toContain('hint: A flaky finding fails because CI is set. --no-strict lets it pass.')
  expect((await once(['--no-strict'], { CI: '1' })).code).toBe(0)
}, 180_000)

/** Submits again when a response has not come for a while in real time. */
const resubmitting = `
const { GREENROOM_URL: url, GREENROOM_KEY: key } = process.env
const headers = { authorization: 'Bearer ' + key, 'content-type': 'application/json' }
const body = JSON.stringify({ model: 'video-1', prompt: 'a kite', duration: 1, size: '128x96' })
const submit = () =>
  fetch(url + '/v1/video/generations', { method: 'POST', headers, body, signal: AbortSignal.timeout(6_000) })
const response = await submit().catch(submit)
console.log(response.ok)
`

it('gives a client the same time for its own deadlines whenever it repeats a run', async () => {
  const folder = folderWith({ 'client.mjs': resubmitting })
  const { code, printed } = await explore('client.mjs', ['--only', 'no answer'], {}, folder)
  expect(printed).toContain('PAID TWICE: The client submits again after a time-out')
  expect(printed).not.toContain('flaky')
  expect(code).toBe(20)
}, 180_000)
