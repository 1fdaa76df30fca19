import http from 'node:http'
import { expect, it } from 'vitest'
import { ExploreError } from '../../src/index.ts'
import { useGreenroom } from '../../src/vitest/index.ts'
import { careful, makeVideo, type Gateway, type Habits } from '../judge/explore/planted/video.ts'

const gateway = useGreenroom({ via: 'msw' })

const few = { only: ['silence', 'corrupt bytes'] }

/** A client that finds the gateway by its environment, and calls the global fetch. */
const makeByEnvironment =
  (habits: Habits = careful) =>
  ({ sleep }: Pick<Gateway, 'sleep'>) => {
    const { GREENROOM_URL: baseUrl = '', GREENROOM_KEY: key = '' } = process.env
    return makeVideo('a red kite', { sleep, baseUrl, key, fetch: (...call) => fetch(...call) }, habits)
  }

it('explores a client that calls the global fetch', async () => {
  const { cells } = await gateway.explore(makeByEnvironment(), few)
  expect(cells.map(({ state }) => state)).not.toContain('not reached')
  expect(gateway.journal()).toEqual([])
})

it('finds what it does wrong', async () => {
  const habits = { ...careful, verify: () => true, timeoutMs: Infinity }
  const error = await gateway.explore(makeByEnvironment(habits), few).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(ExploreError)
  expect((error as ExploreError).findings.map(({ severity }) => severity)).toEqual(['wrong result', 'hung'])
})

it('explores a client on node:http, by MSW', async () => {
  const ask = ({ baseUrl, key }: Pick<Gateway, 'baseUrl' | 'key'>): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${key}` }
      const request = http.get(`${baseUrl}/v1/models`, { headers }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode))
      })
      request.on('error', reject)
    })
  const error = await gateway.explore(ask, { only: ['server error'] }).catch((thrown: unknown) => thrown)
  expect((error as ExploreError).findings.length).toBeGreaterThan(0)
})
