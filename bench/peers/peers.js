import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ownFolder } from '../folders.js'
import { here, startProgram, startScript } from '../servers.js'

/** Whether the peers were installed: `npm ci --prefix bench`. */
export const peersAreThere = existsSync(here('node_modules/express'))

/**
 * Starts those who can give an answer to a call. What they can't express is left out.
 *
 * @param {import('../operations.js').Operation} operation
 * @param {import('../operations.js').Call} call
 * @param {import('../operations.js').Answer} answer
 * @returns {Promise<Record<string, import('../servers.js').ServerProcess>>}
 */
export async function startPeers({ isStream, dialect }, call, answer) {
  if (!peersAreThere) return {}
  const environment = { ANSWER: JSON.stringify(answer), CALL: JSON.stringify(call) }
  const folder = ownFolder()
  const write = (/** @type {string} */ name, /** @type {unknown} */ content) => {
    const path = join(folder, name)
    writeFileSync(path, JSON.stringify(content))
    return path
  }
  const path = (/** @type {number} */ port) => write(`mockoon-${port}.json`, mockoonFile(port, call, answer))
  return {
    ...(dialect && { aimock: await startScript('peers/aimock-server.js', environment) }),
    'express + http-middleware': await startScript('peers/msw-server.js', environment),
    ...(!isStream && {
      Mockoon: await startProgram((port) => {
        const flags = ['--disable-log-to-file', '--disable-admin-api']
        return [here('node_modules/@mockoon/cli/bin/run.js'), 'start', '--data', path(port), ...flags]
      }),
      Prism: await startProgram((port) => {
        const flags = ['-p', String(port), '-v', 'silent']
        const file = write('openapi.json', openapiFile(call, answer))
        return [here('node_modules/@stoplight/prism-cli/dist/index.js'), 'mock', ...flags, file]
      }),
    }),
  }
}

/**
 * @param {number} port
 * @param {import('../operations.js').Call} call
 * @param {import('../operations.js').Answer} answer
 */
function mockoonFile(port, { method, path }, { status, headers, body }) {
  const file = JSON.parse(readFileSync(here('peers/mockoon.json'), 'utf8'))
  const [route] = file.routes
  const [response] = route.responses
  Object.assign(file, { port })
  Object.assign(route, { method: method.toLowerCase(), endpoint: path.slice(1).replace(':', '\\:') })
  Object.assign(response, { statusCode: status, body })
  response.headers[0].value = headers['content-type']
  return file
}

/**
 * @param {import('../operations.js').Call} call
 * @param {import('../operations.js').Answer} answer
 */
function openapiFile({ method, path }, { body }) {
  const content = { 'application/json': { example: JSON.parse(body), schema: { type: 'object' } } }
  const requestBody = { content: { 'application/json': { schema: { type: 'object' } } } }
  const responses = { 200: { description: 'the answer', content } }
  const operation = method === 'GET' ? { responses } : { requestBody, responses }
  return {
    openapi: '3.0.3',
    info: { title: 'bench', version: '1' },
    paths: { [path]: { [method.toLowerCase()]: operation } },
  }
}
