import { alphanumerics, keyedDraws } from '../engine/random/draws.ts'

const most = 64
const hashLength = 6

/**
 * The namespace of a test: its name, as far as that can be one, and a hash of where it stands. It hangs on nothing else, so
 * that a test alone gets the ids that it gets among others.
 *
 * @param path file, suites and test by their names.
 * @param isTaken whether a running test has the name already, as where two are called the same.
 */
export function namespaceOfTest(path: readonly string[], isTaken: (name: string) => boolean): string {
  for (let nth = 1; ; nth++) {
    const end = `-${hashOf(nth === 1 ? path : [...path, String(nth)])}`
    const words = (path.at(-1) ?? '')
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '')
    const name = (words.slice(0, most - end.length) || 'test') + end
    if (!isTaken(name)) return name
  }
}

function hashOf(path: readonly string[]): string {
  return keyedDraws('').text(alphanumerics, hashLength, 'namespace', JSON.stringify(path), 0)
}
