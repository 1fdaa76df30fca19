import assert from 'node:assert/strict'
import { once } from 'node:events'
import { afterEach, beforeEach, test } from 'node:test'
import { createMiddleware, createServer } from '@mswjs/http-middleware'
import express from 'express'
import { createSimulator } from 'greenroom'
import { setupServer } from 'msw/node'
import { makeVideo } from './video.js'

let sim
beforeEach(() => {
  sim = createSimulator()
})
afterEach(() => sim.close())

/** Makes a video and downloads it. The client verifies each byte. */
async function makeOne(baseUrl) {
  const { id, bytes } = await makeVideo('a red kite', { baseUrl, key: 'sk-test', sleep: sim.clock.sleep })
  assert.equal(sim.task(id).status, 'SUCCESS')
  assert.equal(Buffer.from(bytes.subarray(4, 8)).toString(), 'ftyp')
  await sim.assertVerdict()
}

/** Starts an Express application on a free port while work is done. */
async function whileListening(app, work) {
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    await work(`http://127.0.0.1:${server.address().port}`)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

test('serves the gateway in an application of your own', async () => {
  const app = express()
  app.use(createMiddleware(...sim.handlers()))
  app.get('/', (_request, response) => response.send('a page of your own'))
  await whileListening(app, async (url) => {
    await makeOne(url)
    assert.equal(await (await fetch(url)).text(), 'a page of your own')
  })
})

test('serves the gateway on a port', async () => {
  await whileListening(createServer(...sim.handlers()), makeOne)
})

test('answers every host in this process', async () => {
  const server = setupServer(...sim.handlers({ baseUrl: '*' }))
  server.listen()
  try {
    await makeOne('https://one.example')
    await makeOne('http://another.example:8080')
  } finally {
    server.close()
  }
})
