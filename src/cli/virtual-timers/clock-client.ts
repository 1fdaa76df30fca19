import type { Socket } from 'node:net'
import { agentProtocol, type AgentMessage, type Statement } from '../../engine/clock/agents/agent.ts'

/** The connection of this process to the clock of a simulator. */
export interface ClockClient {
  readonly socket: Socket
  readonly send: (statement: Statement) => void
  /** @param onEnd called when the simulator has ended. */
  readonly listen: (onMessage: (message: AgentMessage) => void, onEnd: () => void) => void
  /** How many times the socket has received data: the events of this connection. */
  readonly received: () => number
}

/**
 * Takes part in the clock by `CONNECT /_greenroom/clock/agent`. It uses `node:http`, whose timers stay Node's own.
 * @param url the URL of the simulator.
 * @param token the control token, if the simulator has one.
 * @param identity the first line.
 * @throws {Error} if no simulator responds there, or it refuses.
 */
export function connectClock(
  url: string,
  { token, namespace }: { token: string | undefined; namespace: string | undefined },
  identity: { pid: number; parent: number; name: string; thread: number },
): Promise<ClockClient> {
  const { hostname, port, pathname } = new URL(url)
  const base = pathname.replace(/\/+$/, '')
  return new Promise((resolve, reject) => {
    const sent = process.getBuiltinModule('node:http').request({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: port || 80,
      method: 'CONNECT',
      path: `${base}/_greenroom/clock/agent`,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(namespace !== undefined && { 'x-greenroom-namespace': namespace }),
      },
    })
    sent.once('error', reject)
    sent.once('connect', (response, socket: Socket, head: Buffer) => {
      if (response.statusCode !== 200) {
        reject(
          new Error(`it returned ${response.statusCode}${head.length > 0 ? `: ${head.toString()}` : ''}`),
        )
        return void socket.destroy()
      }
      socket.setNoDelay(true)
      const write = (line: object): void =>
        void (socket.destroyed || socket.write(`${JSON.stringify(line)}\n`))
      write({ hello: agentProtocol, ...identity })
      resolve({ socket, send: write, ...readMessages(socket, head) })
    })
    sent.end()
  })
}

function readMessages(socket: Socket, head: Buffer): Pick<ClockClient, 'listen' | 'received'> {
  let rest = ''
  let received = 0
  return {
    received: () => received,
    listen: (onMessage, onEnd) => {
      const read = (bytes: Buffer): void => {
        const lines = (rest + bytes.toString()).split('\n')
        rest = lines.pop()!
        for (const line of lines) {
          const message = JSON.parse(line) as AgentMessage | { error: string }
          if ('error' in message) throw new Error(`The simulator refuses this process: ${message.error}`)
          onMessage(message)
        }
      }
      socket.on('error', () => {})
      socket.once('close', onEnd)
      socket.on('data', (bytes: Buffer) => {
        received++
        read(bytes)
      })
      if (head.length > 0) read(head)
    },
  }
}
