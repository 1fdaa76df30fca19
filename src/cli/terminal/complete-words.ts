import type { Options } from 'yargs'
import { argumentName, commands } from './commands.ts'
import { filesMark, shells } from './completion.ts'

/** A word to offer, and what it means. */
type Candidate = readonly [word: string, meaning?: string]

/**
 * Lists what may follow, one candidate a line, as the script of a shell reads it.
 * @param words the shell, then the words after `greenroom`; the last is being typed.
 */
export async function completeWords([shell, ...words]: readonly string[]): Promise<string> {
  const candidates = await findCandidates(words)
  const lines = candidates.map(([word, meaning = '']) => {
    if (shell === 'bash' || word === filesMark || meaning === '') return word
    return shell === 'zsh' ? `${word.replaceAll(':', '\\:')}:${meaning}` : `${word}\t${meaning}`
  })
  return lines.join('\n')
}

async function findCandidates(words: readonly string[]): Promise<readonly Candidate[]> {
  const current = words.at(-1) ?? ''
  const [name] = words
  if (words.length <= 1) return commands.map((each) => [each.name, each.summary])
  const listed = commands.find((each) => each.name === name)
  if (!listed || words.slice(0, -1).includes('--')) return [[filesMark]]
  const { options } = await listed.load()
  const flag = words.at(-2)!.replace(/^--/, '')
  const option = words.at(-2)!.startsWith('--') ? options[flag] : undefined
  if (option && option.type !== 'boolean') return valuesOf(flag, option)
  if (current.startsWith('-')) {
    const visible = Object.entries(options).filter(([, { hidden }]) => hidden !== true)
    // A switch that is on is given to switch it off.
    return [
      ...visible.map(
        ([each, { describe }]) =>
          [`--${/\[default: true\]/.test(describe ?? '') ? 'no-' : ''}${each}`, describe ?? ''] as const,
      ),
      ['--help', 'Show help'],
    ]
  }
  const argument = argumentName(listed)
  if (argument === 'shell') return shells.map((each) => [each])
  return argument === 'files' ? valuesOf('scenario', {}) : [[filesMark]]
}

async function valuesOf(flag: string, { choices }: Options): Promise<readonly Candidate[]> {
  if (choices) return choices.map((choice) => [String(choice)])
  if (flag !== 'scenario' && flag !== 'from') return [[filesMark]]
  const { listShipped } = await import('../run/shipped.ts')
  return [...listShipped().map(({ name, summary }) => [name, summary] as const), [filesMark]]
}
