import type { Scenario } from '../../../scenario/vocabulary/types.ts'
import { isShippedApi, nameApiFile } from '../../../files/code/load-apis.ts'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve, sep } from 'node:path'
import {
  flakySentence,
  isAccepted,
  judgeFinding,
  toFindingScenario,
  type Exploration,
  type Finding,
  type ReportedExploration,
  type ReportedFinding,
} from '../../../judge/explore/index.ts'
import { FileError, type Terminal } from '../../terminal/command.ts'
import { readFailure } from '../../../files/file-error.ts'
import { quoteWord } from '../../../judge/index.ts'
import { programWords } from '../../terminal/program.ts'

/** The first line of every written file. A file with this line may be overwritten. */
const mark = '# Written by greenroom explore. '

/** How to write findings. */
interface FindingsRequest {
  readonly title: string
  readonly command: readonly string[]
  /** The flags that set variables of the command. */
  readonly variableFlags: readonly string[]
  /** The prefix of file names, if several scenarios are explored. */
  readonly prefix: string
  /** The folder, and the keys of accepted findings. */
  readonly out: string
  readonly accepted: readonly string[]
  /** Whether flaky findings fail. */
  readonly isStrict: boolean
}

/** Writes a scenario file for each finding, and prints how to play it. */
export async function writeFindings(
  exploration: Exploration,
  request: FindingsRequest,
  terminal: Terminal,
): Promise<ReportedExploration> {
  const { accepted, title, isStrict } = request
  const findings: ReportedFinding[] = []
  for (const finding of exploration.findings)
    findings.push({
      ...judgeFinding(finding, { accepted, isStrict }),
      ...(await writeFinding(finding, exploration, request, terminal)),
    })
  return { ...exploration, title, findings }
}

async function writeFinding(
  finding: Finding,
  exploration: Exploration,
  { command, variableFlags, out, prefix }: FindingsRequest,
  { folder, environment, warn }: Terminal,
): Promise<Pick<ReportedFinding, 'file' | 'yaml' | 'reproduce'>> {
  const scenario = toFindingScenario(finding, exploration)
  if (!scenario) return {}
  const { stringify } = await import('yaml')
  const file = join(out, `${prefix}${toFileName(finding)}.yaml`)
    .split(sep)
    .join('/')
  const apis = (scenario.config?.apis ?? []).flatMap((each) =>
    typeof each === 'string' ? nameApiFile(each, folder) : [],
  )
  const words = [
    ...programWords(environment),
    'run',
    ...apis.filter((name) => !isShippedApi(name)).flatMap((name) => ['--api', name]),
    ...variableFlags,
    file,
    ...(command.length > 0 ? ['--', ...command] : []),
  ]
  const reproduce = words.map(quoteWord).join(' ')
  const yaml = [
    `${mark}${finding.sentence}`,
    `# ${finding.advice}`,
    ...(finding.isFlaky ? [`# ${flakySentence}`] : []),
    `# ${reproduce}`,
    stringify(withShippedApis(scenario, apis.filter(isShippedApi)), { lineWidth: 110 }),
  ].join('\n')
  const path = resolve(folder, file)
  const before = await readFile(path, 'utf8').catch(() => mark)
  if (!before.startsWith(mark)) {
    warn(`warning: ${file} was not written, since it is a file of your own. Rename it, or pass --out.`)
    return { yaml }
  }
  try {
    await mkdir(resolve(folder, out), { recursive: true })
    await writeFile(path, yaml)
  } catch (error) {
    throw new FileError(
      `Failed to write ${file}: ${(error as Error).message}. Pass --out with another folder.`,
    )
  }
  return { file, yaml, reproduce }
}

/** A scenario in YAML names no files of APIs: `--api` does. */
function withShippedApis(scenario: Scenario, shipped: readonly string[]): Scenario {
  const { apis, ...config } = scenario.config ?? {}
  if (!apis) return scenario
  if (shipped.length > 0) return { ...scenario, config: { ...config, apis: [...shipped] } }
  const { config: _config, ...rest } = scenario
  return Object.keys(config).length > 0 ? { ...rest, config } : rest
}

function toFileName({ habit, key, operations }: Finding): string {
  const parts = [
    habit,
    ...key.split(' | ').slice(2),
    ...(key.split(' | ').length > 2 ? [] : operations.slice(0, 1)),
  ]
  return parts
    .join('-')
    .replace(/[^a-z0-9]+/gi, '-')
    .toLowerCase()
}

/** The accepted findings that were not found, if the exploration was complete. */
export function listGone(
  explorations: readonly ReportedExploration[],
  accepted: readonly string[],
): string[] {
  if (explorations.some(({ left }) => left.length > 0)) return []
  const keys = explorations.flatMap(({ findings }) => findings.map(({ key }) => key))
  return accepted.filter((known) => !keys.some((key) => isAccepted(key, [known])))
}

/** @throws {FileError} for a file that is not the JSON report of an exploration. */
export async function readAcceptedKeys(
  file: string,
  { folder, warn }: Pick<Terminal, 'folder' | 'warn'>,
): Promise<string[]> {
  const path = resolve(folder, file)
  const advice = `--accept takes a report of --report json=${file}.`
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new FileError(readFailure(path, error, advice))
  })
  const report = parseReport(text)
  if (!report) throw new FileError(`${file} is not the report of an exploration. ${advice}`)
  if (report.isOld)
    warn(
      `warning: ${file} is out of date: greenroom ${report.version} counted what follows from a mistake as findings of its own. Explore again with --report json=${file}, and compare.`,
    )
  return report.keys
}

/** @returns undefined for a text that is not JSON, or has another shape. */
function parseReport(
  text: string,
): { readonly keys: string[]; readonly version: string; readonly isOld: boolean } | undefined {
  try {
    const { explorations, greenroom } = JSON.parse(text) as {
      greenroom?: string
      explorations: { findings: { key: unknown; consequences?: unknown }[] }[]
    }
    const findings = explorations.flatMap((exploration) => exploration.findings)
    return {
      keys: findings.map(({ key }) => String(key)),
      version: greenroom ?? '0.3.0',
      isOld: findings.some(({ consequences }) => consequences === undefined),
    }
  } catch {
    return undefined
  }
}
