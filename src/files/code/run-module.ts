import { createRequire, Module } from 'node:module'
import { extname } from 'node:path'
import { inspect } from 'node:util'
import { isOwnApi } from '../../apis/define/own-apis.ts'
import { hostTimers } from '../../engine/clock/timers/host-timers.ts'
import type { OwnApi } from '../../engine/operations/own-api.ts'
import { blocksText, enterCode, leaveCode, watchesCode } from './blocked.ts'
import { ScenarioError } from '../error.ts'

/** How long the top-level await of a file may take, in real time. */
const defaultLimitMs = 10_000

/**
 * Runs a file in TypeScript or JavaScript. Each call runs the text again; its imports are loaded once.
 *
 * @param text the content of the file.
 * @param limitMs for its top-level await, in real time. Default 10 seconds.
 * @returns its exports.
 * @throws {ScenarioError} for a file that can't be run, with line and column where they are known.
 */
export async function runModule(path: string, text: string, limitMs = defaultLimitMs): Promise<unknown> {
  const { createJiti } = loadJiti()
  // Definitions of APIs must come from this copy of greenroom, also if the file is outside of a project that has one.
  const virtualModules = /\b(?:import|require)\b/.test(text)
    ? { 'greenroom/api': await import('../../apis/own/index.ts') }
    : {}
  const loader = createJiti(path, { fsCache: false, interopDefault: false, virtualModules })
  const message = `The file can't be run: its code ${blocksText}`
  const isWatched = watchesCode()
  const outer = isWatched ? enterCode(path, () => ({ file: path, message })) : 0
  const file = { id: path, filename: path, ext: extname(path), async: true }
  try {
    // By default jiti passes JavaScript to Node's loader, which caches modules and would ignore edits.
    const exported = Promise.resolve(loader.evalModule(text, { ...file, forceTranspile: true }))
    return await limitTime(exported, limitMs)
  } catch (error) {
    throw codeFailure(path, error, text)
  } finally {
    if (isWatched) leaveCode(outer)
  }
}

/** @throws {Error} when a promise does not settle in time. The timer lets the process wait for it. */
async function limitTime<Value>(promise: Promise<Value>, limitMs: number): Promise<Value> {
  let timer: ReturnType<typeof hostTimers.setTimeout> | undefined
  const tooLate = new Promise<never>((_, reject) => {
    const reason = `its top-level await does not end within ${limitMs / 1_000} s`
    timer = hostTimers.setTimeout(() => reject(new Error(reason)), limitMs)
  })
  return Promise.race([promise, tooLate]).finally(() => hostTimers.clearTimeout(timer))
}

/** The error for a file whose code threw, with its place. */
export function codeFailure(path: string, error: unknown, text: string): ScenarioError {
  const { place, reason } = whereAndWhy(path, error)
  const { name, at } = (error ?? {}) as { readonly name?: string; readonly at?: readonly string[] }
  return name === 'ApiError' && at
    ? new ScenarioError(`${placeOfKey(text, place, at)}: ${reason}`, { cause: error })
    : new ScenarioError(`${place}: The file can't be run: ${reason}`, { cause: error })
}

/** @throws {ScenarioError} for a file that defines an API where a scenario or a config is expected. */
export function refuseApi(path: string, exported: unknown, noun: string): void {
  const [api] = exportedApis(exported)
  if (api)
    throw new ScenarioError(
      `${path}: defines the API "${api.name}", and is no ${noun}. Pass it by --api, or name it in apis of the config.`,
    )
}

/** The definitions of APIs that a file exports. */
export function exportedApis(exported: unknown): OwnApi[] {
  const values = Object.values((exported ?? {}) as object).flatMap((each: unknown): unknown[] =>
    Array.isArray(each) ? each : [each],
  )
  return [...new Set(values.filter(isOwnApi))]
}

/**
 * Loads jiti with Node's own loader. Jest replaces `require`, and jiti can't import ES modules in that one.
 * `module.require` is still Node's.
 */
function loadJiti(): typeof import('jiti') {
  const path = createRequire(import.meta.url).resolve('jiti')
  return new Module(path).require(path) as typeof import('jiti')
}

/**
 * Reads position and reason of an error. The loader's parser appends the position to its message, and counts columns from
 * 0. Runtime errors have it in their stack: that line is right, but the column belongs to the transpiled code.
 */
function whereAndWhy(path: string, error: unknown): { place: string; reason: string } {
  const { message = showThrown(error), stack = '' } = error instanceof Error ? error : {}
  const reason = message
    .split('\n')[0]!
    .replace('ParseError: ', '')
    .trim()
    .replace(/(?<![.!?])$/, '.')
  const [, line, column] = placeIn(message, path)
  if (line !== undefined) return { place: `${path}:${line}:${Number(column) + 1}`, reason }
  const [, runningLine] = placeIn(stack, path)
  return { place: runningLine === undefined ? path : `${path}:${runningLine}`, reason }
}

/** A thrown value that is no error of this realm. */
function showThrown(thrown: unknown): string {
  if (typeof thrown === 'string') return thrown
  const { message } = (thrown ?? {}) as { readonly message?: unknown }
  return typeof message === 'string' ? message : `it threw ${inspect(thrown, { breakLength: Infinity })}`
}

/**
 * The place of a key in a definition of an API: the line that calls `defineApi`, or the line of the key after it. Of several
 * such lines, the least indented one is meant, since the others are nested deeper.
 */
function placeOfKey(text: string, place: string, keys: readonly string[]): string {
  const [, path, call] = /^(.*):(\d+)$/s.exec(place) ?? []
  if (path === undefined) return place
  const lines = text.split('\n')
  let line = Number(call) - 1
  for (const key of keys) {
    const named = new RegExp(`(?:^|[{,\\s])['"]?${key}['"]?\\s*[:(,}]`)
    const found = lines.flatMap((each, index) => (index >= line && named.test(each) ? [index] : []))
    const indents = found.map((index) => lines[index]!.search(/\S/))
    if (found.length === 0) break
    line = found[indents.indexOf(Math.min(...indents))]!
  }
  return `${path}:${line + 1}`
}

/** Finds line and column after a path. On Windows, loaders write the path with slashes. */
export function placeIn(text: string, path: string): readonly string[] {
  const toSlashes = (each: string): string => each.replaceAll('\\', '/')
  const found = toSlashes(text)
    .split(toSlashes(path))
    .slice(1)
    .map((rest) => /^:(\d+):(\d+)/.exec(rest))
  return found.find((match) => match !== null) ?? []
}
