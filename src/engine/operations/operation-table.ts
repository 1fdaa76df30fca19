import type * as z from 'zod/mini'
import { fitsGlob } from '../glob.ts'
import type { Lifecycle } from '../tasks/lifecycle.ts'
import { takesBody, wordsFor, writesText, type OperationFacts, type Role } from './facts.ts'

/** Selects operations by names or patterns, and by roles. */
export interface OperationMatch {
  readonly op?: string | readonly string[] | undefined
  readonly role?: Role | readonly Role[] | undefined
}

/** What APIs bring besides operations: names that files may use. */
interface ApiNames {
  /** What the reference client can do. */
  readonly flows: readonly string[]
  /** What models make. */
  readonly modelKinds: readonly string[]
  /** What a good client never breaks. */
  readonly invariants: readonly string[]
}

/** The schemas of keys. */
type Keys = Readonly<Record<string, z.ZodMiniType>>

/** What APIs bring to options, config and scenario files. */
export interface ApiSettings {
  /** Keys of the options. The key of a kind of tasks is the name of its lifecycle; its `lifecycle` replaces that. */
  readonly options: Keys
  /** Keys of `quirks`. */
  readonly quirks: Keys
  /** Keys of each model in `models`. */
  readonly models: Keys
  /** Keys of a step of the reference client. */
  readonly steps: Keys
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
  readonly apiNames: ApiNames & { readonly kinds: readonly string[] }
  /** Names for examples, by what they stand for, such as `poll` or `success`. */
  readonly examples: Readonly<Record<string, string>>
  /** The lifecycles of its kinds of tasks, as far as no option replaces them. */
  readonly lifecycles: readonly Lifecycle[]
  readonly settings: ApiSettings
  readonly #waitingStates: ReadonlySet<string>

  constructor(
    operations: readonly { readonly name: string; readonly facts: OperationFacts }[],
    lifecycles: readonly Lifecycle[],
    apiNames: ApiNames,
    settings: ApiSettings,
  ) {
    this.settings = settings
    this.apiNames = { ...apiNames, kinds: lifecycles.map(({ name }) => name) }
    this.lifecycles = lifecycles
    const waiting = lifecycles.flatMap(({ states, roles }) =>
      Object.entries(states).flatMap(([state, { on }]) =>
        on === undefined
          ? []
          : { state, confirm: on, early: roles.queue, next: String(states[roles.queue]?.to) },
      ),
    )
    this.#waitingStates = new Set(waiting.map(({ state }) => state))
    this.examples = {
      family: `${operations[0]?.name.split('.')[0] ?? ''}.*`,
      ...Object.fromEntries(operations.toReversed().map(({ name, facts }) => [facts.role, name])),
      ...lifecycles[0]?.roles,
      ...waiting[0],
    }
    this.#facts = new Map(operations.map(({ name, facts }) => [name, facts]))
    this.names = [...this.#facts.keys()]
    this.submissions = this.where(({ role }) => role === 'submit')
    this.texts = this.where(writesText)
    this.withWords = this.where((facts) => writesText(facts) && facts.images !== 'only')
    this.withMedia = this.where(
      ({ role, images }) => role === 'submit' || role === 'download' || images !== undefined,
    )
    this.aboutTasks = this.where(({ task }) => task !== undefined)
    this.aboutTasksWithoutBody = this.where((facts) => facts.task !== undefined && !takesBody(facts))
    this.words = [...new Set(operations.flatMap(({ name, facts }) => wordsFor(name, facts.role)))]
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

  /** The lifecycle of a kind of tasks, as far as no option replaces it. */
  lifecycleOf(kind: string | undefined): Lifecycle | undefined {
    return this.lifecycles.find(({ name }) => name === kind)
  }

  /** Whether a task waits for its client in a state. */
  isWaiting(state: string | null): boolean {
    return this.#waitingStates.has(state ?? '')
  }

  /** The kinds of tasks of the operations that a match selects; with undefined if some are about no task. */
  kindsOf(match: OperationMatch): ReadonlySet<string | undefined> {
    return new Set(this.selectedBy(match).map((name) => this.#facts.get(name)!.tasks))
  }

  /** The kind of tasks that all operations of a match have in common; undefined if there is none. */
  onlyKindOf(match: OperationMatch): string | undefined {
    const kinds = this.kindsOf(match)
    return kinds.size === 1 ? [...kinds][0] : undefined
  }
}
