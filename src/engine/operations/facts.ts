/**
 * What an operation does: `submit` makes a task, `poll` reads the state of one, `result` reads more of one, `download` sends
 * what one made, `cancel` ends or deletes one, `list` reads several tasks or models, `text` writes a text, `stream` writes one that is
 * always streamed, `read` reads anything else, `change` changes anything else, `report` is a callback: the simulator sends the
 * state of a task to the client.
 */
export const roles = [
  'submit',
  'poll',
  'result',
  'download',
  'cancel',
  'change',
  'list',
  'read',
  'text',
  'stream',
  'report',
] as const

/**
 * What an operation does, whatever its API.
 *
 * @example
 * const role: Role = 'poll'
 * sim.journal().filter((entry) => entry.role === role) // → []
 */
export type Role = (typeof roles)[number]

/**
 * How far apart two requests are meant to be: durations, such as `5s`.
 *
 * @example
 * const interval: Interval = { min: '2s', max: '10s' }
 */
export interface Interval {
  readonly min?: string
  readonly max?: string
}

/** Selects the requests of an operation whose route another one has, too: those with all of these values. */
export interface RequestMatch {
  /** Headers, by names in any case. */
  readonly header?: Readonly<Record<string, string>>
  /** Parameters of the query. */
  readonly query?: Readonly<Record<string, string>>
}

/** What is known of an operation without its code. */
export interface OperationFacts {
  readonly role: Role
  /** Its methods and path, such as `GET HEAD /v1/videos/{task_id}/content`. */
  readonly route: string
  /** Other paths of the same operation. */
  readonly aliases?: readonly string[]
  /** Which requests of its route are its own. Default: all. */
  readonly match?: RequestMatch
  /** The kind of its tasks, by the name of their lifecycle. */
  readonly tasks?: string
  /** Where a request names a task: in this parameter of the path, or in its `body`. */
  readonly task?: string
  /** The query parameter that carries the id of the task, if the path does not. */
  readonly taskInQuery?: string
  /** Whether it answers with images, which `media` of rules replaces: `also` if it has texts, too. */
  readonly images?: 'only' | 'also'
  /** Needs no key: `public` ignores keys, even invalid ones; `signed` needs none with a signed link. */
  readonly access?: 'public' | 'signed'
  /** How far apart two polls of a task are meant to be. Without it, no interval is documented. */
  readonly interval?: Interval
  /** Whether a download of an unfinished task is a preview. */
  readonly hasPreviews?: true
  /** Of a callback: whether it is signed. */
  readonly isSigned?: true
  /** Whether a POST has no body. */
  readonly hasNoBody?: true
  /** Whether its tasks cost something, though only prices of the options say how much. */
  readonly hasUnknownPrice?: true
  /** Served only if this option is set, since the real gateway does not offer it: `video.listAndDelete`. */
  readonly option?: string
}

/** A match as part of the name of a place, such as `#x-target=jobs.start`; empty without one. */
export function nameMatch({ header = {}, query = {} }: RequestMatch = {}): string {
  const parts = Object.entries({ ...header, ...query }).map(([name, value]) => `${name}=${value}`)
  return parts.length === 0 ? '' : `#${parts.join('&')}`
}

/** Whether requests have a body. */
export function takesBody({ route, role, hasNoBody }: OperationFacts): boolean {
  return route.startsWith('POST ') && role !== 'report' && !hasNoBody
}

/** Whether it writes texts, streamed or not. */
export function writesText({ role }: { readonly role: Role | null }): boolean {
  return role === 'text' || role === 'stream'
}

/** The words that a sequence may use for an operation: the last part of its name, and what it does. */
export function wordsFor(name: string, role: Role | null): string[] {
  const words = ['any', name.slice(name.indexOf('.') + 1)]
  if (role === 'submit' || role === 'poll' || role === 'download') words.push(role)
  return words
}
