import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { examplesFolder as examples, root } from './support/examples.ts'
import { fakers } from './support/fakers.ts'

const docs = readFileSync(join(root, 'docs/how-to/testing.md'), 'utf8')

it('shows in docs/how-to/testing.md and the README nothing but what these examples run', () => {
  const sources = ['vitest', 'jest', 'jest-commonjs', 'jest-msw', 'node-test'].flatMap((folder) =>
    readdirSync(join(examples, folder))
      .filter((name) => name.endsWith('.js'))
      .map((name) => readFileSync(join(examples, folder, name), 'utf8')),
  )
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const snippets = [...`${docs}\n${readme}`.matchAll(/```js\n([\s\S]*?)```/g)].map(([, snippet]) => snippet!)
  expect(docs).not.toContain('```ts')
  expect(snippets.length).toBeGreaterThan(8)
  for (const snippet of snippets) {
    expect(
      sources.some((source) => source.includes(snippet)),
      `no example has:\n${snippet}`,
    ).toBe(true)
  }
})

it('lists in docs/how-to/testing.md the ways of faking timers that are tested, and no others', () => {
  const table = docs.slice(docs.indexOf('| Fake timers |'))
  const rows = table.slice(0, table.indexOf('\n\n')).split('\n').slice(2)
  const words = { turned: 'turn', itself: 'by itself', date: 'Date', refused: 'ClockError' }
  expect(rows).toHaveLength(fakers.length)
  for (const [index, { name, kind }] of fakers.entries()) {
    const [, example, effect] = rows[index]!.split(' | ').map((cell) => cell.replace(/^\| |`/g, ''))
    expect([rows[index]!.slice(2).split(' | ')[0]!.replaceAll('`', ''), effect ?? example]).toEqual([
      name,
      expect.stringContaining(words[kind]),
    ])
  }
})

it('shows in docs/how-to/testing.md nothing but what these recipes run', () => {
  const plain = (text: string): string => text.replace(/^[ \t]+/gm, '')
  const files = { python: 'python/conftest.py', go: 'go/video_test.go', sh: 'shell/video.sh' }
  for (const [language, file] of Object.entries(files)) {
    const recipe = plain(readFileSync(join(examples, file), 'utf8'))
    const blocks = [...docs.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
      ([, code]) => plain(code!),
    )
    const [sleep, deadline] = blocks.filter((code) => /clock\/(?:sleep|deadline)/.test(code))
    expect(recipe).toContain(sleep)
    expect(recipe).toContain(deadline)
  }
})

it('shows in docs/how-to/browser.md nothing but what the example for React runs', () => {
  const page = readFileSync(join(root, 'docs/how-to/browser.md'), 'utf8')
  const example = readFileSync(join(root, 'examples/react/VideoPage.test.jsx'), 'utf8')
  const [block] = /(?<=```jsx\n)[\s\S]*?(?=```)/.exec(page)!
  expect(example).toContain(block)
})
