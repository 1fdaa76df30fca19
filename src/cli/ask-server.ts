import { controlPrefix } from '../control/routes.ts'
import { UsageError } from './command.ts'

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
