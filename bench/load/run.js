// node bench/load/run.js: all load runs, one after the other; with names, these only.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const all = [
  'streams',
  'idle',
  'renders',
  'readers',
  'aborts',
  'polls',
  'reloads',
  'clock-back',
  'pages',
  'bytes',
]
const chosen = process.argv.slice(2)
const unknown = chosen.find((name) => !all.includes(name))
if (unknown !== undefined) {
  console.error(`There is no run "${unknown}". Use ${all.join(', ')}.`)
  process.exit(2)
}
const failed = (chosen.length > 0 ? chosen : all).filter((name) => {
  process.stdout.write(`${name}\n`)
  const script = fileURLToPath(new URL(`${name}.js`, import.meta.url))
  return spawnSync(process.execPath, [script], { stdio: 'inherit' }).status !== 0
})
if (failed.length > 0) {
  console.error(`missed: ${failed.join(', ')}`)
  process.exitCode = 1
}
