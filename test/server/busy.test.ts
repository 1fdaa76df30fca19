import { existsSync, readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { plainCommand, serve } from '../support/served.ts'

const clients = 1_500
const setting = '/proc/sys/net/core/somaxconn'
const allowed = existsSync(setting) ? Number(readFileSync(setting, 'utf8')) : 0

it.runIf(allowed > clients)('lets many clients connect at once while it is busy', async () => {
  const { child, url } = await serve(plainCommand)
  const { port, hostname } = new URL(url)
  const sockets: Socket[] = []
  let connected = 0
  try {
    // As busy as possible: it accepts no connection.
    child.kill('SIGSTOP')
    for (let client = 0; client < clients; client++) {
      const socket = connect(Number(port), hostname, () => (connected += 1))
      sockets.push(socket.on('error', () => undefined))
    }
    await expect.poll(() => connected, { timeout: 20_000 }).toBe(clients)
    child.kill('SIGCONT')
    expect((await fetch(`${url}/_greenroom/health`)).status).toBe(200)
  } finally {
    for (const socket of sockets) socket.destroy()
    child.kill('SIGKILL')
  }
})
