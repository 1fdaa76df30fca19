import { expect, it } from 'vitest'
import {
  aboutTasksWithoutBody,
  hasBody,
  operationFacts,
  operations,
  pollsAndDownloads,
  submissions,
  taskKindOf,
  wordsFor,
} from '../../src/engine/operations/operations.ts'
import { createSimulator } from '../../src/index.ts'

it('serves every operation on every one of its paths', async () => {
  await using sim = createSimulator({ video: { listAndDelete: true }, drawing: { proxyCalls: true } })
  for (const operation of operations) {
    const { route, aliases = [] } = operationFacts[operation]
    const words = route.split(' ')
    for (const path of [words.at(-1)!, ...aliases]) {
      for (const method of words.slice(0, -1)) {
        const url = `https://gateway.test${path.replace('{mode}', 'fast').replace(/\{\w+\}/g, 'x')}`
        await sim.fetch(url, { method, headers: { Authorization: 'Bearer sk-1' } })
        expect(sim.journal().at(-1)?.operation, `${method} ${path}`).toBe(operation)
      }
    }
  }
})

it('derives the tables of operations from their facts', () => {
  expect(submissions).toHaveLength(13)
  expect(pollsAndDownloads).toEqual([
    'video.poll',
    'video.content',
    'videos.retrieve',
    'mj.fetch',
    'mj.image',
    'mj.film',
  ])
  expect(aboutTasksWithoutBody).toContain('mj.cancel')
  expect(aboutTasksWithoutBody).not.toContain('videos.remix')
  expect(operations.filter(hasBody)).toContain('text.embed-batch')
  expect(wordsFor('videos.retrieve')).toEqual(['any', 'retrieve', 'poll'])
})

it('knows the kind of tasks by name or pattern', () => {
  expect(taskKindOf('videos.list')).toBe('video')
  expect(taskKindOf('mj.*')).toBe('drawing')
  expect(taskKindOf('chat.complete')).toBeUndefined()
})
