import { expect, it } from 'vitest'
import { takesBody, wordsFor, writesText, type OperationFacts } from '../../src/engine/operations/facts.ts'
import { OperationTable, type ApiSettings } from '../../src/engine/operations/operation-table.ts'
import { drawingLifecycle, videoLifecycle } from '../support/lifecycles.ts'

const operations: readonly { name: string; facts: OperationFacts }[] = [
  { name: 'video.submit', facts: { role: 'submit', route: 'POST /videos', tasks: 'video' } },
  { name: 'video.poll', facts: { role: 'poll', route: 'GET /videos/{id}', tasks: 'video', task: 'id' } },
  { name: 'video.remix', facts: { role: 'submit', route: 'POST /remix', tasks: 'video', task: 'body' } },
  {
    name: 'video.cancel',
    facts: { role: 'cancel', route: 'POST /videos/{id}/cancel', tasks: 'video', task: 'id', hasNoBody: true },
  },
  { name: 'chat.complete', facts: { role: 'text', route: 'POST /chat' } },
  { name: 'chat.stream', facts: { role: 'stream', route: 'POST /stream', images: 'also' } },
  { name: 'images.make', facts: { role: 'text', route: 'POST /images', images: 'only' } },
  { name: 'files.content', facts: { role: 'download', route: 'GET /files' } },
  { name: 'models.list', facts: { role: 'list', route: 'GET /models' } },
]
const names = { flows: [], modelKinds: [], invariants: [], reports: [] }
const table = new OperationTable(operations, [drawingLifecycle, videoLifecycle], names, {} as ApiSettings)

it('lists operations by what they do', () => {
  expect(table).toMatchObject({
    names: operations.map(({ name }) => name),
    submissions: ['video.submit', 'video.remix'],
    texts: ['chat.complete', 'chat.stream', 'images.make'],
    withWords: ['chat.complete', 'chat.stream'],
    withMedia: ['video.submit', 'video.remix', 'chat.stream', 'images.make', 'files.content'],
    aboutTasks: ['video.poll', 'video.remix', 'video.cancel'],
    aboutTasksWithoutBody: ['video.poll', 'video.cancel'],
    words: [
      'any',
      'submit',
      'poll',
      'remix',
      'cancel',
      'complete',
      'stream',
      'make',
      'content',
      'download',
      'list',
    ],
    apiNames: { ...names, kinds: ['drawing', 'video'] },
  })
})

it('selects operations by name, by role, and by both', () => {
  expect(table.matching('video.*')).toHaveLength(4)
  expect(table.matching(['chat.*', 'models.list'])).toEqual(['chat.complete', 'chat.stream', 'models.list'])
  expect(table.selectedBy({})).toHaveLength(9)
  expect(table.selectedBy({ role: 'submit' })).toEqual(['video.submit', 'video.remix'])
  expect(table.selectedBy({ op: 'video.*', role: ['poll', 'cancel', 'list'] })).toEqual([
    'video.poll',
    'video.cancel',
  ])
})

it('knows the facts of an operation, and none of any other text', () => {
  expect(table.find('video.poll')).toBe(operations[1]!.facts)
  expect([table.find('video.other'), table.find(null)]).toEqual([undefined, undefined])
  expect(['video.poll', 'video.other', null].map((name) => table.roleOf(name))).toEqual(['poll', null, null])
})

it('knows the kinds of tasks that operations are about', () => {
  expect(table.lifecycleOf('video')).toBe(videoLifecycle)
  expect([table.lifecycleOf('other'), table.lifecycleOf(undefined)]).toEqual([undefined, undefined])
  expect([...table.kindsOf({ op: '*' })]).toEqual(['video', undefined])
  expect([table.onlyKindOf({ op: 'video.*' }), table.onlyKindOf({ op: '*' })]).toEqual(['video', undefined])
})

it('knows in which states a task waits for its client', () => {
  const waits = ['MODAL', 'SUBMITTED', 'IN_PROGRESS', null].map((state) => table.isWaiting(state))
  expect(waits).toEqual([true, false, false, false])
})

it('names examples, the first of each role', () => {
  expect(table.examples).toMatchObject({
    family: 'video.*',
    submit: 'video.submit',
    text: 'chat.complete',
    queue: drawingLifecycle.roles.queue,
    success: 'SUCCESS',
    state: 'MODAL',
  })
  expect(new OperationTable([], [], names, {} as ApiSettings).examples).toEqual({ family: '.*' })
})

it.each([
  ['POST /a', undefined, true],
  ['POST /a', true, false],
  ['GET /a', undefined, false],
  ['GET POST /a', undefined, false],
] as const)('says of %s, without a body %s, whether requests have one: %s', (route, hasNoBody, takes) => {
  expect(takesBody({ role: 'read', route, ...(hasNoBody && { hasNoBody }) })).toBe(takes)
})

it('knows the words of an operation for sequences', () => {
  expect(wordsFor('video.submit', 'submit')).toEqual(['any', 'submit', 'submit'])
  expect(wordsFor('mj.fetch', 'poll')).toEqual(['any', 'fetch', 'poll'])
  expect(wordsFor('video.content', 'download')).toEqual(['any', 'content', 'download'])
  expect(wordsFor('models.list', 'list')).toEqual(['any', 'list'])
  expect(wordsFor('plain', null)).toEqual(['any', 'plain'])
  expect((['text', 'stream', 'poll', null] as const).map((role) => writesText({ role }))).toEqual([
    true,
    true,
    false,
    false,
  ])
})
