import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const root = new URL('../', import.meta.url)

/**
 * Every `@assumed` mark in src: where the seed is silent, and what we took it to mean.
 *
 * @returns {{ place: string, section: string, text: string }[]} `section` is empty where none is named.
 */
export function assumptions() {
  const found = []
  for (const path of readdirSync(new URL('src', root), { recursive: true, encoding: 'utf8' }).toSorted()) {
    if (!/\.[tj]s$/.test(path)) continue
    const text = readFileSync(new URL(`src/${path}`, root), 'utf8')
    for (const [, note = ''] of text.matchAll(/@assumed([^@]*?)(?=\*\/|\n\s*\*\s*(?:@|\n))/g)) {
      const sentence = note.replace(/\s*\n\s*\*\s*/g, ' ').trim()
      const section = /^§\d+(?:\.\d+)?/.exec(sentence)?.[0] ?? ''
      found.push({ place: `src/${path}`, section, text: sentence.slice(section.length).trim() })
    }
  }
  return found
}

/** The assumptions as rows of a table, in the order of the seed's sections. */
export function assumptionRows() {
  const number = (/** @type {string} */ section) => Number(section.slice(1))
  return assumptions()
    .toSorted(
      (one, other) => number(one.section) - number(other.section) || (one.place < other.place ? -1 : 1),
    )
    .map(({ section, text, place }) => `| ${section} | ${text} | \`${place}\` |`)
}

const preamble = `# What we assume

The gateway's own document leaves things open. Where it is silent, greenroom follows what gateways of this
kind do, and marks the code with \`@assumed\` and the silent section. This list is made from those marks by
\`node scripts/assumed.js\`; a test keeps the two equal.

| Section | What the document leaves open, and what we do | Where |
|---|---|---|
`

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  writeFileSync(new URL('docs/explanation/assumed.md', root), `${preamble}${assumptionRows().join('\n')}\n`)
}
