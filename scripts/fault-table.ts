import type { FaultDefinition } from '../src/scenario/faults/fault.ts'
import { faults } from '../src/scenario/faults/index.ts'

const header = ['| Fault | What happens | Error of `fetch` | Without a socket |', '|---|---|---|---|'].join(
  '\n',
)

/** Writes the table of docs/reference/faults.md from what each fault says of itself. */
export function withFaults(page: string): string {
  const rows = faults.map(row).join('\n')
  return page.replace(/^\| Fault \| What happens \|.*\n(?:\|.*\n)+/m, () => `${header}\n${rows}\n`)
}

function row({ name, description, ends: [end] = [], isSilent }: FaultDefinition): string {
  if (!end) return `| \`${name}\` | ${description} | | exactly |`
  const hasNoResponse = isSilent !== undefined
  const error = hasNoResponse ? 'fetch failed' : 'terminated'
  const arrives = hasNoResponse && end.lastBytes ? ': nothing arrives' : ''
  return `| \`${name}\` | ${description} | \`${error}\`, cause \`${end.fetchCause.fields['code']}\` | nearly${arrives} |`
}
