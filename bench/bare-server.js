// Bare node:http that answers every request with the bytes it was given: the yardstick.
import { createServer } from 'node:http'

/** @type {{ status: number, headers: [string, string][], body: string }} */
const answer = JSON.parse(process.env['ANSWER'] ?? '{"status":200,"headers":[],"body":""}')
const headers = Object.fromEntries(answer.headers)

const server = createServer({ keepAliveTimeout: 65_000 }, (_request, response) => {
  response.sendDate = false
  response.writeHead(answer.status, headers)
  response.end(answer.body)
})
server.listen(0, '127.0.0.1', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  process.stdout.write(`http://127.0.0.1:${port}\n`)
})
process.on('message', () => process.send?.(process.cpuUsage()))
