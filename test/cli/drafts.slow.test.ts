import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { folderWith, runIn } from './run-in-folder.ts'

const drafts = new URL('../files/drafts/', import.meta.url)
const never = new Promise<void>(() => {})

interface RecordedLine {
  readonly line: string
  readonly order: number
  readonly entry: { readonly wallAt: number }
  readonly decision: { readonly hash?: string }
}

/** What was recorded, without what differs from run to run: ports, wall time, and the place of lines. */
function storyIn(folder: string, name: string): unknown[] {
  return readFileSync(join(folder, name), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as RecordedLine)
    .filter(({ line }) => line === 'exchange')
    .toSorted((one, other) => one.order - other.order)
    .map(({ entry: { wallAt: _wallAt, ...entry }, decision: { hash: _hash, ...decision } }) => ({
      entry,
      decision,
    }))
}

it.each(readdirSync(drafts).filter((name) => name.endsWith('.yaml')))(
  'plays %s to the reference client: it passes, two runs are identical, and a replay gives the same decisions',
  async (name) => {
    const folder = folderWith({})
    cpSync(drafts, folder, { recursive: true })
    for (const journal of ['one.jsonl', 'two.jsonl']) {
      const words = ['run', name, '--cache-dir', 'false', '--journal', journal]
      const { code, printed, warned } = await runIn(folder, words, { interrupted: never })
      expect([code, warned], printed).toEqual([0, ''])
    }
    expect(storyIn(folder, 'two.jsonl')).toEqual(storyIn(folder, 'one.jsonl'))
    const replayed = await runIn(folder, ['replay', 'one.jsonl'], { interrupted: never })
    expect([replayed.code, replayed.printed]).toEqual([0, expect.stringContaining('✓ one.jsonl')])
  },
)
