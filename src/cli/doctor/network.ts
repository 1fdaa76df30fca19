import { createServer } from 'node:net'
import { controlPrefix } from '../../gateway/request.ts'
import { defaultPort } from '../../server/limits.ts'
import type { Environment } from '../terminal/command.ts'
import type { CheckResult, Setting } from './check.ts'

/** Checks the port of `serve`, and proxies that would receive requests to it. */
export async function findNetwork({ config, environment }: Setting): Promise<CheckResult[]> {
  return [await findPort(config), findProxies(environment)]
}

async function findPort({ port = defaultPort, host = '127.0.0.1' }: Setting['config']): Promise<CheckResult> {
  const name = 'port'
  if (port === 0) return { name, status: 'ok', found: 'a free one' }
  const problem = await tryToListen(port, host)
  if (problem === undefined) return { name, status: 'ok', found: `${port} is free` }
  if (problem !== 'EADDRINUSE') {
    const advice = 'Choose another by port and host in the config file, or by --port and --host.'
    return { name, status: 'error', found: `greenroom can't listen on ${host}:${port} (${problem})`, advice }
  }
  const running = await findGreenroom(port, host)
  if (running !== undefined) {
    const found = `${port} is in use by greenroom ${running}`
    return { name, status: 'ok', found: `${found}; a second one needs --port 0` }
  }
  const advice =
    'Stop that program, or choose another port by --port or in the config file; 0 takes a free one.'
  return { name, status: 'error', found: `${port} is in use by another program`, advice }
}

/** @returns the code of the error; undefined if listening works. */
function tryToListen(port: number, host: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', ({ code = 'unknown' }: NodeJS.ErrnoException) => resolve(code))
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(undefined)))
  })
}

/** The version of the greenroom that listens on a port. */
async function findGreenroom(port: number, host: string): Promise<string | undefined> {
  const reachable =
    host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host
  try {
    const response = await fetch(`http://${reachable}:${port}${controlPrefix}/health`, {
      signal: AbortSignal.timeout(2_000),
    })
    const { ready, version } = (await response.json()) as { ready?: true; version?: string }
    return ready && (version ?? 'with a control API that is closed or needs a token')
  } catch {
    return undefined
  }
}

const local = ['127.0.0.1', 'localhost'] as const

/** Finds proxies. Many clients send even requests to this machine to a proxy, unless NO_PROXY excludes it. */
export function findProxies(environment: Environment): CheckResult {
  const name = 'proxy'
  const find = (variable: string): string | undefined =>
    [variable, variable.toLowerCase()].find((each) => (environment[each] ?? '') !== '')
  const proxy = find('HTTP_PROXY') ?? find('ALL_PROXY')
  if (proxy === undefined) return { name, status: 'ok', found: 'none for http' }
  const excluded = new Set((environment[find('NO_PROXY') ?? ''] ?? '').split(/[\s,]+/))
  if (excluded.has('127.0.0.0/8')) excluded.add('127.0.0.1')
  const missing = excluded.has('*') ? [] : local.filter((host) => !excluded.has(host))
  if (missing.length === 0)
    return { name, status: 'ok', found: `${proxy} is set, and NO_PROXY excludes this machine` }
  // Without the value, which may contain a password.
  return {
    name,
    status: 'warning',
    found: `${proxy} is set, and NO_PROXY does not exclude ${missing.join(' and ')}: clients may send requests for greenroom to the proxy`,
    advice: `Set NO_PROXY=${local.join(',')}, in addition to what it has.`,
  }
}
