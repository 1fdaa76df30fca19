import { formatResult, formatDoubt, reproduceCommands, toSuites, type Verdicts } from './text.ts'

/**
 * Annotations for GitHub Actions, one line each: errors at the lines of expectations that failed, notices at those that
 * could not be verdicts. Empty when there is nothing to say.
 *
 * @param toPath converts the path of a file into one from the root of the repository.
 */
export function githubReport(verdicts: Verdicts, toPath = (file: string): string => file): string {
  const lines = toSuites(verdicts).flatMap(({ heading, file, results }) =>
    results
      .filter(({ fails, verdict, doubtful }) => fails || verdict !== 'pass' || doubtful)
      .map((result) => {
        const { at, fails, verdict, doubtful } = result
        const path = at?.file ?? file ?? undefined
        const properties = {
          file: path === undefined ? undefined : toPath(path),
          line: at?.line,
          col: at?.column,
          title: heading,
        }
        return annotation(
          fails ? 'error' : 'notice',
          properties,
          `${result.path} ${verdict}: ${doubtful ? formatDoubt(doubtful) : formatResult(result)}`,
        )
      }),
  )
  const commands = reproduceCommands(verdicts).map((line) =>
    annotation('notice', { title: 'reproduce' }, line),
  )
  return [...lines, ...commands].map((line) => `${line}\n`).join('')
}

/** A command of the runner, one line. */
export function annotation(
  kind: 'error' | 'notice',
  properties: Readonly<Record<string, string | number | undefined>>,
  message: string,
): string {
  const written = Object.entries(properties)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${escapeProperty(String(value))}`)
    .join(',')
  return `::${kind} ${written}::${escapeData(message)}`
}

/** The runner reads these commands line by line and unescapes them. */
function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
