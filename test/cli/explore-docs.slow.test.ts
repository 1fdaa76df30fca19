import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { folderWith, never, runIn } from './run-in-folder.ts'

const page = readFileSync(new URL('../../docs/how-to/explore.md', import.meta.url), 'utf8')
const blockOf = (language: string): string => page.split('```' + language + '\n')[1]!.split('```')[0]!

it('prints what the docs show', async () => {
  const [line, ...output] = blockOf('text').trimEnd().split('\n')
  const words = [...line!.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word!).slice(2)
  const folder = folderWith({ 'client.js': blockOf('js'), 'package.json': '{ "type": "module" }' })
  const { code, printed } = await runIn(folder, words, {
    interrupted: never,
    environment: { PATH: process.env['PATH'] },
  })
  expect(code).toBe(20)
  const mask = (text: string): string => text.trimEnd()
  expect(mask(printed)).toBe(mask(output.join('\n')))
}, 120_000)
