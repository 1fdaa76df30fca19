// Bare node:http that sends a number of bytes from memory: the baseline of downloads.
import { createServer } from 'node:http'

const bytes = Buffer.alloc(Number(process.env['BYTES']), 1)

const server = createServer({ keepAliveTimeout: 65_000 }, (_request, response) => {
  response.writeHead(200, { 'Content-Type': 'video/mp4', 'Content-Length': String(bytes.length) })
  response.end(bytes)
})
server.listen(0, '127.0.0.1', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  process.stdout.write(`http://127.0.0.1:${port}\n`)
})
