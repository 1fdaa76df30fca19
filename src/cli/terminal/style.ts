import { breakAtWords } from '../../engine/wording.ts'
import type { Example, Terminal } from './command.ts'

/** How texts for people are printed. */
export interface TextStyle {
  readonly columns: number
  readonly hasColours: boolean
}

/** Longer lines are hard to read. Shorter ones leave no space for two columns. */
const bounds = { min: 40, max: 110 }

/** The style of a terminal. The width is that of `COLUMNS` or of the terminal; 80 for a file or a pipe. */
export function textStyle({ environment, screen }: Pick<Terminal, 'environment' | 'screen'>): TextStyle {
  const columns = Number(environment['COLUMNS']) || screen?.columns() || 80
  return {
    columns: Math.max(bounds.min, Math.min(bounds.max, columns)),
    hasColours: screen?.hasColours ?? false,
  }
}

/** Breaks lines between words. Indents all lines but the first; lines that are already indented stay so. */
export function wrap(text: string, columns: number, indent = 0): string {
  const lines = text.split('\n').flatMap((line) => {
    const [margin = ''] = /^ */.exec(line) ?? []
    return breakAtWords(line.trim(), columns - margin.length).map((each) => margin + each)
  })
  return lines.join(`\n${' '.repeat(indent)}`)
}

/** @param code an ANSI code, such as 1 for bold. */
export function colourText(
  text: string,
  code: number,
  { hasColours }: Pick<TextStyle, 'hasColours'>,
): string {
  return hasColours && code > 0 && text !== '' ? `\u001b[${code}m${text}\u001b[0m` : text
}

/**
 * Lists command lines under their effects. One that does not fit a line is continued with a backslash, so it can still be
 * copied.
 */
export function formatCommands(title: string, examples: readonly Example[], style: TextStyle): string {
  const lines = examples.map(([command, what]) => {
    const broken = wrap(command, style.columns - 4, 4).replaceAll('\n', ' \\\n')
    return `  ${wrap(`# ${what}`, style.columns - 2, 2)}\n  ${broken}`
  })
  return [colourText(title, 1, style), ...lines].join('\n')
}
