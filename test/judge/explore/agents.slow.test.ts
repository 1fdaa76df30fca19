import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { explore, ExploreError, type ExploredGateway, type Exploration } from '../../../src/index.ts'
import { runAgent } from './planted/agents/agent.mjs'
import { createSdk as anthropic } from './planted/agents/anthropic.mjs'
import { createSdk as genai } from './planted/agents/genai.mjs'
import { createSdk as openai } from './planted/agents/openai.mjs'

const sdks = { openai, anthropic, genai }

// The SDKs print the events that they can't parse.
beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => {}))
afterEach(() => void vi.unstubAllGlobals().restoreAllMocks())

/** Explores an agent in this process. @param only the faults to try. Default: all. */
async function exploreAgent(
  sdk: keyof typeof sdks,
  bug?: string,
  only: readonly string[] = [],
): Promise<Pick<Exploration, 'findings'> & Partial<Exploration>> {
  const agent = ({ fetch, sleep, baseUrl, key }: ExploredGateway): Promise<string> => {
    vi.stubGlobal('fetch', fetch)
    return runAgent(sdks[sdk]({ baseUrl, key, fetch }), sleep, bug)
  }
  return explore(agent, { only }).catch((error: unknown) => {
    if (error instanceof ExploreError) return { findings: error.findings }
    throw error
  })
}

describe('explores an agent of two tools and two turns with the SDK', { timeout: 60_000 }, () => {
  it.each(['openai', 'anthropic', 'genai'] as const)(
    '%s, and finds nothing in a careful one',
    async (sdk) => {
      expect(await exploreAgent(sdk)).toMatchObject({ score: 100, findings: [] })
    },
  )

  it.each([
    ['openai', 'takes-any-end', 'max tokens'],
    ['openai', 'runs-cut-calls', 'cut call'],
    ['openai', 'answers-without-end', 'tool loop'],
    ['openai', 'takes-a-cut-stream', 'cut stream'],
    ['anthropic', 'takes-any-end', 'max tokens'],
    ['anthropic', 'runs-cut-calls', 'cut call'],
    ['anthropic', 'answers-without-end', 'tool loop'],
    ['anthropic', 'takes-a-cut-stream', 'cut stream'],
    ['genai', 'takes-any-end', 'max tokens'],
    ['genai', 'expects-a-candidate', 'blocked prompt'],
    ['genai', 'answers-without-end', 'tool loop'],
    ['genai', 'takes-a-cut-stream', 'cut stream'],
  ] as const)('%s, and finds that it %s, by %s', async (sdk, bug, foundBy) => {
    expect((await exploreAgent(sdk, bug, [foundBy])).findings).not.toEqual([])
  })
})
