import { OperationTable } from '../../src/engine/operations/operation-table.ts'
import { Router } from '../../src/gateway/router.ts'
import { goldenOf, removedNames, removedOperations } from './golden.ts'

/** What the running test used of the APIs that are removed from `src/apis`: names of operations, and requests. */
export const removedUses = new Set<string>()

/** Each operation, and all of its API: `video.poll`, `video.*`. */
const names = removedOperations.flatMap((name) => [name, `${name.slice(0, name.indexOf('.'))}.*`])
const escaped = [...new Set(names)].map((name) => name.replaceAll(/[.*]/g, String.raw`\$&`))
const removedName = new RegExp(String.raw`(?<![\w.-])(?:${escaped.join('|')})(?!\w)`)

/** What follows the first part of their paths, the version: `/videos` of `/v1/videos/video_1`. */
const partOf = (path: string): string => /^\/[^/]+(\/[^/?]+)/.exec(path)?.[1] ?? path
const removedParts = [...new Set(removedNames.map((name) => partOf(goldenOf(name).request.path)))]

/** What the simulator says of a name that no API has: an option, a quirk, a role, a kind of model or a flow. */
const unknownName =
  /[^\n]{0,60}(?:is not known\. (?:Known here|Did you mean)|There is no (?:quirk|flow)|no operation has the role|which selects nothing|unknown operation|must be )/

/** Notes the names of removed operations in a text, and words that no API has. */
export function noteNames(text: string): void {
  const found = removedName.exec(text)
  if (found) removedUses.add(found[0])
}

/** Notes what an error says of the removed APIs. */
export function noteError(text: string): void {
  noteNames(text)
  const found = unknownName.exec(text)
  if (found) removedUses.add(found[0])
}

/** Notes a request that no operation takes, if its path was one of a removed API. */
function noteRequest(method: string, path: string): void {
  if (removedParts.some((part) => path.includes(part))) removedUses.add(`${method} ${path}`)
}

/** Watches the two places that know operations by name and by path. */
function watch(): void {
  const { find: findRoute } = Router.prototype
  Router.prototype.find = function (method, path, request) {
    const found = findRoute.call(this, method, path, request)
    if (!found) noteRequest(method, path)
    return found as never
  }
  const { find, matching } = OperationTable.prototype
  OperationTable.prototype.find = function (name) {
    noteNames(name ?? '')
    return find.call(this, name)
  }
  OperationTable.prototype.matching = function (patterns) {
    for (const pattern of [patterns].flat()) noteNames(pattern)
    return matching.call(this, patterns)
  }
}

if (removedOperations.length > 0) watch()
