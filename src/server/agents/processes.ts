import { readFileSync } from 'node:fs'

/** The processes of this machine, as far as the system shows them. */
export interface Processes {
  /** The ids of the processes that it started and that have not ended; undefined if the system doesn't tell. */
  readonly childrenOf: (pid: number) => readonly number[] | undefined
  /** Whether it sleeps, such as a shell that waits for its commands. */
  readonly isAsleep: (pid: number) => boolean
  /** Its name for messages. */
  readonly nameOf: (pid: number) => string
}

/** Linux shows them as files. Other systems don't, without another program. */
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
}

/** The state in `/proc/PID/stat`, which follows the name in parentheses. */
function stateOf(pid: number): string | undefined {
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

/** What is known of a process that takes part. */
export interface KnownProcess {
  /** The id of the process that started it. */
  readonly parent: number
  /** Whether it waits for its children without a turn of its event loop. */
  readonly isBlocked: boolean
}

/**
 * Finds a process that time must wait for: it takes no part in the clock, and is no shell that only waits for processes which do.
 * @param known the processes that take part, by id. Each speaks for itself, and for those that it waits for.
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
  // A shell between two commands has no children; one that is about to start another is awake.
  if (children.length === 0 || !system.isAsleep(pid)) return pid
  for (const child of children) {
    const unknown = findUnknownProcess(child, known, system)
    if (unknown !== undefined) return unknown
  }
  return undefined
}
