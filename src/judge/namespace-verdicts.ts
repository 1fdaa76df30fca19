import type { VerdictSource } from '../control/deps.ts'
import type { Namespaces } from '../engine/namespace.ts'
import type { GatewayNamespace } from '../gateway/exchange.ts'
import type { Journal } from '../gateway/journal.ts'
import { audit, type Audit } from './audit.ts'
import { Watch, watchJournal } from './watch.ts'

/** Judges the clients of a namespace from the first call on. Namespaces without a call cost nothing. */
export class Verdicts implements VerdictSource {
  readonly #namespaces: Namespaces<GatewayNamespace>
  readonly #watched = new Map<string, { watch: Watch; journal: Journal; stop: () => void }>()

  constructor(namespaces: Namespaces<GatewayNamespace>) {
    this.#namespaces = namespaces
  }

  of(name: string): Audit {
    // A mistyped name must not create a namespace.
    if (!this.#namespaces.has(name)) return audit(new Watch())
    const { journal } = this.#namespaces.get(name)
    let watched = this.#watched.get(name)
    if (watched?.journal !== journal) {
      this.forget(name)
      const watch = new Watch()
      watched = { watch, journal, stop: watchJournal(journal, watch) }
      this.#watched.set(name, watched)
    }
    return audit(watched.watch)
  }

  /** Judges the namespace again, from the exchanges that its journal still has. */
  forget(name: string): void {
    this.#watched.get(name)?.stop()
    this.#watched.delete(name)
  }
}
