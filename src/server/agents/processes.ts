import { readdirSync, readFileSync } from 'node:fs'

/** The processes of this machine, as far as the system lists them. */
interface Processes {
  /** The ids of the running children of a process; undefined if the system doesn't list them. */
  readonly childrenOf: (pid: number) => readonly number[] | undefined
  /** Whether a process sleeps, such as a shell that waits for its commands. */
  readonly isAsleep: (pid: number) => boolean
  /** The name of a process in messages. */
  readonly nameOf: (pid: number) => string
  /** Whether the system lists processes. */
  readonly areListed: boolean
  /** The processor time of all its threads so far, in hundredths of a second; undefined unless all of them sleep. */
  readonly timeOf: (pid: number) => number | undefined
}

/** On Linux, files list the processes. Other systems would need another program for that. */
export const processes: Processes = {
  childrenOf: (pid) => {
    const text = read(`/proc/${pid}/task/${pid}/children`)
    return text
      ?.trim()
      .split(' ')
      .filter((word) => word !== '')
      .map(Number)
      .filter((child) => stateOf(child) !== 'Z')
  },
  isAsleep: (pid) => stateOf(pid) === 'S',
  nameOf: (pid) => read(`/proc/${pid}/comm`)?.trim() ?? 'unknown',
  areListed: read('/proc/self/stat') !== undefined,
  timeOf: (pid) => {
    const threads = listThreads(pid).map((thread) => stateOf(`${pid}/task/${thread}`))
    if (threads.length === 0 || threads.some((state) => state !== 'S')) return undefined
    const stat = read(`/proc/${pid}/stat`)
    // The time in user mode and in the kernel, which are the 14th and the 15th field.
    const [user, kernel] =
      stat
        ?.slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .slice(11, 13)
        .map(Number) ?? []
    return user === undefined || kernel === undefined ? undefined : user + kernel
  },
}

function listThreads(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}

/** The state in `/proc/PID/stat`, which follows the name in parentheses. */
function stateOf(pid: number | string): string | undefined {
  const stat = read(`/proc/${pid}/stat`)
  return stat?.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3)
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return undefined
  }
}

/** The known facts about a process that takes part. */
export interface KnownProcess {
  /** The id of its parent process. */
  readonly parent: number
  /** Whether it blocks its event loop while it waits for its children. */
  readonly isBlocked: boolean
}

/**
 * Finds a process that time must wait for. It takes no part in the clock, and is more than a shell that waits for processes
 * which do.
 * @param known the processes that take part, by id. Each reports for itself and for the children that it waits for.
 * @returns the id of the first one; undefined if there is none.
 */
export function findUnknownProcess(
  pid: number,
  known: ReadonlyMap<number, KnownProcess>,
  system: Processes = processes,
): number | undefined {
  const self = known.get(pid)
  if (self && !self.isBlocked) return undefined
  const children = system.childrenOf(pid)
  if (!children) return [...known.values()].some(({ parent }) => parent === pid) ? undefined : pid
  // A shell without children is between two commands. One that is awake is about to start another.
  if (children.length === 0 || !system.isAsleep(pid)) return pid
  for (const child of children) {
    const unknown = findUnknownProcess(child, known, system)
    if (unknown !== undefined) return unknown
  }
  return undefined
}
