/**
 * Mutation testing: draws mutants of Stryker by a seed, and counts those that the tests notice.
 *
 *     npm install --no-save @stryker-mutator/instrumenter@10.1.1
 *     npm run build
 *     node scripts/mutation/run.js [seed] [mutants per room] [room …]
 *
 * It works on a copy below .greenroom, which holds all drawn mutants at once. Every test runs once to record which of them it
 * reaches. Then each mutant is switched on for the tests that reach it, until one fails. Everything runs in few processes,
 * because loading the sources takes longer than most tests. Schemas are built once per process, mostly before a mutant in them
 * is on, so the sources load again for survivors that few tests reach. A mutant that only runs while a module loads is left out.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { Instrumenter } from '@stryker-mutator/instrumenter'

const [seed = '1', perRoom = '150', ...chosen] = process.argv.slice(2)
const rooms = chosen.length > 0 ? chosen : ['gateway', 'engine', 'scenario', 'judge']
const copy = resolve('.greenroom/mutation')

/** Tests that run the sources in their own process. `leftOut` names those of them that take too long. */
const testPatterns = [
  'test/{engine,gateway,judge,scenario}/**/*.test.ts',
  'test/{embedded-verdict,golden,internal-errors,matchers,namespace-rules,record.slow,record-apis.slow}.test.ts',
  'test/{api-settings,determinism,limits,operation-forms,options,security,shorthand-options,two-tables}.test.ts',
  'test/hostile/{names,patterns}.test.ts',
  'test/apis/{billing,directives-and-rules,operations,response-faults,stream-shape,text-*}.test.ts',
  'test/apis/{chat/chat,own/explore.slow,own/judged,video/video}.test.ts',
  'test/cli/{html-report,journal.slow,run.slow,run-output,strict.slow}.test.ts',
  'test/control/{clock-control,control-plane}.test.ts',
  'test/simulator/{restore,snapshot}.test.ts',
  'test/server/bodies.test.ts',
]
const leftOut =
  /task-weight|robustness|text-(?:matrix|media|properties)|(?<!search|tool-loop|crashes|record|record-apis|own\/explore|journal|run|strict)\.slow/

/** How many mutants share a process. The others of one that never ends run again without it. */
const mutantsInProcess = 50
/** On how many test files a mutant is tried: at first, and if it survives. */
const firstFiles = 5
const maxFiles = 30
/** Code that builds something once per process runs only in the first tests that need it: in few. */
const maxFirstTests = 5

async function instrument(sources) {
  const silent = { debug() {}, info() {}, isDebugEnabled: () => false }
  const options = { excludedMutations: [], ignorers: [], plugins: null }
  const files = sources.map((source) => ({ ...source, content: readFileSync(source.name, 'utf8') }))
  return new Instrumenter(silent).instrument(files, options)
}

const keyOf = ({ fileName, location: { start, end }, mutatorName, replacement }) =>
  [fileName, start.line, start.column, end.line, end.column, mutatorName, replacement].join(' ')

/** The mutants of a room that rank lowest by a hash of the seed and their text, without line numbers. */
async function draw(room) {
  const names = globSync(`src/${room}/**/*.ts`).sort()
  const { mutants } = await instrument(names.map((name) => ({ name, mutate: true })))
  const lines = new Map(names.map((name) => [name, readFileSync(name, 'utf8').split('\n')]))
  const counts = new Map()
  const ranked = mutants.map((mutant) => {
    const line = lines.get(mutant.fileName)[mutant.location.start.line].trim()
    const text = [mutant.fileName, mutant.mutatorName, mutant.replacement, line].join('\n')
    const count = counts.get(text) ?? 0
    counts.set(text, count + 1)
    const rank = createHash('sha256').update(`${seed}\n${text}\n${count}`).digest('hex')
    return { ...mutant, room, line, rank }
  })
  return ranked.sort((one, other) => (one.rank < other.rank ? -1 : 1)).slice(0, Number(perRoom))
}

/** Writes the instrumented sources into the copy. @returns the drawn mutants with their ids there. */
async function plant(drawn) {
  const byFile = Map.groupBy(drawn, ({ fileName }) => fileName)
  const sources = [...byFile].map(([name, own]) => ({ name, mutate: own.map(({ location }) => location) }))
  const { files, mutants } = await instrument(sources)
  for (const { name, content } of files) writeFileSync(join(copy, name), content)
  // A range holds other mutants, too.
  const ids = new Map(mutants.map((mutant) => [keyOf(mutant), mutant.id]))
  return drawn.map((mutant, number) => ({ ...mutant, number, id: ids.get(keyOf(mutant)) }))
}

function prepareCopy() {
  rmSync(copy, { recursive: true, force: true })
  mkdirSync(copy, { recursive: true })
  const { stdout } = spawnSync('git', ['ls-files', '-z', '-co', '--exclude-standard'], {
    encoding: 'utf8',
    maxBuffer: 1e8,
  })
  for (const name of stdout.split('\0')) if (name !== '' && existsSync(name)) cpSync(name, join(copy, name))
  // Git ignores the sources that a build writes.
  cpSync('src', join(copy, 'src'), { recursive: true })
  for (const name of ['node_modules', 'dist']) symlinkSync(resolve(name), join(copy, name))
  const test = { include: ['test/mutants/*.test.ts'], isolate: false, maxWorkers: 1, testTimeout: 20_000 }
  writeFileSync(join(copy, 'vitest.config.ts'), `export default ${JSON.stringify({ test })}\n`)
}

/** Runs generated test files in one process. @returns the lines that they wrote. */
function runTests(files, output) {
  const folder = join(copy, 'test/mutants')
  rmSync(folder, { recursive: true, force: true })
  rmSync(join(copy, output), { force: true })
  mkdirSync(folder)
  // Vitest looks for the files of snapshots in the folder of the test that runs, and writes those that it doesn't find.
  cpSync(join(copy, 'test/judge/golden'), join(folder, 'golden'), { recursive: true })
  for (const [name, hook, argument, imports] of files) {
    const text = [
      `import { ${hook} } from '../../scripts/mutation/hooks.js'`,
      `${hook}(${JSON.stringify(argument)})`,
      ...imports.map((path) => `await import('../../${path}')`),
    ]
    writeFileSync(join(folder, `${name}.test.ts`), text.join('\n'))
  }
  spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run'], {
    cwd: copy,
    stdio: 'ignore',
    timeout: 600_000,
  })
  if (!existsSync(join(copy, output))) return []
  return readFileSync(join(copy, output), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

/** Which tests reach a mutant, file by file: those of its own room first, then the shortest. */
function reachingFiles({ id, room }, coverage) {
  const costOf = ({ file, tests }) =>
    tests.reduce((sum, { costMs }) => sum + costMs, 0) / (file.startsWith(`test/${room}/`) ? 10 : 1)
  return coverage
    .map(({ file, tests }) => ({ file, tests: tests.filter(({ hits }) => hits[id]) }))
    .filter(({ tests }) => tests.length > 0)
    .sort((one, other) => costOf(one) - costOf(other))
}

/** The tests of a mutant's own room, the shortest file first. */
function filesOfRoom({ room }, coverage) {
  const costOf = ({ tests }) => tests.reduce((sum, { costMs }) => sum + costMs, 0)
  return coverage
    .filter(({ file }) => file.startsWith(`test/${room}/`))
    .sort((one, other) => costOf(one) - costOf(other))
}

/** @param isFresh whether the sources load again while the mutant is on. */
function planMutant({ number, id }, files, isFresh) {
  const tests = files.flatMap((file) => file.tests)
  const maxHits = Math.max(1_000, 100 * tests.reduce((sum, { hits }) => sum + (hits[id] ?? 0), 0))
  const names = tests.map(({ name }) => name)
  // With a query of its own, a test file is evaluated again.
  return [
    `m${number}`,
    'tryMutant',
    { number, id, names, maxHits, isFresh },
    files.map(({ file }) => `${file}?${number}`),
  ]
}

/** Tries mutants on the files of each. Each without a result, since another never ended, is tried alone. */
function tryMutants(mutants, filesOf, isFresh = false) {
  const results = new Map()
  const record = (some) => {
    const plans = some.map((mutant) => planMutant(mutant, filesOf(mutant), isFresh))
    for (const result of runTests(plans, 'results.jsonl')) results.set(result.number, result)
  }
  const open = mutants.filter((mutant) => filesOf(mutant).length > 0)
  for (let at = 0; at < open.length; at += mutantsInProcess) {
    const some = open.slice(at, at + mutantsInProcess)
    record(some)
    for (const mutant of some) if (!results.has(mutant.number)) record([mutant])
  }
  const neverEnded = { isDead: true, reason: 'a test file fails to load, or never ends' }
  const survived = { isDead: false }
  return mutants.map((mutant) => ({
    ...mutant,
    ...(open.includes(mutant) ? (results.get(mutant.number) ?? neverEnded) : survived),
  }))
}

/**
 * Whether the code of a mutant may be built once, such as a schema: mostly before the mutant is on. A schema for the settings of
 * some APIs is built once for each of them.
 */
function isBuiltOnce({ id }, coverage) {
  const hits = coverage
    .flatMap(({ tests }) => tests.map((test) => test.hits[id] ?? 0))
    .filter((count) => count > 0)
  return hits.length <= maxFirstTests || hits.every((count) => count === 1)
}

/** Tries survivors while the sources load again, so that all is built with the mutant. Any test of the room may notice it. */
function tryFresh(survivors, coverage) {
  const none = rooms.map((room, index) => ({ number: -1 - index, id: 'none', room }))
  const [control, results] = [none, survivors].map((some) =>
    tryMutants(some, (mutant) => filesOfRoom(mutant, coverage), true),
  )
  const failing = control.filter(({ isDead }) => isDead).map(({ reason }) => reason)
  if (failing.length > 0)
    throw new Error(`Without a mutant, tests fail when the sources load again: ${failing.join(', ')}`)
  return results
}

prepareCopy()
const sample = await plant((await Promise.all(rooms.map(draw))).flat())
const testFiles = globSync(testPatterns)
  .filter((file) => !leftOut.test(file))
  .sort()
// They load before any test, so that mutants which only run while a module loads show.
const sources = [...new Set(sample.map(({ fileName }) => fileName))]
const coverage = runTests(
  testFiles.map((file, number) => [`c${number}`, 'recordCoverage', file, [...sources, file]]),
  'coverage.jsonl',
)
const failing = coverage.flatMap(({ file, failed }) => failed.map((reason) => `${file}: ${reason}`))
if (failing.length > 0 || coverage.length < testFiles.length)
  throw new Error(`Without a mutant, tests fail: ${failing.join(', ')}`)

const isReached = ({ id }) => coverage.some(({ tests }) => tests.some(({ hits }) => hits[id]))
const isLoaded = ({ id }) => coverage.some(({ loaded }) => loaded.includes(id))
const describe = ({ fileName, location: { start }, mutatorName, line, replacement }) =>
  `${fileName}:${start.line + 1}:${start.column + 1}: ${mutatorName}: ${line} → ${replacement.replaceAll(/\s+/g, ' ')}`

const survivorsOf = (some) => some.filter(({ isDead }) => !isDead)

// Most die in the first files. Loading all that reach them would take most of the time.
const reaching = (from, to) => (mutant) => reachingFiles(mutant, coverage).slice(from, to)
const first = tryMutants(sample.filter(isReached), reaching(0, firstFiles))
const second = tryMutants(survivorsOf(first), reaching(firstFiles, maxFiles))
const survivors = Map.groupBy(survivorsOf(second), (mutant) => isBuiltOnce(mutant, coverage))
const results = [
  ...[...first, ...second].filter(({ isDead }) => isDead),
  ...(survivors.get(false) ?? []),
  ...tryFresh(survivors.get(true) ?? [], coverage),
]
for (const { isDead, reason, ...mutant } of results)
  process.stdout.write(`${isDead ? 'died' : 'survived'}: ${describe(mutant)}${isDead ? `: ${reason}` : ''}\n`)
const unreached = sample.filter((mutant) => !isReached(mutant) && !isLoaded(mutant))
for (const mutant of unreached) process.stdout.write(`not reached: ${describe(mutant)}\n`)

const died = results.filter(({ isDead }) => isDead).length
const tried = results.length + unreached.length
process.stdout.write(
  `${tried} mutants: ${died} died, ${results.length - died} survived, ${unreached.length} are in no test's reach: ` +
    `${((100 * died) / tried).toFixed(1)} %. ${sample.length - tried} that only run while a module loads are left out.\n`,
)
