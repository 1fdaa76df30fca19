import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ownFolder } from '../folders.js'
import { here, startProgram, startScript } from '../servers.js'
import { textOf, textOfStream } from './text-of.js'

/** Whether the peers were installed: `npm ci --prefix bench`. */
export const peersAreThere = existsSync(here('node_modules/express'))

const hasJava = spawnSync('java', ['-version']).status === 0
const jars = {
  wiremock: here('node_modules/wiremock/build/wiremock-standalone-VERSION.jar'),
  'mockserver-node': here('node_modules/mockserver-node/mockserver-netty-VERSION-jar-with-dependencies.jar'),
}

/** @returns {Record<string, string>} the version of each package. */
export function peerVersions() {
  return JSON.parse(readFileSync(here('package.json'), 'utf8')).dependencies
}

/** Which peers take part, for readers of the figures. */
export function describePeers() {
  if (!peersAreThere) return 'Without the peers, which `npm ci --prefix bench` installs.'
  const names = Object.entries(peerVersions()).map(([name, version]) => `${name} ${version}`)
  const left = hasJava ? '' : ' Without WireMock and MockServer: there is no `java`.'
  return `Peers, in their newest versions for Node 20: ${names.join(', ')}.${left}`
}

/** @param {keyof typeof jars} name */
const jarOf = (name) => jars[name].replace('VERSION', peerVersions()[name] ?? '')

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
  const mockoon = () =>
    startProgram((port) => {
      const data = write('mockoon.json', mockoonFile(port, call, answer))
      const flags = ['--data', data, '--disable-log-to-file', '--disable-admin-api']
      return [process.execPath, here('node_modules/@mockoon/cli/bin/run.js'), 'start', ...flags]
    }, folder)
  const prism = () =>
    startProgram((port) => {
      const flags = ['-p', String(port), '-v', 'silent', write('openapi.json', openapiFile(call, answer))]
      return [process.execPath, here('node_modules/@stoplight/prism-cli/dist/index.js'), 'mock', ...flags]
    }, folder)
  const wiremock = () => {
    mkdirSync(join(folder, 'mappings'))
    write('mappings/answer.json', wiremockMapping(call, answer))
    return startProgram((port) => {
      const flags = ['--port', String(port), '--bind-address', '127.0.0.1', '--root-dir', folder]
      const quick = ['--disable-banner', '--disable-gzip', '--no-request-journal']
      return ['java', '-jar', jarOf('wiremock'), ...flags, ...quick, '--use-chunked-encoding', 'never']
    }, folder)
  }
  const starting = {
    ...(dialect && { aimock: startScript('peers/aimock-server.js', environment) }),
    'express + http-middleware': startScript('peers/msw-server.js', environment),
    ...(!isStream && { Mockoon: mockoon(), Prism: prism() }),
    ...(!isStream && hasJava && { WireMock: wiremock() }),
    ...(hasJava && { MockServer: startMockServer(dialect, call, answer) }),
  }
  const started = Object.entries(starting).map(async ([name, server]) => [name, await server])
  return Object.fromEntries(await Promise.all(started))
}

/**
 * @param {import('../operations.js').Call} call
 * @param {import('../operations.js').Answer} answer
 */
function wiremockMapping({ method, path }, { status, headers, body }) {
  const response = { status, body, headers: { 'Content-Type': headers['content-type'] } }
  return { request: { method, urlPath: path }, response }
}

/**
 * MockServer, with its mocking of language models where the answer is a text.
 *
 * @param {import('../operations.js').Operation['dialect']} dialect
 * @param {import('../operations.js').Call} call
 * @param {import('../operations.js').Answer} answer
 */
async function startMockServer(dialect, { method, path }, { status, headers, body, chunks }) {
  const server = await startProgram((port) => {
    const flags = ['-serverPort', String(port), '-logLevel', 'OFF']
    return ['java', '-Dmockserver.disableLogging=true', '-jar', jarOf('mockserver-node'), ...flags]
  }, ownFolder())
  const text = chunks ? textOfStream(chunks) : dialect && textOf(JSON.parse(body))
  const completion = { text, streaming: chunks !== undefined }
  const providers = { chat: 'OPENAI', gemini: 'GEMINI', messages: 'ANTHROPIC' }
  const action = dialect
    ? { httpLlmResponse: { provider: providers[dialect], model: 'sim-text-1', completion } }
    : {
        httpResponse: { statusCode: status, body, headers: { 'Content-Type': [headers['content-type']] } },
      }
  const expectation = { httpRequest: { method, path }, ...action }
  const response = await fetch(`${server.url}/mockserver/expectation`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify([expectation]),
  })
  if (!response.ok) throw new Error(`MockServer answered ${response.status}: ${await response.text()}`)
  return server
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
