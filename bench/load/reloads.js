// A scenario that is edited while clients work, every fifth time into a broken one: is a task lost, or a change?
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { aim, call, count, folder, headers, isAlive, load, say, serve, sleep, until } from './common.js'

const edits = count('EDITS', 60)
const clients = 8
const path = join(folder(), 'story.yaml')
/** Each edit has a status of its own, so that a request shows which one is in force. */
const scenario = (/** @type {number} */ edit) =>
  `version: 1\nrules:\n  - { id: edit-${edit}, match: { op: models.list }, respond: { status: ${430 + edit} } }\n`
const broken = 'version: 1\nrules:\n  - { id: edit, match: { op: models.lisst } }\n'
writeFileSync(path, scenario(0))
const server = await serve(['--scenario', path, '--cache-dir', 'false', '--timing', 'instant'])
const statusOf = async () => (await fetch(`${server.url}/v1/models`, { headers })).status

const tasks = /** @type {Set<string>} */ (new Set())
const failures = /** @type {string[]} */ ([])
let isOver = false
async function work(/** @type {number} */ client) {
  for (let number = 0; !isOver; number++) {
    try {
      const video = { model: 'video-1', prompt: `kite ${client} ${number}` }
      const { task_id: id } = await call(`${server.url}/v1/video/generations`, video)
      if (tasks.has(id)) failures.push(`${id} came twice`)
      tasks.add(id)
      await call(`${server.url}/v1/video/generations/${id}`)
    } catch (error) {
      failures.push(String(error))
    }
    await sleep(2)
  }
}
const working = Array.from({ length: clients }, (_, client) => work(client))

let taken = 0
let stayed = 0
let reported = 0
let current = 430
for (let edit = 1; edit <= edits; edit++) {
  if (edit % 5 === 0) {
    const before = server.output().length
    // As an editor that writes in several steps.
    writeFileSync(path, broken.slice(0, 30))
    await sleep(20)
    writeFileSync(path, broken)
    if (await until(() => server.output().slice(before).includes(`${path}:3:30: `), 5_000)) reported++
    if ((await statusOf()) === current) stayed++
  } else {
    writeFileSync(path, scenario(edit))
    current = 430 + edit
    if (await until(async () => (await statusOf()) === current, 5_000)) taken++
  }
}
isOver = true
await Promise.all(working)
const listed = new Set(
  (await call(`${server.url}/_greenroom/tasks`)).map((/** @type {{ id: string }} */ { id }) => id),
)
const lost = [...tasks].filter((id) => !listed.has(id))
const invalid = Math.floor(edits / 5)
say(`${load()}; ${tasks.size} tasks of ${clients} clients during ${edits} edits`)
aim(
  lost.length === 0 && failures.length === 0,
  `${lost.length} tasks lost, ${failures.length} requests failed ${failures.slice(0, 3).join('; ')}`,
)
aim(taken === edits - invalid, `${taken} of ${edits - invalid} valid edits are in force`)
aim(
  reported === invalid && stayed === invalid,
  `${reported} of ${invalid} invalid ones are reported with file, line and column; the old rules stay ${stayed} times`,
)
aim(isAlive(server), 'the server is well')
await server.stop()
