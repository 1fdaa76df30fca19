import type { Simulator } from '../../simulator/simulator.ts'
import type { Terminal } from '../terminal/command.ts'

/** The namespace that is judged. Keys that name no namespace belong to it. */
export const judgedNamespace = 'default'

const keyAdvice = 'Use GREENROOM_KEY unchanged; if config has keys, one of them must name no namespace.'

/**
 * Explains why a run has no requests to judge.
 * @param variables the variables with which the command was started.
 * @returns undefined if there was a request.
 */
export function explainNoRequests(
  simulator: Pick<Simulator, 'namespaces'>,
  variables: Readonly<Record<string, string>>,
): string | undefined {
  if (simulator.namespaces.get(judgedNamespace).journal.nextNumber > 1) return undefined
  const others = listOtherNamespaces(simulator)
  if (others !== '')
    return `No request had the key that is judged, only keys of other namespaces: ${others}. ${keyAdvice}`
  const urls = Object.entries(variables).filter(([, value]) => /^https?:/.test(value))
  const list = urls.map(([name, value]) => `${name}=${value}`).join(', ')
  return (
    `No requests reached the simulator. The command was started with ${list}. Let its client read one of these, or ` +
    `name your own: --env 'MY_GATEWAY=\${url}'.`
  )
}

/** Warns of requests with keys of other namespaces, which are not judged. They are probably a mistake. */
export function warnAboutOtherNamespaces(simulator: Simulator, { warn }: Terminal): void {
  const others = listOtherNamespaces(simulator)
  if (others !== '') warn(`warning: Requests in other namespaces are not judged: ${others}. ${keyAdvice}`)
}

function listOtherNamespaces({ namespaces }: Pick<Simulator, 'namespaces'>): string {
  return namespaces
    .all()
    .filter(({ name, journal }) => name !== judgedNamespace && journal.nextNumber > 1)
    .map(({ name, journal }) => `${name} (${journal.nextNumber - 1})`)
    .join(', ')
}
