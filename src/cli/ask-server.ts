import { controlPrefix } from '../control/routes.ts'
import { defaultPort } from '../server/start.ts'
import { UsageError } from './command.ts'

/** Where `serve` listens, unless it is told otherwise. */
export const usualUrl = `http://127.0.0.1:${defaultPort}`

/** The flags of commands that ask a running server, or read what one has recorded. */
export const sourceFlags = {
  url: { type: 'string', describe: `The server to be asked  [default: ${usualUrl}]` },
  namespace: { type: 'string', describe: 'Whose exchanges  [default: default]' },
  journal: { type: 'string', describe: 'A recorded file to be read in place of asking a server' },
} as const

/**
 * Asks a running server's control plane.
 *
 * @param call below `/_greenroom`, such as `/journal`.
 * @throws {UsageError} when nobody answers there, or says no; the message says why.
 */
export async function askServer(url: string, call: string): Promise<unknown> {
  const base = url.replace(/\/+$/, '')
  let response: Response
  try {
    response = await fetch(`${base}${controlPrefix}${call}`)
  } catch {
    throw new UsageError(
      `Failed to ask ${base}: nobody answers there. Start greenroom serve, or name its address with --url.`,
    )
  }
  const answer = (await response.json().catch(() => ({}))) as { error?: { message?: string } }
  if (response.ok) return answer
  throw new UsageError(answer.error?.message ?? `Failed to ask ${base}: it answered ${response.status}.`)
}
