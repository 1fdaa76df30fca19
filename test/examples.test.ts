import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const folder = new URL('../examples/', import.meta.url)

/** What each example prints, or a part of it. */
const prints: Readonly<Record<string, RegExp>> = {
  'ai-sdk.js': /^given up\nafter 10000 virtual milliseconds, with 8 tokens\nthe journal says aborted\n$/,
  'genai.js': /^Paris\. \d+ tokens\nstreamed true\ncity string\nblocked for SAFETY\nrefused with 429\n$/,
  'openai.js': /kite[\s\S]*\ncalls get_weather \{"city":"Oslo"\}\n.*17.*\nexchanges 3 tokens/,
}

it.each(readdirSync(folder).filter((name) => name.endsWith('.js')))('runs examples/%s', async (name) => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [new URL(name, folder).pathname])
  expect(stderr).toBe('')
  expect(stdout).toMatch(prints[name]!)
})

it('tells of every example in docs/reference/text.md', () => {
  const docs = readFileSync(new URL('../docs/reference/text.md', import.meta.url), 'utf8')
  for (const name of readdirSync(folder).filter((name) => name.endsWith('.js')))
    expect(docs).toContain(`examples/${name}`)
})
