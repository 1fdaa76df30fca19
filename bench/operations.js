/**
 * @typedef {{ method: string, path: string, body?: string, version?: string }} Call
 * @typedef {{ status: number, headers: Record<string, string>, body: string, chunks?: string[] }} Answer
 * @typedef {{ name: string, ready: (url: string) => Promise<Call> }} Example an API of examples/apis, and the same request to it.
 * @typedef {{ title: string, isStream?: boolean, isServed?: boolean, dialect?: 'chat' | 'gemini' | 'messages', ready: (url: string) => Promise<Call>, example?: Example }} Operation
 */

const headers = { authorization: 'Bearer sk-bench', 'content-type': 'application/json' }

/** Fifty tokens, so that a stream has fifty chunks. */
const say = `[[say: ${Array.from({ length: 50 }, (_, index) => (index % 2 ? 'and' : 'one')).join(' ')}]]`

/** @param {string} path @param {unknown} body @returns {Call} */
const post = (path, body) => ({ method: 'POST', path, body: JSON.stringify(body) })

/** What stands in a prompt where its number is to be; numbers are as long, so that lengths stay. */
const numberPlace = '000000'

const video = { model: 'video-1', prompt: `a paper boat in the rain, number ${numberPlace}` }
const prediction = { version: 'minimax/video-01', input: { prompt: video.prompt } }
const drawing = { prompt: `a paper boat in the rain, number ${numberPlace}` }
const chat = { model: 'sim-text-1', messages: [{ role: 'user', content: `Count ${numberPlace}. ${say}` }] }
const message = { ...chat, max_tokens: 500 }
const gemini = { contents: [{ role: 'user', parts: [{ text: `Count ${numberPlace}. ${say}` }] }] }

/** The requests of each section. Each that has a prompt has another one. @type {Record<string, Operation>} */
export const operations = {
  polls: {
    title: 'Polls of a video',
    isServed: true,
    ready: async (url) => {
      const { task_id: id } = await ask(url, post('/v1/video/generations', video))
      return { method: 'GET', path: `/v1/video/generations/${id}` }
    },
    example: {
      name: 'replicate',
      ready: async (url) => {
        const { id } = await ask(url, post('/v1/predictions', prediction))
        return { method: 'GET', path: `/v1/predictions/${id}` }
      },
    },
  },
  fetches: {
    title: 'Fetches of a drawing',
    ready: async (url) => {
      const { result } = await ask(url, post('/mj/submit/imagine', drawing))
      return { method: 'GET', path: `/mj/task/${result}/fetch` }
    },
  },
  submits: {
    title: 'Submits of a video',
    ready: async () => post('/v1/video/generations', video),
  },
  drawings: {
    title: 'Submits of a drawing',
    ready: async () => post('/mj/submit/imagine', drawing),
  },
  generate: {
    title: 'Texts, native',
    dialect: 'gemini',
    ready: async () => post('/v1beta/models/sim-text-1:generateContent', gemini),
  },
  chat: {
    title: 'Texts, as chats',
    dialect: 'chat',
    ready: async () => post('/v1/chat/completions', chat),
  },
  messages: {
    title: 'Texts, as messages',
    dialect: 'messages',
    ready: async () => ({ ...post('/v1/messages', message), version: '2023-06-01' }),
  },
  streams: {
    title: 'Streams of 50 chunks, as chats',
    isStream: true,
    dialect: 'chat',
    ready: async () => post('/v1/chat/completions', { ...chat, stream: true }),
  },
}

/** A call as it goes over the wire. @param {string} url @param {Call} call */
export function bytesOf(url, { method, path, body, version }) {
  const length = body === undefined ? '' : `Content-Length: ${Buffer.byteLength(body)}\r\n`
  const type = body === undefined ? '' : `Content-Type: ${headers['content-type']}\r\n`
  const ofVersion = version === undefined ? '' : `anthropic-version: ${version}\r\n`
  return (
    `${method} ${path} HTTP/1.1\r\nHost: ${new URL(url).host}\r\nAuthorization: ${headers.authorization}\r\n` +
    `${ofVersion}${type}${length}\r\n${body ?? ''}`
  )
}

let number = 0

/**
 * The requests of a contest: as they are, or with another number in the prompt each time.
 *
 * @param {string} url
 * @param {Call} call
 * @returns {string | (() => string)}
 */
export function requestsOf(url, call) {
  const bytes = bytesOf(url, call)
  const [before, after] = bytes.split(numberPlace)
  if (after === undefined) return bytes
  return () => `${before}${100_000 + (number++ % 900_000)}${after}`
}

/** What greenroom answers, for others to answer the same. @param {string} url @param {Call} call @returns {Promise<Answer>} */
export async function answerOf(url, { method, path, body, version }) {
  const all = { ...headers, ...(version !== undefined && { 'anthropic-version': version }) }
  const response = await fetch(url + path, { method, headers: all, ...(body !== undefined && { body }) })
  const text = await response.text()
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`)
  const perConnection = new Set(['connection', 'keep-alive', 'transfer-encoding'])
  const own = Object.fromEntries([...response.headers].filter(([name]) => !perConnection.has(name)))
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
  const chunks = isStream ? { chunks: text.split(/(?<=\n\n)/) } : {}
  return { status: response.status, headers: own, body: text, ...chunks }
}

/** @param {string} url @param {Call} call */
async function ask(url, call) {
  return JSON.parse((await answerOf(url, call)).body)
}
