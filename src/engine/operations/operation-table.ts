import { fitsGlob } from '../glob.ts'
import { hasBody, wordsFor, writesText, type OperationFacts, type Role } from './facts.ts'

/** Selects operations by names or patterns, and by roles. */
export interface OperationMatch {
  readonly op?: string | readonly string[] | undefined
  readonly role?: Role | readonly Role[] | undefined
}

/** The operations that a simulator serves, by name. Rooms that must know operations before a request comes are given it. */
export class OperationTable {
  readonly #facts: ReadonlyMap<string, OperationFacts>
  /** All names, in the order of the APIs. */
  readonly names: readonly string[]
  /** Those that make a task. */
  readonly submissions: readonly string[]
  /** Those that write a text. */
  readonly texts: readonly string[]
  /** Those of them whose answers have words. */
  readonly withWords: readonly string[]
  /** Those whose response has media, or whose task will have some. */
  readonly withMedia: readonly string[]
  /** Those that name a task, so that it has a state when the request is decided. */
  readonly aboutTasks: readonly string[]
  /** Those that name a task and have no body of their own. */
  readonly aboutTasksWithoutBody: readonly string[]
  /** The words that a sequence may use. */
  readonly words: readonly string[]
  readonly #taskKinds: ReadonlyMap<string, string | undefined>

  constructor(operations: readonly { readonly name: string; readonly facts: OperationFacts }[]) {
    this.#facts = new Map(operations.map(({ name, facts }) => [name, facts]))
    this.names = [...this.#facts.keys()]
    this.submissions = this.where(({ role }) => role === 'submit')
    this.texts = this.where(writesText)
    this.withWords = this.where((facts) => writesText(facts) && facts.images !== 'only')
    this.withMedia = this.where(
      ({ role, images }) => role === 'submit' || role === 'download' || images !== undefined,
    )
    this.aboutTasks = this.where(({ task }) => task !== undefined)
    this.aboutTasksWithoutBody = this.where((facts) => facts.task !== undefined && !hasBody(facts))
    this.words = [...new Set(operations.flatMap(({ name, facts }) => wordsFor(name, facts.role)))]
    this.#taskKinds = new Map(operations.map(({ name, facts }) => [prefixOf(name), facts.tasks]))
  }

  /** The names of those with some fact. */
  where(fits: (facts: OperationFacts) => boolean): readonly string[] {
    return this.names.filter((name) => fits(this.#facts.get(name)!))
  }

  /** The names that match any of several names or patterns. */
  matching(patterns: string | readonly string[]): readonly string[] {
    const wanted = [patterns].flat()
    return this.names.filter((name) => wanted.some((pattern) => fitsGlob(pattern, name)))
  }

  /** The names that a match selects: by name, by role, or by both. */
  selectedBy({ op = '*', role }: OperationMatch): readonly string[] {
    const wanted = role === undefined ? undefined : [role].flat()
    return this.matching(op).filter((name) => wanted?.includes(this.#facts.get(name)!.role) ?? true)
  }

  /** The facts of an operation; undefined for any other text, such as the name of an outgoing report. */
  find(name: string | null): OperationFacts | undefined {
    return name === null ? undefined : this.#facts.get(name)
  }

  /** What an operation does; null for any other text. */
  roleOf(name: string | null): Role | null {
    return this.find(name)?.role ?? null
  }

  /** The kind of tasks that an operation, or a pattern with a whole prefix such as `videos.*`, is about. */
  taskKindOf(operation: string): string | undefined {
    return this.#taskKinds.get(prefixOf(operation))
  }
}

function prefixOf(operation: string): string {
  return operation.slice(0, operation.indexOf('.') + 1)
}
