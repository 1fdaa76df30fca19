import { readdirSync, readFileSync } from 'node:fs'
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
    .filter((line) => line.startsWith('| not named |'))
  expect(unnamed).toEqual([expect.stringMatching(/^\| not named \| parse-cache-control [\d.]+ \|$/)])
})

const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')
const licenceFiles = readdirSync(new URL('dist/licences', root))

it('brings the licence of each font of the dashboard', () => {
  const fonts = read('src/dashboard/styles/fonts.css').matchAll(/url\('(@[\w-]+\/[\w-]+)\//g)
  const files = new Set(Array.from(fonts, ([, name]) => `${name!.replace('/', '-')}.txt`))
  expect(files.size).toBe(2)
  expect(licenceFiles).toEqual(expect.arrayContaining([...files]))
})

it('says in NOTICE.txt where each data file of pictures comes from', () => {
  const data = readdirSync(new URL('src/pictures/data', root)).filter((name) => name.endsWith('.json'))
  const notice = read('dist/licences/NOTICE.txt').split('\n\n')[0]
  for (const name of data) expect(notice).toContain(name)
})

it('has the strokes of Chinese characters in a file that names its licence and how it was changed', () => {
  const { notice } = JSON.parse(read('src/pictures/data/chinese-strokes.json'))
  expect(notice).toMatch(/Arphic Public License.*Changed in November 2026/)
  expect(read('src/pictures/data/glyphs.json')).not.toContain('"strokes"')
})

it('names in LICENSE only files that the package has', () => {
  const files = read('LICENSE').match(/[@\w-]+\.txt/g)!
  expect(files.length).toBeGreaterThan(3)
  expect(licenceFiles).toEqual(expect.arrayContaining(files))
})
