// Bare node:http that answers every request with the bytes it was given, or chunk by chunk: the yardstick.
import { createServer } from 'node:http'

/** @type {{ status: number, headers: Record<string, string>, body: string, chunks?: string[] }} */
const answer = JSON.parse(process.env['ANSWER'] ?? '{"status":200,"headers":{},"body":""}')
const { status, headers, body, chunks } = answer

const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
  response.sendDate = false
  const write = () => {
    response.writeHead(status, headers)
    if (!chunks) return response.end(body)
    for (const chunk of chunks) response.write(chunk)
    return response.end()
  }
  if (request.method === 'GET') return void write()
  // The least that a server does that reads the request body.
  const parts = /** @type {Buffer[]} */ ([])
  request.on('data', (part) => parts.push(part))
  request.on('end', () => {
    JSON.parse(Buffer.concat(parts).toString())
    write()
  })
})
server.listen(0, '127.0.0.1', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  process.stdout.write(`http://127.0.0.1:${port}\n`)
})
