import { readdirSync, readFileSync, statSync, type Dirent } from 'node:fs'
import { join } from 'node:path'
import { findFlow } from '../../apis/index.ts'
import type { Flow } from '../../scenario/vocabulary/types.ts'

/** A module of the project that calls an API. */
export interface FoundClient {
  readonly api: Flow
  /** Absolute. */
  readonly path: string
  /** The exported function that takes a prompt; undefined if none is recognized. */
  readonly call?: ClientCall
  /** The variables by which it finds the gateway, with `${url}` and `${key}`; undefined if it reads none. */
  readonly variables?: Readonly<Record<string, string>>
}

export interface ClientCall {
  /** The name of the export; `default` for a default export. */
  readonly name: string
  /** The name of the prompt in an object; undefined if the prompt is the first argument. */
  readonly field?: string
}

const sourceFile = /\.[cm]?[jt]sx?$/
const noSource = /\.(?:test|spec|d|config)\.[cm]?[jt]sx?$/
const skippedFolders =
  /^(?:\..*|node_modules|dist|build|out|coverage|vendor|tests?|__tests__|examples?|scripts?)$/
const maxFiles = 2_000
const maxFolders = 500
const maxBytes = 200_000

/**
 * Finds the module that calls one of the APIs: the first of the APIs that any module calls, and of its modules one with a function
 * that takes a prompt.
 */
export function findClient(folder: string, apis: readonly Flow[]): FoundClient | undefined {
  const files = listSources(folder).map((path) => ({ path, text: readSource(path) }))
  for (const api of apis) {
    const { calledBy, variables } = findFlow(api).first!
    const callers = files.filter(({ text }) => calledBy.test(text))
    const found = callers.map(({ path, text }): FoundClient => {
      const [call, read] = [findCall(text), findVariables(text, variables)]
      return { api, path, ...(call && { call }), ...(read && { variables: read }) }
    })
    const best = found.find(({ call }) => call !== undefined) ?? found[0]
    if (best) return best
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

const exportedFunctions = [
  /^export\s+(?:async\s+)?function\s+(\w+)\s*\(\s*([^)]*)/gm,
  /^export\s+const\s+(\w+)\s*=\s*(?:async\s*)?\(\s*([^)]*)/gm,
  /^export\s+(default)\s+(?:async\s+)?function(?:\s+\w+)?\s*\(\s*([^)]*)/gm,
  /^(?:module\.)?exports\.(\w+)\s*=\s*(?:async\s+)?function(?:\s+\w+)?\s*\(\s*([^)]*)/gm,
  /^(?:module\.)?exports\.(\w+)\s*=\s*(?:async\s*)?\(\s*([^)]*)/gm,
]
const promptName = /^(?:prompt|text|question|message|input|query|description|content)$/

/** Finds an exported function whose first parameter is a prompt, or an object with one. */
function findCall(text: string): ClientCall | undefined {
  for (const pattern of exportedFunctions) {
    for (const [, name = '', parameters = ''] of text.matchAll(pattern)) {
      const [first = ''] = /^\w+/.exec(parameters) ?? []
      if (promptName.test(first)) return { name }
      const fields = /^\{([^}]*)/.exec(parameters)?.[1]?.split(',') ?? []
      const field = fields
        .map((each) => /^\s*(\w+)/.exec(each)?.[1] ?? '')
        .find((each) => promptName.test(each))
      if (field !== undefined) return { name, field }
    }
  }
  return undefined
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
  // A client that writes the version into its paths has it not in its URL.
  const suffix = defaultUrl.slice('${url}'.length)
  const isInPaths = suffix !== '' && text.includes(`${suffix}/`)
  return { [url]: isInPaths ? '${url}' : defaultUrl, ...(key !== undefined && { [key]: '${key}' }) }
}
