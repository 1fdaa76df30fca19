import { controlPrefix } from '../../control/route.ts'
import { defaultPort } from '../../server/limits.ts'
import { readText, UsageError, type Environment, type Flags, type Terminal } from '../terminal/command.ts'

/** The flags of commands that ask a running server, or read a recording of one. */
export const sourceFlags = {
  url: { type: 'string', describe: `URL of the running server  [default: http://127.0.0.1:${defaultPort}]` },
  namespace: { type: 'string', describe: 'Namespace of the exchanges  [default: default]' },
  journal: { type: 'string', describe: 'Recording to read instead of asking a server' },
} as const

export function readNamespace(flags: Flags): string {
  return readText(flags, 'namespace') ?? 'default'
}

/** The options that the environment sets, unless the config does. */
export function environmentOptions(
  { controlToken, ffmpeg }: { controlToken?: string; ffmpeg?: string },
  environment: Environment,
): { controlToken?: string; ffmpeg?: string } {
  const token = controlToken ?? environment['GREENROOM_CONTROL_TOKEN']
  const encoder = ffmpeg ?? environment['GREENROOM_FFMPEG']
  return { ...(token && { controlToken: token }), ...(encoder && { ffmpeg: encoder }) }
}

/**
 * Calls the control API of the server that the flags name.
 *
 * @param path below `/_greenroom`, such as `/journal`.
 * @throws {UsageError} if no server responds, or with the message of its error.
 */
export async function askServer(flags: Flags, path: string, { environment }: Terminal): Promise<unknown> {
  const url = readText(flags, 'url') ?? `http://127.0.0.1:${defaultPort}`
  const base = url.replace(/\/+$/, '')
  const { controlToken } = environmentOptions({}, environment)
  const response = await fetch(`${base}${controlPrefix}${path}`, {
    headers: controlToken ? { authorization: `Bearer ${controlToken}` } : {},
  }).catch(() => {
    throw new UsageError(
      `Failed to reach ${base}: no server responds. Start greenroom serve, or pass its URL by --url.`,
    )
  })
  const body = (await response.json().catch(() => ({}))) as { error?: { message?: string } }
  if (response.ok) return body
  throw new UsageError(body.error?.message ?? `Failed to ask ${base}: it responded with ${response.status}.`)
}
