import { findDirectiveTypo } from '../scenario/directive-typos.ts'
import { hintHeader, type Reply } from './replies/reply.ts'

/** Different typos that are warned of; a client that makes them up must not fill the memory. */
const maxWarnings = 1_000

/** Adds advice to responses whose prompt has a misspelt directive, and warns of each once. */
export class DirectiveAdvice {
  readonly #all: ReadonlySet<string>
  readonly #onWarning: (message: string) => void
  readonly #warned = new Set<string>()

  constructor(directives: Iterable<string>, onWarning: (message: string) => void) {
    this.#all = new Set(directives)
    this.#onWarning = onWarning
  }

  /** The reply, with a header when the prompt has a directive that does nothing. */
  addTo(
    reply: Reply,
    { directives, operation }: { readonly directives?: readonly string[]; readonly operation: string },
    prompt: string | undefined,
  ): Reply {
    if (directives === undefined || prompt === undefined) return reply
    const typo = findDirectiveTypo(prompt, directives, this.#all)
    if (!typo) return reply
    const key = `${operation} ${typo.written}`
    if (!this.#warned.has(key) && this.#warned.size < maxWarnings) {
      this.#warned.add(key)
      this.#onWarning(`${operation}: ${typo.advice}`)
    }
    return { ...reply, headers: { ...hintHeader(typo.advice), ...reply.headers } }
  }
}
