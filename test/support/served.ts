import { spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
export const headers = { authorization: 'Bearer sk-test', 'content-type': 'application/json' }

export interface Served {
  readonly child: ChildProcess
  readonly url: string
  /** Its output on stderr. */
  readonly stderr: () => string
}

/** The command line of a server without a state. */
export const plainCommand: readonly string[] = [
  process.execPath,
  main,
  'serve',
  '--port',
  '0',
  '--log',
  'silent',
  '--cache-dir',
  'false',
]

/**
 * The command line of a server with a state folder.
 * @param flags further flags.
 */
export function commandOf(folder: string, flags: readonly string[] = []): string[] {
  return [...plainCommand, '--state', folder, ...flags]
}

/** Starts a server. @param command as {@link commandOf} gives it, or what runs that. */
export async function serve([program, ...words]: readonly string[]): Promise<Served> {
  const child = spawn(program!, words, { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  child.stderr.on('data', (bytes: Buffer) => (output += String(bytes)))
  for await (const url of createInterface(child.stdout)) return { child, url, stderr: () => output }
  throw new Error(`The server did not start: ${output}`)
}

/** @throws {Error} for any answer but a success. */
export async function call<Answer>(url: string, method: string, body?: object): Promise<Answer> {
  const response = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  const answer = (await response.json()) as Answer
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${JSON.stringify(answer)}`)
  return answer
}
