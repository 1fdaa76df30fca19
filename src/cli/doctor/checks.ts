import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { optionDefaults } from '../../scenario/vocabulary/defaults.ts'
import { findConfig, readConfig, type Config } from '../serve/config-file.ts'
import { isFileError, type Terminal } from '../terminal/command.ts'

/** A result of a check. */
export interface CheckResult {
  readonly name: string
  /** An error keeps a part of greenroom from working; a warning makes it slower or surprising. */
  readonly status: 'ok' | 'warning' | 'error'
  readonly found: string
  /** What to do, in one sentence. */
  readonly advice?: string
  /** Corrects the problem. Returns what is left to do; undefined if nothing is. */
  readonly mend?: (terminal: Terminal) => Promise<string | undefined>
}

/** Reads the config. If the file can't be used, the other checks continue with an empty config. */
export async function checkConfig(
  path: string | undefined,
  folder: string,
): Promise<{ config: Config; result: CheckResult }> {
  const name = 'config'
  try {
    const found = findConfig(folder, path)
    if (found === undefined)
      return { config: {}, result: { name, status: 'ok', found: 'no file; greenroom init writes one' } }
    return { config: await readConfig(found), result: { name, status: 'ok', found } }
  } catch (error) {
    if (!isFileError(error)) throw error
    const advice = 'Correct the file. greenroom serve does not start with it.'
    return { config: {}, result: { name, status: 'error', found: error.message, advice } }
  }
}

/** The first versions that work: `engines` of package.json, and what the docs say of optional packages. */
const minVersions = { node: '20.19.0', msw: '2.7.0', vitest: '3.2.0', jest: '29.0.0' }

/** Checks the version of Node. */
export function checkNode(version: string): CheckResult {
  if (isAtLeast(version, minVersions.node)) return { name: 'Node', status: 'ok', found: version }
  const advice = `Install Node ${minVersions.node} or later, from nodejs.org or by your version manager.`
  return { name: 'Node', status: 'error', found: `${version} is too old`, advice }
}

/** Checks sharp, and the optional packages that the project has. */
export async function checkPackages(folder: string): Promise<CheckResult[]> {
  return [
    await checkSharp(),
    ...(['msw', 'vitest', 'jest'] as const).flatMap((name) => checkOptional(name, folder)),
  ]
}

async function checkSharp(): Promise<CheckResult> {
  const name = 'sharp'
  try {
    const { default: sharp } = await import('sharp')
    return { name, status: 'ok', found: `${sharp.versions.sharp ?? 'works'}: draws images` }
  } catch (error) {
    const found = `does not load: ${(error as Error).message.trim().split('\n', 1)[0]!}`
    const advice = 'Run npm install --include=optional sharp: it draws images and full clips.'
    return { name, status: 'error', found, advice }
  }
}

function checkOptional(name: keyof typeof minVersions, folder: string): CheckResult[] {
  const [least, found] = [minVersions[name], findVersion(name, folder)]
  if (found === undefined) return []
  if (isAtLeast(found, least)) return [{ name, status: 'ok', found }]
  const advice = `Run npm install --save-dev ${name}@latest: greenroom needs ${least} or later.`
  return [{ name, status: 'warning', found: `${found} is too old`, advice }]
}

/** The version of a package as the project resolves it. */
function findVersion(name: string, folder: string): string | undefined {
  try {
    const load = createRequire(join(folder, 'package.json'))
    return (load(`${name}/package.json`) as { version: string }).version
  } catch {
    return undefined
  }
}

/** Compares versions such as 20.19.0 by their numbers. */
function isAtLeast(version: string, least: string): boolean {
  const [found = [], wanted = []] = [version, least].map((text) => text.match(/\d+/g)?.map(Number))
  const differing = wanted.findIndex((number, index) => (found[index] ?? 0) !== number)
  return differing < 0 || (found[differing] ?? 0) > wanted[differing]!
}

/** Checks whether `serve` can listen on its port. */
export async function checkPort({
  port = optionDefaults.port,
  host = optionDefaults.host,
}: Config): Promise<CheckResult> {
  const name = 'port'
  if (port === 0) return { name, status: 'ok', found: 'a free one' }
  const problem = await tryToListen(port, host)
  if (problem === undefined) return { name, status: 'ok', found: `${port} is free` }
  const advice = 'Choose another port by --port or in the config file; 0 takes a free one.'
  return problem === 'EADDRINUSE'
    ? { name, status: 'warning', found: `${port} is in use, by greenroom or another program`, advice }
    : { name, status: 'error', found: `can't listen on ${host}:${port} (${problem})`, advice }
}

/** @returns the code of the error; undefined if listening works. */
function tryToListen(port: number, host: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', ({ code = 'unknown' }: NodeJS.ErrnoException) => resolve(code))
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(undefined)))
  })
}
