import { basename } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { FileError, UsageError } from '../terminal/command.ts'
import type { Config } from './config.ts'

/** What a new config reaches. */
export interface ReloadTarget {
  /** The config file, for messages. */
  readonly path: string
  /** Whether it is a scenario, where some keys have other names. */
  readonly isScenario?: boolean
  /** Reads the file and puts the flags over it. */
  readonly read: () => Promise<Config>
  /**
   * Takes the rules in the place of the old ones, for requests from now on.
   * @throws {Error} for a rule that can't be; then the old ones stay.
   */
  readonly replaceRules: (rules: NonNullable<Config['rules']>) => void
  /** Told what came of it. */
  readonly tell: (message: string) => void
}

/**
 * Makes what has to be called when the config file has changed. Rules are replaced at once, and tasks that run keep
 * their plans. Everything else needs a restart, and is named. A file that can't be used changes nothing.
 *
 * @param started the config that the server was started with.
 * @returns never throws; everything is told.
 */
export function configReload(started: Config, target: ReloadTarget): () => Promise<void> {
  const { path, isScenario = false, read, replaceRules, tell } = target
  let known = started
  let rules = started.rules ?? []
  return async () => {
    try {
      const config = await read()
      if (isDeepStrictEqual(config, known)) return
      const wanted = config.rules ?? []
      if (!isDeepStrictEqual(wanted, rules)) {
        replaceRules(wanted)
        rules = wanted
        tell(
          `${basename(path)} was read again: ${count(wanted.length)} from now on. Tasks that run keep their plans.`,
        )
      }
      known = config
      const others = changedKeys({ ...started, rules }, { ...config, rules })
      if (others.length > 0) tell(`${basename(path)} was read again: restart to apply ${others.join(', ')}.`)
    } catch (error) {
      const isPlaced = error instanceof FileError || error instanceof UsageError
      const message = isPlaced ? error.message : `${path} ${(error as Error).message}`
      tell(`${message}\ngreenroom goes on with the ${isScenario ? 'scenario' : 'config'} of before.`)
    }
  }
}

function count(rules: number): string {
  if (rules === 0) return 'no rules'
  return rules === 1 ? '1 rule' : `${rules} rules`
}

/** The keys whose values differ, down to the innermost, such as `clock.rate`. */
function changedKeys(before: object, after: object, above = ''): string[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...keys].flatMap((key) => {
    const [one, other] = [before, after].map((side) => (side as Record<string, unknown>)[key])
    if (isDeepStrictEqual(one, other)) return []
    // A group that is not there says as much as an empty one.
    const [inside, insideOther] = [one ?? {}, other ?? {}]
    if (!isMap(inside) || !isMap(insideOther)) return [above + key]
    return changedKeys(inside, insideOther, `${above}${key}.`)
  })
}

function isMap(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
