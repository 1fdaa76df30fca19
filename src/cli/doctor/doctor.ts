import { pluralize } from '../../engine/wording.ts'
import { exitCodes, isFileError, type Command, type Terminal } from '../terminal/command.ts'
import { colourText, textStyle, wrap } from '../terminal/style.ts'
import { findConfig, readConfig, type Config } from '../serve/config-file.ts'
import { version } from '../../version.ts'
import type { CheckResult, Setting } from './check.ts'
import { findFolders, findMachine } from './machine.ts'
import { findNetwork } from './network.ts'
import { findPackages } from './packages.ts'

/** `greenroom doctor`: finds what prevents greenroom from working on this machine and in this project. */
export const doctor: Command = {
  options: {
    config: { type: 'string', describe: 'Check this config file  [default: that of the folder]' },
    mend: { type: 'boolean', describe: 'Download the native encoder if it is missing or broken' },
    json: { type: 'boolean', describe: 'Print the checks as JSON' },
  },
  epilogue: [
    'Checks Node and npm, the encoder, the cache and state folders, the port, proxies, the clock, optional packages, the config file and the version of greenroom in the project. Changes nothing without --mend.',
    `Exit codes: 0 nothing is wrong (warnings do not count), 1 something is wrong or could not be mended, ${exitCodes.usage} wrong flag.`,
  ],
  examples: [
    ['greenroom doctor', 'check this machine and this project'],
    ['greenroom doctor --mend', 'download the encoder that npm has skipped'],
  ],
  run: async ({ flags }, terminal) => {
    const { config, finding } = await readProjectConfig(flags['config'], terminal)
    const setting = { config, folder: terminal.folder, environment: terminal.environment }
    const found = await examine(setting)
    const findings = [finding, ...(flags['mend'] === true ? await mend(found, setting, terminal) : found)]
    const isWrong = findings.some(({ status }) => status === 'error')
    terminal.print(
      flags['json'] === true
        ? JSON.stringify({ version, ok: !isWrong, checks: findings }, null, 2)
        : formatFindings(findings, terminal),
    )
    return isWrong ? 1 : exitCodes.ok
  },
}

async function examine(setting: Setting): Promise<CheckResult[]> {
  const found = [findMachine(setting), findPackages(setting), findFolders(setting), findNetwork(setting)]
  return (await Promise.all(found)).flat()
}

/** Corrects findings where possible, and checks again. A finding that could not be corrected is an error. */
async function mend(
  findings: readonly CheckResult[],
  setting: Setting,
  terminal: Terminal,
): Promise<readonly CheckResult[]> {
  const mendable = findings.filter((finding) => finding.mend)
  if (mendable.length === 0) return findings
  const left = new Map<string, string>()
  for (const { name, mend } of mendable) {
    const advice = await mend!(terminal)
    if (advice !== undefined) left.set(name, advice)
  }
  return (await examine(setting)).map((finding) => {
    const advice = left.get(finding.name) ?? finding.advice
    const isLeft = mendable.some(({ name }) => name === finding.name) && finding.status !== 'ok'
    return isLeft ? { ...finding, status: 'error', advice: advice! } : finding
  })
}

/** Reads the config. If the file can't be used, the other checks continue with an empty config. */
async function readProjectConfig(
  named: unknown,
  { folder }: Terminal,
): Promise<{ config: Config; finding: CheckResult }> {
  const name = 'config'
  try {
    const path = findConfig(folder, named === undefined ? undefined : String(named))
    if (path === undefined) {
      return { config: {}, finding: { name, status: 'ok', found: 'no file; greenroom init writes one' } }
    }
    return { config: await readConfig(path), finding: { name, status: 'ok', found: path } }
  } catch (error) {
    if (!isFileError(error)) throw error
    const advice = 'Correct the file. greenroom serve does not start with it.'
    return { config: {}, finding: { name, status: 'error', found: error.message, advice } }
  }
}

const marks: Readonly<Record<CheckResult['status'], { mark: string; colour: number }>> = {
  ok: { mark: '✓', colour: 32 },
  warning: { mark: '!', colour: 33 },
  error: { mark: '✗', colour: 31 },
}

function formatFindings(findings: readonly CheckResult[], terminal: Terminal): string {
  const style = textStyle(terminal)
  const width = Math.max(...findings.map(({ name }) => name.length))
  const lines = findings.map(({ name, status, found, advice }) => {
    const { mark, colour } = marks[status]
    const text = [found, ...(advice === undefined ? [] : [advice])].join('\n')
    return `${colourText(mark, colour, style)} ${name.padEnd(width)}  ${wrap(text, style.columns - width - 4, width + 4)}`
  })
  const count = (wanted: CheckResult['status']): string =>
    pluralize(findings.filter(({ status }) => status === wanted).length, wanted)
  return `${lines.join('\n')}\n\n${count('error')}, ${count('warning')}`
}
