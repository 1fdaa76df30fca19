import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { examplesFolder, root } from './support/examples.ts'

it('shows in docs/how-to/python-go.md nothing but what these recipes run', () => {
  const docs = readFileSync(join(root, 'docs/how-to/python-go.md'), 'utf8')
  const plain = (text: string): string => text.replace(/^[ \t]+/gm, '')
  const files = { go: 'go/video_test.go', sh: 'shell/video.sh' }
  for (const [language, file] of Object.entries(files)) {
    const recipe = plain(readFileSync(join(examplesFolder, file), 'utf8'))
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
  const blocks = [...page.matchAll(/(?<=```jsx\n)[\s\S]*?(?=```)/g)].map(([block]) => block)
  const examples = ['VideoPage.test.jsx', 'useVideo.test.jsx'].map((name) =>
    readFileSync(join(examplesFolder, 'react', name), 'utf8'),
  )
  expect(blocks).toHaveLength(examples.length)
  for (const [index, block] of blocks.entries()) expect(examples[index]).toContain(block)
})
