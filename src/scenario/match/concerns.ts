import { fitsGlob } from '../../engine/glob.ts'
import type { RuleMatch, RuleSubject, ValueMatch } from '../rule.ts'
import { fitsValue, needsPatterns } from './value.ts'
import { readPath, valuesAt } from './values.ts'

/** A match whose paths were read. */
export interface ReadMatch {
  /** Why a request is none of the rule's; undefined when it is. */
  readonly mismatch: (request: RuleSubject) => string | undefined
  /** Whether regular expressions are tried, whose engine must be loaded first. */
  readonly needsPatterns: boolean
}

/** A match that can't be read. The message says what and why. */
export class MatchError extends Error {
  override name = 'MatchError'
}

/** @throws {MatchError} for a path that can't be read. */
export function readMatch(match: RuleMatch): ReadMatch {
  const operations = [match.op].flat()
  const paths = Object.entries(match.body ?? {}).map(([path, wanted]) => {
    const steps = readPath(path)
    if (!steps) throw new MatchError(`"${path}" is no path into a body. Write it as messages[0].content`)
    return { path, steps, wanted }
  })
  const headers = Object.entries(match.headers ?? {}).map(([name, wanted]) => ({
    name: name.toLowerCase(),
    wanted,
  }))
  const queries = Object.entries(match.query ?? {})
  const { model, prompt, key, namespace, state } = match

  function mismatch(request: RuleSubject): string | undefined {
    if (!operations.some((operation) => fitsGlob(operation, request.operation))) return 'another operation'
    if (model !== undefined && !fitsGlob(model, request.model ?? '')) return 'another model'
    if (prompt !== undefined && !fitsGlob(prompt, request.prompt ?? '')) return 'another prompt'
    if (key !== undefined && !fitsValue(key, [request.key])) return 'another key'
    if (namespace !== undefined && !fitsValue(namespace, [request.namespace])) return 'another namespace'
    if (state !== undefined && !fitsValue(state, asList(request.state))) return 'the task is in another state'
    for (const { path, steps, wanted } of paths) {
      if (!fitsValue(wanted, valuesAt(request.body, steps))) return `${path} of the body is another`
    }
    for (const { name, wanted } of headers) {
      if (!fitsValue(wanted, asList(request.header(name) || undefined)))
        return `the header ${name} is another`
    }
    if (queries.length === 0) return undefined
    const query = new URLSearchParams(request.query)
    const other = queries.find(([name, wanted]) => !fitsValue(wanted, query.getAll(name)))
    return other && `${other[0]} of the query is another`
  }

  return { mismatch, needsPatterns: wishesOf(match).some(needsPatterns) }
}

/** Every value match of a match. */
export function wishesOf({
  body = {},
  headers = {},
  query = {},
  key,
  namespace,
  state,
}: RuleMatch): ValueMatch[] {
  const single = [key, namespace, state].filter((wish) => wish !== undefined)
  return [...Object.values(body), ...Object.values(headers), ...Object.values(query), ...single]
}

function asList(value: string | undefined): readonly string[] {
  return value === undefined ? [] : [value]
}
