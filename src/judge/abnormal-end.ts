import type { Verdict } from './verdict.ts'

/**
 * A verdict on a run that came to no good end, which fails it whatever else was found. That is the first of its results,
 * since others may follow from it.
 *
 * @param path what ended badly, as the path of its result.
 * @param words how it should have ended, and how it did.
 */
export function isAbnormalEnd(
  verdict: Verdict,
  path: 'command' | 'run' | 'drive',
  { expected, actual }: { expected: string; actual: string },
): Verdict {
  const title = `${path}: ${expected}`
  const result = { path, title, verdict: 'fail', fails: true, expected, actual, requests: [] } as const
  return { ...verdict, passed: false, results: [result, ...verdict.results] }
}
