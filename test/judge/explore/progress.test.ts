import { expect, it } from 'vitest'
import { explore, type Progress } from '../../../src/judge/explore/index.ts'
import { inProcess } from './in-process.ts'

/** A client that repeats no request. */
const readModels = inProcess(async ({ fetch, baseUrl, key }) => {
  const response = await fetch(`${baseUrl}/v1/models`, { headers: { authorization: `Bearer ${key}` } })
  if (!response.ok) throw new Error(`the list returned ${response.status}`)
  return response.text()
})

it('counts the runs of its progress as its report does, and repetitions apart', async () => {
  const all: Progress[] = []
  const { cells, findings } = await explore(readModels, {
    isSelected: ({ injection }) => ['server error', 'rate limit'].includes(injection.family),
    onProgress: (progress) => all.push(progress),
  })
  expect(findings).not.toEqual([])
  expect(new Set(all.map(({ planned }) => planned))).toEqual(new Set([cells.length]))
  const { runs, repeated, repetitions } = all.at(-1)!
  expect([runs, repeated]).toEqual([cells.length, repetitions])
  expect(repetitions).toBeGreaterThan(0)
})

it('estimates the time that is left by all runs of the client, also those without a fault and repetitions', async () => {
  let runs = 0
  const counted: typeof readModels = (...run) => (runs++, readModels(...run))
  const { plays, cells } = await explore(counted, {
    isSelected: ({ injection }) => injection.family === 'server error',
  })
  expect(plays).toBe(runs)
  expect(plays).toBeGreaterThan(cells.length + 2)
})

it('estimates before the first fault how long the search takes, for runs at the same time', async () => {
  const all: Progress[] = []
  await explore(readModels, {
    isSelected: ({ injection }) => injection.family === 'server error',
    jobs: 2,
    onProgress: (progress) => all.push(progress),
  })
  expect(all[0]).toMatchObject({ runs: 0, planned: 4, latest: 'baseline run' })
  expect(all[0]!.leftMs).toBeGreaterThan(0)
})
