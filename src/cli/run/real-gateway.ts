import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { sdkEnvironment } from '../../embedded/sdk-environment.ts'
import type { Terminal } from '../terminal/command.ts'

/** A key that the gateway would charge. A key of a namespace (`sk-sim-…`) is the simulator's. */
const realKey = /^sk-(?!sim-)./s

/** A variable by which clients usually find a gateway. */
const baseUrlName = /(?:^|_)(?:BASE_?URL|API_?URL|API_BASE|ENDPOINT|GATEWAY(?:_URL)?)$/i

/** Variables of CI systems and tools, which no client of the gateway reads. */
const toolName = /^(?:npm|GITHUB|GITEA|GITLAB|CI|BITBUCKET|ACTIONS|RUNNER|SYSTEM|OTEL|SENTRY)_/i

const loopback = /^(?:localhost|127\.[\d.]+|\[::1\]|0\.0\.0\.0)$/i

/**
 * Protects the user from paying for a run: a client without `--env` may find the real gateway by variables of the shell or of
 * the file `.env`. Each variable that has a key becomes the simulator's key, which a real gateway refuses. For a URL, only the
 * user knows whether the client reads it, so it gets a warning before the command starts.
 *
 * @param given the names that flags and files set. They stay as they are.
 * @returns variables of the command, with `${key}` to fill in.
 */
export function replaceRealKeys(given: readonly string[], terminal: Terminal): Record<string, string> {
  const { environment, folder, warn } = terminal
  const known = new Set([...Object.keys(sdkEnvironment({ url: '', key: '' })), ...given])
  const inherited = Object.entries({ ...readEnvFile(folder), ...environment }).filter(
    ([name]) => !known.has(name),
  )
  const names = inherited.filter(([, value = '']) => realKey.test(value)).map(([name]) => name)
  if (names.length > 0)
    warn(
      `hint: The command gets the simulator's key in ${names.join(', ')}, so that no real gateway charges it. ` +
        `To pass another key, write --env ${names[0]}=KEY.`,
    )
  for (const [name, value = ''] of inherited) {
    const url = baseUrlName.test(name) && !toolName.test(name) ? parseRemoteUrl(value) : undefined
    if (url)
      warn(
        `warning: The command inherits ${name}, which is ${url.origin}. If its client reads that, it calls a real gateway. ` +
          `Write --env '${name}=\${url}${url.pathname.replace(/\/$/, '')}'.`,
      )
  }
  return Object.fromEntries(names.map((name) => [name, '${key}']))
}

function parseRemoteUrl(value: string): URL | undefined {
  if (!/^https?:/i.test(value) || !URL.canParse(value)) return undefined
  const url = new URL(value)
  return loopback.test(url.hostname) ? undefined : url
}

/** The variables of `.env`. Node, dotenv and python-dotenv prefer those of the environment. */
function readEnvFile(folder: string): NodeJS.Dict<string> {
  try {
    return parseEnv(readFileSync(join(folder, '.env'), 'utf8'))
  } catch {
    return {}
  }
}
