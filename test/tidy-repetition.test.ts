import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { sentencesOf } from './support/docs.ts'

const pages = ['config-keys', 'scenario-keys', 'cli', 'faults', 'verdict', 'scenarios', 'javascript'] as const

it.each(pages)('docs/reference/%s.md says no sentence twice', (page) => {
  const text = readFileSync(new URL(`../docs/reference/${page}.md`, import.meta.url), 'utf8')
  const sentences = sentencesOf(text).filter((sentence) => !/^As (?:above|for )/.test(sentence))
  expect(sentences.length).toBeGreaterThan(3)
  expect(sentences.filter((sentence, index) => sentences.indexOf(sentence) < index)).toEqual([])
})
