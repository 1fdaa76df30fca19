import { execFile, spawnSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { startServer } from '../src/server/index.ts'
import { itInChromium, startChromium } from './browser/chromium.ts'
import { browserExample, served } from './browser/site.ts'
import { blocksOf } from './support/docs.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

const blocksIn = (name: string): { language: string; code: string }[] => {
  const path = `docs/tutorials/${name}.md`
  return blocksOf({ path, text: readFileSync(join(root, path), 'utf8') })
}

/** A folder in which greenroom and the packages of the tests are installed, and a shell whose npx finds their commands. */
function newProject(): {
  folder: string
  shell: (line: string) => { output: string; status: number | null }
} {
  const folder = mkdtempSync(join(tmpdir(), 'greenroom-tutorial-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(root, join(folder, 'node_modules/greenroom'))
  for (const name of ['vitest', 'msw'])
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  const npx = join(folder, 'npx')
  const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs')
  const commands = `case $1 in greenroom) main='${root}/dist/cli/main.js';; vitest) main='${vitest}';; esac`
  writeFileSync(
    npx,
    `#!/bin/sh\nexport npm_command=exec\n${commands}\nshift\nexec '${process.execPath}' "$main" "$@"\n`,
  )
  chmodSync(npx, 0o755)
  const surroundings = Object.entries(process.env).filter(
    ([name]) => !/^(?:VITEST|NODE_|CI$|GITHUB_|npm_)/.test(name),
  )
  const path = `${folder}:${dirname(process.execPath)}:${process.env['PATH']}`
  const env = { ...Object.fromEntries(surroundings), NO_COLOR: '1', PATH: path }
  return {
    folder,
    shell: (line) => {
      const { stdout, stderr, status } = spawnSync('sh', ['-c', line], { cwd: folder, env, encoding: 'utf8' })
      return { output: stdout + stderr, status }
    },
  }
}

/** What a tutorial does with a file that exists, by the words after its name. */
const edits: Readonly<Record<string, (text: string, code: string) => string>> = {
  'at the end': (text, code) => `${text}\n${code}`,
  'after send': (text, code) => text.replace(/(async function send[^]*?\n {2}\}\n)/, `$1\n${code}`),
  'instead of the poll': (text, code) =>
    text.replace(/^ *const response = await send\(`.*generations.*\n/m, code),
  'instead of the last two lines': (text, code) => text.replace(/(?:.+\n){2}$/, code),
}

it.each(['first-test', 'first-ci-scenario'])(
  'does the tutorial %s step by step',
  { timeout: 240_000 },
  (name) => {
    const { folder, shell } = newProject()
    let output = ''
    let count = 0
    for (const { language, code } of blocksIn(name)) {
      const [, file, edit] = /^(?:\/\/|#) ([\w.-]+\.\w+)(?:, (.+))?\n/.exec(code) ?? []
      if (file !== undefined) {
        const path = join(folder, file)
        const content = code.replace(/^.*\n/, '')
        if (edit === undefined) writeFileSync(path, content)
        else {
          const before = readFileSync(path, 'utf8')
          // A replacement has no patterns: the code is full of dollars.
          const after = edits[edit]!(before, '\0').replace('\0', () => content)
          expect(after, edit).not.toBe(before)
          writeFileSync(path, after)
        }
      } else if (language === 'sh') {
        output = ''
        for (const line of code.split('\n').filter((each) => each.startsWith('npx ')))
          output += shell(line).output
      } else if (language === 'text') {
        count++
        for (const line of code.trim().split('\n')) expect(output).toContain(line.trim())
      }
    }
    expect(count).toBeGreaterThan(2)
  },
)

it('does the tutorial first-video step by step', { timeout: 240_000 }, async () => {
  const server = await startServer({ port: 0, cacheDir: false, quality: 'fast', clock: { rate: 20 } })
  const { folder, shell } = newProject()
  onTestFinished(() => server.close())
  const lines = blocksIn('first-video')
    .flatMap(({ code }) => code.split('\n'))
    .filter((line) => /^(?:TASK=|until |curl )/.test(line))
    .map((line) => line.replaceAll('http://127.0.0.1:4646', server.url))
  expect(lines).toHaveLength(7)
  // In a process of its own, so that this one can answer.
  const run = (script: string): Promise<string> =>
    new Promise((resolve, reject) => {
      execFile('sh', ['-ec', script], { cwd: folder }, (error, stdout) =>
        error ? reject(error) : resolve(stdout),
      )
    })
  await run(lines.slice(0, 3).join('\n'))
  expect(statSync(join(folder, 'clip.mp4')).size).toBeGreaterThan(1_000)
  await run(`${lines[3]}\n${lines[1]}`)
  expect(await run(lines.slice(4).join('\n'))).toContain('"status":"SUCCESS"')
  expect(shell('ls').output).toContain('clip.mp4')
})

itInChromium('does the tutorial msw-page', { timeout: 240_000 }, async () => {
  const project = browserExample()
  for (const { code } of blocksIn('msw-page')) {
    const [, file] = /^(?:\/\/|<!--) ([\w-]+\.\w+)(?: -->)?\n/.exec(code) ?? []
    if (file !== undefined) writeFileSync(join(project.folder, file), code.replace(/^.*\n/, ''))
  }
  const site = await served(project)
  const browser = (await startChromium())!
  onTestFinished(async () => {
    await browser.close()
    await site.close()
    project.remove()
  })
  const page = await browser.newPage()
  await page.goto(site.url)
  const status = page.locator('#status')
  await expect.poll(() => status.textContent(), { timeout: 60_000 }).toBe('Ready')
  await page.click('button')
  await expect.poll(() => status.textContent(), { timeout: 60_000 }).toBe('SUCCESS 100%')
  const width = (): Promise<number> =>
    page.locator('video').evaluate((video: HTMLVideoElement) => video.videoWidth)
  await expect.poll(width, { timeout: 20_000 }).toBeGreaterThan(0)
  await page.evaluate("sim.next('video.poll', { respond: { status: 503 } })")
  await page.click('button')
  await expect.poll(() => status.textContent()).toMatch(/^Failed: .* returned 503$/)
})
