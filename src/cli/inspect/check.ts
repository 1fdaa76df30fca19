import { placeText } from '../../scenario/files/error.ts'
import { exitCodes, wordsFlag, wordsOf, type Command, type Terminal } from '../terminal/command.ts'
import { loadScenarios, shownPath, type NamedScenario } from '../run/load-scenarios.ts'
import { run } from '../run/run.ts'

/** `greenroom check`: whether scenario files are what they should be, before anybody plays them. */
export const check: Command = {
  name: 'check',
  summary: 'check scenario files, and try them on the reference client',
  words: { name: 'files', describe: 'Scenario files', least: 1, most: 1_000 },
  options: {
    drive: { type: 'boolean', describe: '--no-drive leaves the reference client out' },
    embedded: { type: 'boolean', describe: 'Check for use without a socket, as in createSimulator' },
  },
  epilogue: `Checks every key and value, looks for what can't be meant, such as a rule that never fires, and then lets the
reference client do what drive says. Mistakes fail; advice doesn't.

Exit codes: those of run; ${exitCodes.badFile} a file is invalid, or can't mean what it says.`,
  run: async (flags, terminal) => {
    const files = await loadScenarios(wordsOf(flags), terminal)
    const { lintLoaded } = await import('../../scenario/files/lint/lint.ts')
    const { startProblem } = await import('../serve/start-problem.ts')
    let mistakes = 0
    for (const each of files) {
      const found = lintLoaded(each.loaded, { door: flags['embedded'] === true ? 'embedded' : 'socket' })
      const problem = await startProblem(each.loaded)
      if (problem) found.push({ ...problem, at: each.loaded.at(problem.place) })
      for (const { at, severity, message } of found) {
        const place = placeText({ ...at, file: shownPath(terminal.folder, at.file) })
        terminal.warn(`${place}: ${severity}: ${message}`)
      }
      const wrong = found.filter(({ severity }) => severity === 'mistake').length
      if (wrong === 0) terminal.print(summaryOf(each))
      mistakes += wrong
    }
    if (mistakes > 0) return exitCodes.badFile
    return flags['drive'] === false ? exitCodes.ok : tryOut(files, terminal)
  },
}

function summaryOf({ file, loaded: { scenario } }: NamedScenario): string {
  const { rules = [], throttles = [], drive = [] } = scenario
  const parts = [
    counted(rules.length, 'rule'),
    counted(throttles.length, 'throttle'),
    counted(drive.length, 'step'),
  ]
  return `${file}: fine, ${parts.join(', ')}`
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}

/** Plays the files that say what the reference client does. */
async function tryOut(named: readonly NamedScenario[], terminal: Terminal): Promise<number> {
  const driven = named.filter(({ loaded }) => (loaded.scenario.drive ?? []).length > 0)
  if (driven.length === 0) return exitCodes.ok
  const files = { [wordsFlag]: driven.map(({ loaded }) => loaded.files[0]!) }
  return run.run({ ...files, strict: false }, terminal)
}
