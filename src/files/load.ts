import { basename, dirname, extname, isAbsolute, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { placeText, ScenarioError } from './error.ts'
import { refusePrograms } from './programs.ts'
import { dataTypes, isModule, moduleTypes } from './file-types.ts'
import { readUserFile, type FileUse } from './read-file.ts'
import { isOwnApi } from '../apis/define/own-apis.ts'
import { operationsWith } from '../apis/index.ts'
import type { OwnApi } from '../engine/operations/own-api.ts'
import { checkFile, type ReadFile, type Unchecked } from './read-text.ts'
import type { LoadedScenario } from './types.ts'
import type { Scenario } from '../scenario/vocabulary/types.ts'
import { mistakesInOrder, wholeScenario } from './whole.ts'
import { closeSync, openSync, readSync, realpathSync, statSync } from 'node:fs'
import { formatProblem, isInside, signatureBytes } from '../media/served-file.ts'

const use: FileUse = {
  noun: 'scenario',
  advice: 'Give the path of a scenario file.',
  largeAdvice: 'Split it, and let one file extend the other.',
  example: 'export default defineScenario({ … })',
  mayBeClient: true,
}

/**
 * Reads a scenario file, without the files that it extends.
 * @throws {ScenarioError} when it can't be read, parsed or run at all.
 */
async function readScenarioFile(path: string, apis: Set<string | OwnApi>): Promise<ReadFile> {
  const types = [...dataTypes, ...moduleTypes]
  if (!types.includes(extname(path)))
    throw new ScenarioError(`${path}: is not a scenario file. Use a file that ends in ${types.join(', ')}.`)
  const unchecked = await readUserFile(path, use)
  refusePrograms(path, unchecked)
  await addApis(path, unchecked, apis)
  const read = await checkFile(path, unchecked, operationsWith([...apis]))
  if (read.mistakes.length === 0 || !(await addApisOfBases(path, unchecked.value, apis))) return read
  // The file may use operations of an API that an extended file declares.
  return checkFile(path, unchecked, operationsWith([...apis]))
}

/** Loads the APIs that the content of a file names. The file may have other mistakes. */
async function addApis(path: string, { value, at }: Unchecked, apis: Set<string | OwnApi>): Promise<void> {
  const named = (value as { config?: { apis?: unknown } } | undefined)?.config?.apis
  if (!isApiList(named)) return
  const { loadApis } = await import('./code/load-apis.ts')
  try {
    for (const api of await loadApis(named, dirname(path))) apis.add(api)
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error
    throw new ScenarioError(`${placeText(at(['config', 'apis']))}: config.apis: ${error.message}`)
  }
}

function isApiList(value: unknown): value is (string | OwnApi)[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string' || isOwnApi(each))
}

/** @returns whether there were any that were not known. */
async function addApisOfBases(
  path: string,
  value: unknown,
  apis: Set<string | OwnApi>,
  way: readonly string[] = [],
): Promise<boolean> {
  const bases = (value as { extends?: unknown } | undefined)?.extends
  const before = apis.size
  for (const name of [bases ?? []].flat()) {
    const base = typeof name === 'string' ? resolve(dirname(path), name) : path
    if (way.length > maxFiles || way.includes(base) || base === path) continue
    // Reading a module runs it.
    if (isModule(base) && !isModule(path)) continue
    const read = await readUserFile(base, use).catch(() => undefined)
    if (!read) continue
    refusePrograms(base, read)
    await addApis(base, read, apis)
    await addApisOfBases(base, read.value, apis, [...way, base])
  }
  return apis.size > before
}

/** The maximum number of files of one scenario. */
export const maxFiles = 50

/**
 * Loads a scenario with all files that it extends.
 *
 * @param path a file in YAML, JSON, TypeScript or JavaScript: its path, or its `file:` URL.
 * @returns the scenario. It shares nothing with earlier loads, so an edited file can be loaded again.
 * @param options.apis further APIs, whose operations the scenario may name.
 * @throws {ScenarioError} with every mistake: `file:line:column: path: problem, value, and what to do`.
 */
export async function loadScenario(
  path: string | URL,
  { apis = [] }: { readonly apis?: readonly (string | OwnApi)[] } = {},
): Promise<LoadedScenario> {
  return loadScenarioWith(path, apis)
}

/**
 * Loads a scenario that may also name operations of further APIs.
 * @param apis added to those that the scenario names: the absolute paths of loaded files.
 * @throws {ScenarioError} as {@link loadScenario}.
 */
export async function loadScenarioWith(
  path: string | URL,
  apis: readonly (string | OwnApi)[],
): Promise<LoadedScenario> {
  const complaints: string[] = []
  const known = new Set<string | OwnApi>(apis)
  const parts = await readAll(resolve(pathOf(path)), known, complaints)
  if (complaints.length > 0) throw new ScenarioError(complaints.join('\n'))
  const whole = await wholeScenario(parts, resolvePart, known)
  if (known.size === 0) return whole
  const { scenario } = whole
  return { ...whole, scenario: { ...scenario, config: { ...scenario.config, apis: [...known] } } }
}

function pathOf(path: unknown): string {
  if (typeof path === 'string') return path
  try {
    if (path instanceof URL) return fileURLToPath(path)
  } catch {
    // A URL with another protocol, or with characters that are invalid in paths.
  }
  throw new ScenarioError(
    `Failed to load the scenario: the path is ${path instanceof URL ? `"${path.href}"` : `a value of type ${typeof path}`}. ` +
      "Give the path of a file, as in loadScenario('scenarios/flaky.yaml').",
  )
}

/** Reads a file and the files that it extends, strongest first. */
async function readAll(start: string, apis: Set<string | OwnApi>, complaints: string[]): Promise<ReadFile[]> {
  const parts: ReadFile[] = []
  const known = new Set<string>()
  const visit = async (path: string, way: readonly string[], from: string): Promise<void> => {
    if (way.includes(path)) {
      const circle = [...way.slice(way.indexOf(path)), path].map((each) => basename(each)).join(' → ')
      complaints.push(`${from}: extends itself: ${circle}. Take one step out.`)
      return
    }
    if (known.has(path)) return
    known.add(path)
    if (known.size > maxFiles) {
      if (known.size === maxFiles + 1)
        complaints.push(`${from}: extends more than ${maxFiles} files. Use fewer.`)
      return
    }
    const part = await readOr(path, { from, apis, complaints })
    if (!part) return
    parts.push(part)
    complaints.push(...mistakesInOrder(part))
    const bases = (part.scenario?.extends ?? []).map((name, index) => ({ name, index }))
    // Later entries override earlier ones.
    for (const { name, index } of bases.toReversed()) {
      const place = `${placeText(part.at(['extends', index]))}: extends.${index}`
      if (isAbsolute(name)) complaints.push(`${place}: is "${name}". Give a path relative to this file.`)
      else await visit(resolve(dirname(path), name), [...way, path], place)
    }
  }
  await visit(start, [], start)
  return parts
}

async function readOr(
  path: string,
  { from, apis, complaints }: { from: string; apis: Set<string | OwnApi>; complaints: string[] },
): Promise<ReadFile | undefined> {
  try {
    return await readScenarioFile(path, apis)
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error
    // A missing file is reported at the place that names it, in the file that extends it.
    const hasPlace =
      from === path || (error.message.startsWith(`${path}:`) && !error.message.startsWith(`${path}: `))
    complaints.push(hasPlace ? error.message : `${from}: ${error.message}`)
    return undefined
  }
}

/** Paths in a file are relative to its folder. Media must be in that folder. */
function resolvePart(part: ReadFile, scenario: Scenario, complaints: string[]): Scenario {
  const resolvePath = (target: string): string =>
    isAbsolute(target) ? target : resolve(dirname(part.path), target)
  const { rules, config } = scenario
  return {
    ...scenario,
    ...(rules && {
      rules: rules.map((rule, index) => {
        if (rule.media?.file === undefined) return rule
        const place = `${placeText(part.at(['rules', index, 'media', 'file']))}: rules.${index}.media.file`
        const found = findMediaFile(rule.media.file, part.path)
        if ('path' in found) return { ...rule, media: { ...rule.media, file: found.path } }
        const separator = found.problem.startsWith('Name') ? '.' : ','
        complaints.push(`${place}: is "${rule.media.file}"${separator} ${found.problem}`)
        return rule
      }),
    }),
    ...(config && {
      config: {
        ...config,
        ...(typeof config.cacheDir === 'string' && { cacheDir: resolvePath(config.cacheDir) }),
        ...(config.ffmpeg !== undefined &&
          config.ffmpeg !== 'wasm' && { ffmpeg: resolvePath(config.ffmpeg) }),
      },
    }),
  }
}

/**
 * Finds the file that a rule serves. It must be in the folder of the scenario file, after resolving symbolic links.
 *
 * @param name the name in the rule.
 * @param scenario the path of the scenario file.
 * @returns the resolved path, or the problem.
 */
function findMediaFile(name: string, scenario: string): { path: string } | { problem: string } {
  const folder = dirname(scenario)
  const path = resolve(folder, name)
  if (isAbsolute(name)) return { problem: 'Give a path relative to this file.' }
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) return { problem: `but ${path} does not exist. Name a file relative to this one.` }
  const real = realpathSync(path)
  if (!isInside(realpathSync(folder), real)) {
    return { problem: `but ${real} is outside of the folder of this file. Copy it into that folder.` }
  }
  if (!found.isFile()) return { problem: `but ${path} is not a file. Name a file.` }
  const problem = formatProblem(extname(name).toLowerCase(), readStart(real))
  return problem === undefined
    ? { path: real }
    : { problem: `which can't be served: ${problem}. Name a video or picture.` }
}

function readStart(path: string): Uint8Array {
  const start = new Uint8Array(signatureBytes)
  const file = openSync(path, 'r')
  try {
    return start.subarray(0, readSync(file, start))
  } finally {
    closeSync(file)
  }
}
