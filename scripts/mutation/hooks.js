/** What the generated test files of a mutation run do around the tests that they import. */
import { appendFileSync } from 'node:fs'
import { afterAll, afterEach, beforeEach, vi } from 'vitest'

/** Stryker's instrumented sources read here which mutant is on, and count which of them a test reaches. */
const state = (globalThis.__stryker__ ??= {})

/** Processor time for the tests of one mutant. Tests after it are skipped. */
const maxCpuMs = 6_000
/** The same if the sources load again, for all tests of a room. */
const maxFreshCpuMs = 20_000

const cpuMs = () => process.cpuUsage().user / 1000

const nameOf = ({ suite, name }) => (suite ? `${nameOf(suite)} > ${name}` : name)

const describeFailure = (task) => `${nameOf(task)}: ${task.result.errors?.[0]?.message ?? ''}`.slice(0, 300)

function append(file, value) {
  appendFileSync(file, `${JSON.stringify(value)}\n`)
}

/** Writes which mutants each test of a file reaches, how often, its processor time, and what runs while modules load. */
export function recordCoverage(file) {
  const tests = []
  const failed = []
  let begin = 0
  beforeEach(({ task }) => {
    state.currentTestId = `${file}#${nameOf(task)}`
    begin = cpuMs()
  })
  afterEach(({ task }) => {
    const hits = state.mutantCoverage?.perTest[state.currentTestId] ?? {}
    tests.push({ name: nameOf(task), costMs: cpuMs() - begin, hits })
    state.currentTestId = undefined
    if (task.result?.state === 'fail') failed.push(describeFailure(task))
  })
  afterAll(() => {
    const loaded = Object.keys(state.mutantCoverage?.static ?? {})
    append('coverage.jsonl', { file, failed, tests, loaded })
  })
}

/**
 * Switches a mutant on for the tests that reach it, until one fails, and writes which.
 * @param isFresh whether the sources load again, with the mutant on from the start to the end.
 */
export function tryMutant({ number, id, names, maxHits, isFresh }) {
  const reaching = new Set(names)
  const begin = cpuMs()
  const most = isFresh ? maxFreshCpuMs : maxCpuMs
  let reason = ''
  state.currentTestId = undefined
  Object.assign(state, { hitCount: 0, hitLimit: maxHits })
  if (isFresh) {
    vi.resetModules()
    state.activeMutant = id
  }
  beforeEach(({ task, skip }) => {
    if (reason !== '' || !reaching.has(nameOf(task)) || cpuMs() - begin > most) skip()
    state.activeMutant = id
  })
  afterEach(({ task }) => {
    if (!isFresh) state.activeMutant = undefined
    if (task.result?.state !== 'fail') return
    reason ||= describeFailure(task)
  })
  afterAll(() => {
    state.activeMutant = undefined
    vi.useRealTimers()
    append('results.jsonl', { number, isDead: reason !== '', reason })
  })
}
