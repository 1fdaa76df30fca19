/**
 * npm run bench: measures side by side, in turns, and writes each section into bench/benchmarks.md when it is finished,
 * and what other pages quote of it.
 *
 *   npm run bench                       all sections
 *   npm run bench polls chat            only these
 *   npm run bench -- --check [section]  compares with the page, writes nothing, and exits with 1 if something is slower
 *   npm run bench -- --ffmpeg /usr/bin/ffmpeg   the native encoder to measure; also GREENROOM_FFMPEG
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { explainBuildState, readBuildState } from '../scripts/build-state.js'
import { aimsTable } from './aims.js'
import { compare, reportOf } from './check.js'
import { operations } from './operations.js'
import { figuresOf, headOf, machineOf, merged, quoted, sectionsOf, stamp } from './page.js'
import { describePeers } from './peers/peers.js'
import { here, stopAll } from './servers.js'
import { measureDashboard } from './sections/dashboard.js'
import { measureExploration } from './sections/explore.js'
import { measureInstall } from './sections/install.js'
import { measureInProcess } from './sections/in-process.js'
import { measureMedia } from './sections/media.js'
import { measureScale } from './sections/scale.js'
import { measureSharded } from './sections/sharded.js'
import { measureStart } from './sections/start.js'
import { measureState } from './sections/state.js'
import { measureThroughput } from './sections/throughput.js'
import { measureVirtualTime } from './sections/virtual-time.js'

const { values: flags, positionals: chosen } = parseArgs({
  allowPositionals: true,
  options: { check: { type: 'boolean', default: false }, ffmpeg: { type: 'string' } },
})
const ffmpeg = flags.ffmpeg ?? process.env['GREENROOM_FFMPEG']
// What else starts simulators measures their default. In CI, `serve` would not store bodies.
delete process.env['GREENROOM_FFMPEG']
delete process.env['CI']

/** @type {Record<string, { title: string, measure: () => Promise<string> }>} */
const sections = {
  ...Object.fromEntries(
    Object.entries(operations).map(([name, operation]) => [
      name,
      { title: operation.title, measure: () => measureThroughput(operation) },
    ]),
  ),
  scale: { title: 'Scale', measure: measureScale },
  state: { title: 'State on disk', measure: measureState },
  time: { title: 'Virtual time', measure: measureVirtualTime },
  media: { title: 'Media', measure: () => measureMedia(ffmpeg) },
  start: { title: 'Start', measure: measureStart },
  process: { title: 'In process', measure: measureInProcess },
  explore: { title: 'Exploration', measure: measureExploration },
  dashboard: { title: 'Dashboard', measure: measureDashboard },
  install: { title: 'Install', measure: measureInstall },
  sharded: { title: 'Several processes', measure: measureSharded },
}

const unknown = chosen.find((name) => !Object.hasOwn(sections, name))
if (unknown !== undefined) {
  console.error(`error: there is no section "${unknown}". Use ${Object.keys(sections).join(', ')}.`)
  process.exit(2)
}
const build = readBuildState(here('..'))
if (build !== 'current') {
  console.error(`error: ${explainBuildState(build)}`)
  process.exit(2)
}
console.error(describePeers())

const pagePath = here('benchmarks.md')
const quotingPaths = ['../README.md', '../docs/explanation/architecture.md'].map(here)
const titles = Object.values(sections).map(({ title }) => title)
const processor = `${cpus().length} × ${cpus()[0]?.model ?? 'an unknown processor'}`
const machine = { node: process.version, processor, date: new Date().toISOString().slice(0, 10) }
const maxSectionMs = 600_000

/** @type {Map<string, string>} */
const measured = new Map()
for (const [name, { title, measure }] of Object.entries(sections)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue
  const start = performance.now()
  try {
    const body = `${stamp(machine)}\n\n${await within(maxSectionMs, measure())}`
    measured.set(title, body)
    process.stdout.write(`## ${title}\n\n${body}\n\n`)
    if (!flags.check) writePage()
  } catch (error) {
    process.exitCode = 1
    console.error(
      `error: ${name} was not measured, its figures stay: ${error instanceof Error ? error.stack : error}`,
    )
  } finally {
    stopAll()
  }
  console.error(`${name} took ${Math.round((performance.now() - start) / 1_000)} s`)
}
if (flags.check) check()
else process.stdout.write(`${aimsTable(sectionsOf(readFileSync(pagePath, 'utf8')))}\n`)
process.exit()

function writePage() {
  const page = merged(readFileSync(pagePath, 'utf8'), measured, titles, (all) =>
    headOf(all, describePeers(), aimsTable(all)),
  )
  writeFileSync(pagePath, page)
  for (const path of quotingPaths) writeFileSync(path, quoted(readFileSync(path, 'utf8'), page))
}

function check() {
  const page = sectionsOf(readFileSync(pagePath, 'utf8'))
  const comparisons = [...measured].flatMap(([title, body]) => {
    const before = page.get(title) ?? ''
    const earlier = machineOf(before)
    const isSameMachine = earlier?.node === machine.node && earlier.processor === machine.processor
    return compare(figuresOf(title, before), figuresOf(title, body), { isSameMachine })
  })
  process.stdout.write(`${reportOf(comparisons)}\n`)
  if (comparisons.some(({ verdict }) => verdict === 'worse')) process.exitCode = 1
}

/**
 * @template T
 * @param {number} ms
 * @param {Promise<T>} work
 */
async function within(ms, work) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer
  const late = new Promise((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`it took more than ${ms / 1_000} s`)), ms)
  })
  try {
    return /** @type {T} */ (await Promise.race([work, late]))
  } finally {
    clearTimeout(timer)
  }
}
