import { existsSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { ClockMode } from '../../engine/clock/clock-settings.ts'
import { makeFolder } from '../../media/cache/write-files.ts'
import { describeOtherApi, type ApiVersions } from '../../simulator/state/api-versions.ts'
import type { Simulator } from '../../simulator/simulator.ts'
import { version } from '../../version.ts'
import { ServerError } from '../server.ts'
import { lockFolder } from './state-lock.ts'
import { createFile, notOurs, replaceByVerifiedCopy } from './verified-copy.ts'
import { describeFileError } from '../../scenario/files/file-error.ts'
import { explainDiskError, isDiskFull, StateStore, type OpenDatabase } from './state-store.ts'

/** The options for storing a state. */
export interface StateFolderOptions {
  /** Whether each write is flushed to the disk, so that it survives a loss of power. */
  readonly sync?: boolean
  /** How time moves, unless it was changed at run time. */
  readonly clock: { readonly mode: ClockMode; readonly rate: number }
  readonly onWarning: (message: string) => void
  /** Loads the package. Tests pass a function that fails. */
  readonly load?: () => Promise<Pick<typeof import('lmdb'), 'open'>>
}

/**
 * Increase it when an older greenroom can't read the new format. Format 1 was a file of lines, format 2 had one index,
 * format 3 had no sum.
 */
const storeFormat = 4

interface Head {
  readonly greenroom: 'state'
  readonly format: number
  /** The version of greenroom that wrote the state. */
  readonly made: string
  readonly seed: string
  readonly clock: { readonly mode: ClockMode; readonly rate: number }
  /** The versions of the APIs of users; missing in states of earlier versions. */
  readonly apis?: ApiVersions
}

/**
 * Restores a simulator from a folder, and stores further changes there.
 *
 * @returns the simulator, whose `close` also closes the folder.
 * @throws {ServerError} for a folder that can't be used or is in use, and for a state that can't be restored.
 */
export async function withStateFolder(
  folder: string,
  simulator: Simulator,
  options: StateFolderOptions,
): Promise<Simulator> {
  const { sync = false, clock, onWarning, load = () => import('lmdb') } = options
  const open = await loadDatabase(load)
  const { state, draws, namespaces, apiVersions: apis } = simulator
  const lock = useFolder(folder)
  if (lock.machineStopped) {
    onWarning(
      `The machine stopped while a server used ${folder}: the latest changes may be missing, or the state damaged. ` +
        'A damaged state is not used. stateSync: true in the config prevents this.',
    )
  }
  let store: StateStore | undefined
  try {
    const head: Head = {
      greenroom: 'state',
      format: storeFormat,
      made: version,
      seed: draws.seed,
      clock,
      apis,
    }
    const parts = state.parts.flatMap(({ name, isShared }) => (isShared ? [] : [name]))
    const path = join(folder, 'state.mdb')
    const storeOptions = { open, sync, parts, onWarning }
    const isStored = existsSync(path)
    if (isStored) await replaceByVerifiedCopy(path, (found) => void checkHead(found, folder, draws.seed))
    else {
      if (existsSync(`${path}-lock`))
        onWarning(`${path} is missing, though a server used it: all its tasks are lost.`)
      await createFile(path, async (draft) => {
        const created = new StateStore(draft, storeOptions)
        created.head = head
        await created.close()
      })
    }
    store = new StateStore(path, storeOptions)
    if (isStored) {
      const before = checkHead(store.head, folder, draws.seed)
      refuseOtherApis(before.apis ?? {}, apis, store)
      for (const { name } of state.parts) for (const stored of store.read(name)) state.restore(name, stored)
      const isOtherClock = before.clock.mode !== clock.mode || before.clock.rate !== clock.rate
      state.resume({ countsRealTime: true, ...(isOtherClock && { mode: clock }) })
    }
    store.head = head
    state.attach(store)
    for (const { name } of namespaces.all()) state.noteTime(name)
    const problem = state.keep()
    if (problem !== undefined) throw new ServerError(problem)
  } catch (error) {
    state.detach()
    await store?.close()
    lock.release()
    throw asServerError(error, folder)
  }
  return {
    ...simulator,
    close: async () => {
      for (const { name } of namespaces.all()) state.noteTime(name)
      state.keep()
      state.detach()
      await store.close()
      lock.release()
      await simulator.close()
    },
  }
}

/** @throws {ServerError} with the command that installs the package. */
async function loadDatabase(load: NonNullable<StateFolderOptions['load']>): Promise<OpenDatabase> {
  try {
    const { open } = await load()
    return (path) => open({ path, encoding: 'string', overlappingSync: false, noSubdir: true })
  } catch (error) {
    throw new ServerError(
      `Failed to load the package lmdb, which stores the state: ${(error as Error).message.split('\n', 1)[0]}. ` +
        'Install it: npm install lmdb',
    )
  }
}

function useFolder(folder: string): ReturnType<typeof lockFolder> {
  try {
    makeFolder(folder)
    refuseFirstFormat(folder)
    refuseForeignFiles(folder)
    return lockFolder(folder)
  } catch (error) {
    throw asServerError(error, folder, 'Give a folder that can be written.')
  }
}

/** Files of a state, and copies that users made of it (`state.mdb.bak`). */
const ownFiles = /^(?:state\.mdb.*|lock(?:\.\d+)?|reserve)$/
const ownFolders = /^(?:pictures|draft-\w{6})$/
/** Hidden files of the system or of git, and files that a file system has in its root. */
const expected = /^(?:\..*|lost\+found)$/

/**
 * Refuses a folder with foreign files, as the cache does, and links in place of files: `reserve` is overwritten, and LMDB
 * writes into files that it opens.
 *
 * @throws {ServerError}
 */
function refuseForeignFiles(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (expected.test(name)) continue
    const found = lstatSync(join(folder, name), { throwIfNoEntry: false })
    // Another server may have renamed its lock in between.
    if (!found) continue
    const isOwn = found.isDirectory() ? ownFolders.test(name) : found.isFile() && ownFiles.test(name)
    if (isOwn) continue
    const isLink = found.isSymbolicLink() && (ownFiles.test(name) || ownFolders.test(name))
    throw new ServerError(
      `Failed to use the state in ${folder}: ${isLink ? `${name} is a link there` : `it contains ${JSON.stringify(name)}, which is not of greenroom`}. ` +
        'Give a folder of its own, such as .greenroom-state.',
    )
  }
}

/** @throws {ServerError} for a state of the first format. */
function refuseFirstFormat(folder: string): void {
  if (existsSync(join(folder, 'state.mdb')) || !existsSync(join(folder, 'state.jsonl'))) return
  throw new ServerError(
    `${folder} has the state of an older greenroom (state.jsonl, format 1), while this one reads format ${storeFormat}. ` +
      'Give another folder, or delete state.jsonl to start without that state.',
  )
}

/** @returns the header. */
function checkHead(value: unknown, folder: string, seed: string): Head {
  const head = value as Head | undefined
  if (head?.greenroom !== 'state') throw notOurs(join(folder, 'state.mdb'))
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
  return head
}

/** @throws {Error} for jobs of an API that is not served, or whose definition has another version. */
function refuseOtherApis(saved: ApiVersions, served: ApiVersions, store: StateStore): void {
  const tasks = (): unknown[] => Array.from(store.read('task'), (entry) => (entry as unknown[])[1])
  const other = describeOtherApi(saved, served, tasks)
  if (other !== undefined) throw new Error(`it ${other}`)
}

function asServerError(error: unknown, folder: string, advice = adviceFor(error)): Error {
  if (error instanceof ServerError) return error
  const isOfNode = typeof (error as NodeJS.ErrnoException).code === 'string'
  const what = isOfNode ? describeFileError(error) : explainDiskError(error).replace(/\.$/, '')
  return new ServerError(
    `Failed to use the state in ${folder}: ${what}. ${isDiskFull(error) ? 'Make room, then start again.' : advice}`,
  )
}

function adviceFor(error: unknown): string {
  const { code } = error as { code?: string | number }
  if (typeof code === 'string') return 'Give a folder that can be written.'
  if (typeof code === 'number') return 'Restore a copy of the folder, or give another one.'
  // The state is intact, but the present config can't hold it.
  return 'Start with the config of before, or give another folder.'
}
