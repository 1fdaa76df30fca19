import type { Example, Terminal } from './command.ts'

/** How texts for people are printed. */
export interface TextStyle {
  readonly columns: number
  readonly hasColours: boolean
}

/** Longer lines are hard to read, shorter ones leave no room for two columns. */
const bounds = { min: 40, max: 110 }

/** The width is that of `COLUMNS` or of the terminal; 80 in a file or a pipe. */
export function textStyle({ environment, screen }: Pick<Terminal, 'environment' | 'screen'>): TextStyle {
  const columns = Number(environment['COLUMNS']) || screen?.columns() || 80
  return {
    columns: Math.max(bounds.min, Math.min(bounds.max, columns)),
    hasColours: screen?.hasColours ?? false,
  }
}

/** Breaks lines between words. Lines after the first are indented; those that are indented already stay so. */
export function wrap(text: string, columns: number, indent = 0): string {
  const lines = text.split('\n').flatMap((line) => {
    const [margin = ''] = /^ */.exec(line) ?? []
    const broken = [margin]
    for (const word of line.trim().split(' ')) {
      const last = broken.at(-1)!
      if (last.trim() === '') broken[broken.length - 1] = `${last}${word}`
      else if (last.length + 1 + word.length <= columns) broken[broken.length - 1] = `${last} ${word}`
      else broken.push(`${margin}${word}`)
    }
    return broken
  })
  return lines.join(`\n${' '.repeat(indent)}`)
}

/** @param code of ANSI, such as 1 for bold. */
export function paint(text: string, code: number, { hasColours }: TextStyle): string {
  return hasColours ? `\u001b[${code}m${text}\u001b[0m` : text
}

/** Command lines under what they do. One that does not fit in a line ends with a backslash, to be copied all the same. */
export function formatCommands(title: string, examples: readonly Example[], style: TextStyle): string {
  const lines = examples.map(([command, what]) => {
    const broken = wrap(command, style.columns - 4, 4).replaceAll('\n', ' \\\n')
    return `  ${wrap(`# ${what}`, style.columns - 2, 2)}\n  ${broken}`
  })
  return [paint(title, 1, style), ...lines].join('\n')
}
