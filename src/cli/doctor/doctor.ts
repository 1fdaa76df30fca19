import { pluralize } from '../../engine/wording.ts'
import { version } from '../../version.ts'
import type { Config } from '../serve/config-file.ts'
import { exitCodes, readText, type Command, type Terminal } from '../terminal/command.ts'
import { colourText, textStyle, wrap } from '../terminal/style.ts'
import { checkConfig, checkNode, checkPackages, checkPort, type CheckResult } from './checks.ts'
import { checkEncoder } from './encoder.ts'

/** `greenroom doctor`: finds what prevents greenroom from working on this machine and in this project. */
export const doctor: Command = {
  options: {
    config: { type: 'string', describe: 'Check this config file  [default: that of the folder]' },
    mend: { type: 'boolean', describe: 'Download the native encoder if it is missing or broken' },
    json: { type: 'boolean', describe: 'Print the checks as JSON' },
  },
  epilogue: [
    'Checks the config file, Node, the encoder, the port and optional packages. Changes nothing without --mend.',
    `Exit codes: 0 nothing is wrong (warnings do not count), 1 something is wrong or could not be mended, ${exitCodes.usage} wrong flag.`,
  ],
  examples: [['greenroom doctor --mend', 'download the encoder that npm has skipped']],
  run: async ({ flags }, terminal) => {
    const { config, result } = await checkConfig(readText(flags, 'config'), terminal.folder)
    const checks: readonly CheckResult[] = [
      result,
      checkNode(process.versions.node),
      await checkOrMendEncoder(config, terminal, flags['mend'] === true),
      await checkPort(config),
      ...(await checkPackages(terminal.folder)),
    ]
    const isWrong = checks.some(({ status }) => status === 'error')
    const json = flags['json'] === true && JSON.stringify({ version, ok: !isWrong, checks }, null, 2)
    terminal.print(json || formatChecks(checks, terminal))
    return isWrong ? 1 : exitCodes.ok
  },
}

/** With `mend`, an encoder that could not be corrected is an error. */
async function checkOrMendEncoder(config: Config, terminal: Terminal, mend: boolean): Promise<CheckResult> {
  const result = await checkEncoder(config, terminal)
  if (!mend || !result.mend) return result
  const left = await result.mend(terminal)
  const mended = await checkEncoder(config, terminal)
  if (mended.status === 'ok') return mended
  return { ...mended, status: 'error', ...(left !== undefined && { advice: left }) }
}

/** The mark of a status, and its colour of a terminal. */
const marks = { ok: ['✓', 32], warning: ['!', 33], error: ['✗', 31] } as const

function formatChecks(checks: readonly CheckResult[], terminal: Terminal): string {
  const style = textStyle(terminal)
  const width = Math.max(...checks.map(({ name }) => name.length))
  const lines = checks.map(({ name, status, found, advice }) => {
    const [mark, colour] = marks[status]
    const text = [found, ...(advice === undefined ? [] : [advice])].join('\n')
    return `${colourText(mark, colour, style)} ${name.padEnd(width)}  ${wrap(text, style.columns - width - 4, width + 4)}`
  })
  const count = (wanted: CheckResult['status']): string =>
    pluralize(checks.filter(({ status }) => status === wanted).length, wanted)
  return `${lines.join('\n')}\n\n${count('error')}, ${count('warning')}`
}
