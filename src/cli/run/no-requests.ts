import type { Simulator } from '../../simulator/simulator.ts'
import { judgedNamespace } from './drive-scenario.ts'

/**
 * Explains why a command has nothing to be judged by.
 *
 * @param variables what the command got from us, by name.
 * @returns undefined as soon as one request with the judged key has come.
 */
export function explainNoRequests(
  { namespaces }: Pick<Simulator, 'namespaces'>,
  variables: Readonly<Record<string, string>>,
): string | undefined {
  if (namespaces.get(judgedNamespace).journal.nextNumber > 1) return undefined
  const others = listOtherNamespaces({ namespaces })
  if (others !== undefined) {
    return (
      `No request came with the key that is judged. Requests with other keys are not: ${others}. ` +
      'Use GREENROOM_KEY as it is; if config has keys, one of them must name no namespace.'
    )
  }
  const urls = Object.entries(variables).filter(([, value]) => /^https?:/.test(value))
  const list = urls.map(([name, value]) => `${name}=${value}`).join(', ')
  return (
    `No requests reached the simulator. The command was started with ${list}. Let its client read one of these, or ` +
    `name your own: --env 'MY_GATEWAY=\${url}'.`
  )
}

/** The namespaces that are not judged, with their requests; undefined without any. */
export function listOtherNamespaces({ namespaces }: Pick<Simulator, 'namespaces'>): string | undefined {
  const others = namespaces
    .all()
    .filter(({ name, journal }) => name !== judgedNamespace && journal.nextNumber > 1)
    .map(({ name, journal }) => `${name} (${journal.nextNumber - 1})`)
  return others.length === 0 ? undefined : others.join(', ')
}
