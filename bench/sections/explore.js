import { createHash } from 'node:crypto'
import { explore } from '../../dist/index.js'
import { cellOf } from '../figures.js'
import { measureExploredCommand } from './explore-command.js'

const rounds = 3

/** The examples have no types. */
const exampleUrl = (/** @type {string} */ name) =>
  new URL(`../../examples/vitest/${name}`, import.meta.url).href

/** How many schedules an exploration plays per second of processor time, with clients in which it finds nothing. */
export async function measureExploration() {
  const { makeVideo } = await import(exampleUrl('video.js'))
  const { talk } = await import(exampleUrl('talk.js'))
  /** @type {Record<string, import('../../dist/index.js').ExploredClient<unknown>>} */
  const clients = {
    'a video: submit, poll, download': (gateway) => makeVideo('a red kite', gateway),
    'a drawing: imagine, poll, upscale, poll, download': (gateway) => draw('a red kite', gateway),
    'a streamed text': (gateway) => talk('Why do kites fly?', gateway),
  }
  const rows = []
  for (const [name, client] of Object.entries(clients)) {
    const rates = []
    let schedules = 0
    for (let round = 0; round <= rounds; round++) {
      const before = process.cpuUsage()
      const { cells } = await explore(client, { budget: '5m' })
      const { user, system } = process.cpuUsage(before)
      schedules = cells.length
      if (round > 0) rates.push((schedules * 1e6) / (user + system))
    }
    rows.push(`| ${name} | ${schedules} | ${cellOf(rates, '/s')} |`)
  }
  return `\`explore(client)\` in process: each schedule is one run of the client with one fault, on a simulator of its own.

| client | schedules | per second of processor time |
|---|---|---|
${rows.join('\n')}

${measureExploredCommand()}`
}

/**
 * A client of drawings that handles every fault.
 * @param {string} prompt
 * @param {import('../../dist/index.js').ExploredGateway} gateway
 */
async function draw(prompt, { fetch, sleep, baseUrl, key }) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  let waitedMs = 0
  /** @param {number} ms */
  const wait = async (ms) => {
    waitedMs += ms
    if (waitedMs > 900_000) throw new Error('gave up after 15 minutes')
    await sleep(ms)
  }
  /** @param {string} message */
  const failure = (message, isTemporary = true, retryAfterMs = 0) =>
    Object.assign(new Error(message), { isTemporary, retryAfterMs })
  /**
   * @template T
   * @param {string} path
   * @param {(response: Response) => Promise<T>} read
   * @param {object} [body] of a submission, which is only repeated if it was refused
   */
  const send = async (path, read, body) => {
    for (let failures = 1; ; failures++) {
      try {
        const init = body && { method: 'POST', body: JSON.stringify(body) }
        const response = await fetch(baseUrl + path, {
          headers,
          signal: AbortSignal.timeout(30_000),
          ...init,
        })
        if (!response.ok) {
          const after = response.headers.get('retry-after') ?? '0'
          const afterMs = /^\d+$/.test(after) ? Number(after) * 1_000 : Date.parse(after) - Date.now()
          throw failure(
            `${path} returned ${response.status}`,
            response.status === 429 || response.status >= 500,
            afterMs,
          )
        }
        return await read(response)
      } catch (error) {
        const { isTemporary, retryAfterMs = 0 } = /** @type {ReturnType<typeof failure>} */ (error)
        if (failures === 5 || !(isTemporary ?? body === undefined)) throw error
        await wait(Math.max(1_250 * 2 ** failures, retryAfterMs))
      }
    }
  }
  /** @param {string} path @param {object} body */
  const submit = (path, body) =>
    send(
      path,
      async (response) => {
        const { code, description, result } = await response.json()
        if (code !== 1 && code !== 22) throw failure(`${description}: code ${code}`, code === 23)
        return result
      },
      body,
    )
  /** @param {string} id */
  const finish = async (id) => {
    for (;;) {
      await wait(5_000)
      const task = await send(`/mj/task/${id}/fetch`, (response) => response.json())
      if (task.status === 'FAILURE')
        throw new Error(task.failReason || `drawing ${id} failed without a reason`)
      if (task.status === 'SUCCESS') return task
    }
  }
  const grid = await finish(await submit('/mj/submit/imagine', { prompt }))
  const { customId } = grid.buttons.find((/** @type {{ label: string }} */ { label }) => label === 'U1')
  const single = await finish(await submit('/mj/submit/action', { taskId: grid.id, customId }))
  return send(new URL(single.imageUrl).pathname, async (response) => {
    const bytes = new Uint8Array(await response.arrayBuffer())
    const digest = response.headers.get('etag')?.replaceAll('"', '')
    if (createHash('sha256').update(bytes).digest('hex') !== digest)
      throw failure('the drawing arrived damaged')
    return bytes
  })
}
