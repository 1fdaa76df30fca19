import { existsSync, type writeSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { ClockMode } from '../../engine/clock/clock-settings.ts'
import { makeFolder } from '../../media/cache/write-files.ts'
import { describeFileError } from '../../files/file-error.ts'
import type { Simulator } from '../../simulator/simulator.ts'
import { describeOtherApi } from '../../simulator/state/api-versions.ts'
import { version } from '../../version.ts'
import { ServerError } from '../server.ts'
import { lockFolder } from './state-lock.ts'
import { readLog, StateLog, type Head } from './state-log.ts'

/** The options for storing a state. */
export interface StateFolderOptions {
  /** How time moves, unless it was changed at run time. */
  readonly clock: { readonly mode: ClockMode; readonly rate: number }
  readonly onWarning: (message: string) => void
  /** Writes bytes into a file. Tests pass a function that fails. */
  readonly write?: typeof writeSync
  /** By how many bytes the log may grow. Tests pass little. */
  readonly growth?: number
}

/** Increase it when an older greenroom can't read the new format. */
const storeFormat = 5
/** The files of earlier formats. */
const earlier = { 'state.jsonl': 'format 1', 'state.mdb': 'format 4 or earlier' }

/**
 * Restores a simulator from a folder, and stores further changes there.
 *
 * @returns the simulator, whose `close` also closes the folder.
 * @throws {ServerError} for a folder that can't be used or is in use, and for a state that can't be restored.
 */
export async function withStateFolder(
  folder: string,
  simulator: Simulator,
  { clock, onWarning, write, growth }: StateFolderOptions,
): Promise<Simulator> {
  const { state, draws, namespaces, apiVersions: apis } = simulator
  const release = useFolder(folder)
  const noteTimes = (): void => namespaces.all().forEach(({ name }) => state.noteTime(name))
  let log: StateLog | undefined
  try {
    const path = join(folder, 'state.log')
    const head: Head = {
      greenroom: 'state',
      format: storeFormat,
      made: version,
      seed: draws.seed,
      clock,
      apis,
    }
    const options = { path, head, values: () => state.values(), onWarning, write, growth }
    if (existsSync(path)) {
      const shared = state.parts.flatMap(({ name, isShared }) => (isShared ? [name] : []))
      const content = readLog(path, new Set(shared), (found) => checkHead(found, folder, draws.seed))
      const { lines: _, ...before } = content.head as Head & { lines?: number }
      const valuesOf = (part: string) => content.values.get(part)?.values() ?? []
      const tasks = (): unknown[] => Array.from(valuesOf('task'), ([, , value]) => value)
      const other = describeOtherApi(before.apis, apis, tasks)
      if (other !== undefined) throw new Error(`it ${other}`)
      for (const { name } of state.parts)
        for (const [, names, value] of valuesOf(name)) state.restore(name, [names, value])
      const isOtherClock = !isDeepStrictEqual(before.clock, clock)
      state.resume({ countsRealTime: true, ...(isOtherClock && { mode: clock }) })
      if (content.isTorn)
        onWarning(`The last line of ${path} was incomplete: it is dropped. Its request had no response yet.`)
      const isGood = !content.isTorn && !content.isMostlyDead && isDeepStrictEqual(before, head)
      log = new StateLog(options, isGood ? content.end : undefined)
    } else log = new StateLog(options, undefined)
    state.attach(log)
    noteTimes()
    const problem = state.keep()
    if (problem !== undefined) throw new ServerError(problem)
  } catch (error) {
    state.detach()
    log?.close()
    release()
    throw asServerError(error, folder)
  }
  return {
    ...simulator,
    close: async () => {
      noteTimes()
      state.keep()
      state.detach()
      log.compact()
      log.close()
      release()
      await simulator.close()
    },
  }
}

function useFolder(folder: string): () => void {
  try {
    makeFolder(folder)
    refuseEarlierFormats(folder)
    return lockFolder(folder)
  } catch (error) {
    throw asServerError(error, folder, 'Give a folder that can be written.')
  }
}

function refuseEarlierFormats(folder: string): void {
  if (existsSync(join(folder, 'state.log'))) return
  for (const [name, format] of Object.entries(earlier)) {
    if (!existsSync(join(folder, name))) continue
    throw new ServerError(
      `${folder} has the state of an older greenroom (${name}, ${format}), while this one reads format ${storeFormat}. ` +
        `To move it, save a snapshot with that version (GET /_greenroom/snapshot), and restore it with this one (PUT). ` +
        `Or give another folder.`,
    )
  }
}

function checkHead(head: Head, folder: string, seed: string): void {
  if (head.format !== storeFormat) {
    throw new ServerError(
      `The state in ${folder} was written by greenroom ${head.made} in format ${head.format}, while this one reads format ` +
        `${storeFormat}. To move it, save a snapshot with that version (GET /_greenroom/snapshot), and restore it with this one ` +
        `(PUT). Or give another folder.`,
    )
  }
  if (head.seed !== seed) {
    throw new ServerError(
      `The state in ${folder} was made with seed "${head.seed}": its ids and random draws would not fit "${seed}". ` +
        `Start with --seed ${head.seed}, or give another folder.`,
    )
  }
}

function asServerError(error: unknown, folder: string, advice = adviceFor(error)): Error {
  if (error instanceof ServerError) return error
  const { code } = error as NodeJS.ErrnoException
  const isFull = code === 'ENOSPC' || code === 'EDQUOT'
  return new ServerError(
    `Failed to use the state in ${folder}: ${describeFileError(error).replace(/\.$/, '')}. ${isFull ? 'Make room, then start again.' : advice}`,
  )
}

/** Without a code, the state is intact, but the present config can't hold it. */
const adviceFor = (error: unknown): string =>
  (error as NodeJS.ErrnoException).code === undefined
    ? 'Start with the config of before, or give another folder.'
    : 'Give a folder that can be written.'
