import type { SentRequest } from '../../gateway/journal.ts'
import { readMatch, wishesOf } from '../../scenario/rules/match/concerns.ts'
import { patternsAreMissing } from '../../scenario/rules/match/patterns.ts'
import { needsPatterns } from '../../scenario/rules/match/value.ts'
import type { RequestExpectation } from '../expectations/expect.ts'

type Wanted = Pick<RequestExpectation, 'body' | 'headers' | 'query'>

/** Compares what clients send with an expectation. Messages name fields and never show values, which may be keys. */
export class SentCheck {
  readonly #mismatch: (sent: SentRequest) => string | undefined
  readonly #needsPatterns: boolean
  /** Why nothing can be compared, such as a regular expression that can't be read. */
  error: Error | undefined

  /** @throws {MatchError} for a path that can't be read. */
  constructor({ body = {}, headers = {}, query = {} }: Wanted) {
    const match = readMatch({ op: '*', body, headers, query })
    const hasBody = Object.keys(body).length > 0
    this.#needsPatterns = match.needsPatterns
    this.#mismatch = (sent) => {
      if (hasBody && sent.body === undefined) return 'the body could not be read'
      return match.mismatch({ ...nothing, ...sent, body: sent.body ?? {} })
    }
  }

  /** Whether regular expressions are needed whose engine is not loaded yet. */
  get mustWait(): boolean {
    return this.#needsPatterns && patternsAreMissing()
  }

  /** @returns why a request is not as expected; undefined if it is. */
  mismatch(sent: SentRequest): string | undefined {
    try {
      return this.#mismatch(sent)
    } catch (error) {
      // The request itself must not fail for a mistake in an expectation.
      this.error = error as Error
      return 'it could not be compared'
    }
  }
}

/** The parts of a request that are not compared. */
const nothing = {
  operationName: '',
  namespaceName: '',
  keyName: '',
  subject: '',
  attempt: 0,
  now: 0,
  elapsedMs: 0,
}

/** Whether an expectation is about what the client sends. */
export function isAboutSent({ body, headers, query }: Wanted): boolean {
  return body !== undefined || headers !== undefined || query !== undefined
}

/** Whether the engine of regular expressions must be loaded to judge what the client sent. */
export function sentNeedsPatterns({ body = {}, headers = {}, query = {} }: Wanted): boolean {
  return wishesOf({ op: '*', body, headers, query }).some(needsPatterns)
}

/** The compared fields: `body prompt, header user-agent`. */
export function sentInWords({ body = {}, headers = {}, query = {} }: Wanted): string {
  const names = (what: string, fields: object): string[] =>
    Object.keys(fields).map((name) => `${what} ${name}`)
  return [...names('body', body), ...names('header', headers), ...names('query', query)].join(', ')
}
