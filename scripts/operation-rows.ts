import { apis } from '../src/apis/index.ts'
import type { Api } from '../src/apis/define/api.ts'
import type { Operation } from '../src/apis/define/operation.ts'

const all = apis.flatMap(({ operations }: Api): readonly Operation[] => operations)
const served = new Map(all.map((operation) => [operation.name, operation]))

/**
 * Writes the table of operations of a page of docs/reference. A row has its first two cells from its operation; the last one, about the
 * response, stays as the page has it. An operation without a row follows those whose names begin as its own does, with its summary. Rows of
 * operations that no API has go.
 */
export function withOperations(page: string): string {
  return page.replace(
    /^(\| Operation \| Request \| .*\n\|[-|]+\n)((?:\|.*\n)+)/m,
    (_table, header: string, body: string) =>
      `${header}${currentRows(body.trimEnd().split('\n')).join('\n')}\n`,
  )
}

function currentRows(rows: readonly string[]): readonly string[] {
  const written = rows.map((text) => ({ text, names: namesIn(text) }))
  const listed = new Set(written.flatMap(({ names }) => names))
  const groups = new Set(written.flatMap(({ names }) => names.map(groupOf)))
  const current = written.flatMap(({ text, names }) => {
    const [operation, another] = names.flatMap((name) => served.get(name) ?? [])
    if (!operation) return []
    // Several operations may share a row, and the path of a callback is the client's.
    const isByHand = another !== undefined || operation.facts.role === 'report'
    const [, response = ''] = /^\|[^|]*\|[^|]*\| (.*) \|$/.exec(text) ?? []
    return { group: groupOf(operation.name), text: isByHand ? text : rowOf(operation, response) }
  })
  for (const operation of all) {
    const group = groupOf(operation.name)
    if (listed.has(operation.name) || !groups.has(group)) continue
    const place = current.findLastIndex((row) => row.group === group) + 1
    current.splice(place, 0, { group, text: rowOf(operation, inSentence(operation.summary)) })
  }
  return current.map(({ text }) => text)
}

const namesIn = (row: string): string[] =>
  [...row.split('|')[1]!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!)

const groupOf = (name: string): string => name.slice(0, name.indexOf('.'))

function rowOf({ name, methods, path }: Operation, response: string): string {
  const [last, ...before] = methods.toReversed()
  const request = [...before.toReversed(), `${last} ${path}`].map((part) => `\`${part}\``).join(', ')
  return `| \`${name}\` | ${request} | ${response} |`
}

const inSentence = (summary: string): string => summary.charAt(0).toLowerCase() + summary.slice(1)
