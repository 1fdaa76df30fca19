import { mkdirSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { folderWith, never, node, runIn } from '../../cli/run-in-folder.ts'

/** An API whose keys have a form and places of their own. */
const definition = (reply = '{ status }'): string => `
import { defineApi, poll, submit, z } from 'greenroom/api'
export default defineApi({
  name: 'acme',
  states: { queue: 'waiting', work: 'drawing', success: 'ready', failure: 'broken' },
  timing: { queued: 0, render: 0 },
  keys: { like: /^acme_\\w{19}$/, headers: ['x-acme'], schemes: ['Acme'], query: 'who' },
  error: ({ message }) => ({ oops: message }),
  operations: {
    create: submit({
      route: 'POST /acme/jobs',
      body: z.object({ text: z.string() }),
      job: ({ body }) => ({ model: 'acme-1', prompt: body.text }),
      reply: ({ id }) => ({ id }),
    }),
    get: poll({ route: 'GET /acme/jobs/{id}', reply: ({ status }) => (${reply}) }),
  },
})`

/** Sends its key in each of the places. */
const client = `
const { GREENROOM_URL: url } = process.env
const key = 'acme_SecretOfAnAccount01'
const type = { 'content-type': 'application/json' }
const make = async (text, query, headers) => {
  const init = { method: 'POST', headers: { ...headers, ...type }, body: JSON.stringify({ text }) }
  const { id } = await (await fetch(url + '/acme/jobs' + query, init)).json()
  return (await fetch(url + '/acme/jobs/' + id + query, { headers })).json()
}
const polls = [
  await make('a red kite', '', { 'x-acme': key }),
  await make('a blue boat', '?who=' + key, {}),
  await make('a green hill', '', { authorization: 'Acme ' + key }),
]
if (polls.some(({ status }) => status !== 'ready')) throw new Error(JSON.stringify(polls))`

const environment = { PATH: process.env['PATH'] }

it('replays, shows and explains a recording of an API of a user, wherever the files are moved together', async () => {
  const folder = folderWith({ 'acme.ts': definition(), 'client.mjs': client })
  mkdirSync(join(folder, 'runs'))
  const run = (words: readonly string[], at = folder) => runIn(at, words, { interrupted: never, environment })
  const journal = 'runs/it.jsonl'
  const ran = await run(['run', '--api', './acme.ts', '--journal', journal, ...node('client.mjs')])
  expect([ran.code, ran.warned]).toEqual([0, ''])

  const text = readFileSync(join(folder, journal), 'utf8')
  expect(text.split('\n')[0]).toContain('"apis":["../acme.ts"]')
  expect(text).not.toContain('Secret')

  const moved = join(folderWith({}), 'moved')
  renameSync(folder, moved)
  const refused = await run(['replay', journal], moved)
  expect([refused.code, refused.warned]).toEqual([
    22,
    expect.stringContaining('Pass it by --api ../acme.ts.'),
  ])
  const api = ['--api', './acme.ts']
  const replayed = await run(['replay', journal, ...api], moved)
  expect([replayed.code, replayed.warned]).toEqual([0, ''])
  expect(replayed.printed).toContain('6 of 6 exchanges were decided as before')
  const judged = await run(['show', journal, ...api], moved)
  expect([judged.code, judged.warned]).toEqual([0, ''])
  expect(judged.printed).toContain('auth-on-every-call ×6')
  expect((await run(['explain', '1', '--journal', journal, ...api], moved)).printed).toContain('acme.create')
})

it('says which exchanges another definition decides otherwise', async () => {
  const folder = folderWith({ 'acme.ts': definition(), 'client.mjs': client })
  const run = (...words: string[]) => runIn(folder, words, { interrupted: never, environment })
  await run('run', '--api', './acme.ts', '--journal', 'it.jsonl', ...node('client.mjs'))
  const changed = folderWith({
    'acme.ts': definition('{ state: status }'),
    'it.jsonl': readFileSync(join(folder, 'it.jsonl')),
  })
  const { code, printed } = await runIn(changed, ['replay', 'it.jsonl', '--api', './acme.ts'])
  expect(code).not.toBe(0)
  expect(printed).toContain('3 of 6 exchanges were decided as before, 3 otherwise')
})
