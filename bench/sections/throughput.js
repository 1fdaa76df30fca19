import { contest, howContestsGo, table } from '../contest.js'
import { ownFolder } from '../folders.js'
import { answerOf, requestsOf } from '../operations.js'
import { startPeers } from '../peers/peers.js'
import { startScript, startServe } from '../servers.js'

/**
 * Sends the same to greenroom, to bare node:http that writes the same bytes, and to the peers that can answer it.
 *
 * @param {import('../operations.js').Operation} operation
 * @returns {Promise<string>}
 */
export async function measureThroughput(operation) {
  const greenroom = await startScript('greenroom-server.js')
  /** @type {Record<string, import('../servers.js').ServerProcess>} */
  let servers = { greenroom }
  try {
    const call = await operation.ready(greenroom.url)
    const answer = await answerOf(greenroom.url, call)
    const bare = await startScript('bare-server.js', { ANSWER: JSON.stringify(answer) })
    servers = { bare, greenroom }
    if (operation.isServed) {
      const served = await startServe(ownFolder())
      servers['greenroom serve'] = served
      // The same seed gives the first task the same id.
      if ((await operation.ready(served.url)).path !== call.path) throw new Error('the ids of tasks differ')
    }
    /** @type {Map<string, import('../operations.js').Call>} */
    const ownCalls = new Map()
    if (operation.example) {
      const { name, ready } = operation.example
      const own = await startScript('greenroom-server.js', { EXAMPLE: name })
      servers[`${name}, by defineApi`] = own
      ownCalls.set(own.url, await ready(own.url))
    }
    Object.assign(servers, await startPeers(operation, call, answer))
    const results = await contest(servers, (url) => requestsOf(url, ownCalls.get(url) ?? call))
    const each = call.method === 'POST' ? ' Each request has another prompt.' : ''
    return `${howContestsGo}${each}\n\n${table(results)}`
  } finally {
    for (const server of Object.values(servers)) server.stop()
  }
}
