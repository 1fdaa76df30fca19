import { writeEvent, defineEventDialect } from './dialect.ts'

export const fields = defineEventDialect({
  name: 'fields',
  title: 'labelled events',
  description: 'each event has the lines `id:` and `retry:`, and `event:` if its API names none',
  advice:
    'An event may have other lines before `data:`: read it line by line, and skip those that you do not know.',
  isUnread: true,
  write: (event, { index }) => {
    const isNamed = event.some((line) => line.startsWith('event:'))
    return writeEvent([`id: ${index + 1}`, 'retry: 3000', ...(isNamed ? [] : ['event: message']), ...event])
  },
})
