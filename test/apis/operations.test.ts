import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { operations, shippedOperations } from '../../src/apis/index.ts'
import type { Api } from '../../src/apis/define/api.ts'
import { wordsFor } from '../../src/engine/operations/facts.ts'
import { createSimulator } from '../../src/index.ts'
import { needs } from '../support/needs.ts'

it('serves every operation on every one of its paths', async () => {
  await using sim = createSimulator({ video: { listAndDelete: true } })
  for (const operation of operations) {
    const { route, aliases = [], role } = shippedOperations.find(operation)!
    if (role === 'report') continue
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

it('lists each operation that a file of an API defines', async () => {
  const folder = new URL('../../src/apis/', import.meta.url)
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => /^[\w-]+\/.*\.ts$/.test(path) && !path.startsWith('own/'))
  const exported = await Promise.all(
    paths.map(async (path) => Object.values((await import(new URL(path, folder).href)) as object)),
  )
  const values = exported.flat().filter((value) => value !== null && typeof value === 'object')
  const defined = values.flatMap((value): readonly { name: string }[] =>
    'createRoute' in value
      ? [value as { name: string }]
      : 'readSettings' in value
        ? (value as Api).operations
        : [],
  )
  expect(new Set(defined.map(({ name }) => name))).toEqual(new Set(operations))
})

it('derives the tables of operations from their facts', () => {
  needs('video.submit', 'videos.create', 'mj.imagine')
  const { submissions, withMedia, aboutTasksWithoutBody } = shippedOperations
  expect(submissions).toHaveLength(9)
  expect(withMedia).toEqual(expect.arrayContaining(['video.content', 'mj.image', 'mj.imagine']))
  expect(aboutTasksWithoutBody).toContain('videos.delete')
  expect(aboutTasksWithoutBody).not.toContain('videos.remix')
  expect(wordsFor('videos.retrieve', 'poll')).toEqual(['any', 'retrieve', 'poll'])
})

it('knows the kind of tasks by names, patterns and roles', () => {
  expect(shippedOperations.onlyKindOf({ op: 'videos.list' })).toBe('video')
  expect(shippedOperations.onlyKindOf({ op: 'mj.*' })).toBe('drawing')
  expect(shippedOperations.onlyKindOf({ op: 'chat.complete' })).toBeUndefined()
  expect(shippedOperations.onlyKindOf({ op: 'video*', role: 'poll' })).toBe('video')
  expect(shippedOperations.onlyKindOf({ role: 'poll' })).toBeUndefined()
})

it('documents every operation with its path', () => {
  const docs = ['video', 'drawing', 'text', 'messages', 'images', 'config'].map((name) =>
    readFileSync(new URL(`../../docs/reference/${name}.md`, import.meta.url), 'utf8'),
  )
  const rows = docs.flatMap((text) => text.split('\n')).filter((line) => /^\| `\w+\.[\w-]+`/.test(line))
  for (const operation of operations) {
    const found = rows.filter((row) => row.split('|')[1]!.includes(`\`${operation}\``))
    expect(found, `rows of ${operation} in docs`).toHaveLength(1)
    // A row of several operations may leave out what their paths have in common.
    const path = shippedOperations.find(operation)!.route.split(' ').at(-1)!
    const end = path.slice(Math.max(path.lastIndexOf('/'), path.indexOf(':')))
    const documented = found[0]!.replace('{n}.mp4', '{file}').replace('uploaded/…', 'uploaded/{file}')
    expect(documented, operation).toContain(end)
  }
})
