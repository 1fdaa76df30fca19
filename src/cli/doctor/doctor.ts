import { exitCodes, FileError, type Command, type Terminal } from '../terminal/command.ts'
import { paint, textStyle, wrap } from '../terminal/style.ts'
import { findConfig, readConfig, type Config } from '../serve/config-file.ts'
import { version } from '../../version.ts'
import type { Finding } from './check.ts'
import { findFiles } from './files.ts'
import { findMachine } from './machine.ts'
import { findNetwork } from './network.ts'
import { findPackages } from './packages.ts'

/** `greenroom doctor`: what of this machine and this project keeps greenroom from working. */
export const doctor: Command = {
  options: {
    config: { type: 'string', describe: 'Check this config file  [default: that of the folder]' },
    json: { type: 'boolean', describe: 'Print the checks as JSON' },
  },
  epilogue: [
    'Checks Node and npm, the encoder, the cache and state folders, the port, proxies, the clock, optional packages, the config file and the version of greenroom in the project. Changes nothing.',
    `Exit codes: 0 nothing is wrong (warnings do not count), 1 something is wrong, ${exitCodes.usage} wrong flag.`,
  ],
  examples: [
    ['greenroom doctor', 'check this machine and this project'],
    ['greenroom doctor --json', 'print the checks for a program'],
  ],
  run: async ({ flags }, terminal) => {
    const { config, finding } = await readProjectConfig(flags['config'], terminal)
    const setting = { config, folder: terminal.folder, environment: terminal.environment }
    const found = await Promise.all([
      findMachine(setting),
      findPackages(setting),
      findFiles(setting),
      findNetwork(setting),
    ])
    const findings: Finding[] = [finding, ...found.flat()]
    const isWrong = findings.some(({ status }) => status === 'error')
    terminal.print(
      flags['json'] === true
        ? JSON.stringify({ version, ok: !isWrong, checks: findings }, null, 2)
        : formatFindings(findings, terminal),
    )
    return isWrong ? 1 : exitCodes.ok
  },
}

/** The other checks go on with an empty config if the file can't be used. */
async function readProjectConfig(
  named: unknown,
  { folder }: Terminal,
): Promise<{ config: Config; finding: Finding }> {
  const name = 'config'
  try {
    const path = findConfig(folder, named === undefined ? undefined : String(named))
    if (path === undefined) {
      return { config: {}, finding: { name, status: 'ok', found: 'no file; greenroom init writes one' } }
    }
    return { config: await readConfig(path), finding: { name, status: 'ok', found: path } }
  } catch (error) {
    if (!(error instanceof FileError)) throw error
    const advice = 'Correct the file. greenroom serve does not start with it.'
    return { config: {}, finding: { name, status: 'error', found: error.message, advice } }
  }
}

const marks: Readonly<Record<Finding['status'], { mark: string; colour: number }>> = {
  ok: { mark: '✓', colour: 32 },
  warning: { mark: '!', colour: 33 },
  error: { mark: '✗', colour: 31 },
}

function formatFindings(findings: readonly Finding[], terminal: Terminal): string {
  const style = textStyle(terminal)
  const width = Math.max(...findings.map(({ name }) => name.length))
  const lines = findings.map(({ name, status, found, advice }) => {
    const { mark, colour } = marks[status]
    const text = [found, ...(advice === undefined ? [] : [advice])].join('\n')
    return `${paint(mark, colour, style)} ${name.padEnd(width)}  ${wrap(text, style.columns - width - 4, width + 4)}`
  })
  const count = (status: Finding['status']): string => {
    const { length } = findings.filter((each) => each.status === status)
    return `${length} ${status}${length === 1 ? '' : 's'}`
  }
  return `${lines.join('\n')}\n\n${count('error')}, ${count('warning')}`
}
