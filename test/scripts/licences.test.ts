import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { licencesPage } from '../../scripts/licences.js'

const root = new URL('../../', import.meta.url)

it('lists in docs/reference/licences.md the packages of today', () => {
  const page = readFileSync(new URL('docs/reference/licences.md', root), 'utf8')
  expect(page, 'run node scripts/licences.js').toBe(licencesPage())
})

it('names a licence for every package that is installed, but for one that names none', () => {
  const unnamed = licencesPage()
    .split('\n')
    .filter((line) => line.includes('| not named |'))
  expect(unnamed).toEqual([expect.stringContaining('parse-cache-control')])
})
