// The filter language of the journal: `op:video.* status:>=400 fault:reset task:… rule:… key:… model:…`, or free text.
import { writesText } from '../../engine/operations/facts.ts'
import { isFault, isRefused } from './lanes.ts'
import type { Entry } from './types.ts'

type Test = (entry: Entry) => boolean

/** Compiles a query; all of its words must fit. */
export function parseQuery(text: string): Test {
  const tests = text.trim().toLowerCase().split(/\s+/).filter(Boolean).map(parseWord)
  return (entry) => tests.every((test) => test(entry))
}

function parseWord(word: string): Test {
  const [, field = '', value = ''] = /^(op|status|fault|task|rule|key|model):(.*)$/.exec(word) ?? []
  switch (field) {
    case 'op': {
      const pattern = new RegExp(`^${value.split('*').map(escapePattern).join('.*')}`)
      return ({ operation }) => pattern.test(operation ?? '')
    }
    case 'status':
      return parseStatus(value)
    case 'fault':
      return ({ fault }) => fault !== null && fault.includes(value)
    case 'rule':
      return ({ rules }) => rules.some((rule) => rule.toLowerCase().includes(value))
    case 'task':
      return ({ task }) => (task ?? '').toLowerCase().includes(value)
    case 'key':
      return ({ key }) => key.toLowerCase().includes(value)
    case 'model':
      return ({ model }) => (model ?? '').toLowerCase().includes(value)
    default:
      return (entry) => textOf(entry).includes(word)
  }
}

/** `503`, a beginning such as `5`, or a comparison such as `>=400`. */
function parseStatus(value: string): Test {
  const [, comparison = '', digits = ''] = /^(>=|<=|>|<)?(\d*)/.exec(value) ?? []
  const number = Number(digits)
  if (comparison === '>=') return ({ status }) => status >= number
  if (comparison === '<=') return ({ status }) => status <= number
  if (comparison === '>') return ({ status }) => status > number
  if (comparison === '<') return ({ status }) => status < number
  return ({ status }) => String(status).startsWith(digits)
}

function textOf({ number, operation, path, prompt, task, fault }: Entry): string {
  return `${number} ${operation} ${path} ${prompt ?? ''} ${task ?? ''} ${fault ?? ''}`.toLowerCase()
}

function escapePattern(text: string): string {
  return text.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`)
}

/** The filters that have a button. */
export type EntryFilter = 'all' | 'submit' | 'poll' | 'download' | 'text' | 'fault' | 'refused' | 'open'

/** Whether an entry passes a button's filter. */
export function passesFilter(filter: EntryFilter, entry: Entry): boolean {
  if (filter === 'all') return true
  if (filter === 'fault') return isFault(entry)
  if (filter === 'refused') return isRefused(entry)
  if (filter === 'open') return entry.outcome === 'open'
  return filter === 'text' ? writesText(entry) : entry.role === filter
}
