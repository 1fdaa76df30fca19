import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'

const dist = new URL('../../dist/', import.meta.url)
const files = readdirSync(new URL('dashboard/page/app', dist)).map((name) => {
  const bytes = readFileSync(new URL(`dashboard/page/app/${name}`, dist))
  return { name, size: bytes.length, gzip: gzipSync(bytes).length }
})
const sum = (pattern: RegExp, of: 'size' | 'gzip'): number =>
  files.filter(({ name }) => pattern.test(name)).reduce((total, file) => total + file[of], 0)

it('loads fast: scripts of 40 kB, styles of 10 kB, fonts of 60 kB', () => {
  expect(sum(/\.js$/, 'gzip')).toBeLessThan(40_000)
  expect(sum(/\.css$/, 'gzip')).toBeLessThan(10_000)
  // Browsers load latin-ext only for a text that has such letters.
  expect(sum(/latin-wght.*\.woff2$/, 'size')).toBeLessThan(60_000)
  expect(files.filter(({ name }) => name.endsWith('.woff2'))).toHaveLength(4)
})

it('puts no file of the dashboard into the bundles for pages and tests', () => {
  const bundles = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter(
    (path) => /\.c?js$/.test(path) && !path.startsWith('dashboard'),
  )
  expect(bundles.length).toBeGreaterThan(5)
  for (const path of bundles) {
    const text = readFileSync(new URL(path, dist), 'utf8')
    expect(text.includes('@preact/signals') || text.includes('src/dashboard/'), path).toBe(false)
  }
})

it('has a report in one file, with a place for its data', () => {
  const report = readFileSync(new URL('dashboard/report.html', dist), 'utf8')
  expect(report).toContain('<script id="greenroom-data" type="application/json"></script>')
  expect(report).not.toMatch(/(?:src|href)="(?!data:)[^"]+"/)
})
