import { execFile } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { folderWith } from './run-in-folder.ts'

const skill = readFileSync(new URL('../../skills/greenroom/SKILL.md', import.meta.url), 'utf8')
const program = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
const client = readFileSync(new URL('three-bugs.mjs', import.meta.url), 'utf8')

const flags = ['--virtual-timers', '--env', 'VIDEO_API=${url}', '--env', 'VIDEO_TOKEN=${key}']

/** What an agent changes for each finding, by the habit that the report names. */
const fixes: readonly (readonly [habits: readonly string[], before: string, after: string])[] = [
  [
    ['resubmits', 'leaves-slow-answers', 'no-duplicate-submit', 'resubmits-after-time-out'],
    'if (failures === 5 || !mayPass(error)) throw error',
    "if (failures === 5 || !mayPass(error) || (init.method === 'POST' && !(error instanceof Refused))) throw error",
  ],
  [
    ['honours-retry-after'],
    'await wait(1_000 * 2 ** failures)',
    `const { retryAfter = '0' } = error
      const afterMs = /^\\d+$/.test(retryAfter) ? retryAfter * 1_000 : Date.parse(retryAfter) - Date.now()
      await wait(Math.max(1_000 * 2 ** failures, afterMs))`,
  ],
  [
    ['no-poll-after-terminal', 'hides-the-reason'],
    "if (data.status === 'SUCCESS') break",
    "if (data.status === 'SUCCESS') break\n  if (data.status === 'FAILURE') throw new Error(data.fail_reason)",
  ],
]

interface Finding {
  readonly habit: string
  readonly severity: string
  readonly sentence: string
  readonly advice: string
  readonly file?: string
}

/** Runs a line of the skill, with its words in capitals filled in. Resolves with the exit code. */
function follow(line: RegExp, folder: string, file = ''): Promise<number> {
  const [found = ''] = line.exec(skill) ?? []
  const words = found.split(' ').slice(2)
  // Other operations show none of the bugs.
  const given = words.includes('explore') ? [...flags, '--only', 'video.submit'] : flags
  const filled = words.flatMap((word) => {
    if (word === 'FLAGS') return given
    return word === 'COMMAND' ? [process.execPath, 'client.mjs'] : [word === 'FILE' ? file : word]
  })
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...filled], { cwd: folder }, (error) =>
      resolve(error === null ? 0 : Number(error.code)),
    )
  })
}

it('leads to a client without its three bugs', { timeout: 300_000 }, async () => {
  const folder = folderWith({ 'client.mjs': client })
  const explore = /^npx greenroom explore .*$/m
  expect(await follow(explore, folder)).toBe(20)
  const report = JSON.parse(readFileSync(join(folder, 'greenroom-report.json'), 'utf8')) as {
    explorations: [{ findings: Finding[] }]
  }
  const [{ findings }] = report.explorations
  for (const { severity } of findings) expect(skill).toContain(`\`${severity}\``)
  let fixed = client
  for (const [habits, before, after] of fixes) {
    const [first, ...others] = findings.filter(({ habit }) => habits.includes(habit))
    const files = [first!, ...others].flatMap(({ file }) => file ?? [])
    expect(first).toMatchObject({ sentence: expect.any(String), advice: expect.any(String) })
    expect(await follow(/^npx greenroom run FLAGS FILE .*$/m, folder, files[0])).toBe(20)
    fixed = fixed.replace(before, after)
    writeFileSync(join(folder, 'client.mjs'), fixed)
    for (const file of files) {
      expect(existsSync(join(folder, file))).toBe(true)
      expect(await follow(/^npx greenroom run FLAGS FILE .*$/m, folder, file)).toBe(0)
    }
  }
  expect(
    findings
      .map(({ habit }) => habit)
      .filter((habit) => !fixes.flatMap(([habits]) => habits).includes(habit)),
  ).toEqual([])
  expect(await follow(explore, folder)).toBe(0)
})
