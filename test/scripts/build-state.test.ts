import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { digestSources, readBuildState, writeBuildStamp } from '../../scripts/build-state.js'

const sourceFiles = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'scripts/build.js',
  'scripts/write-types.js',
  'src/index.ts',
  'src/cli/main.ts',
]

function write(root: string, path: string, content: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), content)
}

/** A project with a build that is current. */
function createProject(): string {
  const root = mkdtempSync(join(tmpdir(), 'greenroom-build-state-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  for (const path of sourceFiles) write(root, path, `content of ${path}`)
  write(root, 'dist/index.js', 'a program')
  write(root, 'dist/cli/main.js', 'a command')
  writeBuildStamp(join(root, 'dist'), digestSources(root))
  return root
}

it('is current after a build', () => {
  const root = createProject()
  expect(readBuildState(root)).toBe('current')

  write(root, 'README.md', 'not a source')
  expect(readBuildState(root)).toBe('current')
})

it.each(sourceFiles)('is stale when %s has changed', (path) => {
  const root = createProject()
  write(root, path, `other content of ${path}`)
  expect(readBuildState(root)).toBe('stale')

  write(root, path, `content of ${path}`)
  expect(readBuildState(root)).toBe('current')
})

it.each(sourceFiles)('is stale when %s is missing', (path) => {
  const root = createProject()
  rmSync(join(root, path))
  expect(readBuildState(root)).toBe('stale')
})

it('is stale when a source is added or renamed', () => {
  const added = createProject()
  write(added, 'src/new.ts', '')
  expect(readBuildState(added)).toBe('stale')

  const renamed = createProject()
  renameSync(join(renamed, 'src/index.ts'), join(renamed, 'src/renamed.ts'))
  expect(readBuildState(renamed)).toBe('stale')
})

it('is stale when a file of the build was changed, added or removed', () => {
  const changed = createProject()
  write(changed, 'dist/cli/main.js', 'an edited command')
  expect(readBuildState(changed)).toBe('stale')

  const added = createProject()
  write(added, 'dist/chunks/old.js', 'left over')
  expect(readBuildState(added)).toBe('stale')

  const removed = createProject()
  rmSync(join(removed, 'dist/index.js'))
  expect(readBuildState(removed)).toBe('stale')
})

it.each(['', '{', 'null', '[]', '{"sources":1}'])('is stale with the damaged stamp %j', (stamp) => {
  const root = createProject()
  write(root, 'dist/build.json', stamp)
  expect(readBuildState(root)).toBe('stale')
})

it('is stale without a stamp, and missing without a folder', () => {
  const root = createProject()
  rmSync(join(root, 'dist/build.json'))
  expect(readBuildState(root)).toBe('stale')

  rmSync(join(root, 'dist'), { recursive: true })
  expect(readBuildState(root)).toBe('missing')
})
