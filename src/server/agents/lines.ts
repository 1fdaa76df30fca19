import type { Socket } from 'node:net'
import { z } from 'zod/mini'
import { agentProtocol, type AgentIdentity, type Statement } from '../../engine/clock/agents/agent.ts'

/** Thrown for an invalid line. The message goes to the process. */
export class ProtocolError extends Error {
  override name = 'ProtocolError'
}

/** The maximum length of a line, in characters. A line with 1,000 connections takes some 100,000. */
const maxLineLength = 4_000_000

const count = z.lazy(() => z.int().check(z.minimum(0)))
const counts = z.lazy(() => z.array(count).check(z.maxLength(10_000)))

const connection = z.lazy(() =>
  z.tuple([count, count, count, count, count, count, z.optional(z.string().check(z.maxLength(1_000)))]),
)

const helloForm = z.lazy(() =>
  z.object({
    hello: z.literal(agentProtocol),
    pid: count,
    parent: count,
    name: z.string().check(z.maxLength(10_000)),
    thread: count,
  }),
)

const statementForm = z.lazy(() =>
  z.object({
    seen: count,
    mark: z.optional(count),
    busy: z.optional(z.array(z.string().check(z.maxLength(200))).check(z.maxLength(100))),
    children: z.optional(counts),
    threads: z.optional(counts),
    connections: z.optional(z.array(connection).check(z.maxLength(10_000))),
    set: z.optional(z.array(z.tuple([count, z.number().check(z.minimum(0))])).check(z.maxLength(10_000))),
    clear: z.optional(counts),
    approximate: z.optional(z.boolean()),
    blocked: z.optional(z.boolean()),
  }),
)

/** @throws {ProtocolError} if the value is not a valid first line. */
export function readHello(value: unknown): AgentIdentity & { readonly parent: number } {
  const { pid, parent, thread, name } = parse(helloForm, value, 'The first line')
  return { pid, parent, thread, name: name.slice(0, 200) }
}

/** @throws {ProtocolError} if the value is not a statement. */
export function readStatement(value: unknown): Statement {
  return parse(statementForm, value, 'A statement') as Statement
}

function parse<T>(form: z.ZodMiniType<T>, value: unknown, what: string): T {
  const { success, data, error } = form.safeParse(value)
  if (success) return data
  const [issue] = error.issues
  throw new ProtocolError(`${what} has a wrong ${issue?.path.join('.') || 'shape'}: ${issue?.message}`)
}

/** Reads lines of JSON. An invalid line is reported to the process, and ends the connection. */
export function readLines(socket: Socket, take: (value: unknown) => void): void {
  const decoder = new TextDecoder()
  let rest = ''
  socket.on('data', (bytes: Buffer) => {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
    rest = lines.pop()!
    try {
      for (const line of lines) take(JSON.parse(line))
      if (rest.length > maxLineLength)
        throw new ProtocolError(`A line has more than ${maxLineLength} characters`)
    } catch (error) {
      const message = error instanceof SyntaxError ? 'A line is not JSON' : (error as Error).message
      socket.removeAllListeners('data').end(`${JSON.stringify({ error: message })}\n`)
    }
  })
  socket.once('end', () => socket.end())
}
