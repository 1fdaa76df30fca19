import { readFileSync } from 'node:fs'
import { request } from 'node:http'

/** A client in a process of its own: what it computes is not part of what the server is measured for. */
process.on('message', ({ url, method, headers, bodyFile }) => {
  const body = bodyFile === undefined ? undefined : readFileSync(bodyFile)
  const sent = request(url, {
    method,
    agent: false,
    headers: { ...headers, ...(body && { 'content-length': body.length }) },
  })
  sent.on('error', (error) => process.send?.({ error: String(error) }))
  sent.on('response', (response) => {
    let bytes = 0
    let beginning = ''
    response.on('data', (chunk) => {
      bytes += chunk.length
      if (beginning.length < 4_000) beginning += chunk.toString('utf8')
    })
    response.on('close', () => process.send?.({ status: response.statusCode, bytes, beginning }))
  })
  sent.end(body)
})
