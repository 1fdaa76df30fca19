import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import axios from 'axios'
import got from 'got'
import nodeFetch from 'node-fetch'
import OpenAI from 'openai'
import superagent from 'superagent'
import { request as requestUndici } from 'undici'

/** A request that every client can send. */
export interface PlainRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Sent as JSON, by POST. */
  readonly json?: unknown
  /** Aborted when the client gives up. */
  readonly signal: AbortSignal
}

export interface PlainResponse {
  readonly status: number
  readonly body: Buffer
}

/** Sends a request and reads the whole response. Follows redirects, without retries. */
export type Client = (request: PlainRequest) => Promise<PlainResponse>

type Fetch = (url: string, init: RequestInit) => Promise<Response>

const methodOf = ({ json }: PlainRequest): 'GET' | 'POST' => (json === undefined ? 'GET' : 'POST')
const textOf = ({ json }: PlainRequest): string | undefined =>
  json === undefined ? undefined : JSON.stringify(json)
const headersOf = ({ headers, json }: PlainRequest): Record<string, string> =>
  json === undefined ? { ...headers } : { ...headers, 'content-type': 'application/json' }

async function sendByFetch(send: Fetch, request: PlainRequest): Promise<PlainResponse> {
  const init = { method: methodOf(request), headers: headersOf(request), signal: request.signal }
  const response = await send(request.url, { ...init, body: textOf(request) ?? null })
  return { status: response.status, body: Buffer.from(await response.arrayBuffer()) }
}

async function sendByAxios(request: PlainRequest, adapter: 'http' | 'fetch'): Promise<PlainResponse> {
  const { url, signal } = request
  const { status, data } = await axios.request<ArrayBuffer>({
    url,
    signal,
    adapter,
    method: methodOf(request),
    headers: headersOf(request),
    data: textOf(request),
    responseType: 'arraybuffer',
    proxy: false,
  })
  return { status, body: Buffer.from(data) }
}

function sendByHttp(request: PlainRequest): Promise<PlainResponse> {
  const { url, signal } = request
  return new Promise((resolve, reject) => {
    const read = (response: IncomingMessage): void => {
      const pieces: Buffer[] = []
      response.on('data', (piece: Buffer) => pieces.push(piece))
      response.on('error', reject)
      response.on('end', () => resolve({ status: response.statusCode!, body: Buffer.concat(pieces) }))
    }
    const options = { method: methodOf(request), headers: headersOf(request), signal, agent: false } as const
    // MSW replaces these methods, but not the named exports.
    const { request: send } = url.startsWith('https:') ? https : http
    send(url, options, read).on('error', reject).end(textOf(request))
  })
}

/** The clients of Node whose requests MSW intercepts. */
export const interceptedClients: Readonly<Record<string, Client>> = {
  fetch: (request) => sendByFetch(fetch, request),
  'http.request': sendByHttp,
  axios: (request) => sendByAxios(request, 'http'),
  'axios with its fetch adapter': (request) => sendByAxios(request, 'fetch'),
  async got(request) {
    const { url, signal } = request
    const body = textOf(request)
    const { statusCode, rawBody } = await got(url, {
      method: methodOf(request),
      headers: headersOf(request),
      ...(body !== undefined && { body }),
      signal,
      throwHttpErrors: false,
      retry: { limit: 0 },
    })
    return { status: statusCode, body: Buffer.from(rawBody) }
  },
  'node-fetch': (request) => sendByFetch(nodeFetch as unknown as Fetch, request),
  superagent(request) {
    const { url, signal } = request
    const call = superagent(methodOf(request), url)
      .set(headersOf(request))
      .ok(() => true)
      .redirects(5)
    return new Promise((resolve, reject) => {
      // An aborted superagent request never settles.
      const leave = (): void => reject(signal.reason as Error)
      call.on('abort', leave)
      signal.addEventListener('abort', () => {
        call.abort()
      })
      call
        .send(textOf(request))
        .buffer(true)
        .parse(superagent.parse['image']!)
        .end((error: Error | null, response) => {
          if (error) reject(error)
          else resolve({ status: response.status, body: response.body as Buffer })
        })
    })
  },
  /** The SDK with its default fetch. */
  async openai(request) {
    const { url, signal } = request
    const client = new OpenAI({ baseURL: new URL(url).origin, apiKey: 'sk-test', maxRetries: 0 })
    const { pathname } = new URL(url)
    const options = { headers: headersOf(request), signal, __binaryResponse: true, stream: false }
    const sent =
      request.json === undefined
        ? client.get<Response>(pathname, options)
        : client.post<Response>(pathname, { ...options, body: request.json as Record<string, unknown> })
    const response = await sent.asResponse()
    return { status: response.status, body: Buffer.from(await response.arrayBuffer()) }
  },
}

/** A client that MSW 2 doesn't intercept. */
export const undiciClient: Client = async (request) => {
  const { url, signal } = request
  const { statusCode, body } = await requestUndici(url, {
    method: methodOf(request),
    headers: headersOf(request),
    body: textOf(request) ?? null,
    signal,
  })
  return { status: statusCode, body: Buffer.from(await body.arrayBuffer()) }
}
