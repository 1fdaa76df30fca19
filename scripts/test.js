// npm test: builds when the sources have changed, and runs the fast tests. Format, lint and types are checked at the same
// time. Arguments are for Vitest.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { delimiter } from 'node:path'
import { fileURLToPath } from 'node:url'

const programs = fileURLToPath(new URL('../node_modules/.bin', import.meta.url))
/** @type {{ scripts: Readonly<Record<string, string>> }} */
const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
/** @type {string[]} */
const failed = []

/**
 * Runs a script of package.json, and prints its output if it fails. A start of npm for each costs more than some checks.
 *
 * @param {string} script
 */
async function check(script) {
  // The compiler is a program in Go: fewer collections of its memory save a sixth of its processor time.
  const env = { GOGC: '400', ...process.env, PATH: programs + delimiter + process.env['PATH'] }
  const child = spawn(scripts[script] ?? '', { shell: true, env })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (output += text))
  const [code] = await once(child, 'close')
  if (code === 0) return
  failed.push(`npm run ${script}`)
  console.error(`npm run ${script} failed:\n${output}`)
}

const lint = check('lint')
await import('./prepare.js')
const types = check('types')
const vitest = fileURLToPath(new URL('vitest.mjs', import.meta.resolve('vitest/package.json')))
const words = [vitest, 'run', '--project', '!slow', ...process.argv.slice(2)]
const [code] = await once(spawn(process.execPath, words, { stdio: 'inherit' }), 'close')
if (code !== 0) failed.push('vitest')
await Promise.all([lint, types])
// The output of Vitest may be long, and a failure far up.
if (failed.length > 0) console.error(`Failed: ${failed.join(', ')}`)
process.exitCode = failed.length > 0 ? 1 : 0
