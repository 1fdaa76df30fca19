// One MSW handler behind Express, with the same answer.
import { createMiddleware } from '@mswjs/http-middleware'
import express from 'express'
import { http, HttpResponse } from 'msw'

const { status, headers, body, chunks } = JSON.parse(process.env['ANSWER'] ?? '{}')
const { method, path } = JSON.parse(process.env['CALL'] ?? '{}')
delete headers['content-length']
const handle = method === 'GET' ? http.get : http.post
const encoder = new TextEncoder()

const handler = handle(path.replaceAll(':', '\\:'), () => {
  if (!chunks) return new HttpResponse(body, { status, headers })
  const stream = new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(encoder.encode(chunk))
      controller.close()
    },
  })
  return new HttpResponse(stream, { status, headers })
})

const server = express()
  .use(createMiddleware(handler))
  .listen(0, '127.0.0.1', () => {
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
    process.stdout.write(`http://127.0.0.1:${port}\n`)
  })
