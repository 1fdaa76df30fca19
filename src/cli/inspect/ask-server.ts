import { controlPrefix } from '../../control/routes.ts'
import { UsageError, type Terminal } from '../terminal/command.ts'

/** The control plane's token, where the environment has one. */
export function tokenIn(environment: Terminal['environment']): string | undefined {
  return environment['GREENROOM_CONTROL_TOKEN'] || undefined
}

/**
 * Asks a running server's control plane.
 *
 * @param call below `/_greenroom`, such as `/journal`.
 * @param terminal its environment may have the token that the server wants to see.
 * @throws {UsageError} when nobody answers there, or says no; the message says why.
 */
export async function askServer(
  url: string,
  call: string,
  { environment }: Pick<Terminal, 'environment'>,
): Promise<unknown> {
  const token = tokenIn(environment)
  const base = url.replace(/\/+$/, '')
  let response: Response
  try {
    response = await fetch(`${base}${controlPrefix}${call}`, {
      headers: token ? { authorization: `Bearer ${token}` } : {},
    })
  } catch {
    throw new UsageError(
      `Failed to ask ${base}: nobody answers there. Start greenroom serve, or name its address with --url.`,
    )
  }
  const answer = (await response.json().catch(() => ({}))) as { error?: { message?: string } }
  if (response.ok) return answer
  throw new UsageError(answer.error?.message ?? `Failed to ask ${base}: it answered ${response.status}.`)
}
