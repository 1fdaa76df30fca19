import { readdirSync, readFileSync, statSync, type Dirent } from 'node:fs'
import { join } from 'node:path'
import type { ApiFlow } from '../../apis/define/flow.ts'

/** The API that the project calls. */
export interface FoundClient {
  readonly flow: ApiFlow
  /** The variables by which it finds the gateway, with `${url}` and `${key}`; undefined if it reads none. */
  readonly variables?: Readonly<Record<string, string>>
}

const sourceFile = /\.[cm]?[jt]sx?$/
const noSource = /\.(?:test|spec|d|config)\.[cm]?[jt]sx?$/
const skippedFolders =
  /^(?:\..*|node_modules|dist|build|out|coverage|vendor|tests?|__tests__|examples?|scripts?)$/
const maxFiles = 2_000
const maxFolders = 500
const maxBytes = 200_000

/** Finds which of the APIs the project calls: the first that any module calls, and of its modules one that reads variables. */
export function findClient(folder: string, flows: readonly ApiFlow[]): FoundClient | undefined {
  const texts = listSources(folder).map(readSource)
  for (const flow of flows) {
    const { calledBy, variables } = flow.first!
    const callers = texts.filter((text) => calledBy.test(text))
    if (callers.length === 0) continue
    const read = callers.map((text) => findVariables(text, variables)).find((each) => each !== undefined)
    return { flow, ...(read && { variables: read }) }
  }
  return undefined
}

/** The sources below a folder, the nearest first. Bounded, because the folder may be a home, and folders may be unreadable. */
function listSources(folder: string): string[] {
  const found: string[] = []
  const folders = [folder]
  for (let next = 0; next < folders.length && next < maxFolders && found.length < maxFiles; next++) {
    for (const entry of readEntries(folders[next]!)) {
      const path = join(folders[next]!, entry.name)
      if (entry.isDirectory() && !skippedFolders.test(entry.name)) folders.push(path)
      else if (entry.isFile() && sourceFile.test(entry.name) && !noSource.test(entry.name)) found.push(path)
    }
  }
  return found.slice(0, maxFiles)
}

function readEntries(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

/** The text of a source; empty if it can't be read, or is too long to be written by hand. */
function readSource(path: string): string {
  try {
    return statSync(path).size <= maxBytes ? readFileSync(path, 'utf8') : ''
  } catch {
    return ''
  }
}

const keyName = /KEY|TOKEN|SECRET/

/** @param defaults the variables by which clients of the API usually find the gateway. */
function findVariables(
  text: string,
  defaults: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> | undefined {
  const names = [
    ...[...text.matchAll(/\benv(?:\.|\[['"])([A-Z_][A-Z0-9_]*)/g)].map(([, name]) => name!),
    ...[...text.matchAll(/\{([^{}]*)\}\s*=\s*process\.env\b/g)].flatMap(
      ([, list]) => list!.match(/\b[A-Z_][A-Z0-9_]*\b/g) ?? [],
    ),
  ]
  const key = names.find((name) => keyName.test(name))
  const url = names.find((name) => !keyName.test(name) && /URL|HOST|ENDPOINT|BASE|GATEWAY/.test(name))
  if (url === undefined) return undefined
  const [defaultUrl = '${url}'] = Object.values(defaults).filter((value) => value.startsWith('${url}'))
  // If a client writes the version into its paths, its URL has no version.
  const suffix = defaultUrl.slice('${url}'.length)
  const isInPaths = suffix !== '' && text.includes(`${suffix}/`)
  return { [url]: isInPaths ? '${url}' : defaultUrl, ...(key !== undefined && { [key]: '${key}' }) }
}
