import { Agent, request } from 'node:http'

/** Waits on the clock of a simulator that runs in another process. */
export interface ClockClient {
  /** The clock's time in milliseconds since 1970. */
  readNow: () => Promise<number>
  /** Opens a deadline. Time stops at it, but it moves no time. Resolves with the time when it has passed. */
  waitForDeadline: (durationMs: number, options: WaitOptions) => Promise<number>
  /** Lets the clock know that this process does nothing but wait. */
  sleep: (options: WaitOptions) => Promise<void>
}

interface WaitOptions {
  readonly signal: AbortSignal
  /** Whether the wait keeps the process alive. */
  readonly isReferenced: boolean
}

/** Longer than any wait, and a duration that the clock takes. */
const restMs = 365 * 24 * 60 * 60 * 1_000

/**
 * Connects to the control API. It uses `node:http`, whose timers are Node's own, so it works while the global ones are replaced.
 * @param url the URL of the simulator.
 * @param token the control token, if the simulator has one.
 */
export function connectClock(url: string, token: string | undefined): ClockClient {
  // The deadlines of a process are open at the same time, each on a connection.
  const agent = new Agent({ keepAlive: true })
  const headers = {
    'content-type': 'application/json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  }

  const call = async (
    method: string,
    path: string,
    body: object | undefined,
    { signal, isReferenced }: WaitOptions,
  ): Promise<{ now: number }> =>
    new Promise((resolve, reject) => {
      const sent = request(
        `${url}/_greenroom/clock${path}`,
        { method, headers, agent, signal },
        (response) => {
          let text = ''
          response.setEncoding('utf8')
          response.on('data', (chunk: string) => (text += chunk))
          response.once('error', reject)
          response.once('end', () => {
            if (response.statusCode === 200) resolve(JSON.parse(text) as { now: number })
            else
              reject(
                new Error(
                  `${method} ${path} of the simulator's clock returned ${response.statusCode}: ${text}`,
                ),
              )
          })
        },
      )
      sent.once('socket', (socket) => (isReferenced ? socket.ref() : socket.unref()))
      sent.once('error', reject)
      sent.end(body && JSON.stringify(body))
    })

  const never = new AbortController().signal
  return {
    readNow: async () => (await call('GET', '', undefined, { signal: never, isReferenced: true })).now,
    waitForDeadline: async (durationMs, options) =>
      (await call('POST', '/deadline', { for: `${durationMs}ms` }, options)).now,
    sleep: async (options) => void (await call('POST', '/sleep', { for: `${restMs}ms` }, options)),
  }
}
