import { isObject } from '../../engine/is-object.ts'
import { watch, type FSWatcher } from 'node:fs'
import { basename, dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { hostTimers } from '../../engine/clock/timers/host-timers.ts'
import { pluralize } from '../../engine/wording.ts'
import { formatError, isFileError, UsageError } from '../terminal/command.ts'
import type { Config } from './config-file.ts'

/** The input and the effects of a reload. */
interface ReloadTarget {
  /** The config or scenario file, for messages. */
  readonly path: string
  /** Whether it is a scenario, in which some keys have other names. */
  readonly isScenario?: boolean
  /** Reads the file and applies the flags. */
  readonly read: () => Promise<Config>
  /**
   * Replaces rules and throttles, for requests from now on.
   * @throws {Error} for an invalid one. The old ones stay then.
   */
  readonly replace: (lists: ReloadedLists) => void
  readonly warn: (message: string) => void
}

/** The lists that a reload replaces. */
export type ReloadedLists = Readonly<Required<Pick<Config, 'rules' | 'throttles'>>>

const listsOf = ({ rules = [], throttles = [] }: Config): ReloadedLists => ({ rules, throttles })

/** Throttles with workers can't be reloaded, because tasks already have a place in their queue. */
function toRestartKeys({ rules: _rules, throttles = [], ...others }: Config): object {
  return { ...others, 'throttles with workers': throttles.filter(({ workers }) => workers !== undefined) }
}

/**
 * Creates a function to call when the config file has changed. It replaces the rules and throttles; running tasks keep
 * their plans. Other changed keys need a restart, and the function says so. An invalid file changes nothing.
 *
 * @param started the config that the server was started with.
 * @returns never rejects.
 */
export function createReload(started: Config, target: ReloadTarget): () => Promise<void> {
  const { path, isScenario = false, read, replace, warn } = target
  const name = basename(path)
  let current = started
  let lists = listsOf(started)
  return async () => {
    try {
      const config = await read()
      if (isDeepStrictEqual(config, current)) return
      const next = listsOf(config)
      if (!isDeepStrictEqual(next, lists)) {
        replace(next)
        const counts = [countOf(next.rules, 'rule')]
        if (next.throttles.length + lists.throttles.length > 0)
          counts.push(countOf(next.throttles, 'throttle'))
        lists = next
        warn(`${name} reloaded: ${counts.join(', ')}. Running tasks keep their plans.`)
      }
      current = config
      const others = changedKeys(toRestartKeys(started), toRestartKeys(config))
      if (others.length > 0) warn(`warning: ${name} changed: restart to apply ${others.join(', ')}.`)
    } catch (error) {
      warn(
        `${describeReloadFailure(path, error)}\nhint: The previous ${isScenario ? 'scenario' : 'config'} stays in use.`,
      )
    }
  }
}

/** Describes an error. Errors of files and flags contain their place; others get the name of the file. */
export function describeReloadFailure(path: string, error: unknown): string {
  const { message } = error as Error
  const hasPlace = isFileError(error) || error instanceof UsageError
  return formatError(hasPlace ? message : `${path}: ${message}`)
}

function countOf({ length }: readonly unknown[], noun: string): string {
  return length === 0 ? `no ${noun}s` : pluralize(length, noun)
}

/** The innermost keys with different values, such as `clock.rate`. */
function changedKeys(before: object, after: object, prefix = ''): string[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...keys].flatMap((key) => {
    const [one, other] = [before, after].map((side) => (side as Record<string, unknown>)[key])
    if (isDeepStrictEqual(one, other)) return []
    // A missing group equals an empty one.
    const [inner, otherInner] = [one ?? {}, other ?? {}]
    if (!isObject(inner) || !isObject(otherInner)) return [prefix + key]
    return changedKeys(inner, otherInner, `${prefix}${key}.`)
  })
}

/** Editors write a file in several steps. After this pause, it counts as complete. */
const debounceMs = 100

/**
 * Calls a function when a file has changed, also if an editor replaces it.
 *
 * @param path the file. Its folder is watched, because a watch on the file would follow the replaced one.
 * @param on.change called once for each burst of changes; the next call waits for it.
 * @param on.failure called once, with the reason, if the folder can't be watched.
 * @returns a function that stops watching and waits for the last `change`.
 */
export function watchFile(
  path: string,
  on: { change: () => Promise<void>; failure: (reason: string) => void },
): () => Promise<void> {
  let timer: ReturnType<typeof hostTimers.setTimeout> | undefined
  let last = Promise.resolve()
  let watcher: FSWatcher | undefined
  const schedule = (): void => {
    hostTimers.clearTimeout(timer)
    timer = hostTimers.setTimeout(() => (last = last.then(on.change)), debounceMs)
  }
  try {
    watcher = watch(dirname(path), (_, name) => {
      // Some systems don't name the file.
      if (name === null || isSameName(name, basename(path))) schedule()
    })
    watcher.once('error', (error) => {
      watcher?.close()
      on.failure(error.message)
    })
  } catch (error) {
    on.failure((error as Error).message)
  }
  return async () => {
    hostTimers.clearTimeout(timer)
    watcher?.close()
    await last
  }
}

/**
 * Whether two names belong to one file: Windows and macOS ignore case, and macOS may compose letters differently. A change
 * of another file only causes a read.
 */
export function isSameName(one: string, other: string): boolean {
  return one.normalize().toLowerCase() === other.normalize().toLowerCase()
}
