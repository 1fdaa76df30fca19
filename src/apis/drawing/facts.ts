import type { OperationFacts, Role } from '../../engine/operations/facts.ts'

/** The facts of an operation of the channel (§4.4–4.6), whose path may also name a mode. */
export function drawingFacts(role: Role, route: string): OperationFacts {
  return { role, tasks: 'drawing', route, aliases: pathsWithMode(route.slice(route.indexOf('/mj/') + 3)) }
}

/**
 * The same path with a mode in front, in each of the ways that clients write it.
 * @assumed §9 modes in the path are undocumented; wire §7.1.
 */
function pathsWithMode(path: string): string[] {
  const modes = ['fast', 'relax', 'turbo']
  return [`/{mode}/mj${path}`, ...modes.flatMap((mode) => [`/mj-${mode}${path}`, `/mj-${mode}/mj${path}`])]
}
