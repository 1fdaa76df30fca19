import { contest, howContestsGo, table } from '../contest.js'
import { answerOf, operations, requestsOf } from '../operations.js'
import { startPeers } from '../peers/peers.js'
import { startScript } from '../servers.js'

/**
 * Asks the same of greenroom, of bare node:http that writes the same bytes, and of the peers that can answer it.
 *
 * @param {string} name of the operation.
 * @returns {Promise<string>}
 */
export async function measureThroughput(name) {
  const operation = operations[name]
  if (!operation) throw new Error(`there is no operation ${name}`)
  const greenroom = await startScript('greenroom-server.js')
  const call = await operation.ready(greenroom.url)
  const answer = await answerOf(greenroom.url, call)
  const bare = await startScript('bare-server.js', { ANSWER: JSON.stringify(answer) })
  const servers = { bare, greenroom, ...(await startPeers(operation, call, answer)) }
  try {
    const results = await contest(servers, (url) => requestsOf(url, call, operation))
    return `## ${operation.title}\n\n${howContestsGo}\n\n${table(results)}\n`
  } finally {
    for (const server of Object.values(servers)) server.stop()
  }
}
