import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import { listFiles, replaceFolder } from '../../scripts/replace-folder.js'

type Content = Readonly<Record<string, string>>

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'greenroom-replace-folder-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function fill(folder: string, content: Content): void {
  mkdirSync(folder, { recursive: true })
  for (const [path, text] of Object.entries(content)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

const read = (folder: string): Content =>
  Object.fromEntries(listFiles(folder).map((path) => [path, readFileSync(join(folder, path), 'utf8')]))

it('leaves exactly the files of the new folder, whatever was there before', () => {
  const root = createFolder()
  const [from, to] = [join(root, 'from'), join(root, 'to')]
  const paths = ['index.js', 'cli/main.js', 'cli/help.json', 'chunks/load.js', 'chunks/deep/parse.js']
  const contents = fc.dictionary(fc.constantFrom(...paths), fc.constantFrom('one', 'two', ''), { minKeys: 1 })
  fc.assert(
    fc.property(contents, fc.option(contents), (next, previous) => {
      if (previous) fill(to, previous)
      fill(from, next)
      replaceFolder(from, to)
      expect(read(to)).toEqual({ ...next })
      expect(existsSync(from)).toBe(false)
      rmSync(to, { recursive: true })
    }),
    { numRuns: 50 },
  )
})

it('removes folders that have become empty', () => {
  const root = createFolder()
  fill(join(root, 'to'), { 'index.js': 'one', 'chunks/deep/parse.js': 'one' })
  fill(join(root, 'from'), { 'index.js': 'one' })
  replaceFolder(join(root, 'from'), join(root, 'to'))
  expect(existsSync(join(root, 'to/chunks'))).toBe(false)
})

it('takes over the executable bit, and leaves a file alone that has not changed', () => {
  const root = createFolder()
  const [from, to] = [join(root, 'from'), join(root, 'to')]
  fill(to, { same: 'same', changed: 'old' })
  chmodSync(join(to, 'same'), 0o644)
  const before = statSync(join(to, 'same')).ino
  fill(from, { same: 'same', changed: 'new' })
  for (const path of ['same', 'changed']) chmodSync(join(from, path), 0o755)
  replaceFolder(from, to)
  expect(statSync(join(to, 'same')).ino).toBe(before)
  expect(['same', 'changed'].map((path) => statSync(join(to, path)).mode & 0o777)).toEqual([0o755, 0o755])
})

it('has every file whole at every moment', async () => {
  const root = createFolder()
  const [from, to] = [join(root, 'from'), join(root, 'to')]
  const version = (letter: string): Content => ({ 'main.js': letter.repeat(500_000) })
  fill(to, version('a'))
  // Reads the file in a loop until a message stops it. Reports how often the file was missing or cut.
  const reader = new Worker(
    `
      const { readFileSync } = require('node:fs')
      const { parentPort, workerData } = require('node:worker_threads')
      let [reads, faults] = [0, 0]
      parentPort.on('message', () => { parentPort.postMessage({ reads, faults }); process.exit() })
      const readAgain = () => {
        try {
          if (readFileSync(workerData).length !== 500_000) faults += 1
        } catch {
          faults += 1
        }
        if (reads++ === 0) parentPort.postMessage('ready')
        setImmediate(readAgain)
      }
      readAgain()
    `,
    { eval: true, workerData: join(to, 'main.js') },
  )
  const nextMessage = (): Promise<unknown> => new Promise((resolve) => reader.once('message', resolve))
  await nextMessage()
  for (let round = 0; round < 40; round += 1) {
    fill(from, version(round % 2 === 0 ? 'b' : 'c'))
    replaceFolder(from, to)
  }
  const result = nextMessage()
  reader.postMessage('stop')
  expect(await result).toMatchObject({ faults: 0 })
})
