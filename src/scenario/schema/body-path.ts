/** One step of a path: a field, an index, or `*` for all entries of a list or object. */
type Step = string | number

/**
 * Parses a path: `messages[0].content`, `contents[*].parts[*].text`, with or without `$.` at the start.
 * @returns its steps, or null for an invalid path.
 */
export function readPath(path: string): readonly Step[] | null {
  const steps: Step[] = []
  let rest = path.replace(/^\$\.?/, '')
  while (rest !== '') {
    const match = /^(?:\.?([^.[\]]+)|\[(\d{1,6}|\*|'[^']*'|"[^"]*")\])/.exec(rest)
    if (!match) return null
    const [whole, name, index] = match
    if (name !== undefined) steps.push(name)
    else steps.push(/^\d/.test(index!) ? Number(index) : index!.replace(/^['"]|['"]$/g, ''))
    rest = rest.slice(whole.length)
  }
  return steps
}

/** Further values are not searched. */
const maxValues = 1_000

/** The values at a path; empty if there are none. */
export function valuesAt(body: unknown, steps: readonly Step[]): readonly unknown[] {
  let values: unknown[] = [body]
  for (const step of steps) {
    const next: unknown[] = []
    for (const value of values) {
      if (typeof value !== 'object' || value === null) continue
      if (step === '*') next.push(...Object.values(value).slice(0, maxValues))
      else if (Object.hasOwn(value, step)) next.push((value as Record<Step, unknown>)[step])
    }
    values = next.slice(0, maxValues)
  }
  return values
}
