import { spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
export const headers = { authorization: 'Bearer sk-test', 'content-type': 'application/json' }

export interface Served {
  readonly child: ChildProcess
  readonly url: string
  /** What it has said on stderr. */
  readonly said: () => string
}

/** The command line of a server that keeps nothing. */
export const plainCommand: readonly string[] = [
  process.execPath,
  main,
  'serve',
  '--port',
  '0',
  '--quiet',
  '--no-cache',
]

/**
 * The command line of a server that keeps its state in a folder.
 * @param flags what it is told beside that.
 */
export function commandOf(folder: string, flags: readonly string[] = []): string[] {
  return [...plainCommand, '--state', folder, ...flags]
}

/** Starts a server. @param command as {@link commandOf} gives it, or what runs that. */
export async function serve([program, ...words]: readonly string[]): Promise<Served> {
  const child = spawn(program!, words, { stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  child.stderr.on('data', (bytes: Buffer) => (said += String(bytes)))
  for await (const url of createInterface(child.stdout)) return { child, url, said: () => said }
  throw new Error(`The server did not start: ${said}`)
}

/** @throws {Error} for any answer but a success. */
export async function call<Answer>(url: string, method: string, body?: object): Promise<Answer> {
  const response = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  const answer = (await response.json()) as Answer
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${JSON.stringify(answer)}`)
  return answer
}
