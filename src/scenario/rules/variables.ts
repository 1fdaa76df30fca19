import type { Changes } from '../../engine/tasks/changes.ts'
import type { Scalar } from '../vocabulary/types.ts'

/** The maximum number of variables in a namespace. */
export const maxVariables = 1_000

/** Variables that rules set and read, by namespace. */
export class Variables {
  readonly #byNamespace = new Map<string, Map<string, Scalar>>()
  readonly #changes: Changes

  /** @param changes records every variable that is set. */
  constructor(changes: Changes) {
    this.#changes = changes
  }

  get(namespace: string, name: string): Scalar | undefined {
    return this.#byNamespace.get(namespace)?.get(name)
  }

  /** Sets variables; null removes one. */
  set(namespace: string, values: Readonly<Record<string, Scalar | null>>): void {
    let known = this.#byNamespace.get(namespace)
    if (!known) this.#byNamespace.set(namespace, (known = new Map()))
    for (const [name, value] of Object.entries(values)) {
      this.#changes.note('variable', namespace, name)
      if (value === null) known.delete(name)
      else if (known.has(name) || known.size < maxVariables) known.set(name, value)
    }
  }

  /** The namespace and name of every variable. */
  *all(): Generator<[namespace: string, name: string]> {
    for (const [namespace, known] of this.#byNamespace)
      for (const name of known.keys()) yield [namespace, name]
  }

  forget(namespace: string): void {
    this.#byNamespace.delete(namespace)
  }
}
