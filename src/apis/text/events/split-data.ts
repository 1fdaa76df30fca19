import { writeEvent, defineEventDialect } from './dialect.ts'

export const splitData = defineEventDialect({
  name: 'split-data',
  title: 'split events',
  description: 'JSON is split into several `data:` lines',
  advice: 'An event may have several `data:` lines: join them by line feeds before you parse the JSON.',
  isUnread: true,
  write: (event) => writeEvent(event.flatMap(splitLine)),
})

/** Splits JSON where it may have a line feed: after its first brace, and before its last. */
function splitLine(line: string): string[] {
  const [, json] = /^data: \{(.*)\}$/s.exec(line) ?? []
  return json === undefined ? [line] : ['data: {', `data: ${json}`, 'data: }']
}
