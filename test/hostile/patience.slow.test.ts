import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { openWatched } from './open.ts'
import { answersIn, sendRaw } from './raw.ts'

const auth = 'Host: a\r\nAuthorization: Bearer sk-test\r\n'
const poll = `GET /v1/video/generations/task_x HTTP/1.1\r\n${auth}\r\n`
const submit = `POST /v1/video/generations HTTP/1.1\r\n${auth}Content-Type: application/json\r\n`
const chat = `POST /v1/chat/completions HTTP/1.1\r\n${auth}Content-Type: application/json\r\n`

/** A client that sends and reads only on command, and never closes its connection. */
function rude(url: string): Socket {
  const { hostname, port } = new URL(url)
  return connect({ host: hostname, port: Number(port), allowHalfOpen: true }).on('error', () => {})
}

const statusesOf = (bytes: Buffer): number[] => answersIn(bytes).map(({ status }) => status)

it('ends the wait for headers that come too slowly', async () => {
  await using server = await openWatched({}, { headersMs: 100, requestMs: 100, everyMs: 20 })
  const { bytes, closed } = await sendRaw(server.url, ['GET / HTTP/1.1\r\n', 'Host: a\r\n'], { end: false })
  expect([closed, statusesOf(bytes)]).toEqual([true, [408]])
})

it('ends the wait for a body that comes too slowly, and notes that its client went without an answer', async () => {
  await using server = await openWatched({}, { headersMs: 1_000, requestMs: 1_500, everyMs: 20 })
  const sent = [`${submit}Content-Length: 1000\r\n\r\n{`, '"model"', ':']
  const { bytes, closed } = await sendRaw(server.url, sent, { end: false })
  expect([closed, statusesOf(bytes)]).toEqual([true, [408]])
  await expect.poll(() => server.sim.journal()).toMatchObject([{ outcome: 'aborted' }])
  expect(server.mistakes).toEqual([])
})

it('closes an idle connection', async () => {
  await using server = await openWatched({}, { idleMs: 100 })
  const { bytes, closed } = await sendRaw(server.url, [poll], { end: false })
  expect([closed, statusesOf(bytes)]).toEqual([true, [400]])
})

it('cuts off a client that leaves its answer lying, and notes it', async () => {
  await using server = await openWatched(
    { rules: [{ match: { op: 'video.poll' }, delay: 1, respond: { body: 'x'.repeat(10_000_000) } }] },
    { stalledMs: 200, everyMs: 50 },
  )
  const socket = rude(server.url)
  socket.pause()
  socket.write(poll.replace('task_x', await submitted(server.url)))
  await expect
    .poll(() => server.sim.journal({ operation: 'video.poll' }), { timeout: 15_000 })
    .toMatchObject([{ outcome: 'aborted' }])
  socket.destroy()
})

it('cuts off a stream that never ends, and notes it, while others that go on are left alone', async () => {
  const stalls = {
    match: { op: 'chat.complete' as const },
    stream: { stall: { afterChunk: 1, for: 'forever' as const } },
  }
  await using server = await openWatched({ rules: [stalls] }, { answerMs: 1_000, everyMs: 50 })
  const [waiting, busy] = [rude(server.url), rude(server.url)]
  const body = JSON.stringify({
    model: 'gpt-4o',
    stream: true,
    messages: [{ role: 'user', content: 'hello' }],
  })
  waiting.resume().write(chat + `Content-Length: ${body.length}\r\n\r\n${body}`)
  const asking = setInterval(() => busy.resume().write(poll), 200)
  await once(waiting, 'end')
  await expect
    .poll(() => server.sim.journal({ operation: 'chat.complete' }))
    .toMatchObject([{ outcome: 'aborted' }])
  expect(busy.closed).toBe(false)
  clearInterval(asking)
  for (const socket of [waiting, busy]) socket.destroy()
})

it('ends what was refused although its client never hangs up', async () => {
  await using server = await openWatched()
  const socket = rude(server.url)
  socket.resume().write('NONSENSE\r\n\r\n')
  await once(socket, 'end')
  // A client that still writes gets a reset.
  const writing = setInterval(() => socket.write('more'), 50)
  await new Promise((resolve) => socket.once('close', resolve))
  clearInterval(writing)
})

it('refuses a connection too many with 503, and takes the next when one has ended', async () => {
  await using server = await openWatched({}, { connections: 2 })
  const [first, second] = [rude(server.url), rude(server.url)]
  for (const socket of [first, second]) {
    socket.write(poll)
    await once(socket, 'data')
  }
  const third = await sendRaw(server.url, [poll])
  const [answer] = answersIn(third.bytes)
  expect([answer!.status, JSON.parse(answer!.body.toString())]).toEqual([
    503,
    { error: { code: '', message: '2 connections are open already', type: 'new_api_error' } },
  ])
  first.destroy()
  await expect.poll(async () => statusesOf((await sendRaw(server.url, [poll])).bytes)).toEqual([400])
  second.destroy()
})

it('answers valid requests before an invalid one, and then that one', async () => {
  await using server = await openWatched({ clock: { mode: 'real' }, rules: [slowPoll] })
  const { bytes } = await sendRaw(server.url, [`${poll}NONSENSE\r\n\r\n`, 'and more'])
  expect(answersIn(bytes).map(({ status, body }) => [status, body.toString().slice(0, 20)])).toEqual([
    [400, '{"code":"task_not_ex'],
    [400, '{"error":{"code":"",'],
  ])
  const good = `${submit}Content-Length: 37\r\n\r\n{"model":"video-1","prompt":"a kite"}`
  const submitted = await sendRaw(server.url, [`${good}NONSENSE\r\n\r\n`])
  expect(statusesOf(submitted.bytes)).toEqual([200, 400])
})

it('lets go of an answer that waits behind another when their client leaves', async () => {
  await using server = await openWatched({
    clock: { mode: 'manual' },
    rules: [{ match: { op: 'video.poll' }, delay: 'forever' }],
  })
  const id = await submitted(server.url)
  const body = '{"model":"sim-text-1","stream":true,"messages":[{"role":"user","content":"Why?"}]}'
  // So that nothing is still to be loaded, and all that is due is there before the client leaves.
  const headers = { authorization: 'Bearer sk-test', 'content-type': 'application/json' }
  const first = await fetch(`${server.url}/v1/chat/completions`, { method: 'POST', headers, body: body })
  expect(await first.text()).toContain('[DONE]')
  const socket = rude(server.url)
  socket.write(poll.replace('task_x', id))
  for (let copies = 0; copies < 3; copies++)
    socket.write(`${chat}Content-Length: ${body.length}\r\n\r\n${body}`)
  await expect.poll(() => server.sim.journal()).toHaveLength(6)
  await server.sim.clock.advance('10m')
  socket.destroy()
  await expect
    .poll(() => server.sim.journal().map(({ outcome }) => outcome))
    .toEqual(['completed', 'completed', 'aborted', 'aborted', 'aborted', 'aborted'])
  expect(server.sim.clock.status().waiters).toBe(0)
})

const slowPoll = { match: { op: 'video.poll' as const }, delay: '100ms' }

async function submitted(url: string): Promise<string> {
  const response = await fetch(`${url}/v1/video/generations`, {
    method: 'POST',
    headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
    body: '{"model":"video-1","prompt":"a kite"}',
  })
  return ((await response.json()) as { task_id: string }).task_id
}
