import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { parse } from 'yaml'

const root = fileURLToPath(new URL('..', import.meta.url))
const action = parse(readFileSync(join(root, 'action.yml'), 'utf8')) as {
  inputs: Record<string, { description: string; required?: true; default?: string }>
  outputs: Record<string, { value: string }>
  runs: { using: string; steps: Step[] }
}
const { steps } = action.runs

interface Step {
  readonly shell?: string
  readonly run?: string
  readonly uses?: string
  readonly env?: Record<string, string>
  readonly 'working-directory'?: string
  readonly with?: Record<string, string>
}

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'greenroom-action-'))
  cpSync(join(root, 'examples/ci'), folder, { recursive: true })
  const npx = `#!/bin/sh\nshift 2\nexec "${process.execPath}" "${join(root, 'dist/cli/main.js')}" "$@"\n`
  writeFileSync(join(folder, 'npx'), npx, { mode: 0o755 })
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Runs the steps that have a script, as a runner does: expressions are replaced, and the shell is bash. */
function runAction(inputs: Record<string, string>): {
  status: number | null
  printed: string
  output: string
  summary: string
} {
  const values = Object.entries(action.inputs).map(([name, { default: preset }]) => [
    name,
    inputs[name] ?? preset ?? '',
  ])
  const given = Object.fromEntries(values) as Record<string, string>
  const evaluate = (text: string): string =>
    text.replaceAll(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_all, name: string) => given[name]!)
  const files = { GITHUB_OUTPUT: join(folder, 'output'), GITHUB_STEP_SUMMARY: join(folder, 'summary.md') }
  let [status, printed]: [number | null, string] = [0, '']
  for (const { run, env = {}, 'working-directory': cwd = '.' } of steps) {
    if (run === undefined) continue
    const variables = Object.entries(env).map(([name, value]) => [name, evaluate(value)])
    const result = spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', run], {
      cwd: join(folder, evaluate(cwd)),
      encoding: 'utf8',
      env: {
        ...process.env,
        ...files,
        ...(Object.fromEntries(variables) as Record<string, string>),
        CI: 'true',
        PATH: `${folder}:${dirname(process.execPath)}:${process.env['PATH']}`,
      },
    })
    status = result.status
    printed += result.stdout + result.stderr
    if (status !== 0) break
  }
  const read = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '')
  return { status, printed, output: read(files.GITHUB_OUTPUT), summary: read(files.GITHUB_STEP_SUMMARY) }
}

it('plays scenarios to a command, and writes the HTML report that it uploads', () => {
  const { status, printed, output, summary } = runAction({
    files: '*.yaml',
    command: 'node client.js',
    reports: 'github\nmarkdown\njunit=greenroom.xml',
  })
  expect([status, output]).toEqual([0, 'exit-code=0\n'])
  expect(printed).toContain('a flaky network')
  expect(summary).toContain('a flaky network')
  expect(readFileSync(join(folder, 'greenroom.html'), 'utf8')).toContain('<html')
  expect(readFileSync(join(folder, 'greenroom.xml'), 'utf8')).toContain('<testsuite ')
  expect(steps[1]!.with!['path']).toBe('${{ inputs.working-directory }}/${{ inputs.html }}')
})

it('fails with the exit code of the run, and keeps the report', () => {
  const client = readFileSync(join(folder, 'video.js'), 'utf8')
  writeFileSync(join(folder, 'video.js'), client.replace(/^ *if \(!isMp4 \|\| !isWhole\).*\n/m, ''))
  const { status, output } = runAction({ files: 'flaky-network.yaml', command: 'node client.js' })
  expect([status, output]).toEqual([20, 'exit-code=20\n'])
  expect(existsSync(join(folder, 'greenroom.html'))).toBe(true)
})

it('runs the reference client without a command, once for each seed', () => {
  const { status, printed } = runAction({ files: 'flaky-network.yaml', seeds: '1..2' })
  expect([status, printed]).toEqual([0, expect.stringMatching(/seed 1[^]*seed 2/)])
})

it.each([
  ['files', '$(touch broken)\n`touch broken`\n; touch broken'],
  ['files', '--env=A=B'],
  ['seed', '1; touch broken'],
  ['seeds', '"; touch broken; "'],
  ['reports', 'github; touch broken'],
  ['time-limit', '10m; touch broken'],
])('takes an input as data, not as code: %s is %j', (name, value) => {
  const { status } = runAction({ files: 'flaky-network.yaml', [name]: value })
  // A seed may be any text.
  expect(status === 0).toBe(name === 'seed')
  expect(existsSync(join(folder, 'broken'))).toBe(false)
})

it.each(['', ' \n'])('refuses to run without files: %j', (files) => {
  const { status, printed, output } = runAction({ files, command: 'touch started' })
  expect([status, output]).toEqual([2, 'exit-code=2\n'])
  expect(printed).toContain('::error title=greenroom::The input files is empty.')
  expect(existsSync(join(folder, 'started'))).toBe(false)
})

it('has no expression in a script, and uses every input', () => {
  for (const { run } of steps) expect(run ?? '').not.toContain('${{')
  const used = JSON.stringify(steps).matchAll(/inputs\.([\w-]+)/g)
  expect([...new Set(Array.from(used, ([, name]) => name!))].toSorted()).toEqual(
    Object.keys(action.inputs).toSorted(),
  )
  for (const { description } of Object.values(action.inputs)) expect(description).toMatch(/\.$/)
  expect(action.runs.using).toBe('composite')
  for (const { run, shell } of steps) expect(shell).toBe(run === undefined ? undefined : 'bash')
})

it('has the inputs that docs/how-to/ci.md uses', () => {
  const docs = readFileSync(join(root, 'docs/how-to/ci.md'), 'utf8')
  const [, snippet] = /```yaml\n(- uses: [^]*?)```/.exec(docs)!
  const [step] = parse(snippet!) as [{ uses: string; with: Record<string, string> }]
  expect(step.uses).toBe('./node_modules/greenroom')
  expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(step.with)))
  for (const name of Object.keys(action.inputs))
    expect(docs).toContain(`\`${name}\``.replace('`files`', 'files:').replace('`command`', 'command:'))
})
