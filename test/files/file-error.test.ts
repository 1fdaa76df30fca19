import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { describeFileError, readFailure, writeFailure } from '../../src/files/file-error.ts'

const folder = mkdtempSync(join(tmpdir(), 'greenroom-file-error-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
writeFileSync(join(folder, 'flaky.yaml'), '')

const errorOf = (code: string): Error => Object.assign(new Error(`${code}: details`), { code })
const missing = errorOf('ENOENT')

it.each([
  ['ENOENT', 'it does not exist'],
  ['ENOTDIR', 'a part of its path is not a folder'],
  ['EEXIST', 'a part of its path is not a folder'],
  ['EISDIR', 'it is a folder'],
  ['EACCES', 'permission is denied'],
  ['EPERM', 'permission is denied'],
  ['EROFS', 'the disk is read-only'],
  ['ENOSPC', 'the disk is full'],
  ['EDQUOT', 'the disk quota is used up'],
  ['EMFILE', 'EMFILE: details'],
])('says in words why an operation on a file fails with %s', (code, words) => {
  expect(describeFileError(errorOf(code))).toBe(words)
})

it('repeats the message of an error without a code', () => {
  expect(describeFileError(new Error('the text ends early'))).toBe('the text ends early')
})

it.each([
  ['flakey.yaml', 'it does not exist. Did you mean "flaky.yaml"? Name another.'],
  ['other.txt', 'it does not exist. Name another.'],
  ['none/flaky.yaml', 'it does not exist. Name another.'],
  ['flak?.yaml', 'no file matches this pattern. Name another.'],
  ['*.yaml', 'no file matches this pattern. Name another.'],
])('says that the file %s is missing, and what to do', (name, words) => {
  const path = join(folder, name)
  expect(readFailure(path, missing, 'Name another.')).toBe(`Failed to read ${path}: ${words}`)
})

it.each(['flakey.yaml', 'flak?.yaml'])('looks for no similar file if %s exists', (name) => {
  const path = join(folder, name)
  expect(readFailure(path, errorOf('EACCES'), 'Name another.')).toBe(
    `Failed to read ${path}: permission is denied. Name another.`,
  )
})

it('names the missing folder of a file that cannot be written', () => {
  expect(writeFailure('/none/report.html', missing, 'Create it.')).toBe(
    'Failed to write /none/report.html: the folder /none does not exist. Create it.',
  )
  expect(writeFailure('/report.html', errorOf('ENOSPC'), 'Make room.')).toBe(
    'Failed to write /report.html: the disk is full. Make room.',
  )
})
